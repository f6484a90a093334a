package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/**
 * The meters of one method. A call that succeeds at once adds to one adder, records one
 * timer and allocates nothing, unless whole calls are timed. Thread-safe.
 */
final class MethodMeters extends MethodCounts {

	/* What always happens, and the reasons that alerts ask for. */
	private static final List<StopReason> FROM_THE_START = List.of(StopReason.SUCCEEDED, StopReason.ATTEMPTS_EXHAUSTED,
			StopReason.DEADLINE, StopReason.BUDGET, StopReason.BREAKER_OPEN);

	private static final String[] NUMBERS = { "1", "2", "3", "4", "5+" };

	private static final AttemptOutcome[] OUTCOMES = AttemptOutcome.values();

	private static final RetryCause[] CAUSES = RetryCause.values();

	private static final RecoveryOutcome[] RECOVERIES = RecoveryOutcome.values();

	private static final StopReason[] REASONS = StopReason.values();

	private static final int FIRST_SUCCESS = cell(1, AttemptOutcome.SUCCESS);

	private final OfPolicy policy;

	private final LongAdder succeeded = calls(StopReason.SUCCEEDED);

	private final GuardedRegistry.Cells<Timer> attempts;

	private final GuardedRegistry.Cells<FunctionCounter> calls;

	private final GuardedRegistry.@Nullable Cells<Timer> durations;

	private final GuardedRegistry.Cells<Counter> retries;

	private final GuardedRegistry.Cells<Counter> recovered;

	/*
	 * The only timer of a call that succeeds at once. Null without a registry, and where
	 * whole calls are timed too.
	 */
	private volatile @Nullable Timer firstSuccess;

	MethodMeters(GuardedRegistry registry, OfPolicy shared, String method, List<Duration> slo, boolean durations) {
		super(shared.policy(), method);
		String policy = shared.policy();
		this.policy = shared;
		this.attempts = new GuardedRegistry.Cells<>(registry, NUMBERS.length * OUTCOMES.length,
				(cell) -> registry.timer(BackoffMeters.ATTEMPTS, slo, policy, method, NUMBERS[cell / OUTCOMES.length],
						OUTCOMES[cell % OUTCOMES.length].tag()));
		this.calls = new GuardedRegistry.Cells<>(registry, REASONS.length, (index) -> registry
			.counter(BackoffMeters.CALLS, calls(REASONS[index]), LongAdder::sum, policy, method, REASONS[index].tag()));
		this.durations = !durations ? null : new GuardedRegistry.Cells<>(registry, REASONS.length,
				(index) -> registry.timer(BackoffMeters.CALLS_DURATION, slo, policy, method, REASONS[index].tag()));
		this.retries = new GuardedRegistry.Cells<>(registry, CAUSES.length,
				(index) -> registry.counter(BackoffMeters.RETRIES, policy, method, CAUSES[index].tag()));
		this.recovered = new GuardedRegistry.Cells<>(registry, RECOVERIES.length, (index) -> registry
			.counter(BackoffMeters.RECOVERED, policy, method, RECOVERIES[index].name().toLowerCase(Locale.ROOT)));
	}

	@Override
	public void succeededOnFirstAttempt(long nanos) {
		Timer timer = this.firstSuccess;
		if (timer == null) {
			super.succeededOnFirstAttempt(nanos);
			return;
		}
		this.succeeded.increment();
		timer.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void attempt(int number, AttemptOutcome outcome, long nanos) {
		super.attempt(number, outcome, nanos);
		record(attempt(cell(number, outcome)), nanos);
	}

	@Override
	public void call(StopReason reason, long nanos) {
		super.call(reason, nanos);
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
	public void queued(long nanos) {
		record(this.policy.queued.at(0), nanos);
	}

	@Override
	public void retry(RetryCause cause) {
		super.retry(cause);
		increment(this.retries.at(cause));
	}

	@Override
	public void recovered(RecoveryOutcome outcome) {
		increment(this.recovered.at(outcome));
	}

	private @Nullable Timer attempt(int cell) {
		Timer timer = this.attempts.at(cell);
		if (cell == FIRST_SUCCESS && this.durations == null) {
			this.firstSuccess = timer;
		}
		return timer;
	}

	/** Publish the meters that exist before the first call. */
	void publish() {
		FROM_THE_START.forEach(this.calls::at);
		if (this.policy.throttled.getAsBoolean()) {
			this.calls.at(StopReason.CONCURRENCY);
		}
		attempt(FIRST_SUCCESS);
		this.policy.publish();
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

	/** The meters that all methods of one policy share. Thread-safe. */
	static final class OfPolicy {

		private static final DelaySource[] SOURCES = DelaySource.values();

		private final String policy;

		/* No adder: the sum of an adder's cells can be read as negative. */
		private final AtomicLong waiting = new AtomicLong();

		private final GuardedRegistry.Cells<Gauge> gauge;

		private final GuardedRegistry.Cells<Timer> delays;

		private final GuardedRegistry.Cells<Timer> queued;

		private final BooleanSupplier throttled;

		OfPolicy(GuardedRegistry registry, String policy, BooleanSupplier throttled) {
			this.policy = policy;
			this.throttled = throttled;
			this.gauge = new GuardedRegistry.Cells<>(registry, 1,
					(index) -> registry.gauge(BackoffMeters.WAITING, this.waiting, AtomicLong::get, policy));
			this.delays = new GuardedRegistry.Cells<>(registry, SOURCES.length,
					(index) -> registry.timer(BackoffMeters.DELAY, List.of(), policy, SOURCES[index].tag()));
			this.queued = new GuardedRegistry.Cells<>(registry, 1,
					(index) -> registry.timer(BackoffMeters.CONCURRENCY_WAIT, List.of(), policy));
		}

		String policy() {
			return this.policy;
		}

		void publish() {
			this.gauge.at(0);
		}

		void waiting(DelaySource source, long nanos) {
			this.waiting.incrementAndGet();
			this.gauge.at(0);
			if (source != DelaySource.CONCURRENCY) {
				record(this.delays.at(source), nanos);
			}
		}

		void waited() {
			this.waiting.decrementAndGet();
		}

	}

}
