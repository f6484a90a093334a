package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallRecorder;
import dev.backoff.spring.policy.BackoffProperties.CallMeter;
import dev.backoff.time.DurationText;

/**
 * Record calls in the meters of {@link BackoffMeters}.
 * <p>
 * The registry is asked for when the first call ends or at {@link #bind()}, whichever is
 * first, never while recorders are made: a registry that is created too early misses its
 * filters and common tags. If it is not there yet, it is asked for once more by
 * {@code bind()}; until then only whole calls are counted, as totals.
 * <p>
 * A meter that a registry refuses, because of another meter of that name or a filter that
 * throws, is dropped with one warning per name. It is not tried again unless the registry
 * loses a meter of ours: those that are gone come back with the next call, whole calls
 * with their totals and the others from zero.
 * <p>
 * Tags are bounded: after {@value #MAX_METHODS} pairs of policy and method, further ones
 * share the method {@value #OTHER}, and further policies the policy of that name.
 * <p>
 * One instance is enough for one registry. A second one would find the whole calls of a
 * method it shares with the first already published, and could not add its own. Keep the
 * instance as long as its meters are read. Thread-safe.
 *
 * @since 0.1
 */
public final class MicrometerRecorders implements CallRecorder.Factory, CallStatistics {

	/** The greatest number of pairs of policy and method with meters of their own. */
	static final int MAX_METHODS = BoundedMethods.MOST;

	/** What stands for all that is beyond the bound. */
	static final String OTHER = BoundedMethods.OTHER;

	private final GuardedRegistry registry;

	private final List<Duration> slo;

	private final CallMeter calls;

	private final Map<String, PolicyMeters> policies = new ConcurrentHashMap<>();

	private final BoundedMethods<MethodMeters> methods = new BoundedMethods<>(this::make);

	private volatile boolean bound;

	/**
	 * Count whole calls, without buckets.
	 * @param registry how to get the registry, null if there is none; asked late, perhaps
	 * by more than one thread at once, and not again once it has answered
	 */
	public MicrometerRecorders(Supplier<? extends @Nullable MeterRegistry> registry) {
		this(registry, List.of(), CallMeter.COUNTER);
	}

	/**
	 * Record with the given options.
	 * @param registry how to get the registry, null if there is none; asked late, perhaps
	 * by more than one thread at once, and not again once it has answered
	 * @param slo the buckets of the timers of attempts, and of whole calls if they are
	 * timed; empty for none
	 * @param calls how whole calls are measured
	 */
	public MicrometerRecorders(Supplier<? extends @Nullable MeterRegistry> registry, List<Duration> slo,
			CallMeter calls) {
		for (Duration bucket : slo) {
			if (bucket.isNegative() || bucket.isZero()) {
				throw new IllegalArgumentException(
						"Invalid slo (" + DurationText.exact(bucket) + "): must be longer than zero.");
			}
		}
		this.registry = new GuardedRegistry(registry, this::unpublish);
		this.slo = List.copyOf(slo);
		this.calls = calls;
	}

	/**
	 * Publish the meters of all recorders, and those of later ones when they are made, so
	 * that the series which alerts ask for exist at zero before the first failure. To be
	 * called when the registry is complete; calling it again does no harm.
	 */
	public void bind() {
		this.registry.reopen();
		this.bound = true;
		this.methods.all().forEach(MethodMeters::publish);
	}

	@Override
	public CallRecorder recorder(String policy, String method) {
		MethodMeters known = this.methods.find(policy, method);
		if (known != null) {
			return known;
		}
		MethodMeters meters = this.methods.get(policy, method);
		if (this.bound) {
			meters.publish();
		}
		return meters;
	}

	private void unpublish() {
		this.methods.all().forEach(MethodMeters::unpublish);
		this.policies.values().forEach(PolicyMeters::unpublish);
	}

	private MethodMeters make(String policy, String method) {
		return new MethodMeters(this.registry, shared(policy), method, this.slo, this.calls);
	}

	private PolicyMeters shared(String policy) {
		return this.policies.computeIfAbsent(policy, (name) -> new PolicyMeters(this.registry, name));
	}

	@Override
	public Optional<MethodCalls> of(String policy, String method) {
		return Optional.ofNullable(this.methods.find(policy, method)).map(MethodMeters::statistics);
	}

	@Override
	public List<MethodCalls> all() {
		return this.methods.all().stream().map(MethodMeters::statistics).toList();
	}

}
