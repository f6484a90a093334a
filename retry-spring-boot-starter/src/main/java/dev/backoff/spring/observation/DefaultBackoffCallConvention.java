package dev.backoff.spring.observation;

import java.util.Locale;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

import dev.backoff.event.StopReason;
import dev.backoff.spring.observation.BackoffObservations.KeyNames;

/**
 * Name calls {@value #NAME}, and their spans by their method, with the keys of
 * {@link BackoffObservations#CALL}. Stateless.
 *
 * @since 0.1
 */
public class DefaultBackoffCallConvention implements BackoffCallConvention {

	/** The name of calls: {@value}. */
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
		return KeyValues.of(KeyNames.POLICY.withValue(context.policy()), KeyNames.METHOD.withValue(context.method()),
				KeyNames.STOP.withValue((stop != null) ? stop.tag() : KeyValue.NONE_VALUE),
				KeyNames.RECOVER.withValue(context.recovery().name().toLowerCase(Locale.ROOT)));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(BackoffCallContext context) {
		return KeyValues.of(KeyNames.ATTEMPTS.withValue(Integer.toString(context.attempts())),
				KeyNames.DELAY_TOTAL.withValue(Long.toString(context.delays().toMillis())));
	}

}
