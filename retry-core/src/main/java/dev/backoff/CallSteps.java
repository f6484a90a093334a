package dev.backoff;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.Ticket;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.failure.Idempotency;
import dev.backoff.pace.Pace;
import dev.backoff.pace.PacedException;

/**
 * Carry a call from attempt to attempt, however its driver waits: ask the decider and
 * apply its answer, keep the accounts of the guard, write the history and publish it.
 * Decide nothing. Thread-safe.
 */
record CallSteps(CallSettings settings, RetryDecider decider, CallEvents events, OverloadGuard guard,
		CallRegistry registry, AttemptLimit limit) {

	/** Run an attempt that is limited, listed or observed. */
	<C, T extends @Nullable Object, X extends Throwable> T runEnclosed(CallState call, C context,
			Operation.OnContext<C, T, X> operation) throws X {
		return CallEvents.within(call.observeAttempt(),
				() -> this.limit.run(call, () -> operation.run(context, call.attempt)));
	}

	/** Return whether attempts are limited, listed or observed. */
	boolean isEnclosing() {
		return this.limit.encloses() || this.events.isObserved();
	}

	/** Make an attempt on this thread and judge it. */
	<C, T extends @Nullable Object, X extends Throwable> Outcome attempt(CallState call, C context,
			Operation.OnContext<C, T, X> operation) {
		try {
			T result = isEnclosing() ? runEnclosed(call, context, operation) : operation.run(context, call.attempt);
			return Outcome.ofValue(this.decider.judge(result, context), result);
		}
		catch (Throwable failure) {
			return this.decider.judge(failure, call);
		}
	}

	/** Begin a call; return the permit of its first attempt, or null if it has none. */
	@Nullable Permit begin(CallState call, @Nullable Object context) {
		// first, since virtual time stands only for calls that it knows of
		this.events.callBegins(call);
		call.begin(this.settings.of(context), now());
		return this.guard.tryAcquire(call, call.started());
	}

	/** Return the delays of one call that begins now and whose attempts all fail. */
	Supplier<@Nullable Duration> delays() {
		CallState call = new CallState(null);
		call.begin(this.settings, now());
		Outcome failed = Outcome.ofValue(AttemptOutcome.RESULT, null);
		return () -> {
			DecisionInput input = new DecisionInput(failed, call.attempt, 0, call.history().previousDelay, false, false,
					0, false, call.timeLeft(now()), false, DecisionInput.Breaker.PERMITTING, false, null);
			if (!(this.decider.decide(input) instanceof Decision.RetryAfter wait)) {
				return null;
			}
			call.history().addWait(wait);
			call.beginNext(call.started());
			return Duration.ofNanos(wait.delay());
		};
	}

	/** Return what follows when the first attempt has no permit. */
	Decision refused(CallState call) {
		return refused(call, call.started());
	}

	private Decision refused(CallState call, long now) {
		Ticket ticket = call.ticket;
		return (ticket != null) ? this.decider.decideInQueue(ticket, call, now, this.registry.isShutDown())
				: this.decider.decide(input(call, true, false, this.guard.refusal(call, now), now));
	}

	/** Go on with a stored call: return its attempt, a wait or the end. */
	Decision resume(CallState call, ResumedCall stored, @Nullable Object context) {
		this.events.callGoesOn(call, stored);
		long now = now();
		call.resume(this.settings.of(context), stored, now);
		if (stored.loss() != null) {
			return new Decision.Stop(StopReason.LOST, stored.loss()).after("the attempt before threw ",
					stored.failure());
		}
		Decision.Stop stop = this.decider.decideAfterWait(null, call.timeLeft(now), false);
		if (stop != null) {
			return stop.after("the attempt before threw ", stored.failure());
		}
		if (this.settings.retries().off() != null) {
			return this.decider.decide(input(call, false, false, DecisionInput.Breaker.PERMITTING, now));
		}
		Permit permit = this.guard.tryAcquire(call, now);
		if (permit == null) {
			return this.decider.decide(input(call, true, false, this.guard.refusal(call, now), now));
		}
		if (isPaying(stored)) {
			Decision due = this.decider.decide(input(call, false, true, DecisionInput.Breaker.PERMITTING, now));
			if (!(due instanceof Decision.RetryAfter paid) || paid.delay() > 0) {
				this.guard.released(call, permit);
				return due;
			}
		}
		return new Decision.Proceed(permit, null);
	}

	/* After a failure. To ask again for a result that is not final is free. */
	private boolean isPaying(ResumedCall stored) {
		return this.guard.budget() != null && stored.attempts() > 0
				&& (stored.failure() != null || this.settings.policy().until() == null);
	}

	void succeededOnFirstAttempt(CallState call, Permit permit) {
		long now = now();
		// a stored call began long before its attempt
		long nanos = Math.max(0, now - call.attemptStart);
		this.guard.succeededOnFirstAttempt(call, permit, nanos, now);
		this.events.succeededOnFirstAttempt(call, nanos);
	}

	Decision afterAttempt(Outcome outcome, Permit permit, CallState call) {
		long now = now();
		long nanos = Math.max(0, now - call.attemptStart);
		this.guard.ended(call, permit, outcome, nanos, now);
		this.events.attempt(call, outcome.kind(), outcome.failure(), nanos);
		call.history().addAttempt(outcome, nanos);
		Decision next = this.decider.decide(input(call, false, false, this.guard.answer(call, now), now));
		Pace pace = call.settings().pace();
		if (pace != null && next instanceof Decision.RetryAfter wait && wait.source() == DelaySource.PACE) {
			call.ticket = pace.enter(true, now);
			return refused(call, now);
		}
		return next;
	}

	private DecisionInput input(CallState call, boolean paid, boolean waitedForBudget, DecisionInput.Breaker breaker,
			long now) {
		AttemptHistory history = call.history();
		return new DecisionInput(history.lastOutcome, call.attempt, history.postponed, history.previousDelay, paid,
				waitedForBudget, history.attemptNanos(), history.finalPoll, call.timeLeft(now),
				this.registry.isShutDown(), breaker, !this.guard.isDurable() && call.settings().pace() != null,
				// a stored call pays when its attempt is due
				(this.guard.isDurable() && !waitedForBudget) ? null : history.withdrawals(this.guard.budget()));
	}

	void waiting(Decision.RetryAfter wait, CallState call) {
		call.history().addWait(wait);
		Outcome outcome = call.lastOutcome();
		this.events.waiting(call, wait, (outcome != null) ? scheduled(wait, outcome, call) : null);
		call.attemptStart = now() + wait.delay();
	}

	private RetryEvent.Scheduled scheduled(Decision.RetryAfter wait, Outcome outcome, CallState call) {
		return new RetryEvent.Scheduled(this.settings.policy().name(), this.settings.method(), call.attempt,
				Duration.ofNanos(wait.published()), wait.source(), outcome.cause(), outcome.failure());
	}

	/** Note that a wait is over, for any reason. */
	void waited(CallState call) {
		this.events.waited();
		if (call.ticket != null) {
			long nanos = call.history().shortenLastWait(call.attemptStart - now());
			this.events.queued((call.awaitedPace() != null) ? DelaySource.PACE : DelaySource.CONCURRENCY, nanos);
		}
	}

	/** Return what follows a wait: the attempt, another wait or the end. */
	Decision afterWait(CallState call) {
		long now = now();
		Ticket ticket = call.ticket;
		if (ticket != null && !ticket.isGranted()) {
			return refused(call, now);
		}
		Outcome outcome = call.lastOutcome();
		Decision.Stop stop = this.decider.decideAfterWait(outcome, call.timeLeft(now), this.registry.isShutDown());
		if (stop != null) {
			return stop;
		}
		if (outcome != null && call.history().lastSource() == DelaySource.BUDGET) {
			call.history().addPostponed();
			Decision decision = this.decider.decide(input(call, false, true, this.guard.answer(call, now), now));
			if (!(decision instanceof Decision.RetryAfter retry) || retry.delay() > 0) {
				return decision;
			}
		}
		Permit permit = this.guard.tryAcquire(call, now);
		if (permit == null) {
			if (call.ticket == null) {
				call.history().addPostponed();
			}
			return refused(call, now);
		}
		if (outcome == null) {
			call.attemptStart = now;
			return new Decision.Proceed(permit, null);
		}
		this.events.drop(outcome.value());
		call.beginNext(now);
		return new Decision.Proceed(permit, outcome.cause());
	}

	/** Publish that an attempt is made, if it is a retry. */
	void attempting(Decision.Proceed proceed) {
		if (proceed.cause() != null) {
			this.events.retry(proceed.cause());
		}
	}

	/** Give the permit of an attempt back that is not made, or that does not count. */
	void releaseUncounted(Decision.Proceed proceed, CallState call) {
		this.guard.released(call, proceed.permit());
		CallObserver.ObservedAttempt observed = call.takeObservedAttempt();
		if (observed != null) {
			observed.ends(AttemptOutcome.CANCELLED, null);
		}
	}

	/** End an attempt that timed out before it began. The breaker does not count it. */
	Decision timedOutUnbegun(Decision.Proceed proceed, CallState call) {
		this.guard.released(call, proceed.permit());
		attempting(proceed);
		call.observeAttempt();
		return afterAttempt(this.decider.judge(this.limit.exceeded(call, null).unbegun(), call), Permit.UNCOUNTED,
				call);
	}

	/** End a call that did not succeed at once; add the stop report to its failure. */
	CallResult end(Decision.Stop stop, CallState call) {
		long now = now();
		Outcome outcome = call.lastOutcome();
		Ticket ticket = call.ticket;
		Pace pace = call.awaitedPace();
		call.leaveQueue();
		if (outcome == null) {
			// a call that is cancelled between its permit and its attempt was not refused
			boolean permitted = stop.reason() == StopReason.CANCELLED && this.guard.answer(call, now).permitting();
			Throwable refusal = (pace != null) ? new PacedException(pace.name(), pace.status()) : (ticket != null)
					? ticket.limit().rejection() : permitted ? null : this.guard.rejection(call, now);
			outcome = Outcome.ofRefused(AttemptOutcome.PERMANENT, refusal, stop);
		}
		long elapsed = call.elapsed(now);
		this.events.callStops(call, stop.reason(), elapsed);
		RetryBudget.Withdrawals withdrawals = call.history().withdrawals(this.guard.budget());
		if (withdrawals != null) {
			withdrawals.ended(outcome.kind() == AttemptOutcome.SUCCESS);
		}
		if (stop.reason() == StopReason.SUCCEEDED) {
			this.events.succeeded(call, new RetryEvent.Succeeded(this.settings.policy().name(), this.settings.method(),
					call.attempt, Duration.ofNanos(elapsed)));
			return new CallResult(outcome, null, null);
		}
		Throwable failure = outcome.failure();
		AttemptHistory history = call.history();
		AttemptContext context = call.contextIfAny();
		RetriesStoppedException.Details details = new RetriesStoppedException.Details(this.settings.policy().name(),
				this.settings.method(), stop.reason(),
				stop.after("the first failure was ", history.firstFailure(failure)).why(), history.attempts,
				this.settings.policy().maxAttempts(), Duration.ofNanos(elapsed), history.waits(),
				history.attemptTimes(), history.waitsAbridged, history.isAttemptsAbridged(), failure, outcome.value(),
				(context != null) ? context.keyIfUsed() : null, CallState.host(call.requested));
		// another call may get the same instance, so that one attempt proves nothing
		boolean settled = call.attempt > 1 || isUnrepeatable(outcome);
		RetriesStoppedException report = new RetriesStoppedException(details, stop.problem(), call.started(), settled);
		if (failure != null && !Outcome.isFatal(failure)) {
			report.attachTo(failure);
		}
		return new CallResult(outcome, report, call.observed());
	}

	/** Recover a stopped call on this thread if it has a recovery. */
	<C, T extends @Nullable Object, X extends Throwable> CallResult recover(CallResult result,
			RetriesStoppedException report, C context, @Nullable Recovery<? super C, T, X> recovery) {
		if (recovery == null || !wants(recovery, report)) {
			return result;
		}
		try {
			return result.recovered(CallEvents.within(result.observed(), () -> recovery.recover(context, report)));
		}
		catch (Throwable ex) {
			return result.recoveryFailed(ex);
		}
	}

	boolean wants(Recovery<?, ?, ?> recovery, RetriesStoppedException report) {
		Throwable failure = report.failure();
		if (!report.reason().isRecoverable() || (failure != null && Causes.thrown(failure) instanceof Error)) {
			return false;
		}
		try {
			return recovery.accepts(report);
		}
		catch (Throwable ex) {
			this.events.hookFailed("recovery", ex);
			return false;
		}
	}

	/** Publish the end of a call that stopped. */
	void stopped(CallResult result, RetriesStoppedException report, @Nullable CallState enclosing) {
		Throwable thrown = result.thrown();
		Decision.Stop refusal = result.outcome().refusal();
		this.events.stopped(result, new RetryEvent.Stopped(this.settings.policy().name(), this.settings.method(),
				report, result.recovery(), thrown, refusal != null && refusal.isUnmeant(), result.outcome().kind()));
		boolean unrepeatable = isUnrepeatable(result.outcome());
		// neither retried nor forbidden, so that policies around it judge it themselves
		boolean leftToOthers = report.attempts() == 1 && !unrepeatable
				&& (report.reason() == StopReason.NOT_RETRYABLE || report.reason() == StopReason.DISABLED);
		if (thrown != null && enclosing != null && !leftToOthers) {
			enclosing.context().noteHandled(thrown, report, unrepeatable);
		}
	}

	private boolean isUnrepeatable(Outcome outcome) {
		return this.settings.policy().idempotency() == Idempotency.NO && outcome.mayBeApplied();
	}

	private long now() {
		return this.settings.time().nanoTime();
	}

}
