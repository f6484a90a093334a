package dev.backoff.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

/**
 * The names and keys of observed attempts. By default, attempts are named {@value #NAME},
 * spans are named after the method, and the keys are those of
 * {@link BackoffObservations#ATTEMPT}. Retries are numbered as OpenTelemetry numbers
 * resent requests: the first attempt has no number, the second has 1.
 * <p>
 * The methods that a bean of this type overrides replace the default. A tag of a meter
 * must have few values, so it must not contain an argument or a message.
 *
 * @since 0.1
 */
public interface BackoffAttemptConvention extends ObservationConvention<BackoffAttemptContext> {

	/** The name of attempts: {@value}. */
	String NAME = "backoff.attempt";

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof BackoffAttemptContext;
	}

	@Override
	default String getName() {
		return NAME;
	}

	@Override
	default String getContextualName(BackoffAttemptContext context) {
		return context.method() + " attempt";
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(BackoffAttemptContext context) {
		AttemptOutcome outcome = context.outcome();
		return KeyValues.of(KeyNames.POLICY.withValue(context.policy()), KeyNames.METHOD.withValue(context.method()),
				KeyNames.OUTCOME.withValue((outcome != null) ? outcome.tag() : KeyValue.NONE_VALUE));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(BackoffAttemptContext context) {
		KeyValues numbers = KeyValues.empty();
		if (context.number() > 1) {
			numbers = numbers.and(KeyNames.RESEND_COUNT.withValue(Integer.toString(context.number() - 1)));
		}
		if (!context.delay().isZero()) {
			numbers = numbers.and(KeyNames.DELAY_MS.withValue(Long.toString(context.delay().toMillis())));
		}
		return numbers;
	}

}
