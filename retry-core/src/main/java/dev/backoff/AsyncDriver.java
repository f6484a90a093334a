package dev.backoff;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * Start attempts and wait for them, and between them, without a thread; decide nothing.
 *
 * @param method what is run
 * @param steps what is done between attempts
 * @param time the timer
 * @param decider judges results and failures
 * @param waiting where calls wait
 * @param limit how long an attempt may take
 * @param listeners told of an operation that cannot say whether it may be repeated
 * @param executor returns, at the start of each call, what runs its later attempts
 */
record AsyncDriver(String method, CallSteps steps, RetryTime time, RetryDecider decider, WaitingCalls waiting,
		AttemptLimit limit, ListenerChain listeners, Supplier<Executor> executor) {

	/** What runs later attempts where nobody says otherwise. */
	static final Executor DEFAULT_EXECUTOR = new CompletableFuture<Void>().defaultExecutor();

	<C, T extends @Nullable Object> CompletableFuture<T> call(C context, AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		return new AsyncCall<>(this, context, operation, recovery, enclosing(), this.executor.get()).start();
	}

	/* The call goes on when the attempt around it runs no more, on other threads. */
	private static @Nullable RetryCall enclosing() {
		RetryCall running = CallStack.ofThread().running();
		return (running != null) ? RetryCall.standingFor(running.origin()) : null;
	}

}
