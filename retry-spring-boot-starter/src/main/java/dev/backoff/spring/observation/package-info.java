/**
 * Meters, log lines and observations, made from the events of calls. Their names are API.
 * Nothing here fails a call. No meter and no log line shows an argument or the message of
 * a call's failure. {@link dev.backoff.spring.observation.CallStatistics} and
 * {@link dev.backoff.spring.observation.StoppedCalls} serve the endpoint; the other
 * public types are contracts for applications.
 */
@NullMarked
package dev.backoff.spring.observation;

import org.jspecify.annotations.NullMarked;
