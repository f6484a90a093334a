package dev.backoff.spring.observation;

import java.util.Locale;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

/**
 * The names and keys of observed calls. By default, calls are named {@value #NAME}, spans
 * are named after the method, and the keys are those of {@link BackoffObservations#CALL}.
 * The methods that a bean of this type overrides replace the default. A tag of a meter
 * must have few values, so it must not contain an argument or a message.
 *
 * @since 0.1
 */
public interface BackoffCallConvention extends ObservationConvention<BackoffCallContext> {

	/** The name of calls: {@value}. */
	String NAME = "backoff.call";

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof BackoffCallContext;
	}

	@Override
	default String getName() {
		return NAME;
	}

	@Override
	default String getContextualName(BackoffCallContext context) {
		return context.method() + " call";
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(BackoffCallContext context) {
		StopReason stop = context.stop();
		return KeyValues.of(KeyNames.POLICY.withValue(context.policy()), KeyNames.METHOD.withValue(context.method()),
				KeyNames.STOP.withValue((stop != null) ? stop.tag() : KeyValue.NONE_VALUE),
				KeyNames.RECOVER.withValue(context.recovery().name().toLowerCase(Locale.ROOT)));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(BackoffCallContext context) {
		Throwable thrown = context.getError();
		RetriesStoppedException report = (thrown != null) ? RetriesStoppedException.of(thrown) : null;
		KeyValues numbers = KeyValues.of(KeyNames.ATTEMPTS.withValue(Integer.toString(context.attempts())),
				KeyNames.DELAY_TOTAL_MS.withValue(Long.toString(context.delays().toMillis())));
		return (report != null && report.host() != null) ? numbers.and(KeyNames.HOST.withValue(report.host()))
				: numbers;
	}

}
