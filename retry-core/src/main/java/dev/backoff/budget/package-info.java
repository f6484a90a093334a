/**
 * How many retries all calls together may spend.
 * <p>
 * Backoff and jitter spread retries over time; they do not make them fewer. While a
 * dependency is down, every call still makes all its attempts, and the multiplied load
 * keeps it down after what broke it is mended: three attempts on a server used to 80 %
 * never let it recover from a stall of three seconds. Only a limit on the number of
 * retries prevents that.
 * <p>
 * The limit is a bucket of tokens. A retry takes one; a <em>successful</em> call puts a
 * tenth back. So the ratio of retries to useful work is bounded, and during an outage,
 * when nothing succeeds, retries all but cease. A ratio of all first attempts would go on
 * paying for retries while nothing succeeds. A little is put back over time too, so that
 * a job which runs once an hour keeps its retries. First attempts are free: a budget
 * never makes a call fail that would have worked.
 */
@NullMarked
package dev.backoff.budget;

import org.jspecify.annotations.NullMarked;
