package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;

/**
 * What ties a call to requests, to other threads and to calls inside its attempt. It is
 * made when it is first needed, since most calls have no such ties. Used by one thread at
 * a time.
 */
final class CallLinks {

	/* An attempt may make very many calls; the failures of older ones carry a mark. */
	private static final int MOST_NOTED = 32;

	private @Nullable CallKey key;

	/* The attempt or the deadline elsewhere for which the call stands. */
	private @Nullable CallOrigin origin;

	/* Of the running attempt, if it is a probe. */
	private @Nullable Permit permit;

	/* What other threads report to the running attempt, once it is carried there. */
	private @Nullable Told told;

	private @Nullable List<Throwable> stoppedInside;

	private @Nullable String unsafeRequest;

	private int requests;

	private int captures;

	private @Nullable CallObservation observation;

	/** Stand for an attempt or a deadline that began elsewhere. */
	void adopt(CallOrigin origin) {
		this.origin = origin;
		this.key = origin.key();
	}

	/** Forget the ties of the attempt before. */
	void attemptBegins() {
		this.stoppedInside = null;
		this.requests = 0;
		this.captures = 0;
		this.told = null;
		this.unsafeRequest = null;
	}

	CallKey key() {
		if (this.key == null) {
			this.key = new CallKey();
		}
		return this.key;
	}

	@Nullable String keyIfUsed() {
		return (this.key != null) ? this.key.ifUsed() : null;
	}

	/**
	 * Return the attempt or the deadline elsewhere for which the call stands, or null.
	 */
	@Nullable CallOrigin origin() {
		return this.origin;
	}

	/** Return what is shared by the calls that stand for one attempt, or null. */
	@Nullable Carried carried() {
		return (this.origin != null) ? this.origin.carried() : null;
	}

	@Nullable Permit permit() {
		return this.permit;
	}

	void permit(@Nullable Permit permit) {
		this.permit = permit;
	}

	Told told() {
		if (this.told == null) {
			this.told = new Told();
		}
		return this.told;
	}

	@Nullable Told ifTold() {
		return this.told;
	}

	@Nullable CallObservation observation() {
		return this.observation;
	}

	void observation(CallObservation observation) {
		this.observation = observation;
	}

	int nextRequest() {
		Carried carried = carried();
		return (carried != null) ? carried.requests.incrementAndGet() : ++this.requests;
	}

	int nextCapture() {
		Carried carried = carried();
		return (carried != null) ? carried.captures.incrementAndGet() : ++this.captures;
	}

	/** Note that the running attempt sends a request that may have an effect. */
	void unsafeRequest(String method) {
		this.unsafeRequest = method;
		Carried carried = carried();
		if (carried != null) {
			carried.toTell.forEach((told) -> told.unsafeRequest.set(method));
		}
	}

	@Nullable String unsafeRequest() {
		return (this.unsafeRequest != null || this.told == null) ? this.unsafeRequest : this.told.unsafeRequest.get();
	}

	/** Note the failure with which a call inside the running attempt stopped. */
	void stoppedInside(Throwable failure) {
		Carried carried = carried();
		if (carried != null) {
			carried.toTell.get(0).stoppedInside(failure);
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

	boolean hasStoppedInside(Throwable failure) {
		return (this.stoppedInside != null && contains(this.stoppedInside, failure))
				|| (this.told != null && contains(this.told.stoppedInside, failure));
	}

	private static boolean contains(Iterable<Throwable> noted, Throwable failure) {
		for (Throwable stopped : noted) {
			if (stopped == failure) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What the calls share that stand for one attempt in one context, however often it is
	 * opened: counters, so that no two requests have the same key, and the attempts to
	 * which they report. Thread-safe.
	 */
	static final class Carried {

		private final AtomicInteger innerCalls = new AtomicInteger();

		private final AtomicInteger requests = new AtomicInteger();

		private final AtomicInteger captures = new AtomicInteger();

		private final List<Told> toTell;

		Carried(List<Told> toTell) {
			this.toTell = List.copyOf(toTell);
		}

		List<Told> toTell() {
			return this.toTell;
		}

		int nextInnerCall() {
			return this.innerCalls.incrementAndGet();
		}

	}

	/** What calls on other threads report to an attempt. Thread-safe. */
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

	}

}
