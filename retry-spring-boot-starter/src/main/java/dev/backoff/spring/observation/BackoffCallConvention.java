package dev.backoff.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The names and keys of observed calls. A bean of this type replaces
 * {@link DefaultBackoffCallConvention}. Words that are tags of meters must be few:
 * nothing of an argument or a message.
 *
 * @since 0.1
 */
public interface BackoffCallConvention extends ObservationConvention<BackoffCallContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof BackoffCallContext;
	}

}
