package dev.backoff.spring.observation;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;

/**
 * Count the attempts of one method, but for the one with which a call succeeds: each such
 * call has exactly one, so that a call which succeeds at once costs nothing here.
 * Thread-safe.
 */
final class AttemptCounts {

	private final LongAdder unsuccessful = new LongAdder();

	private final LongAdder retries = new LongAdder();

	void attempt(AttemptOutcome outcome) {
		if (outcome != AttemptOutcome.SUCCESS) {
			this.unsuccessful.increment();
		}
	}

	void retry() {
		this.retries.increment();
	}

	/** Return the numbers, given how many calls ended for each reason. */
	MethodCalls with(String policy, String method, ToLongFunction<StopReason> calls) {
		Map<StopReason, Long> ended = new EnumMap<>(StopReason.class);
		for (StopReason reason : StopReason.values()) {
			long count = calls.applyAsLong(reason);
			if (count > 0) {
				ended.put(reason, count);
			}
		}
		long attempts = ended.getOrDefault(StopReason.SUCCEEDED, 0L) + this.unsuccessful.sum();
		return new MethodCalls(policy, method, ended, attempts, this.retries.sum());
	}

}
