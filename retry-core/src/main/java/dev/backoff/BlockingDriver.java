package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.time.RetryTime;

/**
 * Make attempts on the calling thread and wait on it; decide nothing. Thread-safe.
 */
final class BlockingDriver {

	private static final int MOST_SUPPRESSED = 8;

	private final RetryPolicy policy;

	private final String method;

	private final RetryTime time;

	private final RetryDecider decider;

	private final ListenerChain listeners;

	private final Safeguards safeguards;

	private final BreakerGate breaker;

	BlockingDriver(RetryPolicy policy, String method, RetryTime time, RetryDecider decider, ListenerChain listeners,
			Safeguards safeguards) {
		this.safeguards = safeguards;
		this.breaker = safeguards.breaker();
		this.policy = policy;
		this.method = method;
		this.time = time;
		this.decider = decider;
		this.listeners = listeners;
	}

	<C, T extends @Nullable Object, X extends Throwable> T call(C context, Operation.OnContext<C, T, X> operation,
			@Nullable Recovery<? super C, T, X> recovery) throws X {
		CallStack stack = CallStack.ofThread();
		RetryCall call = stack.push();
		Ending ending;
		try {
			call.begin(this.policy, this.time, start());
			Permit permit = this.breaker.tryAcquire(call, call.started());
			if (permit == null) {
				ending = continueRefused(call, context, operation);
			}
			else {
				Outcome outcome;
				try {
					T result = operation.run(context, 1);
					AttemptOutcome kind = this.decider.judge(result, context);
					if (kind == AttemptOutcome.SUCCESS) {
						// nothing in here throws, or a success would be taken for a
						// failure
						succeededAtOnce(call, permit);
						return result;
					}
					outcome = Outcome.ofValue(kind, result);
				}
				catch (Throwable failure) {
					outcome = this.decider.judge(failure, call);
				}
				ending = continueAfter(outcome, permit, call, context, operation);
			}
		}
		finally {
			stack.pop(call);
		}
		return finish(ending, stack.running(), context, recovery);
	}

	private void succeededAtOnce(RetryCall call, Permit permit) {
		long now = now(call.started());
		long nanos = call.elapsed(now);
		this.safeguards.succeededAtOnce(permit, nanos, now);
		this.listeners.attempt(1, AttemptOutcome.SUCCESS, nanos);
		this.listeners.call(StopReason.SUCCEEDED, nanos);
	}

	/*
	 * A made-up reading would be far from all others, and a breaker that is open would
	 * take it for the time of its probe.
	 */
	private long start() {
		try {
			return this.time.nanoTime();
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("time", ex);
			return RetryTime.system().nanoTime();
		}
	}

	/** Read the ticker; one that throws stands still and fails no call. */
	private long now(long otherwise) {
		try {
			return this.time.nanoTime();
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("time", ex);
			return otherwise;
		}
	}

	/** Go on from a first attempt that the breaker refused to the end of the call. */
	private <C, T extends @Nullable Object, X extends Throwable> Ending continueRefused(RetryCall call, C context,
			Operation.OnContext<C, T, X> operation) {
		long now = call.started();
		while (true) {
			Decision decision = this.decider.decideFirst(call, now);
			Decision.Stop stop = (decision instanceof Decision.RetryAfter wait) ? awaitFirst(wait, call)
					: (Decision.Stop) decision;
			now = now(now);
			if (stop == null && call.timeLeft(now) <= 0) {
				stop = new Decision.Stop(StopReason.DEADLINE, "the wait took longer than chosen");
			}
			if (stop != null) {
				CircuitOpenException refused = this.breaker.rejection(now);
				call.noAttempt();
				return end(Outcome.ofRefused(AttemptOutcome.PERMANENT, refused, stop), stop, call);
			}
			Permit permit = this.breaker.tryAcquire(call, now);
			if (permit != null) {
				call.beginFirst(now);
				return continueAfter(attempt(call, context, operation), permit, call, context, operation);
			}
			call.postponed();
		}
	}

	/** Go on from a first attempt that has ended to the end of the call. */
	private <C, T extends @Nullable Object, X extends Throwable> Ending continueAfter(Outcome first, Permit firstPermit,
			RetryCall call, C context, Operation.OnContext<C, T, X> operation) {
		Outcome outcome = first;
		Permit permit = firstPermit;
		while (true) {
			long now = now(call.attemptStarted());
			attemptEnded(outcome, permit, call, now);
			Decision decision = this.decider.decide(outcome, call, now);
			permit = null;
			while (permit == null) {
				if (decision instanceof Decision.Stop stop) {
					return end(outcome, stop, call);
				}
				Decision.RetryAfter retry = (Decision.RetryAfter) decision;
				Decision.Stop stop = isWaited(retry, call) ? null : await(retry, outcome, call);
				if (stop != null) {
					return end(outcome, stop, call);
				}
				now = now(call.attemptStarted());
				if (retry.source() == DelaySource.BUDGET) {
					call.postponedByBudget();
					decision = this.decider.decideWorthwhile(outcome, call, now);
					continue;
				}
				permit = this.breaker.tryAcquire(call, now);
				if (permit == null) {
					call.postponed();
					decision = this.decider.decideRefused(outcome, call, now);
				}
			}
			this.listeners.retry(outcome.cause());
			call.beginNext(now);
			outcome = attempt(call, context, operation);
		}
	}

	/* The wait for the budget was its delay. */
	private static boolean isWaited(Decision.RetryAfter retry, RetryCall call) {
		return retry.delay() == 0 && call.hasWaitedForBudget();
	}

	private void attemptEnded(Outcome outcome, Permit permit, RetryCall call, long now) {
		long nanos = Math.max(0, now - call.attemptStarted());
		this.safeguards.ended(permit, outcome, nanos, now);
		this.listeners.attempt(call.attempt(), outcome.kind(), nanos);
		call.attemptEnded(outcome, nanos);
	}

	private <C, T extends @Nullable Object, X extends Throwable> Outcome attempt(RetryCall call, C context,
			Operation.OnContext<C, T, X> operation) {
		try {
			T result = operation.run(context, call.attempt());
			return Outcome.ofValue(this.decider.judge(result, context), result);
		}
		catch (Throwable failure) {
			return this.decider.judge(failure, call);
		}
	}

	/** Wait before the first attempt; return why none may follow, or null. */
	private Decision.@Nullable Stop awaitFirst(Decision.RetryAfter wait, RetryCall call) {
		call.delayChosen(wait);
		this.listeners.waiting(wait.source(), wait.delay());
		return sleep(wait.delay());
	}

	/** Wait; return why no attempt may follow, or null. */
	private Decision.@Nullable Stop await(Decision.RetryAfter retry, Outcome outcome, RetryCall call) {
		call.delayChosen(retry);
		this.listeners.waiting(new RetryEvent.Scheduled(this.policy.name(), this.method, call.attempt(),
				Duration.ofNanos(retry.delay()), retry.source(), outcome.cause(), outcome.failure(),
				repeats(outcome, call)), retry.delay());
		Decision.Stop stop = sleep(retry.delay());
		return (stop != null) ? stop : this.decider.decideAfterWait(outcome, call, now(call.attemptStarted()));
	}

	private RetryEvent.@Nullable RepeatedRequest repeats(Outcome outcome, RetryCall call) {
		String request = call.unsafeRequest();
		Idempotency idempotency = this.policy.idempotency();
		boolean unsaid = idempotency == Idempotency.ASSUMED || (idempotency == Idempotency.BY_KEY && !call.isKeyUsed());
		return (request != null && unsaid && outcome.mayBeApplied())
				? new RetryEvent.RepeatedRequest(request, idempotency) : null;
	}

	private Decision.@Nullable Stop sleep(long nanos) {
		try {
			this.safeguards.waiting().await(this.time, nanos);
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return new Decision.Stop(StopReason.INTERRUPTED, "the thread was interrupted while waiting", ex);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("time", ex);
			return new Decision.Stop(StopReason.NOT_RETRYABLE, "the wait failed with " + FailureRules.name(ex), ex);
		}
		finally {
			this.listeners.waited();
		}
	}

	private Ending end(Outcome outcome, Decision.Stop stop, RetryCall call) {
		long elapsed = call.elapsed(now(call.attemptStarted()));
		this.listeners.call(stop.reason(), elapsed);
		if (stop.reason() == StopReason.SUCCEEDED) {
			this.safeguards.succeeded(call);
			this.listeners.succeeded(new RetryEvent.Succeeded(this.policy.name(), this.method, call.attempt(),
					Duration.ofNanos(elapsed)));
			return new Ending(outcome, null);
		}
		if (outcome.failure() instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		return new Ending(outcome, new RetriesStoppedException(this.policy, this.method, call, outcome, stop, elapsed));
	}

	/** Recover if that is wanted, tell the story, and give the caller what it gets. */
	@SuppressWarnings({ "unchecked", "NullAway" }) // the value is a T, which says itself
													// whether it may be null
	private <C, T extends @Nullable Object, X extends Throwable> T finish(Ending ending, @Nullable RetryCall enclosing,
			C context, @Nullable Recovery<? super C, T, X> recovery) throws X {
		RetriesStoppedException story = ending.story();
		T result = (T) ending.outcome().value();
		if (story == null) {
			return result;
		}
		Throwable failure = ending.outcome().failure();
		if (failure != null && !FailureRules.isFatal(failure)) {
			StopMark.attach(failure, story);
		}
		Throwable thrown = failure;
		RetryEvent.RecoveryOutcome recovered = RetryEvent.RecoveryOutcome.NONE;
		if (recovery != null && wants(recovery, story)) {
			try {
				result = recovery.recover(context, story);
				thrown = null;
				recovered = RetryEvent.RecoveryOutcome.DONE;
			}
			catch (Throwable ex) {
				suppress(ex, (failure != null) ? failure : story);
				thrown = ex;
				recovered = RetryEvent.RecoveryOutcome.FAILED;
			}
		}
		this.listeners.stopped(new RetryEvent.Stopped(this.policy.name(), this.method, story, recovered, thrown));
		if (thrown == null) {
			return result;
		}
		if (enclosing != null) {
			enclosing.stoppedInside(thrown);
		}
		throw BlockingDriver.<X>asIs(thrown);
	}

	private <C, T extends @Nullable Object, X extends Throwable> boolean wants(Recovery<? super C, T, X> recovery,
			RetriesStoppedException story) {
		if (!story.reason().isRecoverable() || story.failure() instanceof Error) {
			return false;
		}
		try {
			return recovery.accepts(story);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("recovery", ex);
			return false;
		}
	}

	/*
	 * A recovery may throw one shared instance again and again, which must not collect
	 * the failures of all calls: one that carries a stopped failure already gets no
	 * other.
	 */
	private static void suppress(Throwable thrown, Throwable failure) {
		if (thrown == failure || FailureRules.isFatal(thrown)) {
			return;
		}
		Throwable[] carried = thrown.getSuppressed();
		for (Throwable earlier : carried) {
			if (earlier == failure || StopMark.of(earlier) != null) {
				return;
			}
		}
		if (carried.length < MOST_SUPPRESSED) {
			thrown.addSuppressed(failure);
		}
	}

	/* The operation threw it, so the caller expects it: checked or not, never wrapped. */
	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <X extends Throwable> X asIs(Throwable thrown) {
		return (X) thrown;
	}

	/**
	 * How a call that did not succeed at once ended.
	 *
	 * @param outcome the last attempt's
	 * @param story what happened, or null for a success
	 */
	private record Ending(Outcome outcome, @Nullable RetriesStoppedException story) {
	}

}
