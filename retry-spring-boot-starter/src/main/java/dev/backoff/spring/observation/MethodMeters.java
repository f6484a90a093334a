package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.observation.CallStatistics.MethodCalls;
import dev.backoff.spring.policy.BackoffProperties.CallMeter;

/**
 * The meters of one method. A call that succeeds at once records one timer, which most
 * registries let tell of the call as well, and allocates nothing. Thread-safe.
 */
final class MethodMeters implements CallRecorder {

	private static final String[] NUMBERS = { "1", "2", "3", "4", "5+" };

	private static final AttemptOutcome[] OUTCOMES = AttemptOutcome.values();

	private static final RetryCause[] CAUSES = RetryCause.values();

	/* The cell of the only attempts of calls that succeed at once. */
	private static final int AT_ONCE = cell(1, AttemptOutcome.SUCCESS);

	private static final AtomicReferenceFieldUpdater<MethodMeters, @Nullable TimedCalls> AT_ONCE_READER = AtomicReferenceFieldUpdater
		.newUpdater(MethodMeters.class, TimedCalls.class, "atOnce");

	private static final int DONE = 0;

	private static final int FAILED = 1;

	private final GuardedRegistry registry;

	private final PolicyMeters policy;

	private final String method;

	private final List<Duration> slo;

	private final CallMeters calls;

	private final AttemptCounts counts = new AttemptCounts();

	private final MeterCells<AttemptTimer> attempts;

	private final MeterCells<Counter> retries;

	private final MeterCells<Counter> recovered;

	/* There before the timer is in its cell, if those calls are read off it. */
	private volatile @Nullable TimedCalls atOnce;

	private final AtomicBoolean published = new AtomicBoolean();

	/* How often all was to be published anew. */
	private final AtomicInteger unpublished = new AtomicInteger();

	MethodMeters(GuardedRegistry registry, PolicyMeters policy, String method, List<Duration> slo, CallMeter calls) {
		this.registry = registry;
		this.policy = policy;
		this.method = method;
		this.slo = slo;
		this.calls = (calls == CallMeter.TIMER) ? new CallTimers(registry, policy.policy(), method, slo)
				: new CallTotals(registry, policy.policy(), method);
		this.attempts = new MeterCells<>(registry, NUMBERS.length * OUTCOMES.length, this::registerAttempt);
		this.retries = new MeterCells<>(registry, CAUSES.length, this::registerRetry);
		this.recovered = new MeterCells<>(registry, 2, this::registerRecovered);
	}

	@Override
	public void attempt(int number, AttemptOutcome outcome, long nanos) {
		this.counts.attempt(outcome);
		AttemptTimer timer = this.attempts.at(cell(number, outcome));
		if (timer != null) {
			timer.record(nanos);
		}
	}

	@Override
	public void succeededAtOnce(long nanos) {
		TimedCalls timed = this.atOnce;
		if (timed != null) {
			timed.record(nanos);
		}
		else {
			CallRecorder.super.succeededAtOnce(nanos);
		}
	}

	@Override
	public void call(StopReason reason, long nanos) {
		this.calls.record(reason, nanos);
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
		this.counts.retry();
		increment(this.retries.at(cause));
	}

	@Override
	public void recovered(boolean done) {
		increment(this.recovered.at(done ? DONE : FAILED));
	}

	MethodCalls statistics() {
		return this.counts.with(this.policy.policy(), this.method, this.calls::count);
	}

	/** Publish what is to exist before it happens. */
	void publish() {
		this.published.set(true);
		this.attempts.at(AT_ONCE);
		CallMeters.FROM_THE_START.forEach(this.calls::publish);
		this.policy.publish();
	}

	/** Let all be published anew, since a registry has lost a meter. */
	void unpublish() {
		this.unpublished.incrementAndGet();
		this.atOnce = null;
		// by the next attempt
		this.published.set(false);
		this.attempts.empty();
		this.retries.empty();
		this.recovered.empty();
		this.calls.unpublish();
	}

	private @Nullable AttemptTimer registerAttempt(int cell) {
		if (this.published.compareAndSet(false, true)) {
			publish();
		}
		if (cell != AT_ONCE) {
			// before any other, which may turn out to be the same timer
			this.attempts.at(AT_ONCE);
		}
		int unpublished = this.unpublished.get();
		return this.registry.register(BackoffMeters.ATTEMPTS, (registry) -> {
			Timer timer = GuardedRegistry.timer(registry, BackoffMeters.ATTEMPTS, this.slo, tags(cell));
			if (cell == AT_ONCE) {
				readAtOnce(registry, timer, unpublished);
			}
			return TimerReaders.use(registry, timer);
		});
	}

	private void readAtOnce(MeterRegistry registry, Timer timer, int unpublished) {
		TimedCalls timed = this.calls.readOff(timer,
				() -> TimerReaders.read(registry, timer, BackoffMeters.ATTEMPTS.tags(tags(AT_ONCE))));
		if (timed != null) {
			this.atOnce = timed;
			if (this.unpublished.get() != unpublished) {
				AT_ONCE_READER.compareAndSet(this, timed, null);
			}
		}
	}

	private String[] tags(int cell) {
		return new String[] { this.policy.policy(), this.method, NUMBERS[cell / OUTCOMES.length],
				OUTCOMES[cell % OUTCOMES.length].tag() };
	}

	private @Nullable Counter registerRetry(int index) {
		return this.registry.counter(BackoffMeters.RETRIES, this.policy.policy(), this.method, CAUSES[index].tag());
	}

	private @Nullable Counter registerRecovered(int index) {
		return this.registry.counter(BackoffMeters.RECOVERED, this.policy.policy(), this.method,
				(index == DONE) ? "done" : "failed");
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	private static int cell(int number, AttemptOutcome outcome) {
		return (Math.min(number, NUMBERS.length) - 1) * OUTCOMES.length + outcome.ordinal();
	}

	private static void increment(@Nullable Counter counter) {
		if (counter != null) {
			counter.increment();
		}
	}

}
