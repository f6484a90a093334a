package dev.backoff;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;

import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

/**
 * An immutable snapshot of the attempt that is running.
 * <p>
 * Outside a retried call (in a unit test of the bean, or with
 * {@code backoff.enabled=false}) {@link #current()} returns attempt 1 of 1, with a new
 * key each time, so that code which sends the key works everywhere. Thread-safe.
 *
 * @since 0.1
 */
public final class Attempt {

	private final int number;

	private final int maximum;

	private final @Nullable Throwable previousFailure;

	private final long timeLeft;

	private final CallKey key;

	private final long fence;

	/* The innermost call with a pace, or null. */
	private final @Nullable Pace pace;

	private final long start;

	private Attempt(int number, int maximum, @Nullable Throwable previousFailure, long timeLeft, CallKey key,
			long fence, @Nullable CallState paced) {
		this.number = number;
		this.maximum = maximum;
		this.previousFailure = previousFailure;
		this.timeLeft = timeLeft;
		this.key = key;
		this.fence = fence;
		this.pace = (paced != null) ? paced.settings().pace() : null;
		this.start = (paced != null) ? paced.attemptStart : 0;
	}

	/**
	 * Return the running attempt of the innermost call on this thread.
	 * <p>
	 * Outside a retried call this is attempt 1 of 1, with a random key that belongs to
	 * the returned object alone: the next call of this method returns another key. Keep
	 * the object to send the same key twice.
	 * @return a snapshot
	 */
	public static Attempt current() {
		CallState call = CallStack.ofThread().running();
		if (call == null || !call.isAttempt()) {
			return new Attempt(1, 1, null, (call != null) ? call.attemptTimeLeft() : Nanos.UNLIMITED, new CallKey(), 0,
					null);
		}
		CallState paced = call;
		while (paced != null && paced.settings().pace() == null) {
			paced = paced.around();
		}
		return new Attempt(call.attempt, call.settings().policy().maxAttempts(), call.previousFailure(),
				call.attemptTimeLeft(), call.context().key(), call.context().fence, paced);
	}

	/**
	 * {@return whether an attempt is running on this thread; false outside a retried
	 * call}
	 */
	public static boolean isRunning() {
		CallState call = CallStack.ofThread().running();
		return call != null && call.isAttempt();
	}

	/**
	 * {@return the number of the attempt; 1 for the first attempt, 2 for the first retry}
	 */
	public int number() {
		return this.number;
	}

	/**
	 * {@return how many attempts there may be, the first included, empty without a limit}
	 */
	public OptionalInt maximum() {
		return (this.maximum == RetryPolicy.UNLIMITED_ATTEMPTS) ? OptionalInt.empty() : OptionalInt.of(this.maximum);
	}

	/**
	 * {@return what the previous attempt threw, or null on the first attempt and after a
	 * result that was not good enough}
	 */
	public @Nullable Throwable previousFailure() {
		return this.previousFailure;
	}

	/**
	 * Return the time that the attempt had left when the snapshot was taken. The time
	 * ends at the timeout of the attempt, the deadline of the call or the deadline of an
	 * enclosing call, whichever is first.
	 * @return zero or more, or null without a timeout and a deadline
	 */
	public @Nullable Duration timeLeft() {
		return (this.timeLeft == Nanos.UNLIMITED) ? null : Duration.ofNanos(Math.max(0, this.timeLeft));
	}

	/**
	 * {@return the idempotency key, which all attempts of the call and no other call
	 * have, so that a server can apply repeated work once; 36 characters, a random UUID}
	 */
	public String idempotencyKey() {
		return this.key.get();
	}

	/**
	 * {@return the key of the call, or null if the running attempt has not asked for it
	 * yet}
	 */
	public @Nullable String usedIdempotencyKey() {
		return this.key.ifAsked();
	}

	/**
	 * Return a number that grows with each attempt of a durable call, even after a
	 * restart. A server that keeps the greatest number that it received for an
	 * {@linkplain #idempotencyKey() idempotency key} can refuse an attempt of a process
	 * that stalled and was overtaken. Do not compare the numbers of two calls.
	 * @return the number, 1 or more; 0 outside a durable call
	 */
	public long fence() {
		return this.fence;
	}

	/**
	 * Tell the innermost call with a pace, if there is one, what a response said about
	 * quotas. The attempt may have ended.
	 * @param readings all that the response said
	 */
	public void quota(List<QuotaReading> readings) {
		if (this.pace != null) {
			this.pace.told(this.start, readings);
		}
	}

	@Override
	public String toString() {
		return "attempt " + this.number
				+ ((this.maximum == RetryPolicy.UNLIMITED_ATTEMPTS) ? "" : " of " + this.maximum);
	}

}
