package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.FunctionTimer;
import org.jspecify.annotations.Nullable;

import dev.backoff.StopReason;

/**
 * Count and add up whole calls in adders, which registries read. Two adders cost a
 * quarter of a timer and a call that succeeds at once has already paid for one. Calls
 * that end before there is a registry count as well.
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

		void add(long nanos) {
			this.count.increment();
			this.nanos.add(nanos);
		}

		long count() {
			return this.count.sum();
		}

		double nanos() {
			return this.nanos.sum();
		}

	}

}
