package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.Causes;

/**
 * Make one attempt of a call that is kept elsewhere, and leave the wait to its keeper. An
 * open breaker, a spent budget, an interruption and retries that are switched off end no
 * such call: it waits. Decide nothing. Thread-safe.
 */
final class KeptDriver {

	private final CallSteps steps;

	private final RetryDecider decider;

	KeptDriver(CallSteps steps) {
		this.steps = steps;
		this.decider = steps.decider();
	}

	<C, T extends @Nullable Object, X extends Throwable> KeptNext attempt(KeptCall kept, C context,
			Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) {
		CallStack stack = CallStack.ofThread();
		CallState call = stack.push();
		CallResult ending;
		try {
			Decision decision = this.steps.resume(call, kept);
			if (decision instanceof Decision.Proceed proceed) {
				Outcome outcome = attempt(call, context, operation);
				if (outcome.kind() == AttemptOutcome.SUCCESS && call.attempt() == 1) {
					this.steps.succeededAtOnce(call, proceed.permit());
					return new KeptNext.Done(false);
				}
				if (outcome.failure() != null && isInterrupted(outcome.failure())) {
					this.steps.neverBegan(proceed, call);
					return unchanged(kept, Duration.ZERO, outcome.failure());
				}
				decision = this.steps.attemptEnded(outcome, proceed.permit(), call);
			}
			if (decision instanceof Decision.RetryAfter wait) {
				return again(wait, call, kept);
			}
			ending = this.steps.end((Decision.Stop) decision, call);
		}
		finally {
			stack.pop(call);
		}
		return finish(ending, kept, context, recovery);
	}

	private <C, T extends @Nullable Object, X extends Throwable> Outcome attempt(CallState call, C context,
			Operation.OnContext<C, T, X> operation) {
		try {
			T result = CallObservation.within(call.observeAttempt(),
					() -> this.steps.limit().run(call, () -> operation.run(context, call.attempt())));
			return Outcome.ofValue(this.decider.judge(result, context), result);
		}
		catch (Throwable failure) {
			return this.decider.judge(failure, call);
		}
	}

	/*
	 * The keeper interrupts attempts when it shuts down, and clients wrap what they throw
	 * then. The interrupt of an attempt timeout has been taken back.
	 */
	private static boolean isInterrupted(Throwable failure) {
		return !(failure instanceof AttemptTimeoutException) && (Thread.interrupted()
				|| Causes.find(failure, (cause) -> cause instanceof InterruptedException) != null);
	}

	private static KeptNext unchanged(KeptCall kept, Duration delay, @Nullable Throwable failure) {
		return new KeptNext.Again(kept.attempts(), delay, kept.previousDelay(), kept.lastQuestion(), failure);
	}

	/* The wait is over for this process, and so is its part of the retry to come. */
	private KeptNext again(Decision.RetryAfter wait, CallState call, KeptCall kept) {
		Outcome outcome = call.lastOutcome();
		this.steps.waiting(wait, call);
		this.steps.waited(call);
		Duration delay = Duration.ofNanos(wait.delay());
		if (outcome == null) {
			return unchanged(kept, delay, null);
		}
		this.steps.retrying(outcome.cause());
		return new KeptNext.Again(call.attempt(), delay, Duration.ofNanos(wait.ownDelay()),
				call.history().isLastQuestion(), outcome.failure());
	}

	/*
	 * Recover if there is a recovery, and tell the story. A recovery that is interrupted
	 * is repeated with the last attempt.
	 */
	private <C, T extends @Nullable Object, X extends Throwable> KeptNext finish(CallResult ending, KeptCall kept,
			C context, @Nullable Recovery<? super C, T, X> recovery) {
		RetriesStoppedException story = ending.story();
		if (story == null) {
			return new KeptNext.Done(false);
		}
		Throwable thrown = ending.outcome().failure();
		RetryEvent.RecoveryOutcome recovered = RetryEvent.RecoveryOutcome.NONE;
		if (recovery != null && this.steps.wants(recovery, story)) {
			try {
				Object unused = CallObservation.within(ending.observed(), () -> recovery.recover(context, story));
				thrown = null;
				recovered = RetryEvent.RecoveryOutcome.DONE;
			}
			catch (Throwable ex) {
				if (isInterrupted(ex)) {
					return unchanged(kept, Duration.ZERO, ex);
				}
				this.steps.recoveryFailed(ex, story);
				thrown = ex;
				recovered = RetryEvent.RecoveryOutcome.FAILED;
			}
		}
		this.steps.stopped(ending, story, recovered, thrown, null);
		return (recovered == RetryEvent.RecoveryOutcome.DONE) ? new KeptNext.Done(true)
				: new KeptNext.Stopped(story, thrown);
	}

}
