package dev.backoff;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.RandomSource;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * What the calls of a retry run on, or those of one key of it. A change of settings swaps
 * it. Thread-safe.
 *
 * @param keys null if calls have no keys
 */
record Drivers(RandomSource random, CallSteps steps, BlockingDriver blocking, Supplier<? extends Executor> executor,
		@Nullable CallRegistry running, Drivers.@Nullable Keys keys) {

	static Drivers of(RetryBuilder builder) {
		RetryPolicy policy = builder.policy;
		CallEvents events = new CallEvents(policy.name(), builder.method, builder.recorder, builder.listeners,
				builder.observers);
		RandomSource random = RandomSource.safe(builder.random, (ex) -> events.hookFailed("random source", ex));
		RetryTime time = builder.time;
		ConcurrencyLimit limit = (builder.limit == null && policy.concurrency() != ConcurrencyLimit.UNLIMITED)
				? new ConcurrencyLimit(policy.name(), policy.concurrency(), policy.maxWaiting()) : builder.limit;
		CallSettings settings = new CallSettings(policy, builder.method, time,
				CallSettings.Switch.safe(policy, builder.enabled, (ex) -> events.hookFailed("switch", ex)), limit,
				builder.breaker, builder.pace);
		OverloadGuard guard = new OverloadGuard(limit, builder.budget, false);
		CallRegistry running = builder.counted ? builder.registry : null;
		AttemptLimit attemptLimit = AttemptLimit.of(policy, builder.method, time, events, running);
		RetryDecider decider = new RetryDecider(policy, settings.retries(), random, events);
		CallSteps steps = new CallSteps(settings, decider, events, guard, builder.registry, attemptLimit);
		return new Drivers(random, steps, new BlockingDriver(steps), builder.executor, running,
				(builder.per != null) ? new Keys(builder.per, builder.whenFull, new ConcurrentHashMap<>()) : null);
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

	/** Return what a call runs on, by the key of its context. */
	Drivers of(@Nullable Object context) {
		return (this.keys == null) ? this : this.keys.of(this, context);
	}

	private record Keys(Function<@Nullable Object, @Nullable Object> per, Runnable whenFull, Map<Object, OfKey> known) {

		Drivers of(Drivers shared, @Nullable Object context) {
			try {
				Object key = this.per.apply(context);
				OfKey known = (key != null) ? this.known.get(key) : null;
				return (key == null) ? shared : (known != null && known.isInUse()) ? known.drivers : add(shared, key);
			}
			catch (Throwable ex) {
				shared.steps.events().hookFailed("key", ex);
				return shared;
			}
		}

		private Drivers add(Drivers shared, Object key) {
			CallSettings settings = shared.steps.settings();
			KeyTable<CircuitBreaker> breakers = (settings.breaker() instanceof CircuitBreaker own) ? own.keys() : null;
			KeyTable<Pace> paces = (settings.pace() != null) ? settings.pace().keys() : null;
			KeyTable.Slot<CircuitBreaker> breaker = (breakers != null) ? breakers.slot(key) : null;
			KeyTable.Slot<Pace> pace = (paces != null) ? paces.slot(key) : null;
			boolean full = (breakers != null && breaker == null) || (paces != null && pace == null);
			if (full) {
				this.whenFull.run();
			}
			if (full || (breakers == null && paces == null)) {
				return shared;
			}
			if (this.known.size() >= 2 * KeyTable.MOST) {
				// most have lost their slots
				this.known.clear();
			}
			CallSteps steps = shared.steps
				.of(settings.of((breaker != null) ? breaker.value() : null, (pace != null) ? pace.value() : null));
			Drivers added = new Drivers(shared.random, steps, new BlockingDriver(steps), shared.executor,
					shared.running, null);
			this.known.put(key, new OfKey(added, breaker, pace));
			return added;
		}

	}

	private record OfKey(Drivers drivers, KeyTable.@Nullable Slot<CircuitBreaker> breaker,
			KeyTable.@Nullable Slot<Pace> pace) {

		boolean isInUse() {
			return (this.breaker == null || this.breaker.use()) && (this.pace == null || this.pace.use());
		}

	}

}
