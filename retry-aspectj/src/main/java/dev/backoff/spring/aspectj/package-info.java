/**
 * Weaving instead of proxies: the aspect, and the application contexts that it works for.
 * Only woven classes and applications in mode {@code aspectj} load it.
 */
@NullMarked
package dev.backoff.spring.aspectj;

import org.jspecify.annotations.NullMarked;
