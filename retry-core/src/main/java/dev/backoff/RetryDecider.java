package dev.backoff;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.DelaySource;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The only place that decides: after each attempt, "again after this delay" or "stop,
 * because".
 * <p>
 * The order of the steps is part of the contract. What is cheap and certain comes first;
 * what spends something shared comes last, so that a call which is going to stop anyway
 * takes nothing from others. The decider waits for nothing and reads no clock: time and
 * chance are arguments. Thread-safe.
 */
final class RetryDecider {

	/*
	 * Nobody can tell when a budget pays again, or when a breaker that was opened by hand
	 * permits again: without a delay of the policy, waiting for it would keep a processor
	 * busy.
	 */
	private static final long LEAST_POSTPONEMENT = 10_000_000;

	private final RetryPolicy policy;

	private final FailureRules rules;

	private final BooleanSupplier enabled;

	private final RandomSource random;

	private final ListenerChain listeners;

	private final BreakerGate breaker;

	private final Safeguards safeguards;

	private final boolean acceptsAll;

	RetryDecider(RetryPolicy policy, BooleanSupplier enabled, RandomSource random, ListenerChain listeners,
			Safeguards safeguards) {
		this.safeguards = safeguards;
		this.breaker = safeguards.breaker();
		this.policy = policy;
		this.rules = new FailureRules(policy);
		this.enabled = enabled;
		this.random = random;
		this.listeners = listeners;
		this.acceptsAll = policy.retryWhen() == null && policy.until() == null;
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

	/** Return what a failure amounts to. */
	Outcome judge(Throwable failure, RetryCall call) {
		Outcome outcome = this.rules.judge(failure, call);
		if (outcome.refusal() != null && outcome.refusal().problem() != null) {
			this.listeners.hookFailed("classifier", outcome.refusal().problem());
		}
		return outcome;
	}

	/** Decide what follows an attempt. */
	Decision decide(Outcome outcome, RetryCall call, long now) {
		// 1. a good result
		if (outcome.kind() == AttemptOutcome.SUCCESS) {
			return new Decision.Stop(StopReason.SUCCEEDED);
		}
		// 2. worth retrying
		if (outcome.refusal() != null) {
			return outcome.refusal();
		}
		return decideWorthwhile(outcome, call, now);
	}

	/**
	 * Decide what follows an attempt that is worth another one: at once, or after a wait
	 * for the breaker or for the budget, which counts as no attempt.
	 */
	Decision decideWorthwhile(Outcome outcome, RetryCall call, long now) {
		// 3. switched on, attempts left; polling goes on while retries are off
		Decision.Stop switchedOff = switchedOff(outcome.kind());
		if (switchedOff != null) {
			return switchedOff;
		}
		if (call.attempt() >= this.policy.maxAttempts()
				&& this.policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS) {
			return new Decision.Stop(StopReason.ATTEMPTS_EXHAUSTED);
		}
		if (this.safeguards.waiting().isShutDown()) {
			return shutDown();
		}
		// 4. the breaker permits
		boolean permitting = this.breaker.isPermitting(now);
		if (!permitting && !this.breaker.isAwaited()) {
			return refusedByBreaker();
		}
		// 5. the delay, raised by the server's hint
		Decision decision = delay(outcome, call, now);
		if (!permitting && decision instanceof Decision.RetryAfter retry) {
			decision = awaitBreaker(retry, now);
		}
		// a retry that was postponed for the budget has waited its delay
		if (decision instanceof Decision.RetryAfter retry && permitting && call.hasWaitedForBudget()) {
			return decideWaited(retry, outcome, call, now);
		}
		// 6. it fits before the deadline
		if (decision instanceof Decision.RetryAfter retry && !fits(retry.delay(), call.timeLeft(now))) {
			return missesDeadline(retry.delay(), call, now);
		}
		// 7. a token of the budget
		return (decision instanceof Decision.RetryAfter retry && !pays(outcome, call)) ? unpaid(retry) : decision;
	}

	private Decision decideWaited(Decision.RetryAfter next, Outcome outcome, RetryCall call, long now) {
		if (!fits(0, call.timeLeft(now))) {
			return missesDeadline(0, call, now);
		}
		if (pays(outcome, call)) {
			return new Decision.RetryAfter(0, next.ownDelay(), next.source());
		}
		return fits(next.delay(), call.timeLeft(now)) ? unpaid(next) : missesDeadline(next.delay(), call, now);
	}

	private static Decision.Stop missesDeadline(long delay, RetryCall call, long now) {
		return new Decision.Stop(StopReason.DEADLINE, "the next wait of " + DurationText.story(delay)
				+ " does not fit into the " + DurationText.story(Math.max(0, call.timeLeft(now))) + " left");
	}

	/* Once for each retry, however often its attempt is postponed. */
	private boolean pays(Outcome outcome, RetryCall call) {
		RetryBudget budget = this.safeguards.budget();
		if (budget == null || outcome.kind() == AttemptOutcome.PENDING || call.isRetryPaid()) {
			return true;
		}
		RetryBudget.Cost cost = (outcome.kind() == AttemptOutcome.THROTTLED) ? RetryBudget.Cost.THROTTLED
				: RetryBudget.Cost.TRANSIENT;
		boolean paid = isPostponing(budget) ? budget.tryWithdrawOrWait(cost) : budget.tryWithdraw(cost);
		if (paid) {
			call.retryPaid(cost);
		}
		return paid;
	}

	private Decision unpaid(Decision.RetryAfter retry) {
		RetryBudget budget = Objects.requireNonNull(this.safeguards.budget());
		return isPostponing(budget)
				? new Decision.RetryAfter(Math.max(retry.delay(), LEAST_POSTPONEMENT), retry.ownDelay(),
						DelaySource.BUDGET)
				: new Decision.Stop(StopReason.BUDGET, "the budget " + budget.name() + " is spent");
	}

	private boolean isPostponing(RetryBudget budget) {
		return this.policy.isPostponedWhenEmpty() && budget.mayPay();
	}

	/** Decide how long a call waits whose first attempt the breaker refuses. */
	Decision decideFirst(RetryCall call, long now) {
		if (!this.breaker.isAwaited()) {
			return refusedByBreaker();
		}
		if (this.safeguards.waiting().isShutDown()) {
			return shutDown();
		}
		long own = this.policy.rule().delay(delayNumber(call), call.previousDelay(), this::draw);
		Decision.RetryAfter retry = awaitBreaker(new Decision.RetryAfter(own, own, DelaySource.POLICY), now);
		boolean fits = (call.timeLeft(now) != Nanos.UNLIMITED) ? fits(retry.delay(), call.timeLeft(now))
				: retry.delay() - own < this.breaker.longestWaitNanos() - call.elapsed(now);
		return fits ? retry
				: new Decision.Stop(StopReason.BREAKER_OPEN, this.breaker.why() + " longer than the call may wait");
	}

	/** Decide what follows when the breaker refuses the attempt that was waited for. */
	Decision decideRefused(Outcome outcome, RetryCall call, long now) {
		return this.breaker.isAwaited() ? decideWorthwhile(outcome, call, now) : refusedByBreaker();
	}

	private static Decision.Stop shutDown() {
		return new Decision.Stop(StopReason.SHUTDOWN, "the application is shutting down");
	}

	private Decision.Stop refusedByBreaker() {
		return new Decision.Stop(StopReason.BREAKER_OPEN, this.breaker.why());
	}

	private Decision.RetryAfter awaitBreaker(Decision.RetryAfter retry, long now) {
		long delay = Math.max(retry.delay(), Nanos.plus(this.breaker.nanosToPermit(now), retry.ownDelay()));
		return new Decision.RetryAfter(Math.max(delay, LEAST_POSTPONEMENT), retry.ownDelay(), DelaySource.BREAKER);
	}

	/** Decide whether the attempt that was waited for may start. */
	Decision.@Nullable Stop decideAfterWait(Outcome outcome, RetryCall call, long now) {
		if (this.safeguards.waiting().isShutDown()) {
			return shutDown();
		}
		Decision.Stop switchedOff = switchedOff(outcome.kind());
		if (switchedOff != null) {
			return switchedOff;
		}
		if (call.timeLeft(now) <= 0) {
			return new Decision.Stop(StopReason.DEADLINE, "the wait took longer than chosen");
		}
		return null;
	}

	private Decision.@Nullable Stop switchedOff(AttemptOutcome kind) {
		if (kind == AttemptOutcome.PENDING) {
			return null;
		}
		try {
			return (this.policy.isEnabled() && this.enabled.getAsBoolean()) ? null
					: new Decision.Stop(StopReason.DISABLED);
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("switch", ex);
			return new Decision.Stop(StopReason.DISABLED, "the switch failed with " + FailureRules.name(ex), ex);
		}
	}

	/** Return whether a call that waits now would end after its wait. */
	boolean isSwitchedOff(AttemptOutcome kind) {
		return switchedOff(kind) != null;
	}

	private boolean fits(long delay, long timeLeft) {
		return timeLeft == Nanos.UNLIMITED || Nanos.plus(delay, this.policy.shortestAttemptNanos()) < timeLeft;
	}

	/*
	 * Waits that are followed by no attempt grow too, up to the longest one that is
	 * planned.
	 */
	private int delayNumber(RetryCall call) {
		return Math.min(call.delayNumber(), Math.max(1, this.policy.maxAttempts() - 1));
	}

	private Decision delay(Outcome outcome, RetryCall call, long now) {
		BackoffRule rule = this.policy.rule(outcome.kind() == AttemptOutcome.THROTTLED,
				this.safeguards.isDegraded(now));
		long own = rule.delay(delayNumber(call), call.previousDelay(), this::draw);
		if (!this.policy.isRetryAfterEnabled() || call.hasWaitedForBudget()) {
			return new Decision.RetryAfter(own, own, DelaySource.POLICY);
		}
		if (outcome.isPushedBack()) {
			return new Decision.Stop(StopReason.HINT, "the server asked not to be called again");
		}
		Duration hint = outcome.hint();
		return (hint != null) ? raise(own, rule.baseNanos(), Nanos.of(hint))
				: new Decision.RetryAfter(own, own, DelaySource.POLICY);
	}

	/*
	 * The hint is a floor, and clients that got the same hint must not return together:
	 * hence a spread above it, of a tenth of the hint or of the base.
	 */
	private Decision raise(long own, long base, long hint) {
		if (hint > this.policy.retryAfterMaxNanos()) {
			return new Decision.Stop(StopReason.HINT,
					"the server asked to wait " + DurationText.story(hint) + ", more than the "
							+ DurationText.story(this.policy.retryAfterMaxNanos()) + " of retry-after.max");
		}
		long spread = (long) (draw() * Math.max(hint / 10, base));
		long raised = Nanos.plus(hint, spread);
		return (raised > own) ? new Decision.RetryAfter(raised, own, DelaySource.HINT)
				: new Decision.RetryAfter(own, own, DelaySource.POLICY);
	}

	private double draw() {
		try {
			double u = this.random.next();
			if (u >= 0 && u < 1) {
				return u;
			}
			this.listeners.hookFailed("random source", new IllegalStateException("draw " + u + " is outside [0, 1)"));
		}
		catch (Throwable ex) {
			this.listeners.hookFailed("random source", ex);
		}
		return RandomSource.threadLocal().next();
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
			this.listeners.hookFailed(hook, ex);
			return otherwise;
		}
	}

}
