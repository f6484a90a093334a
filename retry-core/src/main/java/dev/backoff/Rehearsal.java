package dev.backoff;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.policy.RetryPolicy;

/**
 * Let a call fail, be retried and stop before there are any, so that all that this needs
 * has been loaded.
 */
final class Rehearsal {

	/*
	 * A class whose first use is interrupted by a stack overflow can never be used again
	 * in its process. The first failure of an application may be just that: an overflow,
	 * with a call of ours on the stack. Then no call that fails would ever be retried.
	 */

	static {
		rehearse();
	}

	private Rehearsal() {
	}

	/** See to it that it has taken place, once in a process. */
	static void takePlace() {
		// the class has been initialised by now
	}

	private static void rehearse() {
		RetryPolicy policy = RetryPolicy.builder("rehearsal").base(Duration.ZERO).maxAttempts(2).build();
		Retry retry = Retry.builder(policy)
			.budget(RetryBudget.of("rehearsal", BudgetSettings.DEFAULTS))
			.breaker(CircuitBreaker.builder("rehearsal").settings(BreakerSettings.DEFAULTS).build())
			.executor(Runnable::run)
			.buildUnrehearsed();
		try {
			retry.<String, RuntimeException>call(Rehearsal::fail);
		}
		catch (IllegalStateException ex) {
			// as it should be
		}
		CompletableFuture<String> result = retry
			.callAsync(() -> CompletableFuture.failedFuture(new IllegalStateException("rehearsed")));
		result.cancel(false);
	}

	private static String fail() {
		throw new IllegalStateException("rehearsed");
	}

}
