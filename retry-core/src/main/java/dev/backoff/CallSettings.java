package dev.backoff;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * What calls run under, shared by all of one retry: very many of them may wait at once.
 */
record CallSettings(RetryPolicy policy, String method, RetryTime time, CallSettings.Switch retries,
		@Nullable ConcurrencyLimit limit, @Nullable Pace pace) {

	private static final RetryPolicy NO_POLICY = RetryPolicy.builder("none").maxAttempts(1).build();

	static final CallSettings NONE = ofDeadline(RetryTime.system());

	/** Return what a deadline from outside stands for. */
	static CallSettings ofDeadline(RetryTime time) {
		return new CallSettings(NO_POLICY, "none", time, () -> null, null, null);
	}

	/** Whether retries are switched on. */
	@FunctionalInterface
	interface Switch {

		/** Return why no retry follows, or null while retries are on. */
		Decision.@Nullable Stop off();

		/** Return a switch that is off when it fails. */
		static Switch safe(RetryPolicy policy, BooleanSupplier enabled, Consumer<Throwable> report) {
			return () -> {
				try {
					return (policy.isEnabled() && enabled.getAsBoolean()) ? null : Decision.DISABLED;
				}
				catch (Throwable ex) {
					report.accept(ex);
					return Decision.switchFailed(ex);
				}
			};
		}

	}

}
