package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;

/**
 * A {@link Quota} for each policy and stop reason. After {@value #MOST} of them, further
 * policies share the name {@code other}. Thread-safe.
 */
final class StopQuotas {

	private static final int MOST = 1_000;

	private static final long SWEEP_INTERVAL = Duration.ofSeconds(1).toNanos();

	private final Map<Kind, Quota> quotas = new ConcurrentHashMap<>();

	private final AtomicLong lastSweep;

	private final Report report;

	private volatile boolean holding;

	/** Make quotas that report held stops when their minute is over. */
	StopQuotas(long now, Report report) {
		this.lastSweep = new AtomicLong(now);
		this.report = report;
	}

	/**
	 * Return the place of a stop within its minute, counted from 1, or 0 if it is held.
	 */
	int take(RetryEvent.Stopped event, long now) {
		RetriesStoppedException story = event.story();
		return take(kind(event.policy(), story.reason()), story.attempts(), event.recovery() == RecoveryOutcome.DONE,
				now);
	}

	/** Return the same of the first failure of a stored call. */
	int takeFirstFailure(String policy, long now) {
		return take(kind(policy, null), 1, false, now);
	}

	private int take(Kind kind, int attempts, boolean recovered, long now) {
		Quota quota = this.quotas.computeIfAbsent(kind, (added) -> new Quota());
		report(kind, quota.takeIfOver(now), now);
		int place = quota.ask(now, attempts, recovered);
		if (place == 0) {
			this.holding = true;
		}
		return place;
	}

	/** Return whether stops may be held, so that a sweep may report some. */
	boolean isHolding() {
		return this.holding;
	}

	/** Report the stops of minutes that are over; at most once a second. */
	void sweep(long now) {
		long last = this.lastSweep.get();
		if (now - last >= SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			this.holding = false;
			this.quotas.forEach((kind, quota) -> {
				report(kind, quota.takeIfOver(now), now);
				if (quota.isHolding()) {
					this.holding = true;
				}
			});
		}
	}

	/** Report all held stops. */
	void close(long now) {
		this.quotas.forEach((kind, quota) -> report(kind, quota.take(), now));
	}

	private void report(Kind kind, @Nullable Held held, long now) {
		if (held != null) {
			this.report.held(kind, held, now);
		}
	}

	private Kind kind(String policy, @Nullable StopReason reason) {
		Kind kind = new Kind(policy, reason);
		return (this.quotas.size() < MOST || this.quotas.containsKey(kind)) ? kind : new Kind("other", reason);
	}

	/** The stops that share a quota, or without a reason the first failures. */
	record Kind(String policy, @Nullable StopReason reason) {
	}

	/** Receives stops that were held. */
	@FunctionalInterface
	interface Report {

		void held(Kind kind, Held held, long now);

	}

	/**
	 * Stops that were held: their number, the sum of their attempts, how many of them
	 * recovered, the nanoseconds from the start of their minute to the last of them, and
	 * the reading at the last of them.
	 */
	record Held(long calls, long attempts, long recovered, long within, long last) {
	}

	/**
	 * Admit the first {@value #FULL} stops of a minute and hold the others, counted. A
	 * minute begins with the first stop after the previous minute. Thread-safe.
	 */
	static final class Quota {

		/** How many stops a minute are admitted: {@value}. */
		static final int FULL = 20;

		private final AtomicReference<Minute> minute = new AtomicReference<>(Minute.NONE);

		/**
		 * Return the place of a stop among the admitted, counted from 1, or 0 if it is
		 * held. Take the stops of a minute that is over before.
		 */
		int ask(long now, int attempts, boolean recovered) {
			int place = this.minute.updateAndGet((before) -> before.with(now, attempts, recovered)).stops();
			return (place > FULL) ? 0 : place;
		}

		boolean isHolding() {
			return Objects.requireNonNull(this.minute.get()).stops() > FULL;
		}

		/** Return the held stops of a minute that is over, or null, and forget them. */
		@Nullable Held takeIfOver(long now) {
			Minute before = this.minute.getAndUpdate((minute) -> minute.isOver(now) ? Minute.NONE : minute);
			return before.isOver(now) ? before.held() : null;
		}

		/** Return the held stops, or null if there are none, and forget them. */
		@Nullable Held take() {
			return this.minute.getAndUpdate(Minute::emptied).held();
		}

	}

	/** The stops of one minute; attempts and recoveries are those of the held ones. */
	private record Minute(long began, int stops, long attempts, long recovered, long last) {

		private static final Minute NONE = new Minute(0, 0, 0, 0, 0);

		private static final long LENGTH = Duration.ofMinutes(1).toNanos();

		Minute with(long now, int attempts, boolean recovered) {
			return (this.stops < Quota.FULL) ? new Minute((this.stops == 0) ? now : this.began, this.stops + 1, 0, 0, 0)
					: new Minute(this.began, this.stops + 1, this.attempts + attempts,
							this.recovered + (recovered ? 1 : 0), now);
		}

		boolean isOver(long now) {
			return this.stops > 0 && now - this.began >= LENGTH;
		}

		Minute emptied() {
			return (this.stops > Quota.FULL) ? new Minute(this.began, Quota.FULL, 0, 0, 0) : this;
		}

		@Nullable Held held() {
			return (this.stops <= Quota.FULL) ? null : new Held(this.stops - Quota.FULL, this.attempts, this.recovered,
					this.last - this.began, this.last);
		}

	}

}
