/**
 * When to stop calling at all.
 * <p>
 * Retries ask again; a breaker notices that asking is useless. It counts attempts, not
 * calls, so that it sees what the dependency sees, and a call that is retrying stops at
 * once when it opens.
 */
@NullMarked
package dev.backoff.breaker;

import org.jspecify.annotations.NullMarked;
