/**
 * Turn the events of calls into meters, log lines and observations. Their names are API.
 * Nothing here fails a call. No meter and no log line shows an argument or the message of
 * a call's failure. {@link dev.backoff.spring.observation.CallStatistics} and
 * {@link dev.backoff.spring.observation.StoppedCalls} serve the endpoint; the other
 * public types are contracts for applications.
 */
@NullMarked
package dev.backoff.spring.observation;

import org.jspecify.annotations.NullMarked;
