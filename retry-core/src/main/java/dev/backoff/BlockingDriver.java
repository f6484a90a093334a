package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;

/** Make attempts on the calling thread and wait on it; decide nothing. Thread-safe. */
final class BlockingDriver {

	private final CallSteps steps;

	private final RetryDecider decider;

	/* Whether attempts are limited, listed or observed. */
	private final boolean enclosed;

	BlockingDriver(CallSteps steps) {
		this.steps = steps;
		this.decider = steps.decider();
		this.enclosed = steps.limit().encloses() || steps.events().isObserved();
	}

	<C, T extends @Nullable Object, X extends Throwable> T call(C context, Operation.OnContext<C, T, X> operation,
			@Nullable Recovery<? super C, T, X> recovery) throws X {
		CallStack stack = CallStack.ofThread();
		CallState call = stack.push();
		CallResult ending;
		try {
			Permit permit = this.steps.begin(call);
			if (permit == null) {
				ending = proceed(this.steps.refused(call), call, context, operation);
			}
			else {
				Outcome outcome;
				try {
					T result = this.enclosed ? runEnclosed(call, context, operation) : operation.run(context, 1);
					AttemptOutcome kind = this.decider.judge(result, context);
					if (kind == AttemptOutcome.SUCCESS) {
						// throws nothing, or a success would be taken for a failure
						this.steps.succeededAtOnce(call, permit);
						return result;
					}
					outcome = Outcome.ofValue(kind, result);
				}
				catch (Throwable failure) {
					outcome = this.decider.judge(failure, call);
				}
				ending = proceed(this.steps.attemptEnded(outcome, permit, call), call, context, operation);
			}
		}
		finally {
			stack.pop(call);
		}
		return finish(ending, stack.running(), context, recovery);
	}

	private <C, T extends @Nullable Object, X extends Throwable> CallResult proceed(Decision next, CallState call,
			C context, Operation.OnContext<C, T, X> operation) {
		Decision decision = next;
		while (true) {
			if (decision instanceof Decision.Proceed proceed) {
				this.steps.attempting(proceed);
				Outcome outcome = attempt(call, context, operation);
				decision = this.steps.attemptEnded(outcome, proceed.permit(), call);
			}
			else if (decision instanceof Decision.RetryAfter wait) {
				decision = await(wait, call);
			}
			else {
				return end((Decision.Stop) decision, call);
			}
		}
	}

	private <C, T extends @Nullable Object, X extends Throwable> Outcome attempt(CallState call, C context,
			Operation.OnContext<C, T, X> operation) {
		try {
			T result = this.enclosed ? runEnclosed(call, context, operation) : operation.run(context, call.attempt());
			return Outcome.ofValue(this.decider.judge(result, context), result);
		}
		catch (Throwable failure) {
			return this.decider.judge(failure, call);
		}
	}

	private <C, T extends @Nullable Object, X extends Throwable> T runEnclosed(CallState call, C context,
			Operation.OnContext<C, T, X> operation) throws X {
		return CallObservation.within(call.observeAttempt(),
				() -> this.steps.limit().run(call, () -> operation.run(context, call.attempt())));
	}

	private Decision await(Decision.RetryAfter wait, CallState call) {
		this.steps.waiting(wait, call);
		try {
			this.steps.registry().await(call, wait.delay());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Decision.interrupted(ex);
		}
		catch (Throwable ex) {
			return Decision.notRetryable("the wait failed", ex);
		}
		finally {
			this.steps.waited(call);
		}
		return this.steps.afterWait(call);
	}

	private CallResult end(Decision.Stop stop, CallState call) {
		CallResult ending = this.steps.end(stop, call);
		if (ending.outcome().failure() instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		return ending;
	}

	/** Recover if there is a recovery, tell the story, and return or throw the end. */
	@SuppressWarnings({ "unchecked", "NullAway" }) // T says itself whether it may be null
	private <C, T extends @Nullable Object, X extends Throwable> T finish(CallResult ending,
			@Nullable CallState enclosing, C context, @Nullable Recovery<? super C, T, X> recovery) throws X {
		RetriesStoppedException story = ending.story();
		T result = (T) ending.outcome().value();
		if (story == null) {
			return result;
		}
		Throwable thrown = ending.outcome().failure();
		RetryEvent.RecoveryOutcome recovered = RetryEvent.RecoveryOutcome.NONE;
		if (recovery != null && this.steps.wants(recovery, story)) {
			try {
				result = CallObservation.within(ending.observed(), () -> recovery.recover(context, story));
				thrown = null;
				recovered = RetryEvent.RecoveryOutcome.DONE;
			}
			catch (Throwable ex) {
				this.steps.recoveryFailed(ex, story);
				thrown = ex;
				recovered = RetryEvent.RecoveryOutcome.FAILED;
			}
		}
		this.steps.stopped(ending, story, recovered, thrown, enclosing);
		if (thrown == null) {
			return result;
		}
		throw BlockingDriver.<X>asIs(thrown);
	}

	/* The operation threw it, checked or not, so the caller expects it. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <X extends Throwable> X asIs(Throwable thrown) {
		return (X) thrown;
	}

}
