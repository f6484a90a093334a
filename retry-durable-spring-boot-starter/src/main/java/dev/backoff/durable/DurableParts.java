package dev.backoff.durable;

import java.time.Instant;
import java.util.function.Supplier;

import dev.backoff.time.RetryTime;

/**
 * What submissions, attempts and operators share. Thread-safe.
 *
 * @param lazyStore opens the store when it is asked for first
 * @param lazyMethods finds the methods when it is asked for first
 * @param clock the time by which calls are due
 */
record DurableParts(Supplier<Store> lazyStore, Supplier<DurableMethods> lazyMethods, CallJson json,
		DurableMeters meters, RetryTime clock) {

	Store store() {
		return this.lazyStore.get();
	}

	DurableMethods methods() {
		return this.lazyMethods.get();
	}

	Instant now() {
		return this.clock.instant();
	}

}
