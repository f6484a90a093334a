/**
 * Weaving instead of proxies: the aspect, and the application contexts that it serves.
 * Only woven classes and applications in mode {@code aspectj} load this package.
 */
@NullMarked
package dev.backoff.spring.aspectj;

import org.jspecify.annotations.NullMarked;
