package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

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
import dev.backoff.pace.Pace;
import dev.backoff.spring.observation.GuardedRegistry.Cells;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * The meters of one method. A call that succeeds at once adds to one adder, records one
 * timer and allocates nothing, unless whole calls are timed. Thread-safe.
 */
final class MethodMeters extends MethodCounts {

	/* What always happens, and the reasons that alerts ask for. */
	private static final List<StopReason> FROM_THE_START = List.of(StopReason.SUCCEEDED, StopReason.ATTEMPTS_EXHAUSTED,
			StopReason.DEADLINE, StopReason.BUDGET, StopReason.BREAKER_OPEN);

	private static final List<String> NUMBERS = List.of("1", "2", "3", "4", "5+");

	private final OfPolicy policy;

	private final LongAdder succeeded = calls(StopReason.SUCCEEDED);

	/* By the number of the attempt. */
	private final List<Cells<AttemptOutcome, Timer>> attempts;

	private final Cells<StopReason, FunctionCounter> calls;

	private final @Nullable Cells<StopReason, Timer> durations;

	private final Cells<RetryCause, Counter> retries;

	private final Cells<RetryCause, Counter> rescued;

	private final Cells<RecoveryOutcome, Counter> recovered;

	/* Of a call that succeeds at once; null where whole calls are timed. */
	private volatile @Nullable Timer firstSuccess;

	MethodMeters(GuardedRegistry registry, OfPolicy shared, String method, List<Duration> slo, boolean durations) {
		super(shared.policy, method);
		String policy = shared.policy;
		this.policy = shared;
		this.attempts = NUMBERS.stream()
			.map((number) -> new Cells<>(registry, AttemptOutcome.class,
					(outcome) -> registry.timer(BackoffMeters.ATTEMPTS, slo, policy, method, number, outcome.tag())))
			.toList();
		this.calls = new Cells<>(registry, StopReason.class, (reason) -> registry.counter(BackoffMeters.CALLS,
				calls(reason), LongAdder::sum, policy, method, reason.tag()));
		this.durations = !durations ? null : new Cells<>(registry, StopReason.class,
				(reason) -> registry.timer(BackoffMeters.CALLS_DURATION, slo, policy, method, reason.tag()));
		this.retries = new Cells<>(registry, RetryCause.class,
				(cause) -> registry.counter(BackoffMeters.RETRIES, policy, method, cause.tag()));
		this.rescued = new Cells<>(registry, RetryCause.class,
				(cause) -> registry.counter(BackoffMeters.RESCUED, policy, method, cause.tag()));
		this.recovered = new Cells<>(registry, RecoveryOutcome.class, (outcome) -> registry
			.counter(BackoffMeters.RECOVERED, policy, method, outcome.name().toLowerCase(Locale.ROOT)));
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
		record(timer(number, outcome), nanos);
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
		this.policy.waiting.incrementAndGet();
		this.policy.publish();
		if (source != DelaySource.CONCURRENCY && source != DelaySource.PACE) {
			record(this.policy.delays.at(source), nanos);
		}
	}

	@Override
	public void waited() {
		this.policy.waiting.decrementAndGet();
	}

	@Override
	public void queued(DelaySource source, long nanos) {
		if (source == DelaySource.CONCURRENCY || source == DelaySource.PACE) {
			record(this.policy.delays.at(source), nanos);
		}
	}

	@Override
	public void retry(RetryCause cause) {
		super.retry(cause);
		increment(this.retries.at(cause));
	}

	@Override
	public void retried(RetryCause first, int attempts, boolean rescued) {
		super.retried(first, attempts, rescued);
		if (rescued) {
			increment(this.rescued.at(first));
		}
	}

	@Override
	public void recovered(RecoveryOutcome outcome) {
		increment(this.recovered.at(outcome));
	}

	private @Nullable Timer timer(int number, AttemptOutcome outcome) {
		Timer timer = this.attempts.get(Math.min(number, NUMBERS.size()) - 1).at(outcome);
		if (number == 1 && outcome == AttemptOutcome.SUCCESS && this.durations == null) {
			this.firstSuccess = timer;
		}
		return timer;
	}

	@Override
	void publish() {
		FROM_THE_START.forEach(this.calls::at);
		OverloadSafety safety = this.policy.safety.get();
		if (safety != null && safety.limit(this.policy.policy) != null) {
			this.calls.at(StopReason.CONCURRENCY);
		}
		if (safety != null && safety.paces().of(this.policy.policy) != null) {
			this.calls.at(StopReason.PACE);
		}
		timer(1, AttemptOutcome.SUCCESS);
		this.policy.publish();
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

		private final GuardedRegistry registry;

		private final String policy;

		/* No adder: the sum of an adder's cells can be read as negative. */
		private final AtomicLong waiting = new AtomicLong();

		/* A wait for a permit or a turn is no delay and has a meter of its own. */
		private final Cells<DelaySource, Timer> delays;

		private final Supplier<? extends @Nullable OverloadSafety> safety;

		private volatile @Nullable Gauge gauge;

		OfPolicy(GuardedRegistry registry, String policy, Supplier<? extends @Nullable OverloadSafety> safety) {
			this.registry = registry;
			this.policy = policy;
			this.safety = safety;
			this.delays = new Cells<>(registry, DelaySource.class, (source) -> switch (source) {
				case CONCURRENCY -> registry.timer(BackoffMeters.CONCURRENCY_WAIT, List.of(), policy);
				case PACE -> registry.timer(BackoffMeters.PACE_WAIT, List.of(), pace());
				default -> registry.timer(BackoffMeters.DELAY, List.of(), policy, source.tag());
			});
		}

		private String pace() {
			OverloadSafety safety = this.safety.get();
			Pace pace = (safety != null) ? safety.paces().of(this.policy) : null;
			return (pace != null) ? pace.name() : this.policy;
		}

		void publish() {
			if (this.gauge == null && this.registry.isThere()) {
				this.gauge = this.registry.gauge(BackoffMeters.WAITING, this.waiting, AtomicLong::get, this.policy);
			}
		}

	}

}
