package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Map;
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
		Quota quota = quota(kind);
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

	private Quota quota(Kind kind) {
		Quota known = this.quotas.get(kind);
		if (known != null) {
			return known;
		}
		Quota added = new Quota();
		Quota earlier = this.quotas.putIfAbsent(kind, added);
		return (earlier != null) ? earlier : added;
	}

	/** Report the stops of minutes that are over; at most once a second. */
	void sweep(long now) {
		long last = this.lastSweep.get();
		if (now - last >= SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			this.holding = false;
			this.quotas.forEach((kind, quota) -> report(kind, quota.takeIfOver(now), now));
			if (this.quotas.values().stream().anyMatch(Quota::isHolding)) {
				this.holding = true;
			}
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
	 * minute begins with the first stop after the previous minute. Thread-safe and
	 * lock-free.
	 */
	static final class Quota {

		/** How many stops a minute are admitted: {@value}. */
		static final int FULL = 20;

		private static final long MINUTE = Duration.ofMinutes(1).toNanos();

		/* Null between two minutes. */
		private final AtomicReference<@Nullable Minute> minute = new AtomicReference<>();

		/**
		 * Return the place of a stop among the admitted, counted from 1, or 0 if it is
		 * held. Take the stops of a minute that is over before.
		 */
		int ask(long now, int attempts, boolean recovered) {
			while (true) {
				Minute before = this.minute.get();
				boolean full = before != null && before.admitted == FULL;
				Minute after = (before == null) ? new Minute(now, 1, 0, 0, 0, 0)
						: full ? before.holding(now, attempts, recovered) : before.admitting();
				if (this.minute.compareAndSet(before, after)) {
					return full ? 0 : after.admitted;
				}
			}
		}

		boolean isHolding() {
			Minute present = this.minute.get();
			return present != null && present.held > 0;
		}

		/** Return the held stops of a minute that is over, or null, and forget them. */
		@Nullable Held takeIfOver(long now) {
			while (true) {
				Minute over = this.minute.get();
				if (over == null || now - over.began < MINUTE) {
					return null;
				}
				if (this.minute.compareAndSet(over, null)) {
					return over.taken();
				}
			}
		}

		/** Return the held stops, or null if there are none, and forget them. */
		@Nullable Held take() {
			while (true) {
				Minute before = this.minute.get();
				if (before == null || before.held == 0) {
					return null;
				}
				if (this.minute.compareAndSet(before, new Minute(before.began, before.admitted, 0, 0, 0, 0))) {
					return before.taken();
				}
			}
		}

		/** The stops of one minute. */
		private record Minute(long began, int admitted, long held, long attempts, long recovered, long lastHeld) {

			Minute admitting() {
				return new Minute(this.began, this.admitted + 1, 0, 0, 0, 0);
			}

			Minute holding(long now, int attempts, boolean recovered) {
				return new Minute(this.began, this.admitted, this.held + 1, this.attempts + attempts,
						this.recovered + (recovered ? 1 : 0), now);
			}

			@Nullable Held taken() {
				return (this.held == 0) ? null
						: new Held(this.held, this.attempts, this.recovered, this.lastHeld - this.began, this.lastHeld);
			}

		}

	}

}
