package dev.backoff.policy;

import java.util.concurrent.atomic.AtomicLong;

import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.WindowLength;

/**
 * Whether many attempts of a policy's methods fail, so that its delays are raised.
 * <p>
 * The mode begins when more than the given share of the window's attempts failed, and
 * ends when less than five sixths of that share did: with 30 %, it begins at 31 % and
 * ends below 25 %. After a change it stays for at least one window, so that a rate around
 * the limit changes it at most once a window. Thread-safe.
 *
 * @since 0.1
 */
public final class DegradedMode {

	private static final double HYSTERESIS = 5.0 / 6;

	/* Neither begun nor ended so far. */
	private static final long NEVER = Long.MIN_VALUE;

	private final DegradedSettings settings;

	private volatile OutcomeWindow window;

	private final long windowNanos;

	private final Listener listener;

	/*
	 * The reading at the last change, whose lowest bit tells which change it was. It is
	 * one number, so that a change is seen whole.
	 */
	private final AtomicLong changed = new AtomicLong(NEVER);

	/**
	 * Make a mode that has not begun.
	 * @param settings when it begins
	 * @param listener told when it begins and when it ends
	 */
	public DegradedMode(DegradedSettings settings, Listener listener) {
		this.settings = settings;
		this.listener = listener;
		this.window = OutcomeWindow.of(WindowLength.of(settings.window()));
		this.windowNanos = Nanos.of(settings.window());
	}

	/**
	 * Record an attempt.
	 * @param failed whether it failed
	 * @param now the reading of the ticker at its end
	 */
	public void record(boolean failed, long now) {
		this.window.record(failed, false, now);
	}

	/**
	 * Return whether delays are raised.
	 * @param now the reading of the ticker
	 * @return true while many attempts fail
	 */
	public boolean isDegraded(long now) {
		long seen = this.changed.get();
		boolean degraded = isBegun(seen);
		// not held for ever by a clock that steps far back
		long age = now - seen;
		if (seen != NEVER && age >= 0 && age < this.windowNanos) {
			return degraded;
		}
		Counts counts = this.window.counts(now);
		if (wants(degraded, counts) == degraded) {
			return degraded;
		}
		long after = degraded ? now & ~1L : now | 1L;
		if (this.changed.compareAndSet(seen, (after != NEVER) ? after : after + 2)) {
			tell(!degraded, counts);
		}
		return isBegun(this.changed.get());
	}

	/** Begin anew with nothing counted, as at the start. The listener is not told. */
	public void reset() {
		this.window = OutcomeWindow.of(WindowLength.of(this.settings.window()));
		this.changed.set(NEVER);
	}

	private void tell(boolean degraded, Counts counts) {
		try {
			this.listener.changed(this, degraded, counts);
		}
		catch (Throwable ex) {
			// a listener never makes a call fail
		}
	}

	private static boolean isBegun(long changed) {
		return changed != NEVER && (changed & 1) == 1;
	}

	private boolean wants(boolean degraded, Counts counts) {
		if (degraded) {
			return counts.total() > 0 && counts.failureRate() >= this.settings.failureRate() * HYSTERESIS;
		}
		return counts.total() >= this.settings.minimumCalls() && counts.failureRate() > this.settings.failureRate();
	}

	/**
	 * Listen to the beginning and the end of a mode. A listener that throws is ignored.
	 * Implementations are thread-safe and quick: they run within a call.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * The mode has begun or ended.
		 * @param mode the mode
		 * @param degraded whether delays are raised from now on
		 * @param counts what the window holds
		 */
		void changed(DegradedMode mode, boolean degraded, Counts counts);

	}

}
