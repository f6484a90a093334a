package dev.backoff.durable;

import java.time.Instant;
import java.util.function.Supplier;

import dev.backoff.time.RetryTime;

/** What submissions, attempts and operators share; its clock is theirs. Thread-safe. */
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
