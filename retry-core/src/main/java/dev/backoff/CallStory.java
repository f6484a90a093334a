package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;

/**
 * What came before in a call that did not succeed at once: how its last attempt ended,
 * how long its attempts and the waits between them took, and what the retry to come has
 * cost. Of many attempts and waits the first and the last three are kept, so that an
 * unlimited call does not grow.
 */
class CallStory {

	/*
	 * Each call is its own story, since very many calls may wait at once. Only the last
	 * outcome is kept: earlier ones would keep their failures in memory.
	 */

	private static final int KEPT = 3;

	private @Nullable PastTurn first;

	private @Nullable Outcome lastOutcome;

	private int attempts;

	private int postponed;

	/* A small field, which fits into memory that would be padding otherwise. */
	private boolean waitsAbridged;

	/** Return whether an attempt was not good enough, or the call has waited. */
	final boolean hasStory() {
		return this.first != null;
	}

	final void forget() {
		this.first = null;
		this.lastOutcome = null;
		this.attempts = 0;
		this.waitsAbridged = false;
		this.postponed = 0;
	}

	final void addAttempt(Outcome outcome, long nanos) {
		this.lastOutcome = outcome;
		this.attempts++;
		PastTurn turn = append();
		turn.attempted = true;
		turn.attemptNanos = nanos;
		boolean unused = forgetMiddle(true);
	}

	final void addWait(Decision.RetryAfter chosen) {
		PastTurn last = last();
		PastTurn turn = (last != null && last.source == null) ? last : append();
		turn.source = chosen.source();
		turn.waitNanos = chosen.delay();
		turn.ownDelay = chosen.ownDelay();
		if (chosen.isLastQuestion() && this.first != null) {
			this.first.lastQuestion = true;
		}
		this.waitsAbridged |= forgetMiddle(false);
	}

	/** Note that the last wait was shorter than chosen; return how long it was. */
	final long shortenLastWait(long nanos) {
		PastTurn turn = lastWait();
		if (turn == null) {
			return 0;
		}
		turn.waitNanos -= Math.max(0, Math.min(nanos, turn.waitNanos));
		return turn.waitNanos;
	}

	private PastTurn append() {
		PastTurn turn = new PastTurn();
		PastTurn last = last();
		if (last != null) {
			last.next = turn;
		}
		else {
			this.first = turn;
		}
		return turn;
	}

	private @Nullable PastTurn last() {
		PastTurn last = this.first;
		while (last != null && last.next != null) {
			last = last.next;
		}
		return last;
	}

	/** Forget the fourth of more attempts or waits than are kept, if there are more. */
	private boolean forgetMiddle(boolean attempt) {
		int seen = 0;
		PastTurn fourth = null;
		PastTurn before = null;
		PastTurn previous = null;
		for (PastTurn turn = this.first; turn != null; turn = turn.next) {
			boolean counts = attempt ? turn.attempted : turn.source != null;
			if (counts && ++seen == KEPT + 1) {
				fourth = turn;
				before = previous;
			}
			previous = turn;
		}
		if (fourth == null || seen <= 2 * KEPT) {
			return false;
		}
		if (attempt) {
			fourth.attempted = false;
		}
		else {
			fourth.source = null;
		}
		if (before != null && !fourth.attempted && fourth.source == null) {
			before.next = fourth.next;
		}
		return true;
	}

	/** Return what chose the last wait, or null before the first. */
	final @Nullable DelaySource lastSource() {
		PastTurn turn = lastWait();
		return (turn != null) ? turn.source : null;
	}

	/** Return the part of the last wait that the policy's rule chose, or 0. */
	final long previousDelay() {
		PastTurn turn = lastWait();
		return (turn != null) ? turn.ownDelay : 0;
	}

	/** Return how long the last attempt took, or 0 before the first. */
	final long attemptNanos() {
		long nanos = 0;
		for (PastTurn turn = this.first; turn != null; turn = turn.next) {
			nanos = turn.attempted ? turn.attemptNanos : nanos;
		}
		return nanos;
	}

	/** Return whether the last question before the deadline has been asked. */
	final boolean isLastQuestion() {
		return this.first != null && this.first.lastQuestion;
	}

	private @Nullable PastTurn lastWait() {
		PastTurn last = null;
		for (PastTurn turn = this.first; turn != null; turn = turn.next) {
			last = (turn.source != null) ? turn : last;
		}
		return last;
	}

	/** Begin the story of the next retry. */
	final void retryBegins() {
		this.postponed = 0;
	}

	final void addPostponed() {
		this.postponed = Math.max(this.postponed, this.postponed + 1);
	}

	final int postponed() {
		return this.postponed;
	}

	final @Nullable Outcome lastOutcome() {
		return this.lastOutcome;
	}

	final @Nullable AttemptOutcome lastKind() {
		return (this.lastOutcome != null) ? this.lastOutcome.kind() : null;
	}

	/** Return how many attempts have ended. */
	final int attempts() {
		return this.attempts;
	}

	final List<RetriesStoppedException.Wait> waits() {
		List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);
		for (PastTurn turn = this.first; turn != null; turn = turn.next) {
			if (turn.source != null) {
				waits.add(new RetriesStoppedException.Wait(Duration.ofNanos(turn.waitNanos), turn.source));
			}
		}
		return waits;
	}

	final List<Duration> attemptTimes() {
		List<Duration> attempts = new ArrayList<>(2 * KEPT);
		for (PastTurn turn = this.first; turn != null; turn = turn.next) {
			if (turn.attempted) {
				attempts.add(Duration.ofNanos(turn.attemptNanos));
			}
		}
		return attempts;
	}

	final boolean isWaitsAbridged() {
		return this.waitsAbridged;
	}

	final boolean isAttemptsAbridged() {
		return this.attempts > 2 * KEPT;
	}

	/** An attempt with the wait that followed it; or only one of the two. */
	private static final class PastTurn {

		private @Nullable PastTurn next;

		private boolean attempted;

		/* Of the whole call and in its first turn, where it takes no more memory. */
		private boolean lastQuestion;

		private long attemptNanos;

		/* Null without a wait. */
		private @Nullable DelaySource source;

		private long waitNanos;

		private long ownDelay;

	}

}
