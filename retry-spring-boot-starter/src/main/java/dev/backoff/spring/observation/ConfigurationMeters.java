package dev.backoff.spring.observation;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.live.ConfigurationListener;

/** Count changes of the configuration and an operator's overrides. Thread-safe. */
final class ConfigurationMeters implements ConfigurationListener, AutoCloseable {

	/** The tag value for the switch of all retries, which belongs to no policy. */
	static final String ALL = "*";

	private final GuardedRegistry registry;

	/* Registries refer to the counted state weakly, so it is kept here. */
	private final Map<Outcome, AtomicLong> changes = new EnumMap<>(Outcome.class);

	private final Map<String, AtomicInteger> overridden = new ConcurrentHashMap<>();

	ConfigurationMeters(Supplier<? extends @Nullable MeterRegistry> registry) {
		this.registry = new GuardedRegistry(registry);
		for (Outcome outcome : Outcome.values()) {
			this.changes.put(outcome, new AtomicLong());
		}
	}

	/**
	 * Publish the counters at zero, so that the first refusal is an increase. Call this
	 * when the registry is complete. A second call has no effect.
	 */
	public void bind() {
		this.registry.reopen();
		this.changes.forEach((outcome, count) -> this.registry.counter(BackoffMeters.REFRESH, count, AtomicLong::get,
				outcome.tag()));
	}

	@Override
	public void changed(Outcome outcome, Overrides overrides) {
		Objects.requireNonNull(this.changes.get(outcome)).incrementAndGet();
		overrides.policies().forEach(this::gauge);
		if (overrides.retriesEnabled() != null) {
			gauge(ALL);
		}
		this.overridden.forEach((policy, keys) -> keys.set(
				policy.equals(ALL) ? ((overrides.retriesEnabled() != null) ? 1 : 0) : overrides.values(policy).size()));
	}

	@Override
	public void close() {
		this.registry.close();
	}

	private void gauge(String policy) {
		AtomicInteger keys = new AtomicInteger();
		if (this.overridden.putIfAbsent(policy, keys) == null) {
			this.registry.gauge(BackoffMeters.OVERRIDES, keys, AtomicInteger::get, policy);
		}
	}

}
