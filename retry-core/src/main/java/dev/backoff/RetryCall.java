package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.budget.RetryBudget;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * The state of one call: which attempt, since when, until when, and what came before.
 * <p>
 * A blocking call borrows its instance from the {@link CallStack} of its thread and gives
 * it back {@linkplain #clear() cleared}, so that a call which succeeds at once allocates
 * nothing. An asynchronous call has its own. Used by one thread at a time.
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

	private long attemptTimeout = Nanos.UNLIMITED;

	/* From the start of the call: the deadline, or the end of the attempt if sooner. */
	private long attemptLimit = Nanos.UNLIMITED;

	private long attemptStarted;

	private long previousDelay;

	private int postponed;

	private boolean retryPaid;

	private boolean waitedForBudget;

	private RetryBudget.@Nullable Cost paid;

	/* Of the attempt that runs. */
	private @Nullable Permit permit;

	private @Nullable Throwable previousFailure;

	private @Nullable CallKey key;

	private @Nullable CallStory story;

	private @Nullable List<Throwable> stoppedInside;

	private Idempotency idempotency = Idempotency.ASSUMED;

	private boolean isAttempt = true;

	/* Which call of the enclosing attempt this is, counted from 1. */
	private int ordinal;

	private int innerCalls;

	private int requests;

	private @Nullable String unsafeRequest;

	private int captures;

	/* What others tell the running attempt, and what it is known by; if it is carried. */
	private @Nullable Told told;

	/* Of a call that stands for an attempt elsewhere: what all such calls share. */
	private @Nullable Carried carried;

	/* Of such a call: what leads from its key to this one. */
	private String path = "";

	RetryCall(@Nullable RetryCall enclosing) {
		this.enclosing = enclosing;
	}

	/**
	 * Begin a call at the given reading, bounded by the policy and the enclosing call.
	 */
	void begin(RetryPolicy policy, RetryTime time, long now) {
		// an instance lives long, where collectors let references cost more to write than
		// to read
		if (this.time != time) {
			this.time = time;
		}
		this.maxAttempts = policy.maxAttempts();
		this.started = now;
		this.limit = policy.deadlineNanos();
		if (this.idempotency != policy.idempotency()) {
			this.idempotency = policy.idempotency();
		}
		if (this.enclosing != null && this.enclosing.isRunning()) {
			this.ordinal = this.enclosing.nextInnerCall();
			if (this.enclosing.attemptLimit != Nanos.UNLIMITED) {
				this.limit = Math.min(this.limit, this.enclosing.timeLeftNow());
			}
		}
		this.attempt = 1;
		this.attemptStarted = now;
		this.attemptTimeout = policy.attemptTimeoutNanos();
		this.attemptLimit = Math.min(this.limit, this.attemptTimeout);
		this.innerCalls = 0;
		this.requests = 0;
		this.captures = 0;
	}

	private void beginAttempt(long now) {
		this.attemptStarted = now;
		this.attemptLimit = Math.min(this.limit, Nanos.plus(elapsed(now), this.attemptTimeout));
	}

	/** Return a call that stands for what began elsewhere. */
	static RetryCall standingFor(Origin origin) {
		RetryCall call = new RetryCall(null);
		call.adopt(origin);
		return call;
	}

	/** Stand for what began elsewhere, within what encloses it here. */
	void adopt(Origin origin) {
		this.time = origin.time();
		this.maxAttempts = origin.maxAttempts();
		this.started = origin.started();
		this.limit = origin.limit();
		this.attemptTimeout = Nanos.UNLIMITED;
		this.attempt = origin.attempt();
		this.attemptStarted = origin.attemptStarted();
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.attemptLimit != Nanos.UNLIMITED) {
			tighten(Math.max(0, this.enclosing.timeLeftNow()));
		}
		this.attemptLimit = this.limit;
		this.previousFailure = origin.previousFailure();
		this.idempotency = origin.idempotency();
		this.isAttempt = origin.key() != null;
		this.key = origin.key();
		this.path = origin.path();
		this.carried = origin.carried();
	}

	/** Bound what is adopted further. */
	void tighten(long nanos) {
		this.limit = Math.min(this.limit, Nanos.plus(elapsed(now()), nanos));
		this.attemptLimit = Math.min(this.attemptLimit, this.limit);
	}

	/** Return what another thread needs in order to stand for the running attempt. */
	Origin origin() {
		StringBuilder path = new StringBuilder();
		CallKey root = this.isAttempt ? pathTo(path) : null;
		// calls there must not have the keys of calls here
		path.append("/t").append((this.carried != null) ? this.carried.captures.incrementAndGet() : ++this.captures);
		List<Told> toTell = new ArrayList<>(2);
		for (RetryCall call = this; call != null
				&& call.isRunning(); call = call.isRepeatable() ? null : call.enclosing) {
			if (call.carried != null) {
				toTell.addAll(call.carried.toTell);
			}
			else {
				toTell.add(call.told());
			}
		}
		return new Origin(this.time, this.maxAttempts, this.started, this.attemptLimit, this.attempt,
				this.attemptStarted, this.previousFailure, this.idempotency, root, path.toString(), told(),
				new Carried(toTell));
	}

	private Told told() {
		if (this.told == null) {
			this.told = new Told();
		}
		return this.told;
	}

	/** Return whether the origin is of the attempt that runs here. */
	boolean isOf(Origin origin) {
		return this.told != null && this.told == origin.told();
	}

	/** Begin the next attempt at the given reading. */
	void beginNext(long now) {
		this.attempt = (this.attempt < Integer.MAX_VALUE) ? this.attempt + 1 : Integer.MAX_VALUE;
		this.retryPaid = false;
		this.waitedForBudget = false;
		this.postponed = 0;
		beginAttempt(now);
		this.stoppedInside = null;
		this.innerCalls = 0;
		this.requests = 0;
		this.captures = 0;
		this.told = null;
		this.unsafeRequest = null;
	}

	/** Begin the first attempt, after a wait for the breaker, at the given reading. */
	void beginFirst(long now) {
		beginAttempt(now);
	}

	/** Note that the call ends without an attempt. */
	void noAttempt() {
		this.attempt = 0;
	}

	/** Note that the retry to come has taken its token. */
	void retryPaid(RetryBudget.Cost cost) {
		this.paid = cost;
		this.retryPaid = true;
	}

	/** Return whether the retry to come has taken its token. */
	boolean isRetryPaid() {
		return this.retryPaid;
	}

	/** Return what the last retry cost, or null if none did. */
	RetryBudget.@Nullable Cost paid() {
		return this.paid;
	}

	/** Return whether the retry to come has waited its delay, for the budget. */
	boolean hasWaitedForBudget() {
		return this.waitedForBudget;
	}

	/** Note that a wait was for the budget, and was not followed by an attempt. */
	void postponedByBudget() {
		postponed();
		this.waitedForBudget = true;
	}

	/** Note that a wait was not followed by an attempt. */
	void postponed() {
		this.waitedForBudget = false;
		this.postponed = (this.postponed < Integer.MAX_VALUE) ? this.postponed + 1 : Integer.MAX_VALUE;
	}

	/** Return which delay comes next, counted from 1: postponed ones grow too. */
	int delayNumber() {
		return (int) Math.min(Integer.MAX_VALUE, (long) this.attempt + this.postponed);
	}

	/** Note that a probe's permit permits the attempt to come. */
	void permitted(Permit permit) {
		this.permit = permit;
	}

	/** Return whether this runs within an attempt that is a probe of the breaker. */
	boolean isCovered(CallPermits breaker) {
		for (RetryCall call = this.enclosing; call != null && call.isRunning(); call = call.enclosing) {
			if (call.permit != null && call.permit.covers(breaker)) {
				return true;
			}
		}
		return false;
	}

	/** Note how an attempt ended that was not good enough. */
	void attemptEnded(Outcome outcome, long nanos) {
		this.permit = null;
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
		this.attemptLimit = Nanos.UNLIMITED;
		this.previousDelay = 0;
		if (this.unsafeRequest != null) {
			this.unsafeRequest = null;
		}
		if (this.told != null) {
			this.told = null;
		}
		if (this.permit != null) {
			this.permit = null;
		}
		if (this.story != null || this.key != null || this.stoppedInside != null) {
			this.story = null;
			this.key = null;
			this.previousFailure = null;
			this.stoppedInside = null;
			this.postponed = 0;
			this.paid = null;
			this.retryPaid = false;
			this.waitedForBudget = false;
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

	/**
	 * Return the time until the running attempt has to end, by its timeout or the
	 * deadline; negative after it.
	 */
	long timeLeftNow() {
		return (this.attemptLimit == Nanos.UNLIMITED) ? Nanos.UNLIMITED : this.attemptLimit - elapsed(now());
	}

	/* A ticker that throws stands still and fails no call. */
	private long now() {
		try {
			return this.time.nanoTime();
		}
		catch (Throwable ex) {
			return this.attemptStarted;
		}
	}

	private int nextInnerCall() {
		return (this.carried != null) ? this.carried.innerCalls.incrementAndGet() : ++this.innerCalls;
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

	/**
	 * Return the key of the next request that the running attempt sends. An enclosing
	 * attempt that is repeated makes the same calls again, so it is derived from the
	 * outermost call's key and the place among that call's attempt's calls and requests.
	 */
	Supplier<String> nextRequestKey() {
		StringBuilder path = new StringBuilder();
		CallKey root = pathTo(path);
		path.append('#').append((this.carried != null) ? this.carried.requests.incrementAndGet() : ++this.requests);
		return () -> root.derive(path);
	}

	/** Return whether anything has asked for the key that the call's requests send. */
	boolean isKeyUsed() {
		return (this.key != null && this.key.ifUsed() != null) || pathTo(new StringBuilder()).ifUsed() != null;
	}

	/**
	 * Append how this call is reached from the outermost one, and return that one's key.
	 */
	private CallKey pathTo(StringBuilder path) {
		if (!this.path.isEmpty()) {
			path.append(this.path);
			return key();
		}
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.isAttempt) {
			CallKey root = this.enclosing.pathTo(path);
			path.append('/').append(this.ordinal);
			return root;
		}
		return key();
	}

	/**
	 * Note that the running attempt sends a request that may have an effect. Attempts
	 * around it repeat that request too, unless it is said here that it may be repeated.
	 */
	void unsafeRequest(String method) {
		for (RetryCall call = this; call != null
				&& call.isRunning(); call = call.isRepeatable() ? null : call.enclosing) {
			call.unsafeRequest = method;
			if (call.carried != null) {
				call.carried.toTell.forEach((told) -> told.unsafeRequest.set(method));
			}
		}
	}

	private boolean isRepeatable() {
		return this.idempotency == Idempotency.YES || this.idempotency == Idempotency.BY_KEY;
	}

	/** Return the method of the last such request, or null. */
	@Nullable String unsafeRequest() {
		return (this.unsafeRequest != null || this.told == null) ? this.unsafeRequest : this.told.unsafeRequest.get();
	}

	/** Return whether an attempt runs, and not only a deadline from outside. */
	boolean isAttempt() {
		return this.isAttempt;
	}

	Idempotency idempotency() {
		return this.idempotency;
	}

	@Nullable String keyIfUsed() {
		return (this.key != null) ? this.key.ifUsed() : null;
	}

	/** Note the failure with which a call inside the running attempt stopped. */
	void stoppedInside(Throwable failure) {
		if (this.carried != null) {
			this.carried.toTell.get(0).stoppedInside(failure);
			return;
		}
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
		if (this.told != null && this.told.hasStoppedInside(failure)) {
			return true;
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

	/**
	 * A call as another thread sees it, or a deadline.
	 *
	 * @param time what its readings are of
	 * @param maxAttempts how many attempts there may be
	 * @param started the reading at its start
	 * @param limit the time from the start to the deadline
	 * @param attempt the attempt that runs
	 * @param attemptStarted the reading at the attempt's start
	 * @param previousFailure what the attempt before threw
	 * @param idempotency whether its requests send keys
	 * @param key the outermost call's key, or null for a deadline only
	 * @param path what leads from that call to this one
	 * @param told what the attempt is known by, or null for a deadline only
	 * @param carried what all that stand for it share, or null for a deadline only
	 */
	record Origin(RetryTime time, int maxAttempts, long started, long limit, int attempt, long attemptStarted,
			@Nullable Throwable previousFailure, Idempotency idempotency, @Nullable CallKey key, String path,
			@Nullable Told told, @Nullable Carried carried) {

		static Origin ofDeadline(long limit, RetryTime time, long now) {
			return new Origin(time, 1, now, limit, 1, now, null, Idempotency.ASSUMED, null, "", null, null);
		}

		/** Return the time until the deadline, negative after it. */
		long timeLeftNow() {
			return standingFor(this).timeLeftNow();
		}

		@Override
		public String toString() {
			return (this.key != null) ? "attempt " + this.attempt : "a deadline";
		}

	}

	/**
	 * What all calls share that stand for one attempt in one context, however often it is
	 * opened: the ordinals of what they do, so that no two requests have the same key,
	 * and whom they tell of requests with an effect. Thread-safe.
	 */
	static final class Carried {

		private final AtomicInteger innerCalls = new AtomicInteger();

		private final AtomicInteger requests = new AtomicInteger();

		private final AtomicInteger captures = new AtomicInteger();

		private final List<Told> toTell;

		Carried(List<Told> toTell) {
			this.toTell = List.copyOf(toTell);
		}

	}

	/** What calls on other threads tell an attempt. Thread-safe. */
	static final class Told {

		private final AtomicReference<@Nullable String> unsafeRequest = new AtomicReference<>();

		private final Queue<Throwable> stoppedInside = new ConcurrentLinkedQueue<>();

		private final AtomicInteger noted = new AtomicInteger();

		private void stoppedInside(Throwable failure) {
			if (this.noted.incrementAndGet() > MOST_NOTED) {
				this.stoppedInside.poll();
			}
			this.stoppedInside.add(failure);
		}

		private boolean hasStoppedInside(Throwable failure) {
			for (Throwable stopped : this.stoppedInside) {
				if (stopped == failure) {
					return true;
				}
			}
			return false;
		}

	}

}
