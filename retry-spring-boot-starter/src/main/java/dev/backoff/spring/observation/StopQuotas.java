package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;
import dev.backoff.time.DurationText;

/**
 * Admit the first {@value #FULL} stops a minute of each policy and reason, and count the
 * others. A minute begins with its first stop. Beyond {@value #MOST} kinds at a time,
 * further policies share the name {@code other}. Thread-safe.
 */
final class StopQuotas {

	/** How many stops a minute are admitted: {@value}. */
	static final int FULL = 20;

	static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private static final int MOST = 1_000;

	private final Map<Kind, Counted> minutes = new ConcurrentHashMap<>();

	private final Map<String, Failing> failing = new ConcurrentHashMap<>();

	/** Count a stop, or for null the first failure of a stored call. */
	Counted count(String policy, @Nullable StopReason reason, int attempts, boolean recovered, long now) {
		Kind kind = new Kind(policy, reason);
		boolean own = this.minutes.size() < MOST || this.minutes.containsKey(kind);
		return this.minutes.merge(own ? kind : new Kind("other", reason), new Counted(1, 0, 0, now, now),
				(before, first) -> before.plus(attempts, recovered, now));
	}

	/** End the minutes of at least the given age and return what was not admitted. */
	List<Held> take(long now, long age) {
		List<Held> taken = new ArrayList<>();
		this.minutes.forEach((kind, seen) -> {
			Counted minute = (now - seen.began() >= age) ? this.minutes.remove(kind) : null;
			if (minute != null && minute.stops() > FULL) {
				taken.add(new Held(kind.policy(), kind.reason(), minute.stops() - FULL, minute.attempts(),
						minute.recovered(), minute.last() - minute.began(), Math.max(0, now - minute.last())));
			}
		});
		return taken;
	}

	/**
	 * Count a permanent failure. Return a remark at the end of a minute in which more
	 * than half of the calls, and at least {@value #FULL}, failed in that way.
	 */
	@Nullable String failed(String policy, long now, LongSupplier calls) {
		Failing minute = this.failing.get(policy);
		if (minute != null) {
			minute.failed.increment();
		}
		if ((minute != null) ? now - minute.began < MINUTE : this.failing.size() >= MOST) {
			return null;
		}
		Failing next = new Failing(now, calls.getAsLong(), new LongAdder());
		if (minute == null || !this.failing.replace(policy, minute, next)) {
			this.failing.putIfAbsent(policy, next);
			return null;
		}
		long made = next.calls - minute.calls;
		return (made < FULL || minute.failed.sum() * 2 <= made) ? null : "; of " + made + " calls within "
				+ DurationText.rounded(now - minute.began) + ", " + minute.failed + " failed for a permanent reason";
	}

	/** The failures after a reading, and all calls before it. */
	private record Failing(long began, long calls, LongAdder failed) {
	}

	private record Kind(String policy, @Nullable StopReason reason) {
	}

	/**
	 * The stops of a minute; attempts and recoveries are those of the ones not admitted.
	 */
	record Counted(int stops, long attempts, long recovered, long began, long last) {

		Counted plus(int attempts, boolean recovered, long now) {
			boolean admitted = this.stops < FULL;
			return new Counted(this.stops + 1, admitted ? 0 : this.attempts + attempts,
					this.recovered + (recovered && !admitted ? 1 : 0), this.began, now);
		}

	}

	/**
	 * Stops that were not admitted: their number, the sum of their attempts, how many of
	 * them recovered, the nanoseconds from the start of their minute to the last of them,
	 * and since the last of them.
	 */
	record Held(String policy, @Nullable StopReason reason, long calls, long attempts, long recovered, long within,
			long ago) {
	}

}
