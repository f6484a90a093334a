package dev.backoff.spring.observation;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;

import dev.backoff.event.DelaySource;

/** The meters that all methods of one policy share. Thread-safe. */
final class PolicyMeters {

	private static final DelaySource[] SOURCES = DelaySource.values();

	private final String policy;

	/* No adder: the sum of an adder's cells can be read as negative. */
	private final AtomicLong waiting = new AtomicLong();

	private final MeterCells<Gauge> gauge;

	private final MeterCells<Timer> delays;

	PolicyMeters(GuardedRegistry registry, String policy) {
		this.policy = policy;
		this.gauge = new MeterCells<>(registry, 1,
				(index) -> registry.gauge(BackoffMeters.WAITING, this.waiting, AtomicLong::get, policy));
		this.delays = new MeterCells<>(registry, SOURCES.length,
				(index) -> registry.timer(BackoffMeters.DELAY, List.of(), policy, SOURCES[index].tag()));
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
		Timer delay = this.delays.at(source);
		if (delay != null) {
			delay.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	void waited() {
		this.waiting.decrementAndGet();
	}

}
