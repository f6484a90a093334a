package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.Idempotency;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.DriverContract;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** On which threads asynchronous calls make attempts, also while an executor is busy. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AsyncExecutorTests extends AsyncCallFixture {

	@Nested
	class Executing {

		@Test
		void happensOnTheExecutorAfterEachWait() {
			List<Runnable> tasks = new ArrayList<>();
			CompletableFuture<String> result = builder(policy().shape(Shape.fixed(Duration.ZERO))).executor(tasks::add)
				.build()
				.callAsync(AsyncExecutorTests.this::newStage);
			lastStage().completeExceptionally(failure());
			assertThat(tasks).hasSize(1);
			assertThat(stages()).hasSize(1);
			assertThat(waiting().waiting()).isEqualTo(1);
			tasks.get(0).run();
			tasks.get(0).run();
			assertThat(stages()).hasSize(2);
			lastStage().complete("second");
			assertThat(result).isCompletedWithValue("second");
		}

		@Test
		void neverStartsWhatWasCancelledInItsQueue() {
			List<Runnable> tasks = new ArrayList<>();
			CompletableFuture<String> result = builder(policy()).executor(tasks::add)
				.build()
				.callAsync(AsyncExecutorTests.this::newStage);
			lastStage().completeExceptionally(failure());
			time().runNext();
			result.cancel(true);
			tasks.forEach(Runnable::run);
			assertThat(stages()).hasSize(1);
		}

		@Test
		void endsAsRejectedIfRefused() {
			RejectedExecutionException full = new RejectedExecutionException("full");
			Executor executor = (task) -> {
				throw full;
			};
			for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(100))) {
				listener().clear();
				CompletableFuture<String> result = builder(policy().shape(Shape.fixed(delay))).executor(executor)
					.build()
					.callAsync(() -> CompletableFuture.failedFuture(failure()),
							(context, report) -> CompletableFuture.completedFuture(report.reason().tag()));
				time().runAll();
				assertThat(result.join()).isEqualTo("rejected");
				assertThat(report()).hasCause(full)
					.hasMessageContaining("REJECTED, the executor refused the attempt with RejectedExecutionException");
				assertThat(report().failure()).isSameAs(failure());
			}
		}

		@Test
		void isAskedForAtTheStartOfEachCall() {
			AtomicInteger asked = new AtomicInteger();
			Retry retry = builder(policy()).executorOfEachCall(() -> {
				asked.incrementAndGet();
				return Runnable::run;
			}).build();
			retry.callAsync(() -> CompletableFuture.completedFuture("fine"));
			CompletableFuture<String> failed = retry.callAsync(() -> CompletableFuture.failedFuture(failure()));
			time().runAll();
			assertThat(failed).isCompletedExceptionally();
			assertThat(asked).hasValue(2);
		}

		@Test
		void usesTheDefaultIfThereIsNone() {
			Retry retry = builder(policy().maxAttempts(2)).executorOfEachCall(() -> {
				throw new IllegalStateException("none");
			}).build();
			CompletableFuture<String> result = retry.callAsync(() -> CompletableFuture.failedFuture(failure()));
			time().runAll();
			assertThat(catchThrowable(result::join)).hasCause(failure());
			// virtual time may run past the second within which a real thread begins
			assertThat(listener().hookFailures())
				.filteredOn((failed) -> failed.failure() instanceof IllegalStateException)
				.hasSize(1);
		}

		@Test
		void doesWithoutAContextThatCannotBeRestored() {
			AsyncOperation.CarryingExecutor broken = new AsyncOperation.CarryingExecutor() {

				@Override
				public void execute(Runnable task) {
					task.run();
				}

				@Override
				public void runHere(Runnable task) {
					throw new IllegalStateException("no context");
				}

			};
			CompletableFuture<String> result = builder(policy().maxAttempts(2)).executor(broken)
				.build()
				.callAsync(AsyncExecutorTests.this::newStage, (context, report) -> newStage());
			lastStage().completeExceptionally(failure());
			time().runNext();
			lastStage().completeExceptionally(failure());
			lastStage().complete("recovered");
			assertThat(result).isCompletedWithValue("recovered");
			assertThat(listener().hookFailures()).extracting(RetryEvent.HookFailed::hook).containsOnly("executor");
		}

		@Test
		void keepsTheStackFlat() {
			CompletableFuture<Integer> depth = retry(policy().shape(Shape.fixed(Duration.ZERO)).maxAttempts(10_000))
				.callAsync(() -> {
					if (Attempt.current().number() < 10_000) {
						return CompletableFuture.failedFuture(failure());
					}
					return CompletableFuture.completedFuture(new Throwable().getStackTrace().length);
				});
			assertThat(depth.join()).isLessThan(200);
		}

		@Test
		void happensOnTheDefaultExecutorAndNotOnTheTimer() {
			List<String> threads = new ArrayList<>();
			Retry retry = Retry.builder(policy().shape(Shape.fixed(Duration.ofMillis(1))).build()).build();
			String result = retry.<String>callAsync(() -> {
				threads.add(Thread.currentThread().getName());
				if (threads.size() < 3) {
					return CompletableFuture.failedFuture(failure());
				}
				return CompletableFuture.completedFuture("third");
			}).join();
			assertThat(result).isEqualTo("third");
			assertThat(threads.get(0)).isEqualTo(Thread.currentThread().getName());
			assertThat(threads).doesNotContain("backoff-timer");
		}

	}

	@Nested
	class AnExecutorThatIsBusyOrDropsTasks {

		private final List<Runnable> queue = new ArrayList<>();

		private CompletableFuture<String> call(RetryPolicyBuilder policy) {
			CompletableFuture<String> result = builder(policy).executor(this.queue::add)
				.build()
				.callAsync(AsyncExecutorTests.this::newStage, (context, report) -> CompletableFuture
					.completedFuture(report.attempts() + " " + report.reason()));
			lastStage().completeExceptionally(failure());
			time().runNext();
			assertThat(this.queue).hasSize(1);
			return result;
		}

		private void startLate() {
			List<String> before = recorder().lines();
			List.copyOf(this.queue).forEach(Runnable::run);
			assertThat(recorder().lines()).isEqualTo(before);
			assertThat(stages()).hasSize(1);
		}

		@Test
		void endsTheCallAtTheDeadlineWithItsLastFailure() {
			CompletableFuture<String> result = call(policy().deadline(Duration.ofMillis(500)));
			time().advance(Duration.ofNanos(399_999_999));
			assertThat(time().runDue()).isZero();
			time().runAll();
			assertThat(result.join()).isEqualTo("1 DEADLINE");
			assertThat(report())
				.hasMessageContaining("500 ms: DEADLINE, the executor has not begun the attempt in time");
			assertThat(report().failure()).isSameAs(failure());
			assertThat(recorder().lines()).containsExactly("attempt 1 transient 0ms", "waiting policy 100ms", "waited",
					"call deadline 500ms", "recovered done");
			startLate();
		}

		@Test
		void makesAnAttemptWhoseTimeoutPassesATimeout() throws Throwable {
			CompletableFuture<String> result = call(
					policy().maxAttempts(3).attemptTimeout(Duration.ofMillis(200)).deadline(Duration.ofSeconds(5)));
			DriverContract.await(time(), () -> false, result);
			assertThat(result.join()).isEqualTo("3 ATTEMPTS_EXHAUSTED");
			assertThat(report().failure()).hasMessage("Attempt 3 of OrderService.place was not finished after 200 ms");
			assertThat(recorder().lines()).containsExactly("attempt 1 transient 0ms", "waiting policy 100ms", "waited",
					"retry other", "attempt 2 timeout 200ms", "waiting policy 200ms", "waited", "retry timeout",
					"attempt 3 timeout 200ms", "call attempts_exhausted 700ms", "recovered done");
			assertThat(listener().hookFailures()).hasSize(2).allSatisfy((event) -> {
				assertThat(event.hook()).isEqualTo("executor");
				assertThat(event.failure()).isInstanceOf(TimeoutException.class)
					.hasMessage("an attempt was not begun within 200 ms and has timed out");
			});
			startLate();
		}

		@Test
		void makesNoEffectOfAnAttemptThatWasNotBegun() throws Throwable {
			RetryBudget budget = RetryBudget.of("b", new BudgetSettings(10, 0, 0), time(), RetryBudget.Listener.NONE);
			RetryPolicyBuilder policy = policy().maxAttempts(3)
				.attemptTimeout(Duration.ofMillis(200))
				.idempotency(Idempotency.NO)
				.classifiers(List.of((failure) -> FailureClassification.transientFailure(RetryCause.CONNECT)));
			CompletableFuture<String> result = builder(policy).executor((task) -> {
				if (this.queue.isEmpty()) {
					this.queue.add(task);
				}
				else {
					task.run();
				}
			})
				.budget(budget)
				.build()
				.callAsync(() -> stages().isEmpty() ? newStage() : CompletableFuture.completedFuture("fine"));
			lastStage().completeExceptionally(failure());
			DriverContract.await(time(), () -> false, result);
			assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("fine");
			assertThat(budget.balance()).isEqualTo(10);
		}

		@Test
		void makesTheAttemptElsewhereAfterASecond() throws Exception {
			RetryPolicyBuilder policy = policy().maxAttempts(2).attemptTimeout(Duration.ofSeconds(3));
			CompletableFuture<String> result = builder(policy).executor(this.queue::add)
				.build()
				.callAsync(() -> stages().isEmpty() ? newStage()
						: CompletableFuture.completedFuture("with " + Attempt.current().timeLeft()));
			lastStage().completeExceptionally(failure());
			time().runNext();
			time().runNext();
			assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("with PT2S");
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(1_100));
			assertThat(listener().hookFailures()).singleElement().satisfies((event) -> {
				assertThat(event.hook()).isEqualTo("executor");
				assertThat(event.failure()).isInstanceOf(TimeoutException.class)
					.hasMessage("an attempt was not begun within 1 s and is made on the default executor");
			});
			startLate();
		}

		@Test
		void leavesTheBreakerAlone() throws Throwable {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().minimumCalls(1).failureRate(1).build())
				.time(time())
				.build();
			CompletableFuture<String> result = builder(
					policy().maxAttempts(2).until((value, context) -> false).attemptTimeout(Duration.ofMillis(200)))
				.breaker(breaker)
				.executor(this.queue::add)
				.build()
				.callAsync(() -> CompletableFuture.completedFuture("pending"),
						(context, report) -> CompletableFuture.completedFuture("recovered"));
			assertThat(DriverContract.await(time(), () -> false, result)).isEqualTo("recovered");
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 pending 0ms", "attempt 2 timeout 200ms");
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void isGivenTheTaskOnceThoughAnOperatorWakesTheCall() {
			CompletableFuture<String> result = call(policy().maxAttempts(2).attemptTimeout(Duration.ofMillis(200)));
			time().advance(Duration.ofMillis(150));
			assertThat(waiting().wake(null)).isEqualTo(1);
			assertThat(this.queue).hasSize(1);
			time().advance(Duration.ofMillis(50));
			assertThat(time().runDue()).isEqualTo(1);
			assertThat(result.join()).startsWith("2 ATTEMPTS_EXHAUSTED");
		}

		@Test
		void takesTheTimeInTheQueueFromTheAttempt() {
			CompletableFuture<String> result = call(policy().maxAttempts(2).attemptTimeout(Duration.ofMillis(200)));
			time().advance(Duration.ofMillis(150));
			this.queue.remove(0).run();
			assertThat(stages()).hasSize(2);
			time().advance(Duration.ofMillis(50));
			assertThat(time().runDue()).isEqualTo(1);
			this.queue.remove(0).run();
			assertThat(result.join()).startsWith("2 ATTEMPTS_EXHAUSTED");
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 transient 0ms",
					"attempt 2 timeout 200ms");
		}

		@Test
		void delaysTheEndOfAnAttemptByAnotherTimeoutAtMost() {
			CompletableFuture<String> result = builder(policy().maxAttempts(1).attemptTimeout(Duration.ofMillis(200)))
				.executor(this.queue::add)
				.build()
				.callAsync(AsyncExecutorTests.this::newStage,
						(context, report) -> CompletableFuture.completedFuture("recovered"));
			time().runAll();
			assertThat(result.join()).isEqualTo("recovered");
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(400));
			startLate();
		}

	}

}
