/**
 * Durable calls: {@code @Backoff(durable = "true")} stores each call of a method, and
 * lanes make its attempts at least once, also after the process that stored it has ended.
 */
@NullMarked
package dev.backoff.durable;

import org.jspecify.annotations.NullMarked;
