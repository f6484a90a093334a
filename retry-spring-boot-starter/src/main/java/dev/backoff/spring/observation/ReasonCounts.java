package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

import dev.backoff.event.StopReason;

/** Count calls by why they ended. Thread-safe. */
final class ReasonCounts {

	private final LongAdder[] counts = new LongAdder[StopReason.values().length];

	ReasonCounts() {
		Arrays.setAll(this.counts, (index) -> new LongAdder());
	}

	void increment(StopReason reason) {
		count(reason).increment();
	}

	long get(StopReason reason) {
		return count(reason).sum();
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	private LongAdder count(StopReason reason) {
		return this.counts[reason.ordinal()];
	}

}
