package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;

/**
 * What came before in a call that did not succeed at once: how its attempts ended, how
 * long they and the waits between them took, and what the retry to come has done already.
 * Of a long story the first and the last three times are kept, so that an unlimited call
 * does not grow.
 */
class CallStory {

	/*
	 * Each call is one, and very many may wait at once. So the first times have their
	 * fields, later ones stand in one array, an attempt and a wait in turn, and become
	 * objects when somebody asks, as the last outcome does. Before those times stands
	 * what the policy's rule chose, of a last wait that is not just that.
	 */

	private static final int KEPT = 3;

	private static final int ATTEMPT = 0;

	private static final int WAIT = 1;

	private static final long[] NONE = {};

	private static final DelaySource[] SOURCES = DelaySource.values();

	private static final RetryBudget.Cost[] COSTS = RetryBudget.Cost.values();

	private static final AttemptOutcome[] KINDS = AttemptOutcome.values();

	private static final int SOURCE_BITS = 2;

	private static final int SOURCE_MASK = 3;

	private static final int RETRY_PAID = 1 << 12;

	private static final int WAITED_FOR_BUDGET = 1 << 13;

	private static final int OTHER_THAN_RULED = 1 << 14;

	private long firstAttempt;

	private long firstWait;

	private long[] later = NONE;

	/* Up to the first that is left out. */
	private byte attemptCount;

	private byte waitCount;

	/* Who chose the waits, two bits each, and what is marked besides. */
	private short marks;

	private short postponed;

	/* The place of the cost among all, counted from 1, or 0 for nothing. */
	private byte paid;

	/* Likewise the kind of the last outcome, of which the other parts follow. */
	private byte lastKind;

	private @Nullable Object lastResult;

	private @Nullable Object lastJudgement;

	/** Return whether an attempt was not good enough, or the call has waited. */
	final boolean hasStory() {
		return this.attemptCount > 0 || this.waitCount > 0;
	}

	/** Begin from nothing. */
	final void forget() {
		this.later = NONE;
		this.attemptCount = 0;
		this.waitCount = 0;
		this.marks = 0;
		this.postponed = 0;
		this.paid = 0;
		this.lastKind = 0;
		this.lastResult = null;
		this.lastJudgement = null;
	}

	/** Note how an attempt ended. */
	@SuppressWarnings("EnumOrdinal") // it stays within this object
	final void addAttempt(Outcome outcome, long nanos) {
		this.lastKind = (byte) (outcome.kind().ordinal() + 1);
		this.lastResult = outcome.result();
		this.lastJudgement = outcome.judgement();
		put(ATTEMPT, this.attemptCount, nanos);
		this.attemptCount = counted(this.attemptCount);
	}

	/** Note the wait that follows. */
	final void addWait(Decision.RetryAfter chosen) {
		for (int i = KEPT; i < 2 * KEPT - 1 && this.waitCount >= 2 * KEPT; i++) {
			putSource(i, source(i + 1));
		}
		putSource(Math.min(this.waitCount, 2 * KEPT - 1), chosen.source());
		put(WAIT, this.waitCount, chosen.delay());
		this.waitCount = counted(this.waitCount);
		boolean other = chosen.ownDelay() != chosen.delay();
		mark(OTHER_THAN_RULED, other);
		if (other) {
			reserve(1);
			this.later[0] = chosen.ownDelay();
		}
	}

	/** Return who chose the last wait. */
	final DelaySource lastSource() {
		return source(Math.max(0, kept(this.waitCount) - 1));
	}

	/** Begin the story of the next retry. */
	final void retryBegins() {
		mark(RETRY_PAID | WAITED_FOR_BUDGET, false);
		this.postponed = 0;
	}

	/** Note that the retry to come has taken its token. */
	@SuppressWarnings("EnumOrdinal") // it stays within this object
	final void retryPaid(RetryBudget.Cost cost) {
		this.paid = (byte) (cost.ordinal() + 1);
		mark(RETRY_PAID, true);
	}

	/** Return whether the retry to come has taken its token. */
	final boolean isRetryPaid() {
		return isMarked(RETRY_PAID);
	}

	/** Return what the last retry cost, or null if none did. */
	final RetryBudget.@Nullable Cost paid() {
		return (this.paid > 0) ? COSTS[this.paid - 1] : null;
	}

	/**
	 * Note that a wait was not followed by an attempt. From the 32,767th in a row on, it
	 * makes no difference.
	 */
	final void postponed(boolean byBudget) {
		mark(WAITED_FOR_BUDGET, byBudget);
		this.postponed = (short) Math.min(this.postponed + 1, Short.MAX_VALUE);
	}

	/** Return whether the retry to come has waited its delay, for the budget. */
	final boolean hasWaitedForBudget() {
		return isMarked(WAITED_FOR_BUDGET);
	}

	/** Return how many waits were followed by no attempt since the last one. */
	final int postponed() {
		return this.postponed;
	}

	/** Return the part of the last wait that the policy's rule chose. */
	final long previousDelay() {
		if (isMarked(OTHER_THAN_RULED)) {
			return this.later[0];
		}
		return (this.waitCount > 0) ? get(WAIT, kept(this.waitCount) - 1) : 0;
	}

	/** Return how the last attempt ended, or null before the end of the first. */
	final @Nullable Outcome lastOutcome() {
		AttemptOutcome kind = lastKind();
		return (kind != null) ? Outcome.ofParts(kind, this.lastResult, this.lastJudgement) : null;
	}

	/** Return its kind, or null. */
	final @Nullable AttemptOutcome lastKind() {
		return (this.lastKind > 0) ? KINDS[this.lastKind - 1] : null;
	}

	final List<RetriesStoppedException.Wait> waits() {
		List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);
		for (int i = 0; i < kept(this.waitCount); i++) {
			waits.add(wait(i));
		}
		return List.copyOf(waits);
	}

	private RetriesStoppedException.Wait wait(int i) {
		return new RetriesStoppedException.Wait(Duration.ofNanos(get(WAIT, i)), source(i));
	}

	final List<Duration> attemptTimes() {
		List<Duration> attempts = new ArrayList<>(2 * KEPT);
		for (int i = 0; i < kept(this.attemptCount); i++) {
			attempts.add(Duration.ofNanos(get(ATTEMPT, i)));
		}
		return List.copyOf(attempts);
	}

	final boolean isWaitsAbridged() {
		return this.waitCount > 2 * KEPT;
	}

	final boolean isAttemptsAbridged() {
		return this.attemptCount > 2 * KEPT;
	}

	private static int kept(int count) {
		return Math.min(count, 2 * KEPT);
	}

	private static byte counted(byte before) {
		return (byte) Math.min(before + 1, 2 * KEPT + 1);
	}

	private void put(int kind, int before, long nanos) {
		for (int i = KEPT; i < 2 * KEPT - 1 && before >= 2 * KEPT; i++) {
			set(kind, i, get(kind, i + 1));
		}
		set(kind, Math.min(before, 2 * KEPT - 1), nanos);
	}

	private long get(int kind, int i) {
		if (i == 0) {
			return (kind == ATTEMPT) ? this.firstAttempt : this.firstWait;
		}
		return this.later[2 * i - 1 + kind];
	}

	private void set(int kind, int i, long nanos) {
		if (i > 0) {
			reserve(2 * i + 1);
			this.later[2 * i - 1 + kind] = nanos;
		}
		else if (kind == ATTEMPT) {
			this.firstAttempt = nanos;
		}
		else {
			this.firstWait = nanos;
		}
	}

	private void reserve(int length) {
		if (this.later.length < length) {
			this.later = Arrays.copyOf(this.later, length);
		}
	}

	private boolean isMarked(int mark) {
		return (this.marks & mark) != 0;
	}

	private void mark(int mark, boolean marked) {
		this.marks = (short) (marked ? this.marks | mark : this.marks & ~mark);
	}

	private DelaySource source(int i) {
		return SOURCES[(this.marks >> (SOURCE_BITS * i)) & SOURCE_MASK];
	}

	@SuppressWarnings("EnumOrdinal") // it stays within this object
	private void putSource(int i, DelaySource source) {
		int others = this.marks & ~(SOURCE_MASK << (SOURCE_BITS * i));
		this.marks = (short) (others | (source.ordinal() << (SOURCE_BITS * i)));
	}

}
