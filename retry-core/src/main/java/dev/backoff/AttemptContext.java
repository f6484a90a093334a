package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.SharedAttempt.AttemptReports;
import dev.backoff.SharedAttempt.HandledFailure;
import dev.backoff.SharedAttempt.HeldPermit;
import dev.backoff.SharedAttempt.UnsafeRequest;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Idempotency;

/**
 * What ties a call to requests, to other threads and to the calls inside its attempt. It
 * is made when it is first needed, since most calls have no such ties. Used by one thread
 * at a time.
 */
final class AttemptContext {

	/* An attempt may make very many calls; the failures of older ones carry a mark. */
	private static final int MOST_NOTED = 32;

	private final CallState call;

	private @Nullable CallKey key;

	/* The attempt or the deadline elsewhere for which the call stands. */
	@Nullable SharedAttempt shared;

	/* Of the running attempt, if it is a probe, until it is given back. */
	@Nullable Permit probe;

	/* Of the running attempt, if it holds one and calls elsewhere may be inside. */
	private @Nullable HeldPermit permit;

	/* What is reported to the running attempt; it also identifies the attempt. */
	private @Nullable AttemptReports reports;

	private int requests;

	private int captures;

	CallObserver.@Nullable ObservedCall observed;

	private CallObserver.@Nullable ObservedAttempt observedAttempt;

	/* The number of the attempt in the order of all, or 0 if the call is not durable. */
	long fence;

	AttemptContext(CallState call) {
		this.call = call;
	}

	/** Note that the call was stored. */
	void storedAs(ResumedCall stored) {
		this.fence = stored.fence();
		this.key = new CallKey(stored.key());
	}

	/** Note for which attempt or deadline elsewhere the call stands. */
	void adopt(SharedAttempt shared) {
		this.shared = shared;
		this.key = shared.key();
	}

	void attemptBegins() {
		this.requests = 0;
		this.captures = 0;
		this.reports = null;
		if (this.key != null) {
			this.key.attemptBegins();
		}
	}

	/** Note that the running attempt has ended, on whatever thread. */
	void attemptEnded() {
		if (this.probe != null) {
			this.probe.released();
			this.probe = null;
		}
		if (this.permit != null) {
			this.permit.held = false;
			this.permit = null;
		}
		UnsafeRequest unsafe = unsafeRequest();
		if (unsafe != null && this.call.settings().policy().idempotency() == Idempotency.BY_KEY && !isKeyAsked()) {
			report(this.call.around(), unsafe, AttemptReports::failed);
		}
	}

	/** Observe the call, and publish which observed calls are around it. */
	void observe(CallObserver.ObservedCall observed) {
		this.observed = observed;
		tellAround(observed, this.call.around());
	}

	CallObserver.@Nullable Observed observeAttempt() {
		this.observedAttempt = (this.observed != null) ? this.observed.attemptBegins(this.call.attempt) : null;
		return this.observedAttempt;
	}

	CallObserver.@Nullable ObservedAttempt takeObservedAttempt() {
		CallObserver.ObservedAttempt ended = this.observedAttempt;
		this.observedAttempt = null;
		return ended;
	}

	/** Publish to a call which observed calls are around it, innermost first. */
	static void tellAround(CallObserver.ObservedCall told, @Nullable CallState innermost) {
		for (CallState around = innermost; around != null; around = around.around()) {
			CallObserver.ObservedCall outer = observed(around);
			if (outer != null) {
				CallObserver.tellAround(told, outer);
			}
		}
	}

	/* Here or, if the call stands for an attempt elsewhere, there. */
	private static CallObserver.@Nullable ObservedCall observed(CallState call) {
		SharedAttempt elsewhere = call.shared();
		return (elsewhere != null) ? elsewhere.observed() : call.observed();
	}

	static CallObserver.@Nullable ObservedCall innermostObserved(CallState call) {
		CallState observed = call;
		while (observed != null && observed(observed) == null) {
			observed = observed.around();
		}
		return (observed != null) ? observed(observed) : null;
	}

	CallKey key() {
		if (this.key == null) {
			this.key = new CallKey();
		}
		return this.key;
	}

	@Nullable String keyIfUsed() {
		return (this.key != null) ? this.key.ifMade() : null;
	}

	/** Return whether the running attempt has asked for its key or a request's. */
	boolean isKeyAsked() {
		// another thread asks for the outermost call's key
		return (this.reports != null && this.reports.keyAsked) || (this.key != null && this.key.ifAsked() != null)
				|| (this.captures > 0 && pathTo(new StringBuilder()).ifAsked() != null);
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
		path.append('#').append((this.shared != null) ? this.shared.requests().incrementAndGet() : ++this.requests);
		return () -> {
			report(this.call, null, (reports, none) -> reports.keyAsked = true);
			return root.derive(path);
		};
	}

	/** Append the path from the outermost call to this one; return the outermost key. */
	private CallKey pathTo(StringBuilder path) {
		if (this.shared != null && !this.shared.path().isEmpty()) {
			path.append(this.shared.path());
			return key();
		}
		CallState around = this.call.around();
		if (around != null && around.isAttempt()) {
			CallKey root = around.context().pathTo(path);
			path.append('/').append(this.call.ordinal);
			return root;
		}
		return key();
	}

	/** Return the running attempt, for which calls on other threads may stand. */
	SharedAttempt share() {
		StringBuilder path = new StringBuilder();
		CallKey root = this.call.isAttempt() ? pathTo(path) : null;
		// calls there have other keys than calls here
		path.append("/t").append((this.shared != null) ? this.shared.captures().incrementAndGet() : ++this.captures);
		List<AttemptReports> receivers = new ArrayList<>(2);
		for (CallState repeated = this.call; repeated != null; repeated = repeatedBy(repeated)) {
			receivers.addAll(repeated.context().receivers());
		}
		return SharedAttempt.of(this.call, root, path.toString(), reports(), receivers, heldPermits());
	}

	/* The enclosing call whose attempts repeat what this one does, or null. */
	private static @Nullable CallState repeatedBy(CallState call) {
		Idempotency idempotency = call.settings().policy().idempotency();
		return (idempotency == Idempotency.YES || idempotency == Idempotency.BY_KEY) ? null : call.around();
	}

	/** Return whether a key lets this call or one around it repeat its requests. */
	static boolean isByKey(@Nullable CallState call) {
		return call != null
				&& (call.settings().policy().idempotency() == Idempotency.BY_KEY || isByKey(repeatedBy(call)));
	}

	/* The permits of this attempt and of those around it. */
	private List<HeldPermit> heldPermits() {
		List<HeldPermit> held = new ArrayList<>(1);
		for (CallState around = this.call; around != null; around = around.around()) {
			SharedAttempt elsewhere = around.shared();
			ConcurrencyLimit limit = around.settings().limit();
			if (elsewhere != null) {
				held.addAll(elsewhere.permits());
			}
			else if (limit != null && around.holdsPermit) {
				held.add(around.context().permit(limit));
			}
		}
		return held;
	}

	private HeldPermit permit(ConcurrencyLimit limit) {
		if (this.permit == null) {
			this.permit = new HeldPermit(limit);
		}
		return this.permit;
	}

	/** Return whether the attempt is the one that runs here. */
	boolean isOf(SharedAttempt attempt) {
		return this.reports != null && this.reports == attempt.reports();
	}

	/** Return whether this stands for the attempt of a call that began elsewhere. */
	boolean isAdoptedFrom(AttemptContext other) {
		return this.shared != null && !this.shared.receivers().isEmpty()
				&& this.shared.receivers().get(0) == other.reports;
	}

	private AttemptReports reports() {
		if (this.reports == null) {
			this.reports = new AttemptReports();
		}
		return this.reports;
	}

	/* What receives the reports to the call, its own attempt first. */
	private List<AttemptReports> receivers() {
		return (this.shared != null) ? this.shared.receivers() : List.of(reports());
	}

	/**
	 * Report a request of the running attempt to that attempt and to those around it,
	 * which repeat the request too unless the call's policy calls it repeatable.
	 * @param unsafe the request, or null if it may be repeated
	 */
	static void report(@Nullable CallState call, @Nullable UnsafeRequest unsafe,
			BiConsumer<AttemptReports, @Nullable UnsafeRequest> report) {
		for (CallState repeated = call; repeated != null; repeated = repeatedBy(repeated)) {
			if (unsafe != null || repeated.contextIfAny() != null) {
				repeated.context().receivers().forEach((reports) -> report.accept(reports, unsafe));
			}
		}
	}

	/** Return the last unsafe request of the running attempt, or null. */
	@Nullable UnsafeRequest unsafeRequest() {
		return (this.reports != null) ? this.reports.unsafe.get() : null;
	}

	/** Note that a call inside has thrown a failure which is not to be retried here. */
	void noteHandled(Throwable failure, RetriesStoppedException report, boolean unrepeatable) {
		List<AttemptReports> receivers = receivers();
		if (!receivers.isEmpty()) {
			Queue<HandledFailure> handled = receivers.get(0).handledFailures;
			if (handled.size() >= MOST_NOTED) {
				handled.poll();
			}
			handled.add(new HandledFailure(failure, report, unrepeatable));
		}
	}

	/** Note that a budget has counted the timeout of a call inside. */
	void noteStrike(RetryBudget budget) {
		receivers().stream().limit(1).forEach((reports) -> reports.struck = budget);
	}

	boolean isStruck(RetryBudget budget) {
		return this.reports != null && this.reports.struck == budget;
	}

	/**
	 * Return the stop report of the call inside the running attempt that has thrown and
	 * handled this failure, or null.
	 * @param unrepeatable whether to ask only for work that must not be repeated
	 */
	@SuppressWarnings("ReferenceEquality") // the same instance, not an equal one
	@Nullable RetriesStoppedException handledInside(Throwable failure, boolean unrepeatable) {
		if (this.reports != null) {
			for (HandledFailure handled : this.reports.handledFailures) {
				if (handled.failure() == failure && (handled.unrepeatable() || !unrepeatable)) {
					return handled.report();
				}
			}
		}
		return null;
	}

}
