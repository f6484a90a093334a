package dev.backoff.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The names and keys of observed attempts. A bean of this type replaces
 * {@link DefaultBackoffAttemptConvention}. Words that are tags of meters must be few:
 * nothing of an argument or a message.
 *
 * @since 0.1
 */
public interface BackoffAttemptConvention extends ObservationConvention<BackoffAttemptContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof BackoffAttemptContext;
	}

}
