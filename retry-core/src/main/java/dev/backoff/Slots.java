package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.AttemptContext.SharedAttempt;
import dev.backoff.throttle.Throttle;

/**
 * The slots of a policy's attempts. A slot is given back with the breaker's permit, which
 * every driver gives back exactly once. Thread-safe.
 */
final class Slots {

	private final Throttle throttle;

	/* Most permits are the same object, so that an attempt allocates nothing. */
	private @Nullable WithSlot last;

	Slots(Throttle throttle) {
		this.throttle = throttle;
	}

	/**
	 * Take a slot for the call's next attempt, which needs none within an attempt that
	 * holds one. Return false if there is none: the call then has a place in the queue,
	 * or was refused one.
	 */
	boolean tryTake(CallState call) {
		Throttle.Place place = call.place();
		if (place == null) {
			boolean within = isWithinSlot(call);
			if (within || this.throttle.tryAcquire()) {
				call.holdsSlot(!within);
				return true;
			}
			place = this.throttle.enter();
		}
		boolean granted = place.isGranted();
		if (granted) {
			place.keep();
		}
		call.place(granted ? null : place);
		call.holdsSlot(granted);
		return granted;
	}

	private boolean isWithinSlot(CallState call) {
		for (CallState around = call.around(); around != null; around = around.around()) {
			SharedAttempt elsewhere = around.shared();
			if ((elsewhere != null) ? elsewhere.isHoldingSlot(this.throttle)
					: (around.isHoldingSlot() && around.settings().throttle() == this.throttle)) {
				return true;
			}
		}
		return false;
	}

	/** Join the call's slot, if it has one, to its permit; without one, give it back. */
	@Nullable Permit joined(@Nullable Permit permit, CallState call) {
		if (!call.isHoldingSlot()) {
			return permit;
		}
		if (permit == null) {
			call.holdsSlot(false);
			this.throttle.release();
			return null;
		}
		WithSlot joined = this.last;
		if (joined == null || joined.permit() != permit) {
			joined = new WithSlot(permit, this.throttle);
			this.last = joined;
		}
		return joined;
	}

	/** A permit with a slot. */
	private record WithSlot(Permit permit, Throttle throttle) implements Permit {

		@Override
		public void succeeded(long nanos, long now) {
			this.permit.succeeded(nanos, now);
			this.throttle.release();
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
			this.permit.failed(nanos, now, failure);
			this.throttle.release();
		}

		@Override
		public void released() {
			this.permit.released();
			this.throttle.release();
		}

		@Override
		public boolean covers(CallPermits breaker) {
			return this.permit.covers(breaker);
		}

	}

}
