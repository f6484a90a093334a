/**
 * The configuration while the application runs: refreshed, and overridden by an operator.
 */
@NullMarked
package dev.backoff.spring.live;

import org.jspecify.annotations.NullMarked;
