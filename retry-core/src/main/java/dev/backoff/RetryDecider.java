package dev.backoff;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.Ticket;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

/**
 * Decide after each attempt and each wait: "again after this delay" or "stop, because".
 * Drivers add only what ends their own waits, such as an interruption.
 * <p>
 * The order of the steps is part of the contract. What is cheap and certain comes first.
 * A token of the budget, which is shared, comes last, so that a call which is going to
 * stop anyway takes none. The decider waits for nothing and reads no clock. Thread-safe.
 */
record RetryDecider(RetryPolicy policy, FailureRules rules, CallSettings.Switch retries, RandomSource random,
		CallEvents events, boolean acceptsAll) {

	/*
	 * A budget does not know when it pays again, nor a breaker that was opened by hand
	 * when it permits again. Without a delay of the policy, waiting for either would keep
	 * a processor busy.
	 */
	private static final long LEAST_POSTPONEMENT = 10_000_000;

	/* A day. Then the call goes on waiting at its place. */
	private static final long LONGEST_IN_QUEUE = 86_400_000_000_000L;

	RetryDecider(RetryPolicy policy, CallSettings.Switch retries, RandomSource random, CallEvents events) {
		this(policy, new FailureRules(policy), retries, random, events,
				policy.retryWhen() == null && policy.until() == null);
	}

	/** Return what a result amounts to: a success, a failure, or not final yet. */
	AttemptOutcome judge(@Nullable Object result, @Nullable Object context) {
		if (this.acceptsAll) {
			return AttemptOutcome.SUCCESS;
		}
		if (isMet("retryWhen condition", this.policy.retryWhen(), result, context, false)) {
			return AttemptOutcome.RESULT;
		}
		return isMet("until condition", this.policy.until(), result, context, true) ? AttemptOutcome.SUCCESS
				: AttemptOutcome.PENDING;
	}

	private boolean isMet(String hook, @Nullable RetryCondition condition, @Nullable Object result,
			@Nullable Object context, boolean otherwise) {
		if (condition == null) {
			return otherwise;
		}
		try {
			return condition.test(result, context);
		}
		catch (Throwable ex) {
			this.events.hookFailed(hook, ex);
			return otherwise;
		}
	}

	Outcome judge(Throwable failure, CallState call) {
		Outcome outcome = this.rules.judge(failure, call);
		if (outcome.refusal() != null && outcome.refusal().problem() != null) {
			this.events.hookFailed("classifier", outcome.refusal().problem());
		}
		return outcome;
	}

	/** Decide what follows an attempt, or a wait that was followed by none. */
	Decision decide(DecisionInput input) {
		Decision.Stop stop = judged(input.outcome());
		stop = (stop != null) ? stop : noRetryLeft(input);
		stop = (stop != null) ? stop : refusedByBreaker(input);
		Decision next = (stop != null) ? stop : delay(input);
		next = (next instanceof Decision.RetryAfter wait) ? afterBreaker(wait, input) : next;
		next = (next instanceof Decision.RetryAfter wait) ? beforeDeadline(wait, input) : next;
		return (next instanceof Decision.RetryAfter wait) ? paid(wait, input) : next;
	}

	/* 1. A good result. 2. A failure that deserves no other attempt. */
	private static Decision.@Nullable Stop judged(@Nullable Outcome outcome) {
		return (outcome == null) ? null
				: (outcome.kind() == AttemptOutcome.SUCCESS) ? Decision.SUCCEEDED : outcome.refusal();
	}

	/*
	 * 3. Retries are switched on, attempts are left, and the application goes on. A first
	 * attempt is no retry: only its wait for the breaker ends with the application.
	 */
	private Decision.@Nullable Stop noRetryLeft(DecisionInput input) {
		Outcome outcome = input.outcome();
		if (outcome == null) {
			return (input.shutDown() && input.breaker().awaited()) ? Decision.SHUTDOWN : null;
		}
		Decision.Stop off = switchedOff(outcome);
		boolean exhausted = input.attempt() >= this.policy.maxAttempts()
				&& this.policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		return (off != null) ? off
				: exhausted ? Decision.ATTEMPTS_EXHAUSTED : input.shutDown() ? Decision.SHUTDOWN : null;
	}

	/* 4. The breaker permits an attempt, or lets the call wait. */
	private static Decision.@Nullable Stop refusedByBreaker(DecisionInput input) {
		DecisionInput.Breaker breaker = input.breaker();
		return (breaker.permitting() || breaker.awaited()) ? null : Decision.breakerOpen(breaker.name());
	}

	/* 5. The delay that the policy's rule chooses, which the server's hint may raise. */
	private Decision delay(DecisionInput input) {
		Outcome outcome = input.outcome();
		boolean throttled = outcome != null && outcome.kind() == AttemptOutcome.THROTTLED;
		BackoffRule rule = this.policy.rule(throttled);
		// waits that are followed by no attempt grow too, up to the longest planned one
		int longest = Math.max(1, this.policy.maxAttempts() - 1);
		int number = (int) Math.min(longest, (long) input.attempt() + input.postponed());
		long own = rule.delay(number, input.previousDelay(), this.random);
		if (input.waitedForBudget()) {
			// that wait was the delay
			return new Decision.RetryAfter(input.breaker().permitting() ? 0 : own, own, DelaySource.POLICY);
		}
		Duration hint = null;
		if (outcome != null && this.policy.isRetryAfterEnabled()) {
			if (outcome.isPushedBack()) {
				return Decision.PUSHED_BACK;
			}
			hint = outcome.hint();
		}
		if (hint != null && throttled && input.paced() && Nanos.of(hint) <= this.policy.retryAfterMaxNanos()) {
			return new Decision.RetryAfter(0, own, DelaySource.PACE);
		}
		return (hint != null) ? raised(own, rule.baseNanos(), Nanos.of(hint))
				: new Decision.RetryAfter(own, own, DelaySource.POLICY);
	}

	/* A breaker that is awaited raises the delay to the time until its next permit. */
	private static Decision.RetryAfter afterBreaker(Decision.RetryAfter wait, DecisionInput input) {
		DecisionInput.Breaker breaker = input.breaker();
		if (breaker.permitting()) {
			return wait;
		}
		long delay = Math.max(wait.delay(), Nanos.plus(breaker.untilPermit(), wait.ownDelay()));
		return new Decision.RetryAfter(Math.max(delay, LEAST_POSTPONEMENT), wait.ownDelay(), DelaySource.BREAKER);
	}

	/*
	 * The hint is a floor, and clients that got the same hint must not return together:
	 * hence a spread above it, of a tenth of the hint or of the base.
	 */
	private Decision raised(long own, long base, long hint) {
		if (hint > this.policy.retryAfterMaxNanos()) {
			return Decision.hintTooLong(hint, this.policy.retryAfterMaxNanos());
		}
		long spread = (long) (this.random.next() * Math.max(hint / 10, base));
		long raised = Nanos.plus(hint, spread);
		return (raised > own) ? new Decision.RetryAfter(raised, own, DelaySource.HINT)
				: new Decision.RetryAfter(own, own, DelaySource.POLICY);
	}

	/*
	 * 6. The delay and the shortest attempt fit before the deadline. A result that is not
	 * final gets one final poll where they do not.
	 */
	private Decision beforeDeadline(Decision.RetryAfter wait, DecisionInput input) {
		Outcome outcome = input.outcome();
		boolean pending = outcome != null && outcome.kind() == AttemptOutcome.PENDING;
		if (pending && input.finalPoll()) {
			return Decision.STILL_PENDING;
		}
		if (fits(wait.delay(), input.timeLeft())) {
			return wait;
		}
		long last = (pending && this.policy.isFinalPoll()) ? untilFinalPoll(input) : 0;
		return (last > input.breaker().untilPermit())
				? new Decision.RetryAfter(last, wait.ownDelay(), DelaySource.POLICY)
				: Decision.deadline(wait.delay(), input.timeLeft());
	}

	/*
	 * Leave room for another attempt like the one before. Callers with one deadline ask
	 * at any time in the second half, so that they do not return together.
	 */
	private long untilFinalPoll(DecisionInput input) {
		long room = Math.max(this.policy.shortestAttemptNanos(), input.attemptNanos());
		long half = (input.timeLeft() - room) / 2;
		return half + (long) (this.random.next() * half);
	}

	private boolean fits(long delay, long timeLeft) {
		return timeLeft == Nanos.UNLIMITED || Nanos.plus(delay, this.policy.shortestAttemptNanos()) < timeLeft;
	}

	/*
	 * 7. A token of the budget, once for each retry: one that the breaker refuses after
	 * its wait has been paid. Asking again for a result that is not final costs nothing.
	 * So does a retry that waits for its turn, since the server has told when it may
	 * come. A stored call has no outcome here, and waits for its token. A call that has
	 * waited is not barred, since the bar may wait for its success.
	 */
	private Decision paid(Decision.RetryAfter wait, DecisionInput input) {
		Outcome outcome = input.outcome();
		RetryBudget.Withdrawals withdrawals = input.withdrawals();
		boolean stored = outcome == null && input.waitedForBudget();
		boolean free = !stored && (outcome == null || outcome.kind() == AttemptOutcome.PENDING);
		if (free || withdrawals == null || input.paid() || wait.source() == DelaySource.PACE) {
			return wait;
		}
		boolean postponing = stored || (this.policy.isPostponedWhenEmpty() && withdrawals.budget().mayPay());
		boolean afterTimeout = (outcome != null) ? outcome.isTimeout() : withdrawals.isAfterTimeout();
		boolean barred = afterTimeout && !input.waitedForBudget() && withdrawals.isBarred(postponing);
		if (!barred && withdrawals.tryWithdraw(postponing, afterTimeout)) {
			return wait;
		}
		long next = Math.max(wait.delay(), wait.ownDelay());
		if (!fits(next, input.timeLeft())) {
			return Decision.deadline(next, input.timeLeft());
		}
		return postponing
				? new Decision.RetryAfter(Math.max(next, LEAST_POSTPONEMENT), wait.ownDelay(), DelaySource.BUDGET)
				: Decision.budget(withdrawals.budget().name(), barred);
	}

	/**
	 * Decide what follows when an attempt has no permit, or no turn: a wait in the queue,
	 * which takes nothing from others and whose end is unknown, or the end of the call. A
	 * hold is certain, so that it must fit before the deadline.
	 */
	Decision decideInQueue(Ticket ticket, CallState call, long now, boolean shutDown) {
		Pace pace = call.awaitedPace();
		if (ticket.isRefused()) {
			return (pace != null) ? Decision.PACE_FULL : Decision.queueFull(ticket.limit());
		}
		Decision.Stop stop = shutDown ? Decision.SHUTDOWN : switchedOff(call.lastOutcome());
		if (stop != null) {
			return stop;
		}
		long timeLeft = call.timeLeft(now);
		if (timeLeft <= 0) {
			return (pace != null) ? Decision.WITHOUT_TURN : Decision.WITHOUT_PERMIT;
		}
		long held = (pace != null) ? pace.nanosHeld(now) : 0;
		return (held > 0 && !fits(held, timeLeft)) ? Decision.deadline(held, timeLeft) : new Decision.RetryAfter(
				Math.min(timeLeft, LONGEST_IN_QUEUE), 0, (pace != null) ? DelaySource.PACE : DelaySource.CONCURRENCY);
	}

	/** Return why the attempt must not start that was waited for, or null. */
	Decision.@Nullable Stop decideAfterWait(@Nullable Outcome outcome, long timeLeft, boolean shutDown) {
		Decision.Stop stop = (shutDown && outcome != null) ? Decision.SHUTDOWN : switchedOff(outcome);
		return (stop == null && timeLeft <= 0) ? Decision.OVERSLEPT : stop;
	}

	/* Polling goes on while retries are off. */
	private Decision.@Nullable Stop switchedOff(@Nullable Outcome outcome) {
		return (outcome != null && outcome.kind() != AttemptOutcome.PENDING) ? this.retries.off() : null;
	}

}
