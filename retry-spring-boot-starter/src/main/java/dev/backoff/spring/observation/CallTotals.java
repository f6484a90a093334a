package dev.backoff.spring.observation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;

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
	public @Nullable TimedCalls readOff(Timer timer, Supplier<? extends @Nullable TimedCalls> first) {
		return total(StopReason.SUCCEEDED).readOff(timer, first);
	}

	@Override
	public void publish(StopReason reason) {
		this.published.at(reason);
	}

	@Override
	public void unpublish() {
		this.published.empty();
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

		private final AtomicReference<Elsewhere> elsewhere = new AtomicReference<>(new Elsewhere(0, 0, List.of()));

		@Nullable TimedCalls readOff(Timer timer, Supplier<? extends @Nullable TimedCalls> first) {
			TimedCalls known = elsewhere().of(timer);
			if (known != null) {
				return known;
			}
			TimedCalls added = first.get();
			if (added != null) {
				this.elsewhere.updateAndGet((now) -> (now.of(timer) != null) ? now : now.with(added));
			}
			return elsewhere().of(timer);
		}

		private Elsewhere elsewhere() {
			return Objects.requireNonNull(this.elsewhere.get());
		}

		void add(long nanos) {
			this.count.increment();
			this.nanos.add(nanos);
		}

		long count() {
			return this.count.sum() + elsewhere().countAll();
		}

		double nanos() {
			return this.nanos.sum() + elsewhere().nanosOfAll();
		}

	}

	/**
	 * Calls that are read off timers, of which a registry has lost all but the last.
	 *
	 * @param count what was read off those that are not kept any more
	 * @param nanos likewise
	 * @param kept the latest
	 */
	private record Elsewhere(long count, long nanos, List<TimedCalls> kept) {

		/* Who has found one may record there yet, but not after so many others. */
		private static final int MOST = 32;

		@Nullable TimedCalls of(Timer timer) {
			for (TimedCalls calls : this.kept) {
				if (calls.isOf(timer)) {
					return calls;
				}
			}
			return null;
		}

		Elsewhere with(TimedCalls added) {
			List<TimedCalls> more = new ArrayList<>(this.kept);
			more.add(added);
			if (more.size() <= MOST) {
				return new Elsewhere(this.count, this.nanos, List.copyOf(more));
			}
			TimedCalls oldest = more.remove(0);
			return new Elsewhere(this.count + oldest.count(), this.nanos + oldest.nanos(), List.copyOf(more));
		}

		long countAll() {
			long all = this.count;
			for (TimedCalls calls : this.kept) {
				all += calls.count();
			}
			return all;
		}

		long nanosOfAll() {
			long all = this.nanos;
			for (TimedCalls calls : this.kept) {
				all += calls.nanos();
			}
			return all;
		}

	}

}
