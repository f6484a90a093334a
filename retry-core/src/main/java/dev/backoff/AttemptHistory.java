package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.RetryCause;
import dev.backoff.time.Nanos;

/**
 * What came before in a call that did not succeed at once: how its last attempt ended,
 * and how long its attempts and the waits between them took. Of many attempts and waits
 * the first and the last three are kept, so that an unlimited call does not grow.
 */
@SuppressWarnings("EnumOrdinal") // the numbers leave no process
final class AttemptHistory {

	/*
	 * Very many calls may wait at once. So times are numbers in arrays that are no longer
	 * than needed, and only the last outcome is kept: earlier ones would keep their
	 * failures in memory.
	 */

	private static final int KEPT = 3;

	private static final long[] NONE = {};

	private static final DelaySource[] SOURCES = DelaySource.values();

	/* The times of attempts, in nanoseconds. */
	private long[] attemptTimes = NONE;

	/* Of each wait its nanoseconds, then the ordinal of its source. */
	private long[] waits = NONE;

	@Nullable Outcome lastOutcome;

	private @Nullable String firstFailure;

	/* An ordinal, since a byte needs no more memory. */
	@SuppressWarnings("EnumOrdinal") // it is not stored
	private byte firstCause = (byte) RetryCause.OTHER.ordinal();

	/* Those that have ended, here or elsewhere. */
	int attempts;

	/* How many waits of the retry were followed by no attempt. */
	int postponed;

	boolean waitsAbridged;

	/* Whether the final poll before the deadline is due or has been asked. */
	boolean finalPoll;

	/* The part of the last wait that the policy's rule chose. */
	long previousDelay;

	private int timeouts;

	private RetryBudget.@Nullable Withdrawals withdrawals;

	AttemptHistory() {
	}

	/** Begin with what is known of a stored call. */
	AttemptHistory(ResumedCall stored) {
		// an attempt that was lost had begun
		this.attempts = stored.attempts() + ((stored.loss() != null) ? 1 : 0);
		this.previousDelay = Nanos.of(stored.previousDelay());
		this.finalPoll = stored.finalPoll();
		this.timeouts = stored.timeouts();
	}

	void addAttempt(Outcome outcome, long nanos) {
		this.lastOutcome = outcome;
		if (this.attempts == 0) {
			this.firstCause = (byte) outcome.cause().ordinal();
		}
		if (this.firstFailure == null && outcome.failure() != null) {
			this.firstFailure = Decision.name(outcome.failure());
		}
		this.attempts = Math.max(this.attempts, this.attempts + 1);
		this.attemptTimes = append(this.attemptTimes, nanos);
	}

	void addWait(Decision.RetryAfter chosen) {
		long[] before = this.waits;
		this.waits = append(before, chosen.delay(), chosen.source().ordinal());
		this.waitsAbridged |= this.waits.length == before.length;
		if (!chosen.isInQueue()) {
			this.previousDelay = chosen.ownDelay();
		}
		this.finalPoll |= chosen.isFinalPoll();
	}

	/* Of more entries than are kept, the fourth goes. */
	private static long[] append(long[] kept, long... entry) {
		int width = entry.length;
		long[] longer = Arrays.copyOf(kept, Math.min(kept.length + width, 2 * KEPT * width));
		if (longer.length == kept.length) {
			System.arraycopy(kept, (KEPT + 1) * width, longer, KEPT * width, (KEPT - 1) * width);
		}
		System.arraycopy(entry, 0, longer, longer.length - width, width);
		return longer;
	}

	/** Note that the last wait was shorter than chosen; return how long it was. */
	long shortenLastWait(long nanos) {
		int last = this.waits.length - 2;
		if (last < 0) {
			return 0;
		}
		this.waits[last] -= Math.max(0, Math.min(nanos, this.waits[last]));
		return this.waits[last];
	}

	/** Return what chose the last wait, or null before the first. */
	@Nullable DelaySource lastSource() {
		return (this.waits.length > 0) ? source(this.waits.length - 2) : null;
	}

	private DelaySource source(int wait) {
		return SOURCES[(int) this.waits[wait + 1]];
	}

	/** Return how long the last attempt took, or 0 before the first. */
	long attemptNanos() {
		return (this.attemptTimes.length > 0) ? this.attemptTimes[this.attemptTimes.length - 1] : 0;
	}

	/** Note that a wait was followed by no attempt. */
	void addPostponed() {
		this.postponed = Math.max(this.postponed, this.postponed + 1);
	}

	/** Return what the retries of the call took of a budget, or null without one. */
	RetryBudget.@Nullable Withdrawals withdrawals(@Nullable RetryBudget budget) {
		if (this.withdrawals == null && budget != null) {
			this.withdrawals = budget.newCall(this.timeouts);
		}
		return this.withdrawals;
	}

	/** Return the type of the first failure if the given last one is of another. */
	@Nullable String firstFailure(@Nullable Throwable last) {
		return (last != null && !Decision.name(last).equals(this.firstFailure)) ? this.firstFailure : null;
	}

	/** Return why a second attempt was made; {@code OTHER} if the first was elsewhere. */
	@SuppressWarnings("EnumOrdinal") // it is not stored
	RetryCause firstCause() {
		return RetryCause.values()[this.firstCause];
	}

	List<RetriesStoppedException.Wait> waits() {
		List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);
		for (int wait = 0; wait < this.waits.length; wait += 2) {
			waits.add(new RetriesStoppedException.Wait(Duration.ofNanos(this.waits[wait]), source(wait)));
		}
		return waits;
	}

	List<Duration> attemptTimes() {
		return Arrays.stream(this.attemptTimes).mapToObj(Duration::ofNanos).toList();
	}

	boolean isAttemptsAbridged() {
		return this.attempts > this.attemptTimes.length;
	}

}
