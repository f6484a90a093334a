/**
 * Weaving instead of proxies: the aspect, and the application contexts that it works for.
 * Loaded in mode {@code aspectj} and by woven classes only.
 */
@NullMarked
package dev.backoff.spring.aspectj;

import org.jspecify.annotations.NullMarked;
