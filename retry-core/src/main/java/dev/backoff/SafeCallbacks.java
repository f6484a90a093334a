package dev.backoff;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.backoff.policy.RetryPolicy;

/**
 * Guard the callbacks that a {@link Retry} is built with, where they enter: what one
 * throws is reported, and the call goes on with a harmless answer. Time, the random
 * source, breakers and observers are guarded by their own types, listeners and the
 * recorder by {@link CallEvents}.
 */
record SafeCallbacks(CallEvents events) {

	/** Return a switch that is off when it fails. */
	CallSettings.Switch switchOf(RetryPolicy policy, BooleanSupplier enabled) {
		return () -> {
			try {
				return (policy.isEnabled() && enabled.getAsBoolean()) ? null : Decision.DISABLED;
			}
			catch (Throwable ex) {
				this.events.hookFailed("switch", ex);
				return Decision.switchFailed(ex);
			}
		};
	}

	/** Return a supplier that returns another executor when it fails. */
	Supplier<Executor> executors(Supplier<? extends Executor> executors, Executor otherwise) {
		return () -> {
			try {
				return executors.get();
			}
			catch (Throwable ex) {
				this.events.hookFailed("executor", ex);
				return otherwise;
			}
		};
	}

}
