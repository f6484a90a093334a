package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.policy.DegradedMode;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.RetryTime;

/**
 * Run operations under a policy, on the calling thread or without holding one. <pre>
 * Retry retry = Retry.of(RetryPolicy.defaults("orders"));
 * Order order = retry.call(() -&gt; client.place(cart));
 * retry.run(() -&gt; client.confirm(order));
 * CompletableFuture&lt;Order&gt; later = retry.callAsync(() -&gt; client.placeAsync(cart));
 * </pre> The caller gets the operation's own result or exception, never a wrapper. A
 * failure that ended the call carries its story as a suppressed
 * {@link RetriesStoppedException}; results that were not good enough to the end are
 * returned as they are. Interrupting the thread ends a wait: the flag stays set and the
 * last failure is thrown. Cancelling the future ends an asynchronous call. Thread-safe,
 * and immutable unless it is {@linkplain #switchTo(Retry) switched}. Longer than most
 * files: each method and each option of the builder has its documentation here.
 *
 * @since 0.1
 */
public final class Retry {

	/* Read once by each call, so that the call ends as it began. */
	private volatile Drivers drivers;

	private Retry(Builder builder) {
		this.drivers = drivers(builder);
	}

	private static Drivers drivers(Builder builder) {
		RetryPolicy policy = builder.policy;
		ListenerChain listeners = new ListenerChain(policy.name(), builder.method, builder.recorder, builder.listeners);
		Guards guards = new Guards(listeners::hookFailed);
		RetryTime time = guards.time(builder.time);
		Throttle throttle = throttle(builder.throttle, policy, policy.concurrency(), policy.maxWaiting());
		Throttle recoveries = throttle(builder.recoveries, policy, policy.recoverConcurrency(), Throttle.UNLIMITED);
		CallTerms terms = new CallTerms(policy, builder.method, time, guards.switchOf(policy, builder.enabled),
				throttle);
		Safeguards safeguards = new Safeguards((throttle != null) ? new Slots(throttle) : null,
				guards.permits(builder.breaker), builder.budget, builder.degraded,
				(recoveries != null) ? new RecoveryTurns(recoveries) : null, builder.waitingCalls, false);
		RandomSource random = guards.random(builder.random);
		RetryDecider decider = new RetryDecider(policy, terms.retries(), random, listeners);
		CallSteps steps = new CallSteps(terms, decider, listeners, safeguards,
				new CallTeller(listeners, Observers.of(builder.observers.stream().map(guards::observer).toList())));
		AttemptLimit limit = new AttemptLimit(policy, builder.method, time, builder.running);
		BlockingDriver blocking = new BlockingDriver(steps, decider, builder.waitingCalls, limit,
				!builder.observers.isEmpty());
		AsyncDriver async = new AsyncDriver(builder.method, steps, time, decider, builder.waitingCalls, limit,
				listeners, guards.executors(builder.executor, AsyncDriver.DEFAULT_EXECUTOR));
		RetryDecider deciderOfKept = new RetryDecider(policy, () -> null, random, listeners);
		KeptDriver kept = new KeptDriver(new CallSteps(terms, deciderOfKept, listeners, safeguards.keptElsewhere(),
				new CallTeller(listeners, null)), deciderOfKept, limit);
		return new Drivers(terms, random, decider, blocking, async, kept, builder.running);
	}

	private static @Nullable Throttle throttle(@Nullable Throttle shared, RetryPolicy policy, int slots,
			int maxWaiting) {
		return (shared != null || slots == Throttle.UNLIMITED) ? shared
				: new Throttle(policy.name(), slots, maxWaiting);
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
	public static Builder builder(RetryPolicy policy) {
		return new Builder(policy);
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
		RunningCalls counted = drivers.running();
		if (counted == null) {
			return drivers.blocking().call(context, operation, recovery);
		}
		counted.enter();
		try {
			return drivers.blocking().call(context, operation, recovery);
		}
		finally {
			counted.leave();
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
		RunningCalls counted = drivers.running();
		if (counted == null) {
			return drivers.async().call(context, operation, recovery);
		}
		counted.enter();
		CompletableFuture<T> result = drivers.async().call(context, operation, recovery);
		CompletableFuture<T> unused = result.whenComplete((value, failure) -> counted.leave());
		return result;
	}

	/**
	 * Make one attempt of a call that is kept elsewhere, on this thread, and recover if
	 * the call stops. This waits for nothing: the keeper stores what is returned, and
	 * makes the next attempt when the delay is over. Meanwhile an open breaker, a spent
	 * budget, a shutdown and retries that are switched off do not end the call. No
	 * {@link CallObserver} is told of it.
	 * @param call what is known of the call
	 * @param context what to work on; conditions see it
	 * @param operation one attempt of the work
	 * @param recovery what follows an unsuccessful stop, or null
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @param <X> the checked exception both throw
	 * @return what follows; what the attempt or the recovery threw is in it
	 */
	public <C, T extends @Nullable Object, X extends Throwable> KeptNext attemptOn(KeptCall call, C context,
			Operation.OnContext<C, T, X> operation, @Nullable Recovery<? super C, T, X> recovery) {
		Drivers drivers = this.drivers;
		RunningCalls counted = drivers.running();
		if (counted == null) {
			return drivers.kept().attempt(call, context, operation, recovery);
		}
		counted.enter();
		try {
			return drivers.kept().attempt(call, context, operation, recovery);
		}
		finally {
			counted.leave();
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
		return this.drivers.terms().policy();
	}

	/**
	 * Return whether a failure is worth another attempt, by the lists and classifiers of
	 * the policy. How many attempts there have been plays no part.
	 * @param failure what an attempt threw
	 * @return false if no call would retry it
	 */
	public boolean isRetryable(Throwable failure) {
		return this.drivers.decider().judge(failure, new RetryCall(null)).refusal() == null;
	}

	/**
	 * {@return the delays of one call that begins now, for a library that makes attempts
	 * and waits by itself}
	 */
	public RetryDelays delays() {
		Drivers drivers = this.drivers;
		return new RetryDelays(drivers.terms(), drivers.random());
	}

	/**
	 * {@return how logs and meters call what is run, by default the policy's name}
	 */
	public String method() {
		return this.drivers.terms().method();
	}

	@Override
	public String toString() {
		CallTerms terms = this.drivers.terms();
		return "Retry of " + terms.method() + " by " + terms.policy();
	}

	/** What calls run on. */
	private record Drivers(CallTerms terms, RandomSource random, RetryDecider decider, BlockingDriver blocking,
			AsyncDriver async, KeptDriver kept, @Nullable RunningCalls running) {
	}

	/**
	 * Collect what a retry needs besides its policy. Not thread-safe; may build more than
	 * once.
	 */
	public static final class Builder {

		private final RetryPolicy policy;

		private String method;

		private RetryTime time = RetryTime.system();

		private RandomSource random = RandomSource.threadLocal();

		private @Nullable CallRecorder recorder;

		private List<RetryListener> listeners = new ArrayList<>();

		private final List<CallObserver> observers = new ArrayList<>();

		private BooleanSupplier enabled = () -> true;

		private @Nullable CallPermits breaker;

		private @Nullable RetryBudget budget;

		private @Nullable DegradedMode degraded;

		private @Nullable Throttle throttle;

		private @Nullable Throttle recoveries;

		private WaitingCalls waitingCalls = new WaitingCalls();

		private @Nullable RunningCalls running;

		private Supplier<? extends Executor> executor = () -> AsyncDriver.DEFAULT_EXECUTOR;

		private Builder(RetryPolicy policy) {
			this.policy = policy;
			this.method = policy.name();
		}

		/**
		 * Set how logs and meters call what is run.
		 * @param method for instance {@code OrderService.place}
		 * @return this builder
		 */
		public Builder method(String method) {
			this.method = method;
			return this;
		}

		/**
		 * Set the time, for tests.
		 * @param time what reads the ticker and sleeps
		 * @return this builder
		 */
		public Builder time(RetryTime time) {
			this.time = time;
			return this;
		}

		/**
		 * Set the source of chance.
		 * @param random the source
		 * @return this builder
		 */
		public Builder random(RandomSource random) {
			this.random = random;
			return this;
		}

		/**
		 * Set the recorder of numbers.
		 * @param recorder the recorder
		 * @return this builder
		 */
		public Builder recorder(CallRecorder recorder) {
			this.recorder = recorder;
			return this;
		}

		/**
		 * Add a listener.
		 * @param listener told after those added before
		 * @return this builder
		 */
		public Builder listener(RetryListener listener) {
			this.listeners.add(listener);
			return this;
		}

		/**
		 * Add an observer of calls from their beginning to their end, for tracing.
		 * @param observer told after those added before; its scopes are open inside
		 * theirs
		 * @return this builder
		 */
		public Builder observer(CallObserver observer) {
			this.observers.add(observer);
			return this;
		}

		/**
		 * Set a switch that is read at each decision: while it is off, first attempts are
		 * made and no retries.
		 * @param enabled the switch
		 * @return this builder
		 */
		public Builder enabledWhen(BooleanSupplier enabled) {
			this.enabled = enabled;
			return this;
		}

		/**
		 * Set the breaker that permits attempts, shared with all that call the same
		 * dependency. Retries stop when it refuses them.
		 * @param breaker the breaker, or null for none
		 * @return this builder
		 */
		public Builder breaker(@Nullable CallPermits breaker) {
			this.breaker = breaker;
			return this;
		}

		/**
		 * Set the budget that pays for retries, shared with all that call the same
		 * dependency, so that retries do not make an outage worse. Without a budget each
		 * call has only its own limits.
		 * @param budget the budget, or null for none
		 * @return this builder
		 */
		public Builder budget(@Nullable RetryBudget budget) {
			this.budget = budget;
			return this;
		}

		/**
		 * Set the mode in which the policy's raised delays are in effect, shared by all
		 * methods of the policy.
		 * @param degraded made of the policy's {@link RetryPolicy#degraded()}, or null
		 * for the normal delays
		 * @return this builder
		 */
		public Builder degraded(@Nullable DegradedMode degraded) {
			this.degraded = degraded;
			return this;
		}

		/**
		 * Set the slots of attempts and of recoveries, shared by all methods of the
		 * policy. Without them a retry has its own, by its policy.
		 * @param attempts limits attempts, or null
		 * @param recoveries limits recoveries, or null; calls wait for it as long as they
		 * have to
		 * @return this builder
		 */
		public Builder throttle(@Nullable Throttle attempts, @Nullable Throttle recoveries) {
			this.throttle = attempts;
			this.recoveries = recoveries;
			return this;
		}

		/**
		 * Set where calls wait, shared by the retries of one application, so that its
		 * shutdown wakes them.
		 * @param waitingCalls where calls wait
		 * @return this builder
		 */
		public Builder waitingCalls(WaitingCalls waitingCalls) {
			this.waitingCalls = waitingCalls;
			return this;
		}

		/**
		 * Set where running calls are counted, shared by the retries of one application,
		 * so that its shutdown can wait for them.
		 * @param running counts calls, or null to count none
		 * @return this builder
		 */
		public Builder runningCalls(@Nullable RunningCalls running) {
			this.running = running;
			return this;
		}

		/**
		 * Set the executor of the later attempts of asynchronous calls, by default that
		 * of {@link CompletableFuture}'s asynchronous stages. With an executor that runs
		 * tasks on the calling thread, all such calls share the timer's thread.
		 * @param executor the executor; a call that it refuses ends as
		 * {@link StopReason#REJECTED}
		 * @return this builder
		 */
		public Builder executor(Executor executor) {
			return executorOfEachCall(() -> executor);
		}

		/**
		 * Set the executor of the later attempts of asynchronous calls, for each call.
		 * @param executor asked at the start of each call, on the calling thread, so that
		 * what it returns may take along what is bound to that thread
		 * @return this builder
		 */
		public Builder executorOfEachCall(Supplier<? extends Executor> executor) {
			this.executor = executor;
			return this;
		}

		/**
		 * {@return a retry; later changes of this builder have no effect on it}
		 */
		public Retry build() {
			return new Retry(this);
		}

	}

}
