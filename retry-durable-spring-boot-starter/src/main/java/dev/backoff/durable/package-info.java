/**
 * Durable calls: {@code @Backoff(durable = "true")} stores each call of a method. Workers
 * run each stored call at least once, even after the process that stored it has ended.
 */
@NullMarked
package dev.backoff.durable;

import org.jspecify.annotations.NullMarked;
