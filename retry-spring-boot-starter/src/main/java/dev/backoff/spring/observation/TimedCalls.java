package dev.backoff.spring.observation;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one method that succeeded at once, read off the timer of their attempts:
 * such a call took as long as its attempt, so its count and its time are there already,
 * and to add them up once more would take a tenth of all that the call costs.
 * <p>
 * That is so only of a timer which counts from its registration on and has this method's
 * tags. What it records besides, an attempt that succeeded after a wait for its breaker
 * or that of another method for instance, is taken off. Numbers that are read never
 * decrease. Thread-safe.
 */
final class TimedCalls {

	/* Others count for an interval, for several registries or not at all. */
	private static final Set<String> CUMULATIVE = Set.of(CumulativeTimer.class.getName(),
			"io.micrometer.prometheusmetrics.PrometheusTimer");

	private final Timer timer;

	private final long countBefore;

	private final long nanosBefore;

	private final LongAdder otherCount = new LongAdder();

	private final LongAdder otherNanos = new LongAdder();

	private final LongAccumulator highestCount = new LongAccumulator(Math::max, 0);

	private final LongAccumulator highestNanos = new LongAccumulator(Math::max, 0);

	private TimedCalls(Timer timer) {
		this.timer = timer;
		this.countBefore = timer.count();
		this.nanosBefore = nanos(timer);
	}

	/** Read calls off a timer. */
	static @Nullable TimedCalls of(Timer timer, Tags tags) {
		return (isCumulative(timer) && isOfMethod(timer, tags)) ? new TimedCalls(timer) : null;
	}

	/** Return whether a timer counts from its registration on, for one registry. */
	static boolean isCumulative(Timer timer) {
		return CUMULATIVE.contains(timer.getClass().getName());
	}

	/* Where a filter has changed a tag, it is the timer of others as well. */
	private static boolean isOfMethod(Timer timer, Tags tags) {
		for (Tag tag : tags) {
			if (!tag.getValue().equals(timer.getId().getTag(tag.getKey()))) {
				return false;
			}
		}
		return true;
	}

	/** Return whether the calls are read off this timer. */
	@SuppressWarnings("ReferenceEquality") // those of two registries are equal
	boolean isOf(Timer timer) {
		return timer == this.timer;
	}

	/** Record a call that succeeded at once, and its attempt. */
	void record(long nanos) {
		this.timer.record(nanos, TimeUnit.NANOSECONDS);
	}

	/** Record an attempt of any other call. */
	void recordOther(long nanos) {
		// taken off before it is there: read in between, the numbers seem to stand
		this.otherCount.increment();
		this.otherNanos.add(nanos);
		record(nanos);
	}

	long count() {
		long counted = this.timer.count() - this.countBefore;
		this.highestCount.accumulate(counted - this.otherCount.sum());
		return this.highestCount.get();
	}

	long nanos() {
		long added = nanos(this.timer) - this.nanosBefore;
		this.highestNanos.accumulate(added - this.otherNanos.sum());
		return this.highestNanos.get();
	}

	private static long nanos(Timer timer) {
		return Math.round(timer.totalTime(TimeUnit.NANOSECONDS));
	}

}
