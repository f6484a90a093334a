package dev.backoff.spring.observation;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Admit the first {@value #FULL} stops of a minute and hold the others, counted. A minute
 * begins with the first stop after the previous minute. Thread-safe; the lock is held for
 * a few additions only.
 */
final class StopQuota {

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

	/** Admit a stop or hold it. */
	Answer ask(long now, int attempts, boolean recovered) {
		this.lock.lock();
		try {
			Held earlier = takeIfOver(now);
			if (!this.running) {
				this.running = true;
				this.began = now;
				this.admitted = 0;
			}
			if (this.admitted < FULL) {
				return new Answer(++this.admitted, earlier);
			}
			this.held++;
			this.heldAttempts += attempts;
			this.heldRecovered += recovered ? 1 : 0;
			this.lastHeld = now;
			return new Answer(0, earlier);
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

	/**
	 * The answer for one stop.
	 *
	 * @param place its place among the admitted, counted from 1, or 0 if it is held
	 * @param earlier the held stops of the previous minute, if any
	 */
	record Answer(int place, @Nullable Held earlier) {
	}

	/**
	 * Stops that were held.
	 *
	 * @param calls their number
	 * @param attempts the sum of their attempts
	 * @param recovered how many of them recovered
	 * @param within from the start of their minute to the last of them, in nanoseconds
	 * @param last the reading at the last of them
	 */
	record Held(long calls, long attempts, long recovered, long within, long last) {
	}

}
