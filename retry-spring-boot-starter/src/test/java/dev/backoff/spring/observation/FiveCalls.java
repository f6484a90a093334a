package dev.backoff.spring.observation;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.StopReason;

/** Five calls that succeed: three at once, one after its breaker, one retried. */
final class FiveCalls {

	static void record(CallRecorder recorder) {
		recorder.succeededOnFirstAttempt(10);
		recorder.attempt(1, AttemptOutcome.SUCCESS, 40);
		recorder.call(StopReason.SUCCEEDED, 640);
		recorder.succeededOnFirstAttempt(20);
		recorder.attempt(1, AttemptOutcome.TRANSIENT, 80);
		recorder.attempt(2, AttemptOutcome.SUCCESS, 90);
		recorder.call(StopReason.SUCCEEDED, 670);
		recorder.succeededOnFirstAttempt(30);
	}

}
