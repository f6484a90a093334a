package dev.backoff.spring.observation;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.DelaySource;

/**
 * What all methods of one policy share: how long their calls wait, and how many do now.
 * Thread-safe.
 */
final class PolicyMeters {

	private static final DelaySource[] SOURCES = DelaySource.values();

	private final GuardedRegistry registry;

	private final String policy;

	/** One number and no adder: the sum of an adder's cells can be read as negative. */
	private final AtomicLong waiting = new AtomicLong();

	private final MeterCells<Gauge> gauge;

	private final MeterCells<Timer> delays;

	PolicyMeters(GuardedRegistry registry, String policy) {
		this.registry = registry;
		this.policy = policy;
		this.gauge = new MeterCells<>(registry, 1, (index) -> registerWaiting());
		this.delays = new MeterCells<>(registry, SOURCES.length, this::registerDelay);
	}

	void publish() {
		this.gauge.at(0);
	}

	/** Let all be published anew, since a registry has lost a meter. */
	void unpublish() {
		this.gauge.empty();
		this.delays.empty();
	}

	void waiting(DelaySource source, long nanos) {
		this.waiting.incrementAndGet();
		Timer delay = this.delays.at(source);
		if (delay != null) {
			delay.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	void waited() {
		this.waiting.decrementAndGet();
	}

	String policy() {
		return this.policy;
	}

	private @Nullable Gauge registerWaiting() {
		BackoffMeters meter = BackoffMeters.WAITING;
		return this.registry.register(meter,
				(registry) -> Gauge.builder(meter.getName(), this.waiting, AtomicLong::doubleValue)
					.description(meter.getDescription())
					.tags(meter.tags(this.policy))
					.register(registry));
	}

	private @Nullable Timer registerDelay(int index) {
		return this.registry.timer(BackoffMeters.DELAY, List.of(), this.policy, SOURCES[index].tag());
	}

}
