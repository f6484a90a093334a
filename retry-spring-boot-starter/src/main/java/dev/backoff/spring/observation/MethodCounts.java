package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.observation.CallStatistics.Earned;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;
import dev.backoff.spring.observation.CallStatistics.RetryWorth;

/**
 * Count the calls of one method by stop reason, their attempts and their retries. An
 * attempt that succeeds is counted by its call, so a call that succeeds at once adds to
 * one adder only. Thread-safe.
 */
class MethodCounts implements CallRecorder {

	private final String policy;

	private final String method;

	private final LongAdder[] calls = new LongAdder[StopReason.values().length];

	private final LongAdder unsuccessfulAttempts = new LongAdder();

	private final LongAdder retries = new LongAdder();

	private final Map<String, Earned> earned = new ConcurrentHashMap<>();

	MethodCounts(String policy, String method) {
		this.policy = policy;
		this.method = method;
		Arrays.setAll(this.calls, (index) -> new LongAdder());
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	LongAdder calls(StopReason reason) {
		return this.calls[reason.ordinal()];
	}

	@Override
	public void attempt(int number, AttemptOutcome outcome, long nanos) {
		if (outcome != AttemptOutcome.SUCCESS) {
			this.unsuccessfulAttempts.increment();
		}
	}

	@Override
	public void call(StopReason reason, long nanos) {
		calls(reason).increment();
	}

	@Override
	public void retry(RetryCause cause) {
		this.retries.increment();
	}

	@Override
	public void retried(RetryCause first, int attempts, boolean rescued) {
		earn(first.tag(), attempts - 1, rescued);
		int last = Math.min(attempts, RetryWorth.NUMBERS.size() + 1);
		for (int number = 2; number < last; number++) {
			earn(RetryWorth.NUMBERS.get(number - 2), 1, false);
		}
		earn(RetryWorth.NUMBERS.get(last - 2), 1 + attempts - last, rescued);
	}

	private void earn(String what, int made, boolean rescued) {
		this.earned.merge(what, new Earned(made, rescued ? 1 : 0), Earned::plus);
	}

	/** Publish the meters that exist before the first call, if there are meters. */
	void publish() {
	}

	MethodCalls statistics() {
		Map<StopReason, Long> stopped = new EnumMap<>(StopReason.class);
		for (StopReason reason : StopReason.values()) {
			long count = calls(reason).sum();
			if (count > 0) {
				stopped.put(reason, count);
			}
		}
		long attempts = stopped.getOrDefault(StopReason.SUCCEEDED, 0L) + this.unsuccessfulAttempts.sum();
		return new MethodCalls(this.policy, this.method, stopped, attempts, this.retries.sum(),
				Map.copyOf(this.earned));
	}

}
