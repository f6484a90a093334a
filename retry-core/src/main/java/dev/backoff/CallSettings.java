package dev.backoff;

import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * What calls run under, shared by all of one retry, or of one key of it: very many of
 * them may wait at once.
 *
 * @param ofContext gives those of the key of a context, or null without keys
 */
record CallSettings(RetryPolicy policy, String method, RetryTime time, CallSettings.Switch retries,
		@Nullable ConcurrencyLimit limit, @Nullable CallPermits breaker, @Nullable Pace pace,
		@Nullable BiFunction<CallSettings, @Nullable Object, CallSettings> ofContext) {

	private static final RetryPolicy NO_POLICY = RetryPolicy.builder("none").maxAttempts(1).build();

	/* Loads the type, since a method that returns one not loaded is not inlined. */
	static final Class<?> RETURNED = Pace.class;

	static final CallSettings NONE = ofDeadline(RetryTime.system());

	/** Return what a deadline from outside stands for. */
	static CallSettings ofDeadline(RetryTime time) {
		return new CallSettings(NO_POLICY, "none", time, () -> null, null, null, null, null);
	}

	/** Return those of a call, by the key of its context. */
	CallSettings of(@Nullable Object context) {
		return (this.ofContext == null) ? this : this.ofContext.apply(this, context);
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
