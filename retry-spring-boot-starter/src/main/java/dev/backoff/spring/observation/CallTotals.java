package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionTimer;
import org.jspecify.annotations.Nullable;

import dev.backoff.StopReason;

/**
 * Count and add up whole calls in adders, which registries read, but for those that
 * another timer tells. Calls that end before there is a registry count as well.
 */
final class CallTotals implements CallMeters {

	private static final StopReason[] REASONS = StopReason.values();

	private final Total[] totals = new Total[REASONS.length];

	private final MeterCells<FunctionTimer> published;

	private final GuardedRegistry registry;

	private final String policy;

	private final String method;

	CallTotals(GuardedRegistry registry, String policy, String method) {
		this.registry = registry;
		this.policy = policy;
		this.method = method;
		Arrays.setAll(this.totals, (index) -> new Total());
		this.published = new MeterCells<>(registry, REASONS.length, this::register);
	}

	@Override
	public void record(StopReason reason, long nanos) {
		total(reason).add(nanos);
		this.published.at(reason);
	}

	@Override
	public long count(StopReason reason) {
		return total(reason).count();
	}

	@Override
	public @Nullable TimedCalls readOff(Supplier<? extends @Nullable TimedCalls> atOnce) {
		AtomicReference<@Nullable TimedCalls> elsewhere = total(StopReason.SUCCEEDED).elsewhere;
		if (elsewhere.get() == null) {
			elsewhere.compareAndSet(null, atOnce.get());
		}
		return elsewhere.get();
	}

	@Override
	public void publish(StopReason reason) {
		this.published.at(reason);
	}

	private @Nullable FunctionTimer register(int index) {
		BackoffMeters meter = BackoffMeters.CALLS;
		StopReason reason = REASONS[index];
		return this.registry.register(meter,
				(registry) -> FunctionTimer
					.builder(meter.getName(), total(reason), Total::count, Total::nanos, TimeUnit.NANOSECONDS)
					.description(meter.getDescription())
					.tags(meter.tags(this.policy, this.method, reason.tag()))
					.register(registry));
	}

	@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
	private Total total(StopReason reason) {
		return this.totals[reason.ordinal()];
	}

	/**
	 * The calls that ended for one reason. Registries refer to it weakly, so it is kept
	 * here.
	 */
	private static final class Total {

		private final LongAdder count = new LongAdder();

		private final LongAdder nanos = new LongAdder();

		private final AtomicReference<@Nullable TimedCalls> elsewhere = new AtomicReference<>();

		void add(long nanos) {
			this.count.increment();
			this.nanos.add(nanos);
		}

		long count() {
			TimedCalls elsewhere = this.elsewhere.get();
			return this.count.sum() + ((elsewhere != null) ? elsewhere.count() : 0);
		}

		double nanos() {
			TimedCalls elsewhere = this.elsewhere.get();
			return this.nanos.sum() + ((elsewhere != null) ? elsewhere.nanos() : 0);
		}

	}

}
