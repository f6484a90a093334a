package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * What is done for a call between its attempts, however its driver waits: ask the
 * decider, keep the safeguards' accounts, write the story and tell it. Thread-safe.
 */
final class CallSteps {

	private static final int MOST_SUPPRESSED = 8;

	private final CallTerms terms;

	private final RetryPolicy policy;

	private final String method;

	private final RetryTime time;

	private final RetryDecider decider;

	private final ListenerChain listeners;

	private final Safeguards safeguards;

	private final BreakerGate breaker;

	private final CallTeller teller;

	CallSteps(RetryPolicy policy, String method, RetryTime time, RetryDecider decider, ListenerChain listeners,
			Safeguards safeguards) {
		this.safeguards = safeguards;
		this.breaker = safeguards.breaker();
		this.terms = new CallTerms(policy, time);
		this.policy = policy;
		this.method = method;
		this.time = time;
		this.decider = decider;
		this.listeners = listeners;
		this.teller = new CallTeller(listeners);
	}

	/** Return whether calls are observed. */
	boolean isObserving() {
		return this.teller.isObserving();
	}

	/** Begin a call; return the permit of its first attempt, or null if it has none. */
	@Nullable Permit begin(RetryCall call) {
		call.begin(this.terms, start());
		this.teller.callBegins(call);
		return this.breaker.tryAcquire(call, call.started());
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

	/** Return what follows when the breaker refuses the first attempt. */
	Turn refused(RetryCall call) {
		return this.decider.decideFirst(call, call.started());
	}

	/** Note that the first attempt has succeeded, and with it the call. */
	void succeededAtOnce(RetryCall call, Permit permit) {
		long now = now(call.started());
		long nanos = call.elapsed(now);
		this.safeguards.succeededAtOnce(permit, nanos, now);
		this.teller.succeededAtOnce(call, nanos);
	}

	/** Note the end of any other attempt; return what follows. */
	Turn attemptEnded(Outcome outcome, Permit permit, RetryCall call) {
		long now = now(call.attemptStarted());
		long nanos = Math.max(0, now - call.attemptStarted());
		this.safeguards.ended(permit, outcome, nanos, now);
		this.teller.attempt(call, outcome.kind(), outcome.failure(), nanos);
		call.attemptEnded(outcome, nanos);
		return this.decider.decide(outcome, call, now);
	}

	/** Note that a wait begins. */
	void waiting(Decision.RetryAfter wait, RetryCall call) {
		call.addWait(wait);
		Outcome outcome = call.lastOutcome();
		this.teller.waiting(call, wait, (outcome != null) ? scheduled(wait, outcome, call) : null);
	}

	private RetryEvent.Scheduled scheduled(Decision.RetryAfter wait, Outcome outcome, RetryCall call) {
		return new RetryEvent.Scheduled(this.policy.name(), this.method, call.attempt(), Duration.ofNanos(wait.delay()),
				wait.source(), outcome.cause(), outcome.failure(), repeats(outcome, call));
	}

	private RetryEvent.@Nullable RepeatedRequest repeats(Outcome outcome, RetryCall call) {
		String request = call.unsafeRequest();
		Idempotency idempotency = this.policy.idempotency();
		boolean unsaid = idempotency == Idempotency.ASSUMED || (idempotency == Idempotency.BY_KEY && !call.isKeyUsed());
		return (request != null && unsaid && outcome.mayBeApplied())
				? new RetryEvent.RepeatedRequest(request, idempotency) : null;
	}

	/** Note that the wait has ended, however it did. */
	void waited() {
		this.listeners.waited();
	}

	/** Return what follows when an operator has ended the wait. */
	Turn stoppedWaiting() {
		return new Decision.Stop(StopReason.STOPPED, "an operator has ended the wait");
	}

	/** Return whether retries were switched off since the call has begun to wait. */
	boolean isSwitchedOff(RetryCall call) {
		AttemptOutcome kind = call.lastKind();
		return kind != null && this.decider.isSwitchedOff(kind);
	}

	/** Run something later that may as well not run. */
	void schedule(Runnable task, long nanos) {
		try {
			this.time.schedule(task, nanos);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("time", ex);
		}
	}

	/**
	 * Read the ticker where nothing depends on it: one that throws is told of elsewhere.
	 */
	long reading(long otherwise) {
		try {
			return this.time.nanoTime();
		}
		catch (Throwable ex) {
			return otherwise;
		}
	}

	String policy() {
		return this.policy.name();
	}

	String method() {
		return this.method;
	}

	/** Return what follows when the time could not be waited for. */
	Turn waitFailed(Throwable failure) {
		this.listeners.hookFailed("time", failure);
		return new Decision.Stop(StopReason.NOT_RETRYABLE, "the wait failed with " + FailureRules.name(failure),
				failure);
	}

	/** Return what follows a wait. */
	Turn afterWait(RetryCall call) {
		Outcome outcome = call.lastOutcome();
		return (outcome != null) ? afterWaitForNext(outcome, call) : afterWaitForFirst(call);
	}

	private Turn afterWaitForFirst(RetryCall call) {
		long now = now(call.started());
		if (call.timeLeft(now) <= 0) {
			return new Decision.Stop(StopReason.DEADLINE, "the wait took longer than chosen");
		}
		Permit permit = this.breaker.tryAcquire(call, now);
		if (permit != null) {
			call.beginFirst(now);
			return new Turn.Permitted(permit);
		}
		call.postponed(false);
		return this.decider.decideFirst(call, now);
	}

	private Turn afterWaitForNext(Outcome outcome, RetryCall call) {
		long now = now(call.attemptStarted());
		Decision.Stop stop = this.decider.decideAfterWait(outcome, call, now);
		if (stop != null) {
			return stop;
		}
		if (call.lastSource() != DelaySource.BUDGET) {
			return beginNext(outcome, call, now);
		}
		call.postponed(true);
		Decision decision = this.decider.decideWorthwhile(outcome, call, now);
		// the wait for the budget was its delay
		boolean waited = decision instanceof Decision.RetryAfter retry && retry.delay() == 0;
		return waited ? beginNext(outcome, call, now) : decision;
	}

	private Turn beginNext(Outcome outcome, RetryCall call, long now) {
		Permit permit = this.breaker.tryAcquire(call, now);
		if (permit == null) {
			call.postponed(false);
			return this.decider.decideRefused(outcome, call, now);
		}
		this.listeners.retry(outcome.cause());
		call.beginNext(now);
		return new Turn.Permitted(permit);
	}

	/** End a call that did not succeed at once. */
	Ending end(Decision.Stop stop, RetryCall call) {
		long now = now(call.attemptStarted());
		Outcome outcome = call.lastOutcome();
		if (outcome == null) {
			CircuitOpenException refused = this.breaker.rejection(now);
			call.noAttempt();
			outcome = Outcome.ofRefused(AttemptOutcome.PERMANENT, refused, stop);
		}
		long elapsed = call.elapsed(now);
		this.teller.callStops(call, stop.reason(), elapsed);
		if (stop.reason() == StopReason.SUCCEEDED) {
			this.safeguards.succeeded(call);
			this.teller.succeeded(call, new RetryEvent.Succeeded(this.policy.name(), this.method, call.attempt(),
					Duration.ofNanos(elapsed)));
			return new Ending(outcome, null, null);
		}
		RetriesStoppedException.Story story = new RetriesStoppedException.Story(this.policy.name(), this.method,
				stop.reason(), stop.why(), call.attempt(), this.policy.maxAttempts(), Duration.ofNanos(elapsed),
				call.waits(), call.attemptTimes(), call.isWaitsAbridged(), call.isAttemptsAbridged(), outcome.failure(),
				outcome.value(), call.keyIfUsed());
		return new Ending(outcome, new RetriesStoppedException(story, stop.problem(), call.started()),
				call.observation());
	}

	/** Mark the failure of a call that ended without success. */
	void mark(Ending ending, RetriesStoppedException story) {
		Throwable failure = ending.outcome().failure();
		if (failure != null && !FailureRules.isFatal(failure)) {
			story.attachTo(failure);
		}
	}

	/** Return whether a recovery follows. */
	boolean wants(Recovery<?, ?, ?> recovery, RetriesStoppedException story) {
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

	/** Let what a recovery threw carry what it was to recover from. */
	void recoveryFailed(Throwable thrown, Ending ending, RetriesStoppedException story) {
		Throwable failure = ending.outcome().failure();
		suppress(thrown, (failure != null) ? failure : story);
	}

	/** Tell the end of a call without success. */
	void stopped(Ending ending, RetriesStoppedException story, RetryEvent.RecoveryOutcome recovered,
			@Nullable Throwable thrown, @Nullable RetryCall enclosing) {
		this.teller.stopped(ending, new RetryEvent.Stopped(this.policy.name(), this.method, story, recovered, thrown));
		if (thrown != null && enclosing != null) {
			enclosing.stoppedInside(thrown);
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
			if (earlier == failure || RetriesStoppedException.on(earlier) != null) {
				return;
			}
		}
		if (carried.length < MOST_SUPPRESSED) {
			thrown.addSuppressed(failure);
		}
	}

}
