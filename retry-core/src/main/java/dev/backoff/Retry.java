package dev.backoff;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.DurationText;
import dev.backoff.time.RetryTime;

/**
 * Run operations under a policy, on the calling thread or asynchronously. <pre>
 * Retry retry = Retry.builder(RetryPolicy.builder("orders").build()).build();
 * Order order = retry.call(() -&gt; client.place(cart));
 * retry.run(() -&gt; client.confirm(order));
 * CompletableFuture&lt;Order&gt; later = retry.callAsync(() -&gt; client.placeAsync(cart));
 * </pre> The caller gets the operation's own result or exception, never a wrapper. A
 * failure that ended the call carries a stop report as a suppressed
 * {@link RetriesStoppedException}. A last result that was not good enough is returned as
 * it is. Interrupting the thread ends a wait: the interrupt flag stays set, and the last
 * failure is thrown. Cancelling the future ends an asynchronous call. Thread-safe, and
 * immutable unless it is {@linkplain #switchTo(Retry) switched}.
 *
 * @since 0.1
 */
public final class Retry {

	static {
		// early: a class whose initializer meets a stack overflow can never be used again
		String unused = DurationText.rounded(1);
	}

	/* Read once by each call, so that the call ends as it began. */
	private volatile Drivers drivers;

	Retry(RetryBuilder builder) {
		this.drivers = Drivers.of(builder);
	}

	/**
	 * {@return a builder, which may build more than once}
	 * @param policy what is retried, how often, until when and with which delays
	 */
	public static RetryBuilder builder(RetryPolicy policy) {
		return new RetryBuilder(policy);
	}

	/**
	 * Return verdicts on a dependency by the same rules as retries: an exception that is
	 * not worth a retry counts as an answer. They are meant for breakers that are
	 * {@linkplain CircuitBreaker#call used by hand}.
	 * @param classifiers in the order in which they are asked
	 * @return verdicts, thread-safe
	 */
	public static Function<Throwable, Verdict> verdicts(List<? extends FailureClassifier> classifiers) {
		FailureRules rules = new FailureRules(
				RetryPolicy.builder("verdicts").classifiers(classifiers).nestedMultiply(true).build());
		return (failure) -> rules.judge(failure, new CallState(null)).verdict();
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
	 * @return completes with the result of the last attempt, or with its failure, the
	 * same instance; cancelling it ends the call and the running attempt
	 */
	public <T extends @Nullable Object> CompletableFuture<T> callAsync(AsyncOperation<T> operation) {
		return this.<AsyncOperation<T>, T>callAsyncOn(operation, (context, number) -> context.run(), null);
	}

	/**
	 * Run an asynchronous operation until it succeeds or the policy stops it, then
	 * recover.
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop; it runs on the thread on which
	 * the call ended and should return at once
	 * @param <T> the type of the result
	 * @return completes with the result of the last attempt or of the recovery, or with
	 * the failure of either, the same instance
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
	 * the failure of either, the same instance
	 */
	public <C, T extends @Nullable Object> CompletableFuture<T> callAsyncOn(C context,
			AsyncOperation.OnContext<C, T> operation,
			@Nullable Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		Drivers drivers = this.drivers;
		CallRegistry counted = drivers.running;
		if (counted == null) {
			return drivers.async(context, operation, recovery);
		}
		counted.begins();
		CompletableFuture<T> result;
		try {
			result = drivers.async(context, operation, recovery);
		}
		catch (Throwable ex) {
			counted.ends();
			throw ex;
		}
		CompletableFuture<T> unused = result.whenComplete((value, failure) -> counted.ends());
		return result;
	}

	/**
	 * Tell the observers that a call was stored whose attempts {@link #attemptOn} makes.
	 * @param key the {@linkplain ResumedCall#key() key} of the call
	 */
	public void stored(String key) {
		this.drivers.steps.events().stored(key);
	}

	/**
	 * Make one attempt of a stored call on this thread, and recover if the call stops.
	 * The caller makes the next attempt after the delay. Breaker, budget, shutdown and
	 * switches do not end such a call.
	 * @param call the stored state of the call
	 * @param context what to work on; conditions see it
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @param <X> the checked exception both throw
	 * @return what follows, with what the attempt or the recovery threw
	 */
	public <C, T extends @Nullable Object, X extends Throwable> ResumedCall.Result attemptOn(ResumedCall call,
			C context, Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) {
		Drivers drivers = this.drivers;
		CallRegistry counted = (drivers.running != null) ? drivers.running : new CallRegistry();
		counted.begins();
		try {
			return drivers.resumed().attempt(call, context, operation, recovery);
		}
		finally {
			counted.ends();
		}
	}

	/**
	 * Use the policy, the listeners and all shared objects of another retry for calls
	 * that begin from now on. Running calls keep their own. Thus code that holds this
	 * retry follows a change of its configuration.
	 * @param other the retry with the new settings; later changes of it are ignored
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
	 * the policy. The number of attempts plays no part. A failure that a call has already
	 * retried is worth no other attempt, unless the policy multiplies nested attempts.
	 * @param failure what an attempt threw
	 * @return whether a call would retry it
	 */
	public boolean isRetryable(Throwable failure) {
		return this.drivers.steps.decider().judge(failure, new CallState(null)).refusal() == null;
	}

	/**
	 * {@return a supplier of the delays of one call that begins now, for a library that
	 * makes attempts and waits itself; it supplies null when no retry follows} The
	 * supplier ignores the budget, the breaker, hints of servers and the concurrency
	 * limit. Not thread-safe.
	 */
	public Supplier<@Nullable Duration> delays() {
		return this.drivers.steps.delays();
	}

	/**
	 * {@return the name of the work in logs and meters, by default the policy's name}
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
	private record Drivers(RandomSource random, CallSteps steps, BlockingDriver blocking,
			Supplier<? extends Executor> executor, @Nullable CallRegistry running) {

		static Drivers of(RetryBuilder builder) {
			RetryPolicy policy = builder.policy;
			CallEvents events = new CallEvents(policy.name(), builder.method, builder.recorder, builder.listeners,
					builder.observers);
			RandomSource random = RandomSource.safe(builder.random, (ex) -> events.hookFailed("random source", ex));
			RetryTime time = builder.time;
			ConcurrencyLimit limit = (builder.limit == null && policy.concurrency() != ConcurrencyLimit.UNLIMITED)
					? new ConcurrencyLimit(policy.name(), policy.concurrency(), policy.maxWaiting()) : builder.limit;
			CallKeys keys = (builder.per != null)
					? new CallKeys(builder.per, builder.whenFull, events, new ConcurrentHashMap<>()) : null;
			CallSettings settings = new CallSettings(policy, builder.method, time,
					CallSettings.Switch.safe(policy, builder.enabled, (ex) -> events.hookFailed("switch", ex)), limit,
					builder.breaker, builder.pace, keys);
			OverloadGuard guard = new OverloadGuard(limit, builder.budget, false);
			CallRegistry running = builder.counted ? builder.registry : null;
			AttemptLimit attemptLimit = AttemptLimit.of(policy, builder.method, time, events, running);
			RetryDecider decider = new RetryDecider(policy, settings.retries(), random, events);
			CallSteps steps = new CallSteps(settings, decider, events, guard, builder.registry, attemptLimit);
			return new Drivers(random, steps, new BlockingDriver(steps), builder.executor, running);
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
		ResumedAttempt resumed() {
			RetryDecider decider = new RetryDecider(this.steps.settings().policy(), () -> null, this.random,
					this.steps.events());
			return new ResumedAttempt(new CallSteps(this.steps.settings(), decider, this.steps.events(),
					this.steps.guard().ofStoredCalls(), new CallRegistry(), this.steps.limit()));
		}

	}

}
