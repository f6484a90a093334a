package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Causes;

/** Make attempts on the calling thread and wait on it; decide nothing. Thread-safe. */
record BlockingDriver(CallSteps steps, RetryDecider decider, boolean enclosed) {

	/*
	 * Loads the type that is caught below where there may be no stack left to load it. A
	 * finally needs none, but is compiled at each way out, which makes the call too long.
	 */
	static final Class<?> CAUGHT = Throwable.class;

	BlockingDriver(CallSteps steps) {
		this(steps, steps.decider(), steps.isEnclosing());
	}

	@SuppressWarnings("NullAway") // T says itself whether it may be null
	<C, T extends @Nullable Object, X extends Throwable> T call(C context, Operation.OnContext<C, T, X> operation,
			@Nullable Recovery<? super C, T, X> recovery) throws X {
		CallStack stack = CallStack.ofThread();
		CallState outer = stack.top;
		CallState call = stack.push();
		CallResult result;
		try {
			try {
				Permit permit = this.steps.begin(call, context);
				if (permit == null) {
					result = proceed(this.steps.refused(call), call, context, operation);
				}
				else {
					T value = null;
					Outcome outcome = null;
					try {
						value = this.enclosed ? this.steps.runEnclosed(call, context, operation)
								: operation.run(context, 1);
						AttemptOutcome kind = this.decider.judge(value, context);
						outcome = (kind == AttemptOutcome.SUCCESS) ? null : Outcome.ofValue(kind, value);
					}
					catch (Throwable failure) {
						outcome = this.decider.judge(failure, call);
					}
					if (outcome == null) {
						this.steps.succeededOnFirstAttempt(call, permit);
						return value;
					}
					result = proceed(this.steps.afterAttempt(outcome, permit, call), call, context, operation);
				}
			}
			finally {
				stack.pop(call);
			}
		}
		catch (Throwable thrown) {
			// calls no method, since an overflow may have left no stack for one
			stack.top = outer;
			outer.inner = null;
			CallState before = CallStack.CUT_OFF[stack.place];
			while (before != null && before.attempt == 0) {
				before = before.inner;
			}
			call.inner = before;
			CallStack.CUT_OFF[stack.place] = call;
			CallStack.owing = true;
			throw thrown;
		}
		return finish(result, stack.running(), context, recovery);
	}

	private <C, T extends @Nullable Object, X extends Throwable> CallResult proceed(Decision next, CallState call,
			C context, Operation.OnContext<C, T, X> operation) {
		Decision decision = next;
		while (true) {
			if (decision instanceof Decision.Proceed proceed) {
				this.steps.attempting(proceed);
				Outcome outcome = this.steps.attempt(call, context, operation);
				decision = this.steps.afterAttempt(outcome, proceed.permit(), call);
			}
			else if (decision instanceof Decision.RetryAfter wait) {
				decision = await(wait, call);
			}
			else {
				return end((Decision.Stop) decision, call);
			}
		}
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
		CallResult result = this.steps.end(stop, call);
		Throwable failure = result.outcome().failure();
		if (failure != null && Causes.unreflected(failure) instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		return result;
	}

	/** Recover if there is a recovery, publish the end, and return or throw it. */
	@SuppressWarnings({ "unchecked", "NullAway" }) // T says itself whether it may be null
	private <C, T extends @Nullable Object, X extends Throwable> T finish(CallResult result,
			@Nullable CallState enclosing, C context, @Nullable Recovery<? super C, T, X> recovery) throws X {
		RetriesStoppedException report = result.report();
		if (report == null) {
			return (T) result.value();
		}
		CallResult last = this.steps.recover(result, report, context, recovery);
		this.steps.stopped(last, report, enclosing);
		if (last.thrown() == null) {
			return (T) last.value();
		}
		throw BlockingDriver.<X>asIs(last.thrown());
	}

	/* The operation threw it, checked or not, so the caller expects it. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <X extends Throwable> X asIs(Throwable thrown) {
		return (X) thrown;
	}

}
