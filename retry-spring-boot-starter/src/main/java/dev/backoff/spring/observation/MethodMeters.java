package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;

/**
 * The meters of one method. A call that succeeds at once adds to one adder, records one
 * timer and allocates nothing. Thread-safe.
 */
final class MethodMeters implements CallRecorder {

	/* What always happens, and the reasons that alerts ask for. */
	private static final List<StopReason> FROM_THE_START = List.of(StopReason.SUCCEEDED, StopReason.ATTEMPTS_EXHAUSTED,
			StopReason.DEADLINE, StopReason.BUDGET, StopReason.BREAKER_OPEN);

	private static final String[] NUMBERS = { "1", "2", "3", "4", "5+" };

	private static final AttemptOutcome[] OUTCOMES = AttemptOutcome.values();

	private static final RetryCause[] CAUSES = RetryCause.values();

	private static final StopReason[] REASONS = StopReason.values();

	private static final int FIRST_SUCCESS = cell(1, AttemptOutcome.SUCCESS);

	private final GuardedRegistry registry;

	private final PolicyMeters policy;

	private final String method;

	private final List<Duration> slo;

	private final MethodCounts counts;

	private final LongAdder succeeded;

	private final MeterCells<Timer> attempts;

	private final MeterCells<FunctionCounter> calls;

	private final @Nullable MeterCells<Timer> durations;

	private final MeterCells<Counter> retries;

	private final MeterCells<Counter> recovered;

	/* All that a call needs that succeeds at once; null while there is no registry. */
	private volatile @Nullable Timer firstSuccess;

	MethodMeters(GuardedRegistry registry, PolicyMeters policy, String method, List<Duration> slo, boolean durations) {
		this.registry = registry;
		this.policy = policy;
		this.method = method;
		this.slo = slo;
		this.counts = new MethodCounts(policy.policy(), method);
		this.succeeded = this.counts.calls(StopReason.SUCCEEDED);
		this.attempts = new MeterCells<>(registry, NUMBERS.length * OUTCOMES.length, this::registerAttempt);
		this.calls = new MeterCells<>(registry, REASONS.length, this::registerCalls);
		this.durations = durations ? new MeterCells<>(registry, REASONS.length, this::registerDuration) : null;
		this.retries = new MeterCells<>(registry, CAUSES.length, this::registerRetry);
		this.recovered = new MeterCells<>(registry, 2, this::registerRecovered);
	}

	@Override
	public void succeededAtOnce(long nanos) {
		Timer timer = this.firstSuccess;
		if (timer == null) {
			CallRecorder.super.succeededAtOnce(nanos);
			return;
		}
		this.succeeded.increment();
		timer.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void attempt(int number, AttemptOutcome outcome, long nanos) {
		this.counts.attempt(number, outcome, nanos);
		record(this.attempts.at(cell(number, outcome)), nanos);
	}

	@Override
	public void call(StopReason reason, long nanos) {
		this.counts.call(reason, nanos);
		this.calls.at(reason);
		if (this.durations != null) {
			record(this.durations.at(reason), nanos);
		}
	}

	@Override
	public void waiting(DelaySource source, long nanos) {
		this.policy.waiting(source, nanos);
	}

	@Override
	public void waited() {
		this.policy.waited();
	}

	@Override
	public void retry(RetryCause cause) {
		this.counts.retry(cause);
		increment(this.retries.at(cause));
	}

	@Override
	public void recovered(boolean done) {
		increment(this.recovered.at(done ? 1 : 0));
	}

	MethodCalls statistics() {
		return this.counts.statistics();
	}

	/** Publish the meters that exist before the first call. */
	void publish() {
		FROM_THE_START.forEach(this.calls::at);
		this.attempts.at(FIRST_SUCCESS);
		this.policy.publish();
	}

	private @Nullable Timer registerAttempt(int cell) {
		Timer timer = this.registry.timer(BackoffMeters.ATTEMPTS, this.slo, this.policy.policy(), this.method,
				NUMBERS[cell / OUTCOMES.length], OUTCOMES[cell % OUTCOMES.length].tag());
		if (cell == FIRST_SUCCESS && this.durations == null) {
			this.firstSuccess = timer;
		}
		return timer;
	}

	private @Nullable FunctionCounter registerCalls(int index) {
		StopReason reason = REASONS[index];
		return this.registry.counter(BackoffMeters.CALLS, this.counts.calls(reason), LongAdder::sum,
				this.policy.policy(), this.method, reason.tag());
	}

	private @Nullable Timer registerDuration(int index) {
		return this.registry.timer(BackoffMeters.CALLS_DURATION, this.slo, this.policy.policy(), this.method,
				REASONS[index].tag());
	}

	private @Nullable Counter registerRetry(int index) {
		return this.registry.counter(BackoffMeters.RETRIES, this.policy.policy(), this.method, CAUSES[index].tag());
	}

	private @Nullable Counter registerRecovered(int index) {
		return this.registry.counter(BackoffMeters.RECOVERED, this.policy.policy(), this.method,
				(index == 1) ? "done" : "failed");
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	private static int cell(int number, AttemptOutcome outcome) {
		return (Math.min(number, NUMBERS.length) - 1) * OUTCOMES.length + outcome.ordinal();
	}

	private static void record(@Nullable Timer timer, long nanos) {
		if (timer != null) {
			timer.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	private static void increment(@Nullable Counter counter) {
		if (counter != null) {
			counter.increment();
		}
	}

}
