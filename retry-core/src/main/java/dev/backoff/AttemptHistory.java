package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.time.Nanos;

/**
 * What came before in a call that did not succeed at once: how its last attempt ended,
 * and how long its attempts and the waits between them took. Of many attempts and waits
 * the first and the last three are kept, so that an unlimited call does not grow.
 */
final class AttemptHistory {

	/*
	 * Very many calls may wait at once. So an attempt and the wait that follows are one
	 * link, and only the last outcome is kept: earlier ones would keep their failures in
	 * memory.
	 */

	private static final int KEPT = 3;

	private @Nullable Link first;

	private @Nullable Outcome lastOutcome;

	private @Nullable String firstFailure;

	private int attempts;

	private int postponed;

	private boolean waitsAbridged;

	private boolean finalPoll;

	private long previousDelay;

	private int timeouts;

	private RetryBudget.@Nullable Withdrawals withdrawals;

	AttemptHistory() {
	}

	/** Begin with what is known of a call that was kept elsewhere. */
	AttemptHistory(ResumedCall kept) {
		// an attempt that was lost had begun
		this.attempts = kept.attempts() + ((kept.loss() != null) ? 1 : 0);
		this.previousDelay = Nanos.of(kept.previousDelay());
		this.finalPoll = kept.finalPoll();
		this.timeouts = kept.timeouts();
	}

	void addAttempt(Outcome outcome, long nanos) {
		this.lastOutcome = outcome;
		if (this.firstFailure == null && outcome.failure() != null) {
			this.firstFailure = Decision.name(outcome.failure());
		}
		this.attempts = Math.max(this.attempts, this.attempts + 1);
		Link link = append();
		link.attempted = true;
		link.attemptNanos = nanos;
		boolean unused = forgetMiddle(true);
	}

	void addWait(Decision.RetryAfter chosen) {
		Link last = last();
		Link link = (last != null && last.source == null) ? last : append();
		link.source = chosen.source();
		link.waitNanos = chosen.delay();
		this.previousDelay = chosen.ownDelay();
		this.finalPoll |= chosen.isFinalPoll();
		this.waitsAbridged |= forgetMiddle(false);
	}

	/** Note that the last wait was shorter than chosen; return how long it was. */
	long shortenLastWait(long nanos) {
		Link link = lastWait();
		if (link == null) {
			return 0;
		}
		link.waitNanos -= Math.max(0, Math.min(nanos, link.waitNanos));
		return link.waitNanos;
	}

	private Link append() {
		Link link = new Link();
		Link last = last();
		if (last != null) {
			last.next = link;
		}
		else {
			this.first = link;
		}
		return link;
	}

	private @Nullable Link last() {
		Link last = this.first;
		while (last != null && last.next != null) {
			last = last.next;
		}
		return last;
	}

	/** Forget the fourth of more attempts or waits than are kept, if there are more. */
	private boolean forgetMiddle(boolean attempt) {
		int seen = 0;
		Link fourth = null;
		Link before = null;
		Link previous = null;
		for (Link link = this.first; link != null; link = link.next) {
			boolean counts = attempt ? link.attempted : link.source != null;
			if (counts && ++seen == KEPT + 1) {
				fourth = link;
				before = previous;
			}
			previous = link;
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
	@Nullable DelaySource lastSource() {
		Link link = lastWait();
		return (link != null) ? link.source : null;
	}

	/** Return the part of the last wait that the policy's rule chose, or 0. */
	long previousDelay() {
		return this.previousDelay;
	}

	/** Return how long the last attempt took, or 0 before the first. */
	long attemptNanos() {
		long nanos = 0;
		for (Link link = this.first; link != null; link = link.next) {
			nanos = link.attempted ? link.attemptNanos : nanos;
		}
		return nanos;
	}

	/** Return whether the final poll before the deadline is due or has been asked. */
	boolean isFinalPoll() {
		return this.finalPoll;
	}

	private @Nullable Link lastWait() {
		Link last = null;
		for (Link link = this.first; link != null; link = link.next) {
			last = (link.source != null) ? link : last;
		}
		return last;
	}

	void retryBegins() {
		this.postponed = 0;
	}

	/** Note that a wait was followed by no attempt. */
	void addPostponed() {
		this.postponed = Math.max(this.postponed, this.postponed + 1);
	}

	int postponed() {
		return this.postponed;
	}

	@Nullable Outcome lastOutcome() {
		return this.lastOutcome;
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

	/** Return how many attempts have ended, here or elsewhere. */
	int attempts() {
		return this.attempts;
	}

	List<RetriesStoppedException.Wait> waits() {
		List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);
		for (Link link = this.first; link != null; link = link.next) {
			if (link.source != null) {
				waits.add(new RetriesStoppedException.Wait(Duration.ofNanos(link.waitNanos), link.source));
			}
		}
		return waits;
	}

	List<Duration> attemptTimes() {
		List<Duration> attempts = new ArrayList<>(2 * KEPT);
		for (Link link = this.first; link != null; link = link.next) {
			if (link.attempted) {
				attempts.add(Duration.ofNanos(link.attemptNanos));
			}
		}
		return attempts;
	}

	boolean isWaitsAbridged() {
		return this.waitsAbridged;
	}

	boolean isAttemptsAbridged() {
		return this.attempts > attemptTimes().size();
	}

	/** An attempt with the wait that followed it; or only one of the two. */
	private static final class Link {

		private @Nullable Link next;

		private boolean attempted;

		private long attemptNanos;

		/* Null without a wait. */
		private @Nullable DelaySource source;

		private long waitNanos;

	}

}
