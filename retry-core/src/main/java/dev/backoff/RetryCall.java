package dev.backoff;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * The state of one call: which attempt, since when, until when, and what came before.
 * <p>
 * A blocking call borrows its instance from the {@link CallStack} of its thread and gives
 * it back {@linkplain #clear() cleared}, so that a call which succeeds at once allocates
 * nothing. Used by one thread at a time.
 */
final class RetryCall {

	/* An attempt may outlive many failing calls inside it; older ones have their mark. */
	private static final int MOST_NOTED = 32;

	private final @Nullable RetryCall enclosing;

	private @Nullable RetryCall inner;

	private RetryTime time = RetryTime.system();

	private int maxAttempts;

	private long started;

	private long limit = Nanos.UNLIMITED;

	private int attempt;

	private long attemptStarted;

	private long previousDelay;

	private @Nullable Throwable previousFailure;

	private @Nullable CallKey key;

	private @Nullable CallStory story;

	private @Nullable List<Throwable> stoppedInside;

	RetryCall(@Nullable RetryCall enclosing) {
		this.enclosing = enclosing;
	}

	/**
	 * Begin a call at the given reading, bounded by the policy and the enclosing call.
	 */
	void begin(RetryPolicy policy, RetryTime time, long now) {
		this.time = time;
		this.maxAttempts = policy.maxAttempts();
		this.started = now;
		this.limit = policy.deadlineNanos();
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.limit != Nanos.UNLIMITED) {
			this.limit = Math.min(this.limit, this.enclosing.timeLeftNow());
		}
		this.attempt = 1;
		this.attemptStarted = now;
	}

	/** Begin the next attempt at the given reading. */
	void beginNext(long now) {
		this.attempt = (this.attempt < Integer.MAX_VALUE) ? this.attempt + 1 : Integer.MAX_VALUE;
		this.attemptStarted = now;
		this.stoppedInside = null;
	}

	/** Note how an attempt ended that was not good enough. */
	void attemptEnded(Outcome outcome, long nanos) {
		this.previousFailure = outcome.failure();
		story().attempt(nanos);
	}

	/** Note the delay that follows. */
	void delayChosen(Decision.RetryAfter decision) {
		this.previousDelay = decision.ownDelay();
		story().wait(decision.delay(), decision.source());
	}

	void clear() {
		this.attempt = 0;
		this.limit = Nanos.UNLIMITED;
		this.previousDelay = 0;
		if (this.story != null || this.key != null || this.stoppedInside != null) {
			this.story = null;
			this.key = null;
			this.previousFailure = null;
			this.stoppedInside = null;
		}
	}

	/** Return whether the call has begun and not ended. */
	boolean isRunning() {
		return this.attempt > 0;
	}

	int attempt() {
		return this.attempt;
	}

	int maxAttempts() {
		return this.maxAttempts;
	}

	long started() {
		return this.started;
	}

	long attemptStarted() {
		return this.attemptStarted;
	}

	long previousDelay() {
		return this.previousDelay;
	}

	@Nullable Throwable previousFailure() {
		return this.previousFailure;
	}

	/** Return the time since the start; a clock that steps back counts as standing. */
	long elapsed(long now) {
		return Math.max(0, now - this.started);
	}

	/** Return the time until the deadline, negative after it. */
	long timeLeft(long now) {
		return (this.limit == Nanos.UNLIMITED) ? Nanos.UNLIMITED : this.limit - elapsed(now);
	}

	/** Return the time until the deadline, negative after it. */
	long timeLeftNow() {
		return (this.limit == Nanos.UNLIMITED) ? Nanos.UNLIMITED : timeLeft(this.time.nanoTime());
	}

	CallStory story() {
		if (this.story == null) {
			this.story = new CallStory();
		}
		return this.story;
	}

	CallKey key() {
		if (this.key == null) {
			this.key = new CallKey();
		}
		return this.key;
	}

	@Nullable String keyIfUsed() {
		return (this.key != null) ? this.key.ifUsed() : null;
	}

	/** Note the failure with which a call inside the running attempt stopped. */
	void stoppedInside(Throwable failure) {
		if (this.stoppedInside == null) {
			this.stoppedInside = new ArrayList<>(2);
		}
		if (this.stoppedInside.size() == MOST_NOTED) {
			this.stoppedInside.remove(0);
		}
		this.stoppedInside.add(failure);
	}

	/**
	 * Return whether a call inside the running attempt has stopped with this failure: by
	 * identity, or where it ran elsewhere, by the mark of a call that is younger than the
	 * attempt.
	 */
	boolean hasStoppedInside(Throwable failure) {
		if (this.stoppedInside != null) {
			for (Throwable stopped : this.stoppedInside) {
				if (stopped == failure) {
					return true;
				}
			}
		}
		RetriesStoppedException mark = StopMark.of(failure);
		return mark != null && mark.beganAfter(this.attemptStarted);
	}

	@Nullable RetryCall enclosing() {
		return this.enclosing;
	}

	/** Return the call for one level further inside, made once and used again. */
	RetryCall inner() {
		if (this.inner == null) {
			this.inner = new RetryCall(this);
		}
		return this.inner;
	}

}
