package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.time.DurationText;

/**
 * What came before in a call that did not succeed at once: how its attempts ended, how
 * long they and the waits between them took, and what the retry to come has done already.
 * Of a long story the first and the last three times are kept, so that an unlimited call
 * does not grow.
 */
final class CallStory {

	/*
	 * A call that waits has one, and very many may wait at once. So the first times have
	 * their fields, later ones stand in one array, an attempt and a wait in turn, and
	 * become objects when somebody asks.
	 */

	private static final int KEPT = 3;

	private static final int ATTEMPT = 0;

	private static final int WAIT = 1;

	private static final long[] NONE = {};

	private static final DelaySource[] SOURCES = DelaySource.values();

	private static final RetryBudget.Cost[] COSTS = RetryBudget.Cost.values();

	private static final int SOURCE_BITS = 2;

	private static final int SOURCE_MASK = 3;

	private long firstAttempt;

	private long firstWait;

	private long[] later = NONE;

	/* Up to the first that is left out. */
	private byte attemptCount;

	private byte waitCount;

	/* Who chose the waits, two bits each. */
	private short sources;

	private boolean retryPaid;

	private boolean waitedForBudget;

	private int postponed;

	private long previousDelay;

	/* The place of the cost among all, counted from 1, or 0 for nothing. */
	private byte paid;

	private @Nullable Outcome last;

	/** Note how an attempt ended. */
	void attempt(Outcome outcome, long nanos) {
		this.last = outcome;
		put(ATTEMPT, this.attemptCount, nanos);
		this.attemptCount = counted(this.attemptCount);
	}

	/** Note the wait that follows. */
	void wait(Decision.RetryAfter chosen) {
		this.previousDelay = chosen.ownDelay();
		for (int i = KEPT; i < 2 * KEPT - 1 && this.waitCount >= 2 * KEPT; i++) {
			putSource(i, source(i + 1));
		}
		putSource(Math.min(this.waitCount, 2 * KEPT - 1), chosen.source());
		put(WAIT, this.waitCount, chosen.delay());
		this.waitCount = counted(this.waitCount);
	}

	/** Return who chose the last wait. */
	DelaySource lastSource() {
		return source(Math.max(0, kept(this.waitCount) - 1));
	}

	/** Begin the story of the next retry. */
	void attemptBegins() {
		this.retryPaid = false;
		this.waitedForBudget = false;
		this.postponed = 0;
	}

	/** Note that the retry to come has taken its token. */
	@SuppressWarnings("EnumOrdinal") // it stays within this object
	void retryPaid(RetryBudget.Cost cost) {
		this.paid = (byte) (cost.ordinal() + 1);
		this.retryPaid = true;
	}

	/** Return whether the retry to come has taken its token. */
	boolean isRetryPaid() {
		return this.retryPaid;
	}

	/** Return what the last retry cost, or null if none did. */
	RetryBudget.@Nullable Cost paid() {
		return (this.paid > 0) ? COSTS[this.paid - 1] : null;
	}

	/**
	 * Note that a wait was not followed by an attempt.
	 * @param byBudget whether it was for the budget
	 */
	void postponed(boolean byBudget) {
		this.waitedForBudget = byBudget;
		this.postponed = (this.postponed < Integer.MAX_VALUE) ? this.postponed + 1 : Integer.MAX_VALUE;
	}

	/** Return whether the retry to come has waited its delay, for the budget. */
	boolean hasWaitedForBudget() {
		return this.waitedForBudget;
	}

	/** Return how many waits were followed by no attempt since the last one. */
	int postponed() {
		return this.postponed;
	}

	/** Return the part of the last wait that the policy's rule chose. */
	long previousDelay() {
		return this.previousDelay;
	}

	/** Return how the last attempt ended, or null before the end of the first. */
	@Nullable Outcome last() {
		return this.last;
	}

	List<RetriesStoppedException.Wait> waits() {
		List<RetriesStoppedException.Wait> waits = new ArrayList<>(2 * KEPT);
		for (int i = 0; i < kept(this.waitCount); i++) {
			waits.add(wait(i));
		}
		return List.copyOf(waits);
	}

	private RetriesStoppedException.Wait wait(int i) {
		return new RetriesStoppedException.Wait(Duration.ofNanos(get(WAIT, i)), source(i));
	}

	List<Duration> attempts() {
		List<Duration> attempts = new ArrayList<>(2 * KEPT);
		for (int i = 0; i < kept(this.attemptCount); i++) {
			attempts.add(Duration.ofNanos(get(ATTEMPT, i)));
		}
		return List.copyOf(attempts);
	}

	boolean isAbridged() {
		return this.attemptCount > 2 * KEPT;
	}

	/** Return the waits as text, empty if there were none. */
	String waitsText() {
		return text(this.waitCount, (i) -> wait(i).toString());
	}

	/** Return how long the attempts took as text. */
	String attemptsText() {
		return text(this.attemptCount, (i) -> DurationText.story(get(ATTEMPT, i)));
	}

	private static String text(int count, IntFunction<String> text) {
		StringJoiner joined = new StringJoiner(", ");
		for (int i = 0; i < kept(count); i++) {
			if (i == KEPT && count > 2 * KEPT) {
				joined.add("…");
			}
			joined.add(text.apply(i));
		}
		return joined.toString();
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
		return this.later[2 * (i - 1) + kind];
	}

	private void set(int kind, int i, long nanos) {
		if (i > 0) {
			if (this.later.length < 2 * i) {
				this.later = Arrays.copyOf(this.later, 2 * i);
			}
			this.later[2 * (i - 1) + kind] = nanos;
		}
		else if (kind == ATTEMPT) {
			this.firstAttempt = nanos;
		}
		else {
			this.firstWait = nanos;
		}
	}

	private DelaySource source(int i) {
		return SOURCES[(this.sources >> (SOURCE_BITS * i)) & SOURCE_MASK];
	}

	@SuppressWarnings("EnumOrdinal") // it stays within this object
	private void putSource(int i, DelaySource source) {
		int others = this.sources & ~(SOURCE_MASK << (SOURCE_BITS * i));
		this.sources = (short) (others | (source.ordinal() << (SOURCE_BITS * i)));
	}

}
