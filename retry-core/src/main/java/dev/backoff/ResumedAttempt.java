package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.Causes;

/**
 * Make one attempt of a stored call, and leave the wait to the durable module. An open
 * breaker, a spent budget, an interruption and retries that are switched off end no such
 * call: it waits. Decide nothing. Thread-safe.
 */
record ResumedAttempt(CallSteps steps) {

	<C, T extends @Nullable Object, X extends Throwable> ResumedCall.Result attempt(ResumedCall stored, C context,
			Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) {
		CallStack stack = CallStack.ofThread();
		CallState call = stack.push();
		CallResult result;
		try {
			Decision decision = this.steps.resume(call, stored, context);
			if (decision instanceof Decision.Proceed proceed) {
				Outcome outcome = this.steps.attempt(call, context, operation);
				if (outcome.kind() == AttemptOutcome.SUCCESS && call.attempt == 1) {
					this.steps.succeededOnFirstAttempt(call, proceed.permit());
					return new ResumedCall.Done(false);
				}
				if (outcome.failure() != null && takeInterrupt(outcome.failure())) {
					this.steps.releaseUncounted(proceed, call);
					return unchanged(stored, Duration.ZERO, outcome.failure());
				}
				decision = this.steps.afterAttempt(outcome, proceed.permit(), call);
			}
			if (decision instanceof Decision.RetryAfter wait) {
				return again(wait, call, stored);
			}
			result = this.steps.end((Decision.Stop) decision, call);
		}
		finally {
			stack.pop(call);
		}
		return finish(result, stored, context, recovery);
	}

	/*
	 * Workers interrupt attempts when they shut down, and clients wrap what they throw
	 * then. The interrupt of an attempt timeout has been taken back.
	 */
	private static boolean takeInterrupt(Throwable failure) {
		return !(failure instanceof AttemptTimeoutException)
				&& (Thread.interrupted() || Causes.find(failure, InterruptedException.class) != null);
	}

	private static ResumedCall.Result unchanged(ResumedCall stored, Duration delay, @Nullable Throwable failure) {
		return new ResumedCall.Again(stored.attempts(), delay, stored.previousDelay(), stored.finalPoll(),
				stored.timeouts(), failure);
	}

	/* The wait is over for this process, and so is its part of the retry to come. */
	private ResumedCall.Result again(Decision.RetryAfter wait, CallState call, ResumedCall stored) {
		Outcome outcome = call.lastOutcome();
		this.steps.waiting(wait, call);
		this.steps.waited(call);
		Duration delay = Duration.ofNanos(wait.delay());
		if (outcome == null) {
			return unchanged(stored, delay, null);
		}
		this.steps.events().drop(outcome.value());
		this.steps.events().retry(outcome.cause());
		return new ResumedCall.Again(call.attempt, delay, Duration.ofNanos(wait.ownDelay()), call.history().finalPoll,
				outcome.isTimeout() ? stored.timeouts() + 1 : 0, outcome.failure());
	}

	/*
	 * Recover if there is a recovery, and publish the end. A recovery that is interrupted
	 * is repeated with the last attempt.
	 */
	private <C, T extends @Nullable Object, X extends Throwable> ResumedCall.Result finish(CallResult result,
			ResumedCall stored, C context, @Nullable Recovery<? super C, T, X> recovery) {
		RetriesStoppedException report = result.report();
		if (report == null) {
			return new ResumedCall.Done(false);
		}
		CallResult last = this.steps.recover(result, report, context, recovery);
		Throwable thrown = last.thrown();
		if (last.recovery() != RetryEvent.RecoveryOutcome.NONE && thrown != null && takeInterrupt(thrown)) {
			return unchanged(stored, Duration.ZERO, thrown);
		}
		this.steps.stopped(last, report, null);
		return (last.recovery() == RetryEvent.RecoveryOutcome.DONE) ? new ResumedCall.Done(true)
				: new ResumedCall.Stopped(report, thrown);
	}

}
