package dev.backoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * Collect what a {@link Retry} needs besides its policy. Not thread-safe; may build more
 * than once.
 *
 * @since 0.1
 */
public final class RetryBuilder {

	final RetryPolicy policy;

	String method;

	RetryTime time = RetryTime.system();

	RandomSource random = RandomSource.threadLocal();

	@Nullable CallRecorder recorder;

	final List<RetryListener> listeners = new ArrayList<>();

	final List<CallObserver> observers = new ArrayList<>();

	BooleanSupplier enabled = () -> true;

	@Nullable CallPermits breaker;

	@Nullable RetryBudget budget;

	@Nullable ConcurrencyLimit limit;

	@Nullable Pace pace;

	@Nullable Function<@Nullable Object, @Nullable Object> per;

	Runnable whenFull = () -> {
	};

	CallRegistry registry = new CallRegistry();

	boolean counted;

	Supplier<? extends Executor> executor = () -> AsyncCall.DEFAULT_EXECUTOR;

	RetryBuilder(RetryPolicy policy) {
		this.policy = policy;
		this.method = policy.name();
	}

	/**
	 * Set the name of the work in logs and meters.
	 * @param method for instance {@code OrderService.place}
	 * @return this builder
	 */
	public RetryBuilder method(String method) {
		this.method = method;
		return this;
	}

	/**
	 * Set the time, for tests.
	 * @param time what reads the ticker and sleeps
	 * @return this builder
	 */
	public RetryBuilder time(RetryTime time) {
		this.time = time;
		return this;
	}

	/**
	 * Set the source of random numbers.
	 * @param random the source
	 * @return this builder
	 */
	public RetryBuilder random(RandomSource random) {
		this.random = random;
		return this;
	}

	/**
	 * Set the recorder of numbers.
	 * @param recorder the recorder
	 * @return this builder
	 */
	public RetryBuilder recorder(CallRecorder recorder) {
		this.recorder = recorder;
		return this;
	}

	/**
	 * Add a listener.
	 * @param listener called after those added before
	 * @return this builder
	 */
	public RetryBuilder listener(RetryListener listener) {
		this.listeners.add(listener);
		return this;
	}

	/**
	 * Add an observer of calls from their beginning to their end, for tracing.
	 * @param observer called after those added before; its scopes are open inside theirs
	 * @return this builder
	 */
	public RetryBuilder observer(CallObserver observer) {
		this.observers.add(observer);
		return this;
	}

	/**
	 * Set a switch that is read at each decision. While the switch is off, first attempts
	 * are made, but no failure is retried.
	 * @param enabled the switch
	 * @return this builder
	 */
	public RetryBuilder enabledWhen(BooleanSupplier enabled) {
		this.enabled = enabled;
		return this;
	}

	/**
	 * Set the breaker that permits attempts. It is shared by all calls to the same
	 * dependency. Retries stop when the breaker rejects them.
	 * @param breaker the breaker, or null for none
	 * @return this builder
	 */
	public RetryBuilder breaker(@Nullable CallPermits breaker) {
		this.breaker = breaker;
		return this;
	}

	/**
	 * Set the budget that pays for retries. It is shared by all calls to the same
	 * dependency, so that retries do not make an outage worse. Without a budget, only the
	 * limits of each call apply.
	 * @param budget the budget, or null for none
	 * @return this builder
	 */
	public RetryBuilder budget(@Nullable RetryBudget budget) {
		this.budget = budget;
		return this;
	}

	/**
	 * Set the limit of attempts at once, which all methods of the policy share. Without
	 * it, the retry has its own limit, with the numbers of its policy.
	 * @param limit the shared limit, or null
	 * @return this builder
	 */
	public RetryBuilder concurrencyLimit(@Nullable ConcurrencyLimit limit) {
		this.limit = limit;
		return this;
	}

	/**
	 * Set the pace of attempts, which all methods that use one quota of a server share.
	 * @param pace the shared pace, in the time of this retry, or null for none
	 * @return this builder
	 */
	public RetryBuilder pace(@Nullable Pace pace) {
		this.pace = pace;
		return this;
	}

	/**
	 * Divide breaker and pace by a key, such as the tenant: the calls of each key have
	 * their own. Policy, budget and concurrency limit stay the same.
	 * @param key returns the key for the context of a call, or null for the shared state;
	 * if it throws, that is published as a failed hook, and the state is the shared one
	 * @param whenFull called for each call that shares because there is no room
	 * @return this builder
	 */
	public RetryBuilder per(Function<@Nullable Object, @Nullable Object> key, Runnable whenFull) {
		this.per = key;
		this.whenFull = whenFull;
		return this;
	}

	/**
	 * Set the registry of calls. The retries of one application share it, so that its
	 * shutdown wakes the calls that wait.
	 * @param registry the registry
	 * @return this builder
	 */
	public RetryBuilder calls(CallRegistry registry) {
		this.registry = registry;
		return this;
	}

	/**
	 * Set whether running calls are counted, so that a shutdown can wait for them, and
	 * their attempts listed if the policy has a deadline or an attempt timeout.
	 * @param counted whether to count them
	 * @return this builder
	 */
	public RetryBuilder counted(boolean counted) {
		this.counted = counted;
		return this;
	}

	/**
	 * Set the executor of the later attempts of asynchronous calls. The default is the
	 * executor of {@link CompletableFuture}'s asynchronous stages. If the executor runs
	 * tasks on the calling thread, all asynchronous calls share the timer's thread.
	 * @param executor the executor; a call that it refuses ends as
	 * {@link StopReason#REJECTED}
	 * @return this builder
	 */
	public RetryBuilder executor(Executor executor) {
		return executorOfEachCall(() -> executor);
	}

	/**
	 * Set a supplier of the executor of the later attempts, for each asynchronous call.
	 * @param executor called at the start of each call, on the calling thread, so that
	 * the supplied executor can carry the context of that thread
	 * @return this builder
	 */
	public RetryBuilder executorOfEachCall(Supplier<? extends Executor> executor) {
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
