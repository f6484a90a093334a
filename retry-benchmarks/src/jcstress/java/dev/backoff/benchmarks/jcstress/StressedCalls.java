package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.infra.results.LII_Result;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.pace.Pace;
import dev.backoff.pace.PacedException;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.RetryTime;

/** Calls of one retry, and all that they touch. */
abstract class StressedCalls {

	final Retry retry;

	private final Accounts accounts = new Accounts();

	private final CallRegistry waiting = new CallRegistry();

	private final @Nullable ConcurrencyLimit limit;

	StressedCalls(RetryPolicyBuilder policy, RetryTime time, @Nullable ConcurrencyLimit limit) {
		this(policy, time, limit, null);
	}

	StressedCalls(RetryPolicyBuilder policy, RetryTime time, @Nullable ConcurrencyLimit limit, @Nullable Pace pace) {
		this.limit = limit;
		this.retry = Retry.builder(policy.attemptTimeout(Duration.ofSeconds(1)).build())
			.time(time)
			.executor(Runnable::run)
			.breaker(this.accounts)
			.concurrencyLimit(limit)
			.pace(pace)
			.recorder(this.accounts)
			.calls(this.waiting)
			.build();
	}

	void shutDown() {
		this.waiting.shutDown();
	}

	/** Return what is left over of permits, places in the queue and waits. */
	int left() {
		int inQueue = (this.limit != null) ? this.limit.active() + this.limit.waiting() : 0;
		return Math.abs(this.accounts.permits()) + this.waiting.waiting() + inQueue;
	}

	/** Tell what came of a call, what is left over, and how often a call has ended. */
	void tell(LII_Result result, @Nullable CompletableFuture<String> future) {
		result.r1 = (future != null) ? outcome(future) : "nothing";
		result.r2 = left();
		result.r3 = this.accounts.ends();
	}

	private static String outcome(CompletableFuture<String> future) {
		if (future.isCancelled()) {
			return "cancelled";
		}
		try {
			return future.getNow("pending");
		}
		catch (CompletionException ex) {
			return (ex.getCause() instanceof ConcurrencyExceededException || ex.getCause() instanceof PacedException)
					? "refused"
					: (ex.getCause() instanceof AttemptTimeoutException) ? "late" : "failed";
		}
	}

}
