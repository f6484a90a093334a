/**
 * Circuit breakers, which stop the calls to a dependency while too many of them fail.
 * <p>
 * A retry repeats a call; a breaker notices that further calls are useless. A breaker
 * counts attempts, not calls, because the dependency receives attempts. While the breaker
 * is open, a call that is retrying makes no further attempt.
 */
@NullMarked
package dev.backoff.breaker;

import org.jspecify.annotations.NullMarked;
