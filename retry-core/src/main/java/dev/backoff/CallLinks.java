package dev.backoff;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.throttle.Throttle;

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

	/* Of the running attempt, if it holds one and calls elsewhere may be inside. */
	private @Nullable HeldSlot slot;

	/* What is reported to the running attempt; it also identifies the attempt. */
	private @Nullable Told told;

	private int requests;

	private int captures;

	private @Nullable CallObservation observation;

	private @Nullable KeptCall kept;

	void adopt(CallOrigin origin) {
		this.origin = origin;
		this.key = origin.key();
	}

	void keptAs(KeptCall kept) {
		this.kept = kept;
		this.key = new CallKey(kept.key());
	}

	@Nullable KeptCall kept() {
		return this.kept;
	}

	/** Note that the running attempt has ended, on whatever thread. */
	void attemptEnded() {
		this.permit = null;
		if (this.slot != null) {
			this.slot.held = false;
			this.slot = null;
		}
	}

	HeldSlot slot(Throttle throttle) {
		if (this.slot == null) {
			this.slot = new HeldSlot(throttle);
		}
		return this.slot;
	}

	void attemptBegins() {
		this.requests = 0;
		this.captures = 0;
		this.told = null;
		if (this.key != null) {
			this.key.attemptBegins();
		}
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

	/** Return the attempt or deadline elsewhere for which the call stands, or null. */
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

	void permit(Permit permit) {
		this.permit = permit;
	}

	Told told() {
		if (this.told == null) {
			this.told = new Told();
		}
		return this.told;
	}

	/** Return what the reports to the call go to, its own attempt first. */
	List<Told> toTell() {
		Carried carried = carried();
		return (carried != null) ? carried.toTell : List.of(told());
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

	void unsafeRequest(String method) {
		toTell().forEach((told) -> told.unsafeRequest = method);
	}

	@Nullable String unsafeRequest() {
		return (this.told != null) ? this.told.unsafeRequest : null;
	}

	void settledInside(Throwable failure, RetriesStoppedException story, boolean unrepeatable) {
		Told told = toTell().get(0);
		if (told.settledInside.size() >= MOST_NOTED) {
			told.settledInside.poll();
		}
		told.settledInside.add(new Settled(failure, story, unrepeatable));
	}

	@Nullable RetriesStoppedException settledInside(Throwable failure) {
		return settledInside(failure, false);
	}

	@SuppressWarnings("ReferenceEquality") // the same instance, not an equal one
	@Nullable RetriesStoppedException settledInside(Throwable failure, boolean unrepeatable) {
		if (this.told != null) {
			for (Settled settled : this.told.settledInside) {
				if (settled.failure == failure && (settled.unrepeatable || !unrepeatable)) {
					return settled.story;
				}
			}
		}
		return null;
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

		int nextInnerCall() {
			return this.innerCalls.incrementAndGet();
		}

	}

	/** The slot of an attempt, as calls on other threads see it. Thread-safe. */
	static final class HeldSlot {

		private final Throttle throttle;

		private volatile boolean held = true;

		HeldSlot(Throttle throttle) {
			this.throttle = throttle;
		}

		boolean isHeld(Throttle throttle) {
			return this.throttle == throttle && this.held;
		}

	}

	/**
	 * What a call inside has thrown, with its story, and whether its work must not be
	 * repeated.
	 */
	private record Settled(Throwable failure, RetriesStoppedException story, boolean unrepeatable) {
	}

	/** What is reported to an attempt, also by calls on other threads. Thread-safe. */
	static final class Told {

		private volatile @Nullable String unsafeRequest;

		private final Queue<Settled> settledInside = new ConcurrentLinkedQueue<>();

	}

}
