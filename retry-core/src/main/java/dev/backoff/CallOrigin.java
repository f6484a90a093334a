package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * A call as another thread sees it, or a deadline.
 *
 * @param terms what it runs under
 * @param started the reading at its start
 * @param limit the time from the start to the end of the attempt
 * @param attempt the attempt that runs
 * @param attemptStarted the reading at the attempt's start
 * @param previousFailure what the attempt before threw
 * @param key the outermost call's key, or null for a deadline only
 * @param path what leads from that call to this one
 * @param told what the attempt is known by, or null for a deadline only
 * @param carried what all that stand for it share, or null for a deadline only
 */
record CallOrigin(CallTerms terms, long started, long limit, int attempt, long attemptStarted,
		@Nullable Throwable previousFailure, @Nullable CallKey key, String path, CallLinks.@Nullable Told told,
		CallLinks.@Nullable Carried carried) {

	static CallOrigin ofDeadline(long limit, RetryTime time) {
		long now = time.nanoTime();
		return new CallOrigin(CallTerms.ofDeadline(time), now, limit, 1, now, null, null, "", null, null);
	}

	/** Return the time until the deadline, negative after it. */
	long timeLeftNow() {
		return RetryCall.standingFor(this).timeLeftNow();
	}

	@Override
	public String toString() {
		return (this.key != null) ? "attempt " + this.attempt : "a deadline";
	}

}
