package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

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
		Kind kind = kind(event.policy(), story.reason());
		Quota quota = this.quotas.computeIfAbsent(kind, (key) -> new Quota());
		report(kind, quota.takeIfOver(now), now);
		return quota.ask(now, story.attempts(), event.recovery() == RecoveryOutcome.DONE);
	}

	/** Report the stops of minutes that are over; at most once a second. */
	void sweep(long now) {
		long last = this.lastSweep.get();
		if (now - last >= SWEEP_INTERVAL && this.lastSweep.compareAndSet(last, now)) {
			this.quotas.forEach((kind, quota) -> report(kind, quota.takeIfOver(now), now));
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

	private Kind kind(String policy, StopReason reason) {
		Kind kind = new Kind(policy, reason);
		return (this.quotas.size() < MOST || this.quotas.containsKey(kind)) ? kind : new Kind("other", reason);
	}

	/** The stops that share a quota. */
	record Kind(String policy, StopReason reason) {
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
	 * minute begins with the first stop after the previous minute. Thread-safe; the lock
	 * is held for a few additions only.
	 */
	static final class Quota {

		/** How many stops a minute are admitted: {@value}. */
		static final int FULL = 20;

		private static final long MINUTE = Duration.ofMinutes(1).toNanos();

		private final ReentrantLock lock = new ReentrantLock();

		private boolean running;

		private long began;

		private int admitted;

		private long held;

		private long heldAttempts;

		private long heldRecovered;

		private long lastHeld;

		/**
		 * Return the place of a stop among the admitted, counted from 1, or 0 if it is
		 * held. Take the stops of a minute that is over before.
		 */
		int ask(long now, int attempts, boolean recovered) {
			this.lock.lock();
			try {
				if (!this.running) {
					this.running = true;
					this.began = now;
					this.admitted = 0;
				}
				if (this.admitted < FULL) {
					return ++this.admitted;
				}
				this.held++;
				this.heldAttempts += attempts;
				this.heldRecovered += recovered ? 1 : 0;
				this.lastHeld = now;
				return 0;
			}
			finally {
				this.lock.unlock();
			}
		}

		/** Return the held stops of a minute that is over, or null, and forget them. */
		@Nullable Held takeIfOver(long now) {
			this.lock.lock();
			try {
				if (!this.running || now - this.began < MINUTE) {
					return null;
				}
				this.running = false;
				return take();
			}
			finally {
				this.lock.unlock();
			}
		}

		/** Return the held stops, or null if there are none, and forget them. */
		@Nullable Held take() {
			this.lock.lock();
			try {
				if (this.held == 0) {
					return null;
				}
				Held taken = new Held(this.held, this.heldAttempts, this.heldRecovered, this.lastHeld - this.began,
						this.lastHeld);
				this.held = 0;
				this.heldAttempts = 0;
				this.heldRecovered = 0;
				return taken;
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
