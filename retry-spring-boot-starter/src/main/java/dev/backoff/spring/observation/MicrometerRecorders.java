package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.backoff.spring.safety.OverloadSafety;

/**
 * Record calls in the meters of {@link BackoffMeters}.
 * <p>
 * The registry is asked for at {@link #bind()} or when the first call ends, whichever
 * comes first: a registry that is created too early misses its filters and common tags.
 * If there is none at that call, {@code bind()} asks once more; until then, only the
 * counts of whole calls are kept.
 * <p>
 * A meter that the registry loses later, by {@code clear()} for instance, is not
 * registered again. Instances that share a registry share the meters. Keep an instance as
 * long as its meters are read, and close it then. Thread-safe.
 */
final class MicrometerRecorders extends BoundedRecorders implements AutoCloseable {

	private final GuardedRegistry registry;

	private final List<Duration> slo;

	private final boolean durations;

	private final Supplier<? extends @Nullable OverloadSafety> safety;

	private final Map<String, MethodMeters.OfPolicy> policies = new ConcurrentHashMap<>();

	private volatile boolean bound;

	/** Record with buckets of timers; what limits attempts has more meters. */
	MicrometerRecorders(Supplier<? extends @Nullable MeterRegistry> registry, List<Duration> slo, boolean durations,
			Supplier<? extends @Nullable OverloadSafety> safety) {
		this.registry = new GuardedRegistry(registry);
		this.slo = List.copyOf(slo);
		this.durations = durations;
		this.safety = safety;
	}

	/** Publish the meters, also those made later, when the registry is complete. */
	public void bind() {
		this.registry.reopen();
		this.bound = true;
		recorders().forEach(MethodCounts::publish);
	}

	@Override
	public MethodCounts recorder(String policy, String method) {
		MethodCounts meters = super.recorder(policy, method);
		if (this.bound) {
			meters.publish();
		}
		return meters;
	}

	@Override
	public void close() {
		this.registry.close();
	}

	@Override
	MethodMeters make(String policy, String method) {
		MethodMeters.OfPolicy shared = this.policies.computeIfAbsent(policy,
				(name) -> new MethodMeters.OfPolicy(this.registry, name, this.safety));
		return new MethodMeters(this.registry, shared, method, this.slo, this.durations);
	}

}
