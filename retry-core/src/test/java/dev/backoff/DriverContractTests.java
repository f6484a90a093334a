package dev.backoff;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.Jitter;
import dev.backoff.fixture.CallSetup;
import dev.backoff.fixture.ContractDriver;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.ResultContract;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;

class DriverContractTests {

	/** With a pace, which only retries of the core have. */
	abstract static class PacedContract extends ResultContract {

		@Override
		protected boolean hasPace() {
			return true;
		}

	}

	/** On this thread. */
	@Nested
	class ABlockingCall extends PacedContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return new Driver(setup) {

				@Override
				public @Nullable Object call(ScriptedOperation<@Nullable Object> operation,
						@Nullable Recovery<Object, @Nullable Object, Exception> recovery) throws Throwable {
					return (recovery != null) ? this.retry.call(operation, recovery) : this.retry.call(operation);
				}

			};
		}

	}

	/** On this thread, observed. */
	@Nested
	class AnObservedBlockingCall extends ABlockingCall {

		@Override
		protected ContractDriver open(CallSetup setup) {
			Driver driver = (Driver) super.open(setup);
			driver.observe();
			return driver;
		}

	}

	/** By stages that are complete when they are returned. */
	@Nested
	class AnAsynchronousCallAtOnce extends PacedContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return new AsyncDriver(setup, (work, attempt) -> {
				try {
					return CompletableFuture.completedFuture(attempt.run());
				}
				catch (Exception ex) {
					return CompletableFuture.failedFuture(new CompletionException(ex));
				}
			});
		}

	}

	/** By operations that throw at once, or whose stages complete later. */
	@Nested
	class AnAsynchronousCallThatCompletesLater extends PacedContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return new AsyncDriver(setup, (work, attempt) -> {
				Object value = attempt.run();
				CompletableFuture<@Nullable Object> stage = new CompletableFuture<>();
				work.add(() -> stage.complete(value));
				return stage;
			});
		}

	}

	/** The same, observed. */
	@Nested
	class AnObservedAsynchronousCall extends AnAsynchronousCallThatCompletesLater {

		@Override
		protected ContractDriver open(CallSetup setup) {
			Driver driver = (Driver) super.open(setup);
			driver.observe();
			return driver;
		}

	}

	/** By stages that fail later, wrapped by those that depend on them. */
	@Nested
	class AnAsynchronousCallOfDependentStages extends PacedContract {

		@Override
		protected ContractDriver open(CallSetup setup) {
			return new AsyncDriver(setup, (work, attempt) -> {
				CompletableFuture<@Nullable Object> stage = new CompletableFuture<>();
				try {
					Object value = attempt.run();
					work.add(() -> stage.complete(value));
				}
				catch (Throwable ex) {
					work.add(() -> stage.completeExceptionally(ex));
				}
				return stage.thenApply((value) -> value).thenApply((value) -> value);
			});
		}

	}

	/** Attempt by attempt, each with no more than what is kept of the call. */
	@Nested
	class AKeptCall extends PacedContract {

		@Override
		protected boolean isDurable() {
			return true;
		}

		@Override
		protected ContractDriver open(CallSetup setup) {
			return new Driver(setup) {

				@Override
				public @Nullable Object call(ScriptedOperation<@Nullable Object> operation,
						@Nullable Recovery<Object, @Nullable Object, Exception> recovery) throws Throwable {
					return ResumedCallTests.Keeper.of(this.retry, setup.time()).call(operation, recovery);
				}

			};
		}

	}

	/** A retry of the core. */
	private abstract static class Driver implements ContractDriver {

		Retry retry;

		private final RetryBuilder builder;

		private final RecordingObserver observer = new RecordingObserver();

		private final CallRegistry waiting = new CallRegistry();

		private final @Nullable RetryBudget budget;

		private final @Nullable CircuitBreaker breaker;

		private final @Nullable ConcurrencyLimit limit;

		private final Pace pace;

		Driver(CallSetup setup) {
			CallSetup.Budget budget = setup.budget();
			this.budget = (budget != null) ? RetryBudget.of("gateway",
					new BudgetSettings(budget.tokens(), 0, budget.perSecond()), setup.time(), RetryBudget.Listener.NONE)
					: null;
			Boolean awaited = setup.breakerAwaited();
			this.breaker = (awaited != null) ? CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().awaited(awaited).openFor(Duration.ofSeconds(10)).build())
				.random(() -> 0)
				.time(setup.time())
				.build() : null;
			CallSetup.Permits permits = setup.permits();
			this.limit = (permits != null) ? new ConcurrencyLimit("orders", permits.permits(), permits.maxWaiting())
					: null;
			this.pace = new Pace("gateway", Duration.ofMinutes(1), 10, setup.time(), (held, hold) -> {
			});
			RetryBuilder builder = Retry.builder(policy(setup))
				.pace(setup.isPaced() ? this.pace : null)
				.method("OrderService.place")
				.time(setup.time())
				.random(() -> 0)
				.executor(setup.executor())
				.calls(this.waiting)
				.budget(this.budget)
				.breaker(this.breaker)
				.concurrencyLimit(this.limit)
				.recorder(setup.recorder());
			setup.listeners().forEach(builder::listener);
			this.builder = builder;
			this.retry = builder.build();
		}

		void observe() {
			this.retry = this.builder.observer(this.observer).build();
		}

		private static RetryPolicy policy(CallSetup setup) {
			RetryPolicyBuilder policy = RetryPolicy.builder("orders")
				.jitter(Jitter.none())
				.deadline(setup.deadline())
				.enabled(setup.isEnabled())
				.postponedWhenEmpty(setup.isPostponed());
			if (setup.attemptTimeout() != null) {
				policy.attemptTimeout(setup.attemptTimeout());
			}
			if (setup.classifier() != null) {
				policy.classifiers(List.of(setup.classifier()));
			}
			if (setup.judging() == CallSetup.Judging.RETRY_WHEN_NOT_DONE) {
				policy.retryWhen((result, context) -> !"done".equals(result));
			}
			else if (setup.judging() == CallSetup.Judging.UNTIL_DONE) {
				policy.until((result, context) -> "done".equals(result));
			}
			Integer maxAttempts = setup.maxAttempts();
			return ((maxAttempts != null) ? policy.maxAttempts(maxAttempts)
					: policy.maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS))
				.build();
		}

		@Override
		public CallRegistry waiting() {
			return this.waiting;
		}

		@Override
		public RetryBudget budget() {
			return this.budget;
		}

		@Override
		public CircuitBreaker breaker() {
			return this.breaker;
		}

		@Override
		public ConcurrencyLimit limit() {
			return this.limit;
		}

		@Override
		public Pace pace() {
			return this.pace;
		}

		@Override
		public void close() {
			assertThat(this.observer.mistakes()).isEmpty();
			assertThat(this.observer.running()).as("observed calls and attempts").isZero();
			assertThat(this.observer.open()).as("open scopes").isZero();
		}

	}

	/** A retry that is called asynchronously. */
	private static final class AsyncDriver extends Driver {

		private final CallSetup setup;

		private final Starter starter;

		AsyncDriver(CallSetup setup, Starter starter) {
			super(setup);
			this.setup = setup;
			this.starter = starter;
		}

		@Override
		public @Nullable Object call(ScriptedOperation<@Nullable Object> operation,
				@Nullable Recovery<Object, @Nullable Object, Exception> recovery) throws Throwable {
			Queue<Runnable> work = new ConcurrentLinkedQueue<>();
			CompletableFuture<@Nullable Object> result = this.retry.callAsyncOn("context",
					(context, number) -> this.starter.start(work, operation),
					(recovery != null)
							? (context, report) -> this.starter.start(work, () -> recovery.recover(context, report))
							: null);
			return DriverContract.await(this.setup.time(), () -> {
				Runnable next = work.poll();
				if (next != null) {
					next.run();
				}
				return next != null;
			}, result);
		}

	}

	/** Starts an attempt. */
	@FunctionalInterface
	private interface Starter {

		CompletionStage<@Nullable Object> start(Queue<Runnable> work, Operation<@Nullable Object, Exception> attempt)
				throws Exception;

	}

}
