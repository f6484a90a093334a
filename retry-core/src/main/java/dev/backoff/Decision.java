package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.time.DurationText;

/** What a call does next: make an attempt, wait for one, or end. */
sealed interface Decision {

	Stop SUCCEEDED = new Stop(StopReason.SUCCEEDED, null);

	Stop DISABLED = new Stop(StopReason.DISABLED, null);

	Stop ATTEMPTS_EXHAUSTED = new Stop(StopReason.ATTEMPTS_EXHAUSTED, null);

	Stop PUSHED_BACK = new Stop(StopReason.HINT, "the server asked not to be called again");

	Stop STILL_PENDING = new Stop(StopReason.DEADLINE, "the answer to the final poll was not final");

	Stop OVERSLEPT = new Stop(StopReason.DEADLINE, "the wait took longer than chosen");

	Stop WITHOUT_PERMIT = new Stop(StopReason.DEADLINE, "no permit was free in time");

	Stop WITHOUT_TURN = new Stop(StopReason.DEADLINE, "no turn came in time");

	Stop PACE_FULL = new Stop(StopReason.PACE, "the queue of the pace is full");

	Stop UNBEGUN = new Stop(StopReason.DEADLINE, "the executor has not begun the attempt in time");

	Stop CANCELLED = new Stop(StopReason.CANCELLED, "the caller has cancelled the call");

	Stop COMPLETED = new Stop(StopReason.CANCELLED, "the caller has completed the call");

	Stop SHUTDOWN = new Stop(StopReason.SHUTDOWN, "the application is shutting down");

	static Stop notRetryable(String why) {
		return new Stop(StopReason.NOT_RETRYABLE, why);
	}

	/** Return the end of a call where the object that had to judge has failed. */
	static Stop notRetryable(String what, Throwable problem) {
		return failed(StopReason.NOT_RETRYABLE, what, problem);
	}

	/** Return the end of a call that would send an unsafe request again. */
	static Stop mayBeApplied(String request, boolean keyMissing, boolean set) {
		return new Stop(StopReason.NOT_RETRYABLE, "the " + request + " may have been applied" + (keyMissing
				? ", and no idempotency key was sent: add the host to backoff.http.hosts, or send "
						+ "Attempt.current().idempotencyKey()"
				: "; set idempotent to true if a repetition does no harm, to by-key if the server honours the key"
						+ (set ? "" : ", or to by-method to keep this")),
				null, keyMissing || !set);
	}

	/** Return the end of a call whose failure a call inside has stopped with. */
	static Stop nested(RetriesStoppedException inner) {
		return new Stop(StopReason.NESTED, "the inner policy " + inner.policy()
				+ ((inner.attempts() > 1) ? " has already retried it" : " has refused to retry it"));
	}

	static Stop switchFailed(Throwable problem) {
		return failed(StopReason.DISABLED, "the switch failed", problem);
	}

	static Stop breakerOpen(String breaker) {
		return new Stop(StopReason.BREAKER_OPEN, "the breaker " + breaker + " is open");
	}

	static Stop queueFull(ConcurrencyLimit limit) {
		return new Stop(StopReason.CONCURRENCY,
				limit.permits() + " attempts run at once and " + limit.waiting() + " calls wait");
	}

	static Stop hintTooLong(long hint, long longest) {
		return new Stop(StopReason.HINT, "the server asked to wait " + DurationText.rounded(hint) + ", more than the "
				+ DurationText.rounded(longest) + " of retry-after.max");
	}

	static Stop deadline(long delay, long timeLeft) {
		return new Stop(StopReason.DEADLINE, "the next wait of " + DurationText.rounded(delay)
				+ " does not fit into the " + DurationText.rounded(Math.max(0, timeLeft)) + " left");
	}

	static Stop budget(String budget, boolean barred) {
		return new Stop(StopReason.BUDGET, "the budget " + budget
				+ (barred ? " permits no retry after a timeout, since such retries have timed out" : " is spent"));
	}

	static Stop interrupted(InterruptedException problem) {
		return new Stop(StopReason.INTERRUPTED, "the thread was interrupted while waiting", problem, false);
	}

	static Stop rejected(Throwable problem) {
		return failed(StopReason.REJECTED, "the executor refused the attempt", problem);
	}

	/** Return how the words of a decision call a failure. */
	static String name(Throwable failure) {
		String simple = failure.getClass().getSimpleName();
		return simple.isEmpty() ? failure.getClass().getName() : simple;
	}

	private static Stop failed(StopReason reason, String what, Throwable problem) {
		return new Stop(reason, what + " with " + name(problem), problem, false);
	}

	/**
	 * Make an attempt now.
	 *
	 * @param permit given back at its end
	 * @param cause what makes a retry necessary, or null for the first attempt
	 */
	record Proceed(Permit permit, @Nullable RetryCause cause) implements Decision {
	}

	/**
	 * Wait, then make another attempt.
	 *
	 * @param delay how long to wait, in nanoseconds
	 * @param ownDelay the part that the policy's rule chose, in nanoseconds: the next
	 * delay builds on it
	 */
	record RetryAfter(long delay, long ownDelay, DelaySource source) implements Decision {

		/**
		 * Return whether this is the wait for the final poll before the deadline: no
		 * other is shorter than the rule chose.
		 */
		boolean isFinalPoll() {
			return this.delay < this.ownDelay && this.source == DelaySource.POLICY;
		}

		/** Return whether this is a wait for a permit or a turn. */
		boolean isInQueue() {
			return this.source == DelaySource.CONCURRENCY || this.source == DelaySource.PACE;
		}

		/** Return the delay as it is published, 0 if it is known only when it is over. */
		long published() {
			return isInQueue() ? 0 : this.delay;
		}

	}

	/**
	 * Stop.
	 *
	 * @param why the reason in words with its numbers, or null where the word says all
	 * @param problem what a classifier threw, or the interruption
	 * @param isUnmeant whether the stop was probably not meant
	 */
	record Stop(StopReason reason, @Nullable String why, @Nullable Throwable problem,
			boolean isUnmeant) implements Decision {

		Stop(StopReason reason, @Nullable String why) {
			this(reason, why, null, false);
		}

		/** Return the same with an earlier failure, if there is one, in its words. */
		Stop after(String what, @Nullable String failure) {
			return (failure == null) ? this : new Stop(this.reason,
					((this.why != null) ? this.why + "; " : "") + what + failure, this.problem, this.isUnmeant);
		}

	}

}
