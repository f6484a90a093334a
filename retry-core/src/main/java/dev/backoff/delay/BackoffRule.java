package dev.backoff.delay;

import java.time.Duration;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The rule that yields delays: a shape, then a cap, then jitter, in this order.
 * <p>
 * With the defaults (exponential from 100 ms ×2, cap 10 s, full jitter): <pre>
 * retry  delay drawn from
 *  1     0 .. 100 ms
 *  2     0 .. 200 ms
 *  3     0 .. 400 ms
 *  4     0 .. 800 ms
 *  5     0 .. 1.6 s
 *  6     0 .. 3.2 s
 *  7     0 .. 6.4 s
 *  8     0 .. 10 s
 *  9     0 .. 10 s
 * 10     0 .. 10 s
 * </pre> Immutable and thread-safe; the previous delay is an argument, not a state.
 *
 * @since 0.1
 */
public final class BackoffRule {

	private final Shape shape;

	private final long cap;

	private final Jitter jitter;

	private final long base;

	private BackoffRule(Shape shape, long cap, Jitter jitter) {
		this.shape = shape;
		this.cap = cap;
		this.jitter = jitter;
		this.base = shape.baseNanos();
	}

	/**
	 * Make a rule.
	 * @param shape the delays before the cap
	 * @param cap the longest delay, not below the base; {@link Nanos#UNLIMITED}
	 * nanoseconds for none
	 * @param jitter how chance spreads the capped delay
	 * @return the rule
	 * @throws IllegalArgumentException if the cap is below the base, or below twice the
	 * base with {@link Jitter#decorrelated()}, or that jitter meets a ladder
	 */
	public static BackoffRule of(Shape shape, Duration cap, Jitter jitter) {
		BackoffRule rule = new BackoffRule(shape, Rules.notNegative("cap", cap), jitter);
		if (shape.rungs() == 0 && rule.cap < rule.base) {
			throw new IllegalArgumentException("Invalid cap (" + DurationText.exact(rule.cap)
					+ "): must not be below the base (" + DurationText.exact(rule.base) + ").");
		}
		if (jitter.replacesShape() && shape.rungs() > 0) {
			throw new IllegalArgumentException(
					"Invalid jitter (decorrelated): grows from a base, which a ladder lacks.");
		}
		if (jitter.replacesShape() && rule.cap < Nanos.times(rule.base, 2)) {
			throw new IllegalArgumentException(
					"Invalid cap (" + DurationText.exact(rule.cap) + "): must be at least twice the base ("
							+ DurationText.exact(rule.base) + ") for decorrelated jitter.");
		}
		return rule;
	}

	/**
	 * Return the delay before the given retry.
	 * @param retry the retry, counted from 1
	 * @param previous the delay before the retry before, in nanoseconds; ignored for the
	 * first retry
	 * @param random the source of chance, drawn from once, or not at all without jitter
	 * @return nanoseconds, from 0 to the cap
	 * @throws IllegalArgumentException if the retry is below 1
	 */
	public long delay(int retry, long previous, RandomSource random) {
		return this.jitter.apply(capped(retry), (retry == 1) ? this.base : previous, this.base, this.cap,
				this.jitter.isRandom() ? random.next() : 0);
	}

	/**
	 * Return the delay before the given retry without jitter.
	 * @param retry the retry, counted from 1
	 * @return nanoseconds, from 0 to the cap
	 * @throws IllegalArgumentException if the retry is below 1
	 */
	public long capped(int retry) {
		return Math.min(this.cap, this.shape.nanos(retry));
	}

	/**
	 * Return this rule with its base raised to the given one, but not above the cap.
	 * @param floor the least base
	 * @return this rule, or one like it
	 */
	public BackoffRule withBaseAtLeast(Duration floor) {
		long most = this.jitter.replacesShape() ? this.cap / 2 : this.cap;
		long raised = Math.min(Nanos.of(floor), most);
		return (this.shape.rungs() == 0 && raised <= this.base) ? this
				: new BackoffRule(this.shape.withBaseAtLeast(Duration.ofNanos(raised)), this.cap, this.jitter);
	}

	/**
	 * {@return the delays before the cap}
	 */
	public Shape shape() {
		return this.shape;
	}

	/**
	 * {@return how chance spreads the capped delay}
	 */
	public Jitter jitter() {
		return this.jitter;
	}

	/**
	 * {@return the longest delay; nanoseconds, {@link Nanos#UNLIMITED} for no cap}
	 */
	public long capNanos() {
		return this.cap;
	}

	/**
	 * {@return the delay of the shape before the first retry; nanoseconds, zero or more}
	 */
	public long baseNanos() {
		return this.base;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof BackoffRule that && this.shape.equals(that.shape) && this.cap == that.cap
				&& this.jitter.equals(that.jitter);
	}

	@Override
	public int hashCode() {
		return 31 * this.shape.hashCode() + 17 * Long.hashCode(this.cap) + this.jitter.hashCode();
	}

	@Override
	public String toString() {
		String limit = (this.cap == Nanos.UNLIMITED) ? "no cap" : "cap " + DurationText.exact(this.cap);
		return this.shape + ", " + limit + ", jitter " + this.jitter;
	}

}
