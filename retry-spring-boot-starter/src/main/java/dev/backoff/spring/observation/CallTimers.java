package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;

/**
 * Time whole calls in full: with a maximum, and with buckets if asked for.
 */
final class CallTimers implements CallMeters {

	private static final StopReason[] REASONS = StopReason.values();

	private final MeterCells<Timer> timers;

	/* A timer may count since its registry was last published only, or not at all. */
	private final ReasonCounts counts = new ReasonCounts();

	private final GuardedRegistry registry;

	private final String policy;

	private final String method;

	private final List<Duration> slo;

	CallTimers(GuardedRegistry registry, String policy, String method, List<Duration> slo) {
		this.registry = registry;
		this.policy = policy;
		this.method = method;
		this.slo = slo;
		this.timers = new MeterCells<>(registry, REASONS.length, this::register);
	}

	@Override
	public void record(StopReason reason, long nanos) {
		this.counts.increment(reason);
		Timer timer = this.timers.at(reason);
		if (timer != null) {
			timer.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	@Override
	public long count(StopReason reason) {
		return this.counts.get(reason);
	}

	/* A timer of whole calls has a maximum and buckets of its own. */
	@Override
	public @Nullable TimedCalls readOff(Timer timer, Supplier<? extends @Nullable TimedCalls> first) {
		return null;
	}

	@Override
	public void publish(StopReason reason) {
		this.timers.at(reason);
	}

	@Override
	public void unpublish() {
		this.timers.empty();
	}

	private @Nullable Timer register(int index) {
		return this.registry.timer(BackoffMeters.CALLS, this.slo, this.policy, this.method, REASONS[index].tag());
	}

}
