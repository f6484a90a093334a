package dev.backoff.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

/**
 * Name attempts {@value #NAME}, and their spans by their method, with the keys of
 * {@link BackoffObservations#ATTEMPT}. Retries are numbered as OpenTelemetry numbers
 * resent requests: the first attempt has no number, the second has 1. Stateless.
 *
 * @since 0.1
 */
public class DefaultBackoffAttemptConvention implements BackoffAttemptConvention {

	/** The name of attempts: {@value}. */
	public static final String NAME = "backoff.attempt";

	/**
	 * Create the convention.
	 */
	public DefaultBackoffAttemptConvention() {
	}

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(BackoffAttemptContext context) {
		return context.method() + " attempt";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(BackoffAttemptContext context) {
		AttemptOutcome outcome = context.outcome();
		return KeyValues.of(KeyNames.POLICY.withValue(context.policy()), KeyNames.METHOD.withValue(context.method()),
				KeyNames.OUTCOME.withValue((outcome != null) ? outcome.tag() : KeyValue.NONE_VALUE));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(BackoffAttemptContext context) {
		KeyValues numbers = KeyValues.empty();
		if (context.number() > 1) {
			numbers = numbers.and(KeyNames.RESEND_COUNT.withValue(Integer.toString(context.number() - 1)));
		}
		if (!context.delay().isZero()) {
			numbers = numbers.and(KeyNames.DELAY.withValue(Long.toString(context.delay().toMillis())));
		}
		return numbers;
	}

}
