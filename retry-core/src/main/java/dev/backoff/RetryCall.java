package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Idempotency;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.Nanos;

/**
 * The state of one call: which attempt, since when, until when, and what came before.
 * <p>
 * A blocking call borrows its instance from the {@link CallStack} of its thread and gives
 * it back {@linkplain #clear() cleared}, so that a call which succeeds at once allocates
 * nothing. An asynchronous call has its own, and very many of them may wait: state that
 * few calls need is in objects that are made when they are needed. Used by one thread at
 * a time. Longer than most files: attempts, requests and calls inside all ask the call.
 */
final class RetryCall extends CallStory {

	private final @Nullable RetryCall enclosing;

	private @Nullable RetryCall inner;

	private CallTerms terms = CallTerms.NONE;

	private long started;

	private long limit = Nanos.UNLIMITED;

	private int attempt;

	private long turn;

	/* Which call of the enclosing attempt this is, counted from 1. */
	private int ordinal;

	private int innerCalls;

	/* Whether the running attempt holds a slot; unknown where the policy has none. */
	private boolean holdsSlot;

	/* While the call waits for a slot, or where it was refused one. */
	private Throttle.@Nullable Place place;

	private @Nullable CallLinks links;

	RetryCall(@Nullable RetryCall enclosing) {
		this.enclosing = enclosing;
	}

	/** Begin at the given reading, bounded by the policy and the enclosing call. */
	@SuppressWarnings("ReferenceEquality") // each retry has one
	void begin(CallTerms terms, long now) {
		// in an old object a reference costs more to write than to read
		if (this.terms != terms) {
			this.terms = terms;
		}
		this.started = now;
		this.limit = terms.policy().deadlineNanos();
		if (this.enclosing != null && this.enclosing.isRunning()) {
			this.ordinal = this.enclosing.nextInnerCall();
			if (this.enclosing.isLimited()) {
				this.limit = Math.min(this.limit, this.enclosing.timeLeftNow());
			}
		}
		this.attempt = 1;
		this.turn = now;
		this.innerCalls = 0;
	}

	/** Go on with a call that was kept elsewhere, with its next attempt. */
	void resume(CallTerms terms, KeptCall kept, long now) {
		begin(terms, now);
		long elapsed = Nanos.of(kept.elapsed());
		this.started = now - elapsed;
		long left = (kept.timeLeft() != null) ? Nanos.of(kept.timeLeft()) : Nanos.UNLIMITED;
		this.limit = (left < 0) ? Math.max(0, elapsed + left) : Nanos.plus(elapsed, left);
		this.attempt = kept.attempts() + 1;
		links().keptAs(kept);
	}

	private @Nullable KeptCall kept() {
		return (this.links != null) ? this.links.kept() : null;
	}

	/** Return whether the call is kept elsewhere while it waits. */
	boolean isKept() {
		return kept() != null;
	}

	/** Return how many attempts have ended, here or elsewhere. */
	int allAttempts() {
		KeptCall kept = kept();
		return (kept != null) ? kept.attempts() + attempts() : attempts();
	}

	/** Return the part of the last wait that the policy's rule chose, wherever it was. */
	long delayBefore() {
		KeptCall kept = kept();
		return (kept != null) ? Nanos.of(kept.previousDelay()) : previousDelay();
	}

	/** Return whether the last question before the deadline is due or has been asked. */
	boolean hasLastQuestion() {
		KeptCall kept = kept();
		return isLastQuestion() || (kept != null && kept.lastQuestion());
	}

	/** Return the number of the attempt in the order of all, or 0 if it is not kept. */
	long fence() {
		KeptCall kept = kept();
		return (kept != null) ? kept.fence() : 0;
	}

	/** Return a call that stands for an attempt or a deadline from elsewhere. */
	static RetryCall standingFor(CallOrigin origin) {
		RetryCall call = new RetryCall(null);
		call.adopt(origin);
		return call;
	}

	/** Stand for an attempt or a deadline from elsewhere, within the enclosing call. */
	void adopt(CallOrigin origin) {
		this.terms = origin.terms();
		this.started = origin.started();
		this.limit = origin.limit();
		this.attempt = origin.attempt();
		this.turn = origin.attemptStarted();
		if (this.enclosing != null && this.enclosing.isRunning() && this.enclosing.isLimited()) {
			tighten(Math.max(0, this.enclosing.timeLeftNow()));
		}
		links().adopt(origin);
	}

	/** Bound the call by the given time from now. */
	void tighten(long nanos) {
		this.limit = Math.min(this.limit, Nanos.plus(elapsed(now()), nanos));
	}

	void observedBy(CallObservation observation) {
		links().observation(observation);
	}

	@Nullable CallObservation observation() {
		return (this.links != null) ? this.links.observation() : null;
	}

	CallObserver.@Nullable ObservedCall observed() {
		CallObservation observation = observation();
		return (observation != null) ? observation.call() : null;
	}

	/** Tell an observed call of those around it, from the innermost outwards. */
	void tellAround(CallObserver.ObservedCall told) {
		for (RetryCall call = this.enclosing; call != null && call.isRunning(); call = call.enclosing) {
			CallObserver.ObservedCall around = call.observedHere();
			if (around != null) {
				Observers.isInside(told, around);
			}
		}
	}

	/* Here or, if this stands for an attempt elsewhere, there. */
	private CallObserver.@Nullable ObservedCall observedHere() {
		CallOrigin origin = adopted();
		return (origin != null) ? origin.observed() : observed();
	}

	/** Begin to observe the attempt, if the call is observed. */
	CallObserver.@Nullable Observed observeAttempt() {
		CallObservation observation = observation();
		return (observation != null) ? observation.attemptBegins(this.attempt) : null;
	}

	/** Return the running attempt for other threads, which may stand for it. */
	CallOrigin origin() {
		StringBuilder path = new StringBuilder();
		CallKey root = isAttempt() ? pathTo(path) : null;
		// calls there have other keys than calls here
		path.append("/t").append(links().nextCapture());
		List<CallLinks.Told> toTell = new ArrayList<>(2);
		for (RetryCall call = this; call != null; call = call.repeatedBy()) {
			toTell.addAll(call.links().toTell());
		}
		return new CallOrigin(this.terms, this.started, attemptLimit(), this.attempt, this.turn, previousFailure(),
				root, path.toString(), links().told(), new CallLinks.Carried(toTell), heldSlots(), innermostObserved());
	}

	private CallObserver.@Nullable ObservedCall innermostObserved() {
		for (RetryCall call = this; call != null && call.isRunning(); call = call.enclosing) {
			CallObserver.ObservedCall observed = call.observedHere();
			if (observed != null) {
				return observed;
			}
		}
		return null;
	}

	/** Return the slots of this attempt and of those around it. */
	private List<CallLinks.HeldSlot> heldSlots() {
		List<CallLinks.HeldSlot> held = new ArrayList<>(1);
		for (RetryCall call = this; call != null && call.isRunning(); call = call.enclosing) {
			CallOrigin origin = call.adopted();
			Throttle throttle = call.terms.throttle();
			if (origin != null) {
				held.addAll(origin.slots());
			}
			else if (throttle != null && call.holdsSlot) {
				held.add(call.links().slot(throttle));
			}
		}
		return held.isEmpty() ? List.of() : held;
	}

	/** Return whether this runs within an attempt that holds a slot of the throttle. */
	boolean isWithinSlot(Throttle throttle) {
		for (RetryCall call = this.enclosing; call != null && call.isRunning(); call = call.enclosing) {
			CallOrigin origin = call.adopted();
			if ((origin != null) ? origin.isHoldingSlot(throttle)
					: (call.holdsSlot && call.terms.throttle() == throttle)) {
				return true;
			}
		}
		return false;
	}

	void holdsSlot(boolean holdsSlot) {
		this.holdsSlot = holdsSlot;
	}

	boolean isHoldingSlot() {
		return this.holdsSlot;
	}

	Throttle.@Nullable Place place() {
		return this.place;
	}

	void place(Throttle.@Nullable Place place) {
		this.place = place;
	}

	/** Leave the queue for a slot, or give the slot back that was granted there. */
	void leaveQueue() {
		if (this.place != null) {
			this.place.leave();
			this.place = null;
		}
	}

	/** Return whether the origin is the attempt that runs here. */
	boolean isOf(CallOrigin origin) {
		CallLinks.Told told = (this.links != null) ? this.links.ifTold() : null;
		return told != null && told == origin.told();
	}

	/** Return whether this stands for the attempt of a call that began elsewhere. */
	boolean standsFor(RetryCall call) {
		CallLinks.Told told = (call.links != null) ? call.links.ifTold() : null;
		return told != null && adopted() != null && links().toTell().get(0) == told;
	}

	void beginNext(long now) {
		this.attempt = (this.attempt < Integer.MAX_VALUE) ? this.attempt + 1 : Integer.MAX_VALUE;
		this.turn = now;
		this.innerCalls = 0;
		retryBegins();
		if (this.links != null) {
			this.links.attemptBegins();
		}
	}

	/** Note the permit of the attempt to come, which is a probe. */
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
		attemptEnded();
		addAttempt(outcome, nanos);
	}

	/** Note that the running attempt has ended. */
	void attemptEnded() {
		this.holdsSlot = false;
		if (this.links != null) {
			this.links.attemptEnded();
		}
	}

	void clear() {
		this.attempt = 0;
		this.limit = Nanos.UNLIMITED;
		if (hasStory()) {
			forget();
			leaveQueue();
		}
		if (this.links != null) {
			this.links.attemptEnded();
			this.links = null;
		}
	}

	boolean isRunning() {
		return this.attempt > 0;
	}

	int attempt() {
		return this.attempt;
	}

	CallTerms terms() {
		return this.terms;
	}

	long started() {
		return this.started;
	}

	/**
	 * Return the reading at the start of the running attempt, or at the end of the wait.
	 */
	long turn() {
		return this.turn;
	}

	/**
	 * Note when the wait ends that has begun, or when the first attempt starts after it.
	 */
	void turn(long reading) {
		this.turn = reading;
	}

	@Nullable Throwable previousFailure() {
		Outcome last = lastOutcome();
		if (last != null) {
			return last.failure();
		}
		CallOrigin origin = adopted();
		return (origin != null) ? origin.previousFailure() : null;
	}

	/** Return the time since the start, zero if the ticker has stepped back. */
	long elapsed(long now) {
		return Math.max(0, now - this.started);
	}

	/** Return the time until the deadline, negative after it. */
	long timeLeft(long now) {
		return (this.limit == Nanos.UNLIMITED) ? Nanos.UNLIMITED : this.limit - elapsed(now);
	}

	/** Return the time until the running attempt has to end, negative after it. */
	long timeLeftNow() {
		return isLimited() ? attemptLimit() - elapsed(now()) : Nanos.UNLIMITED;
	}

	/** Return how long the running attempt may take from its start. */
	long attemptTimeout() {
		return attemptLimit() - elapsed(this.turn);
	}

	private boolean isLimited() {
		return this.limit != Nanos.UNLIMITED || this.terms.policy().attemptTimeoutNanos() != Nanos.UNLIMITED;
	}

	/* From the start of the call: the deadline, or the end of the attempt if sooner. */
	private long attemptLimit() {
		return Math.min(this.limit, Nanos.plus(elapsed(this.turn), this.terms.policy().attemptTimeoutNanos()));
	}

	long now() {
		return this.terms.time().nanoTime();
	}

	private int nextInnerCall() {
		CallLinks.Carried carried = (this.links != null) ? this.links.carried() : null;
		return (carried != null) ? carried.nextInnerCall() : ++this.innerCalls;
	}

	/** Return the attempt or the deadline elsewhere for which this stands, or null. */
	private @Nullable CallOrigin adopted() {
		return (this.links != null) ? this.links.origin() : null;
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
	 * Return the key of the next request that the running attempt sends. A repeated
	 * attempt of an enclosing call sends the same request again and needs the same key.
	 * So the key is derived from the outermost call's and from the places of call and
	 * request.
	 */
	Supplier<String> nextRequestKey() {
		StringBuilder path = new StringBuilder();
		CallKey root = pathTo(path);
		path.append('#').append(links().nextRequest());
		return () -> root.derive(path);
	}

	/** Return whether the key of the call's requests has been used. */
	boolean isKeyUsed() {
		return keyIfUsed() != null || pathTo(new StringBuilder()).ifUsed() != null;
	}

	/** Append the path from the outermost call to this one; return the outermost key. */
	private CallKey pathTo(StringBuilder path) {
		CallOrigin origin = adopted();
		if (origin != null && !origin.path().isEmpty()) {
			path.append(origin.path());
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
	 * around it repeat the request too, unless this call's policy calls it repeatable.
	 */
	void unsafeRequest(String method) {
		for (RetryCall call = this; call != null; call = call.repeatedBy()) {
			call.links().unsafeRequest(method);
		}
	}

	/* The enclosing call whose attempts repeat what this one does, or null. */
	private @Nullable RetryCall repeatedBy() {
		Idempotency idempotency = idempotency();
		boolean repeatable = idempotency == Idempotency.YES || idempotency == Idempotency.BY_KEY;
		return (!repeatable && this.enclosing != null && this.enclosing.isRunning()) ? this.enclosing : null;
	}

	@Nullable String unsafeRequest() {
		return (this.links != null) ? this.links.unsafeRequest() : null;
	}

	/** Return whether an attempt runs, and not only a deadline from outside. */
	boolean isAttempt() {
		CallOrigin origin = adopted();
		return origin == null || origin.key() != null;
	}

	Idempotency idempotency() {
		return this.terms.policy().idempotency();
	}

	@Nullable String keyIfUsed() {
		return (this.links != null) ? this.links.keyIfUsed() : null;
	}

	/** Note that a call inside has thrown a failure which is not to be retried here. */
	void settledInside(Throwable failure, RetriesStoppedException story, boolean unrepeatable) {
		links().settledInside(failure, story, unrepeatable);
	}

	/**
	 * Return the story of the call inside the running attempt that has thrown this
	 * failure and whose work must not be repeated, or null.
	 */
	@Nullable RetriesStoppedException unrepeatableInside(Throwable failure) {
		return (this.links != null) ? this.links.settledInside(failure, true) : null;
	}

	/**
	 * Return the story of the call inside the running attempt that has thrown this
	 * failure and settled it, or null. Where no context reached that call, its mark
	 * tells.
	 */
	@Nullable RetriesStoppedException settledInside(Throwable failure) {
		RetriesStoppedException noted = (this.links != null) ? this.links.settledInside(failure) : null;
		if (noted != null) {
			return noted;
		}
		RetriesStoppedException mark = RetriesStoppedException.on(failure);
		return (mark != null && mark.settledSince(this.turn)) ? mark : null;
	}

	@Nullable RetryCall enclosing() {
		return this.enclosing;
	}

	/** Drop the call for one level further inside, to save memory during a wait. */
	void dropInner() {
		this.inner = null;
	}

	/** Return the call for one level further inside, made once and used again. */
	RetryCall inner() {
		if (this.inner == null) {
			this.inner = new RetryCall(this);
		}
		return this.inner;
	}

}
