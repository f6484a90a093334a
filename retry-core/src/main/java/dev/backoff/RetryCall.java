package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * The state of one call: which attempt, since when, until when, and what came before.
 * <p>
 * A blocking call borrows its instance from the {@link CallStack} of its thread and gives
 * it back {@linkplain #clear() cleared}, so that a call which succeeds at once allocates
 * nothing. An {@link AsyncCall} is one itself, and as many of them may wait as there is
 * memory for: what few calls need is in objects that are made when it is needed. Used by
 * one thread at a time.
 */
class RetryCall {

	/** Of what is no call under a policy: a deadline from outside. */
	static final RetryPolicy NO_POLICY = RetryPolicy.builder("none").maxAttempts(1).build();

	private final @Nullable RetryCall enclosing;

	private @Nullable RetryCall inner;

	private RetryPolicy policy = NO_POLICY;

	private RetryTime time = RetryTime.system();

	private long started;

	private long limit = Nanos.UNLIMITED;

	private int attempt;

	private long attemptStarted;

	/* Which call of the enclosing attempt this is, counted from 1. */
	private int ordinal;

	private int innerCalls;

	private @Nullable CallStory story;

	private @Nullable CallLinks links;

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
		if (this.policy != policy) {
			this.policy = policy;
		}
		this.started = now;
		this.limit = policy.deadlineNanos();
		if (this.enclosing != null && this.enclosing.isRunning()) {
			this.ordinal = this.enclosing.nextInnerCall();
			if (this.enclosing.isLimited()) {
				this.limit = Math.min(this.limit, this.enclosing.timeLeftNow());
			}
		}
		this.attempt = 1;
		this.attemptStarted = now;
		this.innerCalls = 0;
	}

	/** Return a call that stands for what began elsewhere. */
	static RetryCall standingFor(CallOrigin origin) {
		RetryCall call = new RetryCall(null);
		call.adopt(origin);
		return call;
	}

	/** Stand for what began elsewhere, within what encloses it here. */
	void adopt(CallOrigin origin) {
		this.policy = origin.policy();
		this.time = origin.time();
		this.started = origin.started();
		this.limit = origin.limit();
		this.attempt = origin.attempt();
		this.attemptStarted = origin.attemptStarted();
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.isLimited()) {
			tighten(Math.max(0, this.enclosing.timeLeftNow()));
		}
		links().adopt(origin);
	}

	/** Bound what is adopted further. */
	void tighten(long nanos) {
		this.limit = Math.min(this.limit, Nanos.plus(elapsed(now()), nanos));
	}

	/** Note what watches the call. */
	void observedBy(CallObservation observation) {
		links().observation(observation);
	}

	/** Return what watches the call, or null. */
	@Nullable CallObservation observation() {
		return (this.links != null) ? this.links.observation() : null;
	}

	/** Return what another thread needs in order to stand for the running attempt. */
	CallOrigin origin() {
		StringBuilder path = new StringBuilder();
		CallKey root = isAttempt() ? pathTo(path) : null;
		// calls there must not have the keys of calls here
		path.append("/t").append(links().nextCapture());
		List<CallLinks.Told> toTell = new ArrayList<>(2);
		for (RetryCall call = this; call != null; call = call.repeatedBy()) {
			CallLinks.Carried carried = call.links().carried();
			if (carried != null) {
				toTell.addAll(carried.toTell());
			}
			else {
				toTell.add(call.links().told());
			}
		}
		return new CallOrigin(this.policy, this.time, this.started, attemptLimit(), this.attempt, this.attemptStarted,
				previousFailure(), root, path.toString(), links().told(), new CallLinks.Carried(toTell));
	}

	/** Return whether the origin is of the attempt that runs here. */
	boolean isOf(CallOrigin origin) {
		CallLinks.Told told = (this.links != null) ? this.links.ifTold() : null;
		return told != null && told == origin.told();
	}

	/** Return whether this stands for the attempt of a call that began elsewhere. */
	boolean standsFor(RetryCall call) {
		CallLinks.Told told = (call.links != null) ? call.links.ifTold() : null;
		CallLinks.Carried carried = (this.links != null) ? this.links.carried() : null;
		return told != null && carried != null && carried.toTell().get(0) == told;
	}

	/** Begin the next attempt at the given reading. */
	void beginNext(long now) {
		this.attempt = (this.attempt < Integer.MAX_VALUE) ? this.attempt + 1 : Integer.MAX_VALUE;
		this.attemptStarted = now;
		this.innerCalls = 0;
		story().attemptBegins();
		if (this.links != null) {
			this.links.attemptBegins();
		}
	}

	/** Begin the first attempt, after a wait for the breaker, at the given reading. */
	void beginFirst(long now) {
		this.attemptStarted = now;
	}

	/** Note that the call ends without an attempt. */
	void noAttempt() {
		this.attempt = 0;
	}

	/** Return which delay comes next, counted from 1: postponed ones grow too. */
	int delayNumber() {
		long postponed = (this.story != null) ? this.story.postponed() : 0;
		return (int) Math.min(Integer.MAX_VALUE, this.attempt + postponed);
	}

	/** Note that a probe's permit permits the attempt to come. */
	void permitted(Permit permit) {
		links().permit(permit);
	}

	/** Return whether this runs within an attempt that is a probe of the breaker. */
	boolean isCovered(CallPermits breaker) {
		for (RetryCall call = this.enclosing; call != null && call.isRunning(); call = call.enclosing) {
			Permit permit = (call.links != null) ? call.links.permit() : null;
			if (permit != null && permit.covers(breaker)) {
				return true;
			}
		}
		return false;
	}

	/** Note how an attempt ended that was not good enough. */
	void attemptEnded(Outcome outcome, long nanos) {
		if (this.links != null) {
			this.links.permit(null);
		}
		story().attempt(outcome, nanos);
	}

	/** Note the delay that follows. */
	void delayChosen(Decision.RetryAfter decision) {
		story().wait(decision);
	}

	void clear() {
		this.attempt = 0;
		this.limit = Nanos.UNLIMITED;
		if (this.story != null) {
			this.story = null;
		}
		if (this.links != null) {
			this.links = null;
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
		return this.policy.maxAttempts();
	}

	long started() {
		return this.started;
	}

	long attemptStarted() {
		return this.attemptStarted;
	}

	long previousDelay() {
		return (this.story != null) ? this.story.previousDelay() : 0;
	}

	@Nullable Throwable previousFailure() {
		Outcome last = lastOutcome();
		if (last != null) {
			return last.failure();
		}
		return (this.links != null) ? this.links.previousFailure() : null;
	}

	/** Return how the last attempt ended, or null before the end of the first. */
	@Nullable Outcome lastOutcome() {
		return (this.story != null) ? this.story.last() : null;
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
		return isLimited() ? attemptLimit() - elapsed(now()) : Nanos.UNLIMITED;
	}

	private boolean isLimited() {
		return this.limit != Nanos.UNLIMITED || this.policy.attemptTimeoutNanos() != Nanos.UNLIMITED;
	}

	/* From the start of the call: the deadline, or the end of the attempt if sooner. */
	private long attemptLimit() {
		return Math.min(this.limit, Nanos.plus(elapsed(this.attemptStarted), this.policy.attemptTimeoutNanos()));
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
		CallLinks.Carried carried = (this.links != null) ? this.links.carried() : null;
		return (carried != null) ? carried.nextInnerCall() : ++this.innerCalls;
	}

	/** Return whether an attempt was not good enough, or the call has waited. */
	boolean hasStory() {
		return this.story != null;
	}

	CallStory story() {
		if (this.story == null) {
			this.story = new CallStory();
		}
		return this.story;
	}

	private CallLinks links() {
		if (this.links == null) {
			this.links = new CallLinks();
		}
		return this.links;
	}

	CallKey key() {
		return links().key();
	}

	/**
	 * Return the key of the next request that the running attempt sends. An enclosing
	 * attempt that is repeated makes the same calls again, so it is derived from the
	 * outermost call's key and the place among that call's attempt's calls and requests.
	 */
	Supplier<String> nextRequestKey() {
		StringBuilder path = new StringBuilder();
		CallKey root = pathTo(path);
		path.append('#').append(links().nextRequest());
		return () -> root.derive(path);
	}

	/** Return whether anything has asked for the key that the call's requests send. */
	boolean isKeyUsed() {
		return keyIfUsed() != null || pathTo(new StringBuilder()).ifUsed() != null;
	}

	/**
	 * Append how this call is reached from the outermost one, and return that one's key.
	 */
	private CallKey pathTo(StringBuilder path) {
		if (this.links != null && !this.links.path().isEmpty()) {
			path.append(this.links.path());
			return key();
		}
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.isAttempt()) {
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
		for (RetryCall call = this; call != null; call = call.repeatedBy()) {
			call.links().unsafeRequest(method);
		}
	}

	/* The attempt around this call that repeats what this one does, if one does. */
	private @Nullable RetryCall repeatedBy() {
		Idempotency idempotency = idempotency();
		boolean repeatable = idempotency == Idempotency.YES || idempotency == Idempotency.BY_KEY;
		return (!repeatable && this.enclosing != null && this.enclosing.isRunning()) ? this.enclosing : null;
	}

	/** Return the method of the last such request, or null. */
	@Nullable String unsafeRequest() {
		return (this.links != null) ? this.links.unsafeRequest() : null;
	}

	/** Return whether an attempt runs, and not only a deadline from outside. */
	boolean isAttempt() {
		return this.links == null || this.links.isAttempt();
	}

	Idempotency idempotency() {
		return this.policy.idempotency();
	}

	@Nullable String keyIfUsed() {
		return (this.links != null) ? this.links.keyIfUsed() : null;
	}

	/** Note the failure with which a call inside the running attempt stopped. */
	void stoppedInside(Throwable failure) {
		links().stoppedInside(failure);
	}

	/**
	 * Return whether a call inside the running attempt has stopped with this failure: by
	 * identity, or where it ran elsewhere, by the mark of a call that is younger than the
	 * attempt.
	 */
	boolean hasStoppedInside(Throwable failure) {
		if (this.links != null && this.links.hasStoppedInside(failure)) {
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

}
