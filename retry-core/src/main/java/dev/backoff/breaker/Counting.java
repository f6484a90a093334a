package dev.backoff.breaker;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.backoff.window.OutcomeWindow;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.WindowLength;

/** Permit all calls and count them; a failed or slow one may be one too many. */
abstract class Counting extends BreakerState {

	private final CircuitBreaker breaker;

	private final OutcomeWindow window;

	private final WindowLength length;

	private final @Nullable Duration slowCall;

	Counting(CircuitBreaker breaker) {
		this.breaker = breaker;
		BreakerSettings settings = breaker.settings();
		this.length = settings.window();
		this.slowCall = settings.slowCall();
		this.window = OutcomeWindow.of(this.length);
	}

	/** Do what is to be done once too many have failed or were slow. */
	abstract void exceeded(Counts counts, long now);

	/** Return the same state with nothing counted. */
	abstract Counting emptied();

	@Override
	final void conform() {
		BreakerSettings settings = this.breaker.settings();
		if (!settings.window().equals(this.length) || !Objects.equals(settings.slowCall(), this.slowCall)) {
			this.breaker.move(this, emptied());
		}
	}

	@Override
	final Counting tryAcquire(long now) {
		return this;
	}

	@Override
	final boolean isPermitting(long now) {
		return true;
	}

	@Override
	final Counts counts(long now) {
		return this.window.counts(now);
	}

	@Override
	public final void succeeded(long nanos, long now) {
		boolean slow = this.breaker.isSlow(nanos);
		this.window.record(false, slow, now);
		if (slow) {
			evaluate(now);
		}
	}

	@Override
	public final void failed(long nanos, long now, @Nullable Throwable failure) {
		this.window.record(true, this.breaker.isSlow(nanos), now);
		evaluate(now);
	}

	private void evaluate(long now) {
		if (this.breaker.isCurrent(this)) {
			Counts counts = counts(now);
			if (this.breaker.isTooMuch(counts)) {
				exceeded(counts, now);
			}
		}
	}

	final CircuitBreaker breaker() {
		return this.breaker;
	}

}
