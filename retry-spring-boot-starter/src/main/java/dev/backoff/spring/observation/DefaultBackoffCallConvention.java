package dev.backoff.spring.observation;

import java.util.Locale;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

import dev.backoff.event.StopReason;
import dev.backoff.spring.observation.BackoffObservations.CallNumbers;
import dev.backoff.spring.observation.BackoffObservations.CallTags;

/**
 * Name calls {@value #NAME}, and their spans by their method, with the keys of
 * {@link BackoffObservations#CALL}. Stateless.
 *
 * @since 0.1
 */
public class DefaultBackoffCallConvention implements BackoffCallConvention {

	/** What calls are named: {@value}. */
	public static final String NAME = "backoff.call";

	/**
	 * Create the convention.
	 */
	public DefaultBackoffCallConvention() {
	}

	@Override
	public String getName() {
		return NAME;
	}

	@Override
	public String getContextualName(BackoffCallContext context) {
		return context.method() + " call";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(BackoffCallContext context) {
		StopReason stop = context.stop();
		return KeyValues.of(CallTags.POLICY.withValue(context.policy()), CallTags.METHOD.withValue(context.method()),
				CallTags.STOP.withValue((stop != null) ? stop.tag() : KeyValue.NONE_VALUE),
				CallTags.RECOVER.withValue(context.recovery().name().toLowerCase(Locale.ROOT)));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(BackoffCallContext context) {
		return KeyValues.of(CallNumbers.ATTEMPTS.withValue(Integer.toString(context.attempts())),
				CallNumbers.DELAY_TOTAL.withValue(Long.toString(context.delays().toMillis())));
	}

}
