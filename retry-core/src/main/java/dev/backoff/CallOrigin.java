package dev.backoff;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.RetryTime;

/**
 * An attempt that other threads may stand for, or a deadline from outside, which has no
 * key and receives no reports.
 *
 * @param limit the time from the start of its call to the end of the attempt
 * @param key the outermost call's key
 * @param path how its call is reached from the outermost one
 * @param told receives reports for the attempt and identifies it
 * @param carried shared by the calls that stand for it
 * @param slots those that the attempt and the attempts around it held
 * @param observed the innermost call that is observed, or null
 */
record CallOrigin(CallTerms terms, long started, long limit, int attempt, long attemptStarted,
		@Nullable Throwable previousFailure, @Nullable CallKey key, String path, CallLinks.@Nullable Told told,
		CallLinks.@Nullable Carried carried, List<CallLinks.HeldSlot> slots,
		CallObserver.@Nullable ObservedCall observed) {

	static CallOrigin ofDeadline(long limit, RetryTime time) {
		long now = time.nanoTime();
		return new CallOrigin(CallTerms.ofDeadline(time), now, limit, 1, now, null, null, "", null, null, List.of(),
				null);
	}

	boolean isHoldingSlot(Throttle throttle) {
		for (CallLinks.HeldSlot slot : this.slots) {
			if (slot.isHeld(throttle)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public String toString() {
		return (this.key != null) ? "attempt " + this.attempt : "a deadline";
	}

}
