package dev.backoff;

import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;

/**
 * Settings of calls by the keys of their contexts, with a breaker and a pace of the key.
 * Thread-safe.
 *
 * @param known so that a call makes none
 */
record CallKeys(Function<@Nullable Object, @Nullable Object> per, Runnable whenFull, CallEvents events,
		Map<Object, CallSettings> known) implements BiFunction<CallSettings, @Nullable Object, CallSettings> {

	@Override
	public CallSettings apply(CallSettings shared, @Nullable Object context) {
		try {
			Object key = this.per.apply(context);
			return (key != null) ? ofKey(shared, key) : shared;
		}
		catch (Throwable ex) {
			this.events.hookFailed("key", ex);
			return shared;
		}
	}

	private CallSettings ofKey(CallSettings shared, Object key) {
		CallPermits breaker = (shared.breaker() instanceof CircuitBreaker own) ? own.ofKey(key) : null;
		Pace pace = (shared.pace() != null) ? shared.pace().ofKey(key) : null;
		if ((breaker != null && breaker == shared.breaker()) || (pace != null && pace == shared.pace())) {
			this.whenFull.run();
		}
		CallSettings known = this.known.get(key);
		if (known == null || known.breaker() != breaker || known.pace() != pace) {
			if (this.known.size() >= 2 * KeyTable.MOST) {
				// most have lost their places
				this.known.clear();
			}
			known = new CallSettings(shared.policy(), shared.method(), shared.time(), shared.retries(), shared.limit(),
					(breaker != null) ? breaker : shared.breaker(), pace, null);
			this.known.put(key, known);
		}
		return known;
	}

}
