package dev.backoff;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * How long one attempt may take: the policy's attempt timeout, or the time until the
 * deadline if that is less. Attempts under either are listed while they run. Thread-safe.
 */
record AttemptLimit(String method, RetryTime time, CallEvents events, long timeout, long shortest,
		@Nullable CallRegistry listing) {

	/* The threads of an executor may all wait for attempts that are in its queue. */
	private static final long LONGEST_TO_BEGIN = 1_000_000_000;

	static AttemptLimit of(RetryPolicy policy, String method, RetryTime time, CallEvents events,
			@Nullable CallRegistry running) {
		long timeout = policy.attemptTimeoutNanos();
		boolean limited = timeout != Nanos.UNLIMITED || policy.deadlineNanos() != Nanos.UNLIMITED;
		return new AttemptLimit(method, time, events, timeout, Math.min(policy.shortestAttemptNanos(), timeout),
				limited ? running : null);
	}

	boolean isSet() {
		return this.timeout != Nanos.UNLIMITED;
	}

	/** Return whether attempts have to {@link #run} here. */
	boolean encloses() {
		return isSet() || this.listing != null;
	}

	/** List the attempts of an asynchronous call until it has ended. */
	<T extends @Nullable Object> CompletableFuture<T> list(AsyncCall<?, T> call, CompletableFuture<T> result) {
		CallRegistry listing = this.listing;
		if (listing != null && !result.isDone()) {
			listing.attempts.add(call);
			CompletableFuture<T> unused = result.whenComplete((value, failure) -> listing.attempts.remove(call));
		}
		return result;
	}

	/**
	 * Return how long the running attempt may still take. An attempt that has begun gets
	 * at least the policy's shortest time: the first attempt after an enclosing deadline
	 * would get none otherwise.
	 */
	long nanosLeft(CallState call) {
		return Math.max(call.attemptTimeLeft(), this.shortest);
	}

	/** Return how long the executor may take to begin what the call has given to it. */
	long nanosToBegin(CallState call) {
		long limit = Math.min(call.timeLeft(call.now()), this.timeout);
		return Math.max(Math.min(limit, LONGEST_TO_BEGIN), this.shortest);
	}

	AttemptTimeoutException exceeded(CallState call, @Nullable Throwable cause) {
		long nanos = Math.max(call.attemptTimeout(), this.shortest);
		return new AttemptTimeoutException(this.method, call.attempt, nanos, cause);
	}

	/**
	 * Run the work of an attempt on this thread and interrupt it when its time, if it is
	 * limited, is over. An exception that it then throws becomes the cause of a timeout;
	 * an {@link Error} is thrown as it is. A late result is a timeout if the work has
	 * consumed the interrupt, which may have shaped the result. If the interrupt is still
	 * pending, the work has not noticed it and the result stands.
	 */
	<T extends @Nullable Object, X extends Throwable> T run(CallState call, Operation<T, X> work) throws X {
		Supplier<CallRegistry.@Nullable RunningAttempt> attempt = (this.listing != null) ? this.listing.add(call)
				: null;
		try {
			return isSet() ? runLimited(call, work) : work.run();
		}
		finally {
			if (attempt != null && this.listing != null) {
				this.listing.attempts.remove(attempt);
			}
		}
	}

	private <T extends @Nullable Object, X extends Throwable> T runLimited(CallState call, Operation<T, X> work)
			throws X {
		CallStack stack = CallStack.ofThread();
		Interruption outer = stack.interruption;
		Interruption interruption = new Interruption(outer);
		stack.interruption = interruption;
		try {
			return run(call, work, interruption);
		}
		finally {
			stack.interruption = outer;
		}
	}

	private <T extends @Nullable Object, X extends Throwable> T run(CallState call, Operation<T, X> work,
			Interruption interruption) throws X {
		Cancellable timer = schedule(interruption, nanosLeft(call));
		if (timer == null) {
			// it may have been scheduled all the same
			if (interruption.end()) {
				boolean unused = interruption.takeBack();
			}
			return work.run();
		}
		T result;
		try {
			result = work.run();
		}
		catch (Throwable failure) {
			if (!ended(interruption, timer)) {
				throw failure;
			}
			boolean unused = interruption.takeBack();
			if (failure instanceof Error) {
				throw failure;
			}
			throw exceeded(call, failure);
		}
		if (ended(interruption, timer) && !interruption.takeBack()) {
			this.events.drop(result);
			throw exceeded(call, null);
		}
		return result;
	}

	private boolean ended(Interruption interruption, Cancellable timer) {
		boolean interrupted = interruption.end();
		timer.cancel();
		return interrupted;
	}

	/** Run a task after the given time; return null if the timer fails. */
	@Nullable Cancellable schedule(Runnable task, long nanos) {
		try {
			return this.time.schedule(task, nanos);
		}
		catch (Throwable ex) {
			this.events.hookFailed("time", ex);
			return null;
		}
	}

}
