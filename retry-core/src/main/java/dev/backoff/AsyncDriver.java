package dev.backoff;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.RetryTime;

/**
 * Start asynchronous calls, which hold no thread while they wait; decide nothing. The
 * executor of the later attempts is asked for at the start of each call.
 */
record AsyncDriver(String method, CallSteps steps, RetryTime time, RetryDecider decider, CallRegistry waiting,
		AttemptLimit limit, CallEvents events, Supplier<Executor> executor) {

	/** Runs later attempts unless another executor is given. */
	static final Executor DEFAULT_EXECUTOR = new CompletableFuture<Void>().defaultExecutor();

	<C, T extends @Nullable Object> CompletableFuture<T> call(C context, AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		AsyncCall<C, T> call = new AsyncCall<>(this, context, operation, recovery, enclosing(), this.executor.get());
		return this.limit.list(call, call.start());
	}

	/* The call may outlive the attempt around it, and goes on on other threads. */
	private static @Nullable CallState enclosing() {
		CallState running = CallStack.ofThread().running();
		return (running != null) ? CallState.standingFor(running.context().share()) : null;
	}

}
