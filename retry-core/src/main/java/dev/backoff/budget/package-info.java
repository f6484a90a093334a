/**
 * A limit on the number of retries that all calls make together.
 * <p>
 * Backoff and jitter spread retries over time, but do not reduce their number. While a
 * dependency is down, every call still makes all its attempts. The multiplied load keeps
 * the dependency down after its fault is fixed. For example, a server used to 80 % never
 * recovers from a stall of three seconds if each call makes three attempts. Only a limit
 * on the number of retries prevents this.
 * <p>
 * The limit is a bucket of tokens. A retry takes one token. A <em>successful</em> call
 * puts back a tenth of a token and the tokens of its own retries, except retries after a
 * timeout. Therefore useful work limits the number of useless retries, and they almost
 * cease during an outage, when no call succeeds. If first attempts put tokens back, the
 * budget would pay for retries even then. Time puts a few tokens back, so that a job
 * which runs once an hour keeps its retries. First attempts are free: they need no token.
 */
@NullMarked
package dev.backoff.budget;

import org.jspecify.annotations.NullMarked;
