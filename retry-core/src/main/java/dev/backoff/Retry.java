package dev.backoff;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.delay.RandomSource;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.time.RetryTime;

/**
 * Run operations under a policy, on the calling thread or without holding one. <pre>
 * Retry retry = Retry.of(RetryPolicy.defaults("orders"));
 * Order order = retry.call(() -&gt; client.place(cart));
 * retry.run(() -&gt; client.confirm(order));
 * CompletableFuture&lt;Order&gt; later = retry.callAsync(() -&gt; client.placeAsync(cart));
 * </pre> The caller gets the operation's own result or exception, never a wrapper. A
 * failure that ended the call carries a stop report as a suppressed
 * {@link RetriesStoppedException}; results that were not good enough to the end are
 * returned as they are. Interrupting the thread ends a wait: the flag stays set and the
 * last failure is thrown. Cancelling the future ends an asynchronous call. Thread-safe,
 * and immutable unless it is {@linkplain #switchTo(Retry) switched}.
 *
 * @since 0.1
 */
public final class Retry {

	/* Read once by each call, so that the call ends as it began. */
	private volatile Drivers drivers;

	Retry(RetryBuilder builder) {
		this.drivers = new Drivers(builder);
	}

	/**
	 * {@return a retry without listeners, in the system's time}
	 * @param policy what is retried, how often, until when and how spaced
	 */
	public static Retry of(RetryPolicy policy) {
		return builder(policy).build();
	}

	/**
	 * {@return a builder, which may build more than once}
	 * @param policy what is retried, how often, until when and how spaced
	 */
	public static RetryBuilder builder(RetryPolicy policy) {
		return new RetryBuilder(policy);
	}

	/**
	 * Run an operation until it succeeds or the policy stops it.
	 * @param operation one attempt of the work
	 * @param <T> the type of the result
	 * @param <X> the checked exception it throws, inferred
	 * @return the result of the last attempt
	 * @throws X what the last attempt threw, the same instance
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(Operation<T, X> operation) throws X {
		return this.<Operation<T, X>, T, X>callOn(operation, (context, number) -> context.run(), null);
	}

	/**
	 * Run an operation until it succeeds or the policy stops it, then recover.
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop
	 * @param <T> the type of the result
	 * @param <X> the checked exception both throw, inferred
	 * @return the result of the last attempt, or of the recovery
	 * @throws X what the last attempt or the recovery threw, the same instance
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(Operation<T, X> operation,
			Recovery<? super Operation<T, X>, T, X> recovery) throws X {
		return this.<Operation<T, X>, T, X>callOn(operation, (context, number) -> context.run(), recovery);
	}

	/**
	 * Run an operation without a result until it succeeds or the policy stops it.
	 * @param operation one attempt of the work
	 * @param <X> the checked exception it throws, inferred
	 * @throws X what the last attempt threw, the same instance
	 */
	public <X extends Throwable> void run(Operation.WithoutResult<X> operation) throws X {
		Object unused = this.<Operation.WithoutResult<X>, @Nullable Object, X>callOn(operation, Retry::run, null);
	}

	/**
	 * Run an operation without a result until it succeeds or the policy stops it, then
	 * recover.
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop; its result is dropped
	 * @param <X> the checked exception both throw, inferred
	 * @throws X what the last attempt or the recovery threw, the same instance
	 */
	public <X extends Throwable> void run(Operation.WithoutResult<X> operation,
			Recovery<? super Operation.WithoutResult<X>, @Nullable Object, X> recovery) throws X {
		Object unused = this.<Operation.WithoutResult<X>, @Nullable Object, X>callOn(operation, Retry::run, recovery);
	}

	@SuppressWarnings("NullAway") // it does not know that the type says nullable
	private static <X extends Throwable> Object run(Operation.WithoutResult<X> operation, int number) throws X {
		operation.run();
		return null;
	}

	/**
	 * Run work on a context until it succeeds or the policy stops it. One instance of the
	 * operation serves all calls, so that a call allocates nothing for it.
	 * @param context what to work on; conditions see it
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @param <X> the checked exception both throw
	 * @return the result of the last attempt, or of the recovery
	 * @throws X what the last attempt or the recovery threw, the same instance
	 */
	public <C, T extends @Nullable Object, X extends Throwable> T callOn(C context,
			Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) throws X {
		Drivers drivers = this.drivers;
		CallRegistry counted = drivers.running;
		if (counted == null) {
			return drivers.blocking.call(context, operation, recovery);
		}
		counted.begins();
		try {
			return drivers.blocking.call(context, operation, recovery);
		}
		finally {
			counted.ends();
		}
	}

	/**
	 * Run an asynchronous operation until it succeeds or the policy stops it. The first
	 * attempt starts on the calling thread, later ones on the retry's executor; no thread
	 * is held while the call waits.
	 * @param operation one attempt of the work
	 * @param <T> the type of the result
	 * @return completes with the result of the last attempt, or with what it failed with,
	 * the same instance; to cancel it ends the call and the running attempt
	 */
	public <T extends @Nullable Object> CompletableFuture<T> callAsync(AsyncOperation<T> operation) {
		return this.<AsyncOperation<T>, T>callAsyncOn(operation, (context, number) -> context.run(), null);
	}

	/**
	 * Run an asynchronous operation until it succeeds or the policy stops it, then
	 * recover.
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, on the thread on which the call
	 * ended: it should return at once
	 * @param <T> the type of the result
	 * @return completes with the result of the last attempt or of the recovery, or with
	 * what either failed with, the same instance
	 */
	public <T extends @Nullable Object> CompletableFuture<T> callAsync(AsyncOperation<T> operation,
			Recovery<? super AsyncOperation<T>, ? extends CompletionStage<T>, ?> recovery) {
		return this.<AsyncOperation<T>, T>callAsyncOn(operation, (context, number) -> context.run(), recovery);
	}

	/**
	 * Run asynchronous work on a context until it succeeds or the policy stops it.
	 * @param context what to work on; conditions see it
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @return completes with the result of the last attempt or of the recovery, or with
	 * what either failed with, the same instance
	 */
	public <C, T extends @Nullable Object> CompletableFuture<T> callAsyncOn(C context,
			AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		Drivers drivers = this.drivers;
		CallRegistry counted = drivers.running;
		if (counted != null) {
			counted.begins();
		}
		CompletableFuture<T> result;
		try {
			result = drivers.async(context, operation, recovery);
		}
		catch (Throwable ex) {
			if (counted != null) {
				counted.ends();
			}
			throw ex;
		}
		if (counted != null) {
			CompletableFuture<T> unused = result.whenComplete((value, failure) -> counted.ends());
		}
		return result;
	}

	/**
	 * Publish to the observers that a call is stored which {@link #attemptOn} is to make.
	 * @param key its {@linkplain ResumedCall#key() key}
	 */
	public void stored(String key) {
		this.drivers.steps.events().stored(key);
	}

	/**
	 * Make one attempt of a call that is kept elsewhere, on this thread, and recover if
	 * the call stops. This waits for nothing: the keeper stores what is returned, and
	 * makes the next attempt when the delay is over. Meanwhile an open breaker, a spent
	 * budget, a shutdown and retries that are switched off do not end the call.
	 * @param call what is known of the call
	 * @param context what to work on; conditions see it
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @param <X> the checked exception both throw
	 * @return what follows; what the attempt or the recovery threw is in it
	 */
	public <C, T extends @Nullable Object, X extends Throwable> ResumeResult attemptOn(ResumedCall call, C context,
			Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) {
		Drivers drivers = this.drivers;
		CallRegistry counted = drivers.running;
		if (counted == null) {
			return drivers.kept().attempt(call, context, operation, recovery);
		}
		counted.begins();
		try {
			return drivers.kept().attempt(call, context, operation, recovery);
		}
		finally {
			counted.ends();
		}
	}

	/**
	 * Take over the policy, the listeners and all shared objects of another retry, for
	 * calls that begin from now on. Running calls end as they began. Code that holds this
	 * retry so follows a change of its configuration.
	 * @param other built for this; later changes of it have no effect here
	 */
	public void switchTo(Retry other) {
		this.drivers = other.drivers;
	}

	/**
	 * {@return the policy of the calls that begin now}
	 */
	public RetryPolicy policy() {
		return this.drivers.steps.settings().policy();
	}

	/**
	 * Return whether a failure is worth another attempt, by the lists and classifiers of
	 * the policy. How many attempts there have been plays no part.
	 * @param failure what an attempt threw
	 * @return false if no call would retry it
	 */
	public boolean isRetryable(Throwable failure) {
		return this.drivers.steps.decider().judge(failure, new CallState(null)).refusal() == null;
	}

	/**
	 * {@return the delays of one call that begins now, for a library that makes attempts
	 * and waits by itself: null when no retry follows} Budget, breaker, hints of servers
	 * and the concurrency limit have no part in them. Not thread-safe.
	 */
	public Supplier<@Nullable Duration> delays() {
		return this.drivers.steps.delays();
	}

	/**
	 * {@return how logs and meters call what is run, by default the policy's name}
	 */
	public String method() {
		return this.drivers.steps.settings().method();
	}

	@Override
	public String toString() {
		CallSettings settings = this.drivers.steps.settings();
		return "Retry of " + settings.method() + " by " + settings.policy();
	}

	/** What the calls run on; a change of settings swaps it. */
	private static final class Drivers {

		private final RandomSource random;

		private final CallSteps steps;

		private final BlockingDriver blocking;

		private final Supplier<? extends Executor> executor;

		private final @Nullable CallRegistry running;

		Drivers(RetryBuilder builder) {
			RetryPolicy policy = builder.policy;
			CallEvents events = new CallEvents(policy.name(), builder.method, builder.recorder, builder.listeners,
					builder.observers);
			this.random = RandomSource.safe(builder.random, (ex) -> events.hookFailed("random source", ex));
			RetryTime time = RetryTime.safe(builder.time, (ex) -> events.hookFailed("time", ex));
			ConcurrencyLimit limit = (builder.limit == null && policy.concurrency() != ConcurrencyLimit.UNLIMITED)
					? new ConcurrencyLimit(policy.name(), policy.concurrency(), policy.maxWaiting()) : builder.limit;
			CallSettings settings = new CallSettings(policy, builder.method, time,
					CallSettings.Switch.safe(policy, builder.enabled, (ex) -> events.hookFailed("switch", ex)), limit);
			CallPermits breaker = (builder.breaker == null || builder.breaker instanceof CircuitBreaker)
					? builder.breaker : CallPermits.safe(builder.breaker, (ex) -> events.hookFailed("breaker", ex));
			OverloadGuard guard = new OverloadGuard(limit, breaker, builder.budget, false);
			this.running = builder.counted ? builder.registry : null;
			AttemptLimit attemptLimit = new AttemptLimit(policy, builder.method, time, events, this.running);
			RetryDecider decider = new RetryDecider(policy, settings.retries(), this.random, events);
			this.steps = new CallSteps(settings, decider, events, guard, builder.registry, attemptLimit);
			this.blocking = new BlockingDriver(this.steps);
			this.executor = builder.executor;
		}

		<C, T extends @Nullable Object> CompletableFuture<T> async(C context, AsyncOperation.OnContext<C, T> operation,
				@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
			return AsyncCall.start(this.steps, executorOfCall(), context, operation, recovery);
		}

		private Executor executorOfCall() {
			try {
				return this.executor.get();
			}
			catch (Throwable ex) {
				this.steps.events().hookFailed("executor", ex);
				return AsyncCall.DEFAULT_EXECUTOR;
			}
		}

		/* Made for each attempt, since few retries have any. */
		ResumedAttempt kept() {
			RetryDecider decider = new RetryDecider(this.steps.settings().policy(), () -> null, this.random,
					this.steps.events());
			return new ResumedAttempt(new CallSteps(this.steps.settings(), decider, this.steps.events(),
					this.steps.guard().keptElsewhere(), new CallRegistry(), this.steps.limit()));
		}

	}

}
