package dev.backoff;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.Cancellable;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What asynchronous calls do besides the {@linkplain DriverContractTests contract}. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AsyncCallTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final CallRegistry waiting = new CallRegistry();

	private final IOException failure = new IOException("down");

	private final List<CompletableFuture<String>> stages = new ArrayList<>();

	@AfterEach
	void leavesNothingBehind() {
		assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
		assertThat(Attempt.isRunning()).as("running attempt").isFalse();
		assertThat(this.time.pending()).as("scheduled tasks").isZero();
		assertThat(this.waiting.waiting()).as("waiting calls").isZero();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(4);
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.calls(this.waiting)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	private CompletableFuture<String> call() {
		return retry(policy()).build().callAsync(this::newStage);
	}

	private CompletionStage<String> newStage() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		this.stages.add(stage);
		return stage;
	}

	private CompletableFuture<String> lastStage() {
		return this.stages.get(this.stages.size() - 1);
	}

	@Nested
	class TheResult {

		@Test
		void isThereAtOnceIfTheFirstStageIs() {
			CompletableFuture<String> result = retry(policy()).build()
				.callAsync(() -> CompletableFuture.completedStage("fine"));
			assertThat(result).isCompletedWithValue("fine");
		}

		@Test
		void isTheThirdStagesValue() {
			CompletableFuture<String> result = call();
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
			AsyncCallTests.this.time.runAll();
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			AsyncCallTests.this.time.runAll();
			assertThat(result).isNotDone();
			lastStage().complete("third");
			assertThat(result).isCompletedWithValue("third");
		}

		@Test
		void wrapsTheFailureOnce() {
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build()
				.callAsync(() -> CompletableFuture
					.failedFuture(new CompletionException(new CompletionException(AsyncCallTests.this.failure))));
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(AsyncCallTests.this.failure);
			assertThatThrownBy(result::join).isExactlyInstanceOf(CompletionException.class)
				.hasCause(AsyncCallTests.this.failure);
		}

		@Test
		void keepsAWrapperOfNothing() {
			CompletionException wrapper = new CompletionException("nothing in it", null);
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build()
				.callAsync(() -> CompletableFuture.failedFuture(wrapper));
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(wrapper);
		}

		@Test
		void failsClearlyWithoutAStage() {
			CompletableFuture<String> result = retry(policy()).build().callAsync(AsyncCallTests::noStage);
			assertThatThrownBy(result::join).hasRootCauseInstanceOf(NullPointerException.class)
				.hasRootCauseMessage("OrderService.place returned null instead of a CompletionStage");
			assertThat(AsyncCallTests.this.listener.story().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
		}

		@Test
		void failsClearlyWithoutAStageOfTheRecovery() {
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build()
				.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure),
						(context, story) -> noStage());
			Throwable thrown = result.handle((value, ex) -> ex).join();
			assertThat(thrown).isInstanceOf(NullPointerException.class)
				.hasMessage("The recovery of OrderService.place returned null instead of a CompletionStage")
				.hasSuppressedException(AsyncCallTests.this.failure);
		}

		@Test
		void comesFromAStageThatCannotBeAsked() {
			UnsupportedOperationException refusal = new UnsupportedOperationException("no callbacks");
			CompletableFuture<String> result = retry(policy()).build().callAsync(() -> new CompletableFuture<>() {

				@Override
				public CompletableFuture<String> whenComplete(
						java.util.function.BiConsumer<? super String, ? super Throwable> action) {
					throw refusal;
				}

			});
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(refusal);
		}

	}

	@SuppressWarnings("NullAway") // what careless code does
	private static CompletionStage<String> noStage() {
		return null;
	}

	@Nested
	class Cancelling {

		@Test
		void endsTheWait() {
			CompletableFuture<String> result = call();
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.time.pending()).isEqualTo(1);
			assertThat(AsyncCallTests.this.waiting.waiting()).isEqualTo(1);
			assertThat(result.cancel(true)).isTrue();
			assertThat(AsyncCallTests.this.time.pending()).isZero();
			assertThat(AsyncCallTests.this.waiting.waiting()).isZero();
			assertThat(AsyncCallTests.this.recorder.lines()).containsExactly("attempt 1 transient 0ms",
					"waiting policy 100ms", "waited", "call cancelled 0ms");
			assertThat(AsyncCallTests.this.listener.stopped()).hasSize(1);
			assertThat(AsyncCallTests.this.listener.stopped().get(0).thrown())
				.isInstanceOf(CancellationException.class);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
		}

		@Test
		void cancelsTheRunningAttempt() {
			CompletableFuture<String> result = call();
			assertThat(result.cancel(false)).isTrue();
			assertThat(lastStage()).isCancelled();
			assertThat(AsyncCallTests.this.recorder.lines()).containsExactly("attempt 1 cancelled 0ms",
					"call cancelled 0ms");
			assertThat(result.cancel(true)).isTrue();
			assertThat(AsyncCallTests.this.listener.stopped()).hasSize(1);
		}

		@Test
		void cancelsAnAttemptThatIsBeingStarted() {
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			result.set(retry(policy()).build().callAsync(() -> {
				CompletableFuture<String> running = result.get();
				if (running != null) {
					running.cancel(true);
				}
				CompletionStage<String> stage = newStage();
				if (running == null) {
					lastStage().completeExceptionally(AsyncCallTests.this.failure);
				}
				return stage;
			}));
			AsyncCallTests.this.time.runAll();
			assertThat(AsyncCallTests.this.stages).hasSize(2);
			assertThat(lastStage()).isCancelled();
			assertThat(AsyncCallTests.this.recorder.lines("call")).hasSize(1);
			assertThat(AsyncCallTests.this.recorder.lines("attempt")).containsExactly("attempt 1 transient 0ms",
					"attempt 2 cancelled 0ms");
		}

		@Test
		void betweenThePermitAndTheMethodCountsNoAttempt() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(AsyncCallTests.this.time).build();
			RecordingObserver observer = new RecordingObserver();
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			result.set(retry(policy()).breaker(breaker).observer(observer).enabledWhen(() -> {
				CompletableFuture<String> running = result.get();
				boolean waited = !AsyncCallTests.this.recorder.lines("waited").isEmpty();
				return running == null || !waited || running.cancel(true);
			}).build().callAsync(AsyncCallTests.this::newStage));
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			AsyncCallTests.this.time.runAll();
			assertThat(AsyncCallTests.this.stages).hasSize(1);
			assertThat(AsyncCallTests.this.recorder.lines()).containsExactly("attempt 1 transient 0ms",
					"waiting policy 100ms", "waited", "call cancelled 100ms");
			assertThat(AsyncCallTests.this.listener.story().attempts()).isEqualTo(1);
			assertThat(observer.lines()).containsExactly("call begins", "attempt 1 begins",
					"attempt 1 ends transient IOException", "wait 100ms policy",
					"call ends cancelled after 1 none CancellationException");
		}

		@Test
		void whileAnObserverIsToldOfTheAttemptCountsNoAttempt() {
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			List<String> observed = new ArrayList<>();
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().probes(1).openFor(Duration.ofMillis(1)).build())
				.time(AsyncCallTests.this.time)
				.build();
			result.set(retry(policy()).breaker(breaker)
				.observer(new CancellingObserver(observed, result))
				.build()
				.callAsync(AsyncCallTests.this::newStage));
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			breaker.open();
			AsyncCallTests.this.time.runAll();
			assertThat(AsyncCallTests.this.stages).hasSize(1);
			assertThat(AsyncCallTests.this.recorder.lines("attempt")).containsExactly("attempt 1 transient 0ms");
			assertThat(AsyncCallTests.this.recorder.lines("retry")).isEmpty();
			assertThat(AsyncCallTests.this.listener.story().attempts()).isEqualTo(1);
			assertThat(observed).containsExactly("1 TRANSIENT", "2 CANCELLED");
			assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(breaker.isPermitting(AsyncCallTests.this.time.nanoTime())).isTrue();
		}

		@Test
		void makesALateEndCountForNothing() {
			CompletableFuture<String> stubborn = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					throw new UnsupportedOperationException();
				}

			};
			CompletableFuture<String> result = retry(policy()).build().callAsync(() -> stubborn);
			result.cancel(true);
			List<String> before = AsyncCallTests.this.recorder.lines();
			stubborn.complete("late");
			assertThat(AsyncCallTests.this.recorder.lines()).isEqualTo(before);
			assertThat(result).isCancelled();
		}

		@Test
		void givesThePermitBack() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().probes(1).openFor(Duration.ofSeconds(1)).build())
				.time(AsyncCallTests.this.time)
				.build();
			breaker.open();
			AsyncCallTests.this.time.advance(Duration.ofSeconds(2));
			Retry retry = retry(policy()).breaker(breaker).build();
			retry.callAsync(AsyncCallTests.this::newStage).cancel(true);
			assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(retry.callAsync(() -> CompletableFuture.completedFuture("probe"))).isCompletedWithValue("probe");
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void isFollowedByNoRecovery() {
			AtomicInteger recoveries = new AtomicInteger();
			CompletableFuture<String> result = retry(policy()).build()
				.callAsync(AsyncCallTests.this::newStage, (context, story) -> {
					recoveries.incrementAndGet();
					return CompletableFuture.completedFuture("recovered");
				});
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			result.cancel(true);
			assertThat(recoveries).hasValue(0);
		}

		@Test
		void leavesARecoveryAlone() {
			CompletableFuture<String> recovery = new CompletableFuture<>();
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build()
				.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure),
						(context, story) -> recovery);
			result.cancel(true);
			assertThat(recovery).isNotDone();
			recovery.complete("recovered");
			assertThat(AsyncCallTests.this.recorder.lines("recovered")).containsExactly("recovered done");
			assertThat(AsyncCallTests.this.listener.stopped()).hasSize(1);
			assertThat(result).isCancelled();
		}

		@Test
		void ofAnEndedCallDoesNothing() {
			CompletableFuture<String> result = call();
			lastStage().complete("fine");
			assertThat(result.cancel(true)).isFalse();
			assertThat(AsyncCallTests.this.recorder.lines("call")).containsExactly("call succeeded 0ms");
		}

		@Test
		void letsGoOfWhatTheCallWorkedOn() throws InterruptedException {
			CompletableFuture<String> result = new CompletableFuture<>();
			WeakReference<Object> argument = pendingOn(result);
			for (int i = 0; i < 100 && argument.get() != null; i++) {
				System.gc();
				Thread.onSpinWait();
			}
			assertThat(argument.get()).isNull();
			assertThat(result).isNotDone();
		}

		private WeakReference<Object> pendingOn(CompletableFuture<String> holder) {
			Object argument = new Object();
			CompletableFuture<String> result = retry(policy()).build()
				.callAsyncOn(argument, (context, number) -> CompletableFuture.failedFuture(new IOException()), null);
			AsyncCallTests.this.listener.clear();
			result.cancel(true);
			// keeps the result, and by it whatever that keeps
			holder.whenComplete((value, thrown) -> result.complete("never"));
			return new WeakReference<>(argument);
		}

		@Test
		void racesWithEverythingAndIsRecordedOnce() throws InterruptedException {
			ExecutorService pool = Executors.newFixedThreadPool(3);
			try {
				Retry retry = Retry.builder(policy().shape(Shape.fixed(Duration.ofNanos(1))).build())
					.executor(pool)
					.calls(AsyncCallTests.this.waiting)
					.recorder(AsyncCallTests.this.recorder)
					.build();
				int calls = 5_000;
				AtomicInteger attempts = new AtomicInteger();
				CountDownLatch done = new CountDownLatch(calls);
				for (int i = 0; i < calls; i++) {
					CompletableFuture<String> result = retry.callAsync(() -> {
						attempts.incrementAndGet();
						return CompletableFuture.supplyAsync(() -> {
							throw new CompletionException(AsyncCallTests.this.failure);
						}, pool);
					});
					result.whenComplete((value, thrown) -> done.countDown());
					pool.execute(() -> result.cancel(true));
				}
				done.await();
				while (AsyncCallTests.this.recorder.lines("call").size() < calls) {
					Thread.onSpinWait();
				}
				// what was cancelled before it began may begin yet
				pool.shutdown();
				assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
				assertThat(AsyncCallTests.this.recorder.lines("call")).hasSize(calls);
				assertThat(AsyncCallTests.this.recorder.lines("attempt")).hasSize(attempts.get())
					.hasSize(calls + AsyncCallTests.this.recorder.lines("retry").size());
				assertThat(AsyncCallTests.this.recorder.lines("waited"))
					.hasSameSizeAs(AsyncCallTests.this.recorder.lines("waiting"));
			}
			finally {
				pool.shutdownNow();
			}
		}

	}

	/** Cancels the call while the second attempt is observed to begin. */
	private record CancellingObserver(List<String> observed,
			AtomicReference<@Nullable CompletableFuture<String>> result)
			implements
				CallObserver,
				CallObserver.ObservedCall {

		@Override
		public ObservedCall callBegins(String policy, String method) {
			return this;
		}

		@Override
		public Scope open() {
			return () -> {
			};
		}

		@Override
		public ObservedAttempt attemptBegins(int number) {
			CompletableFuture<String> running = this.result.get();
			if (running != null) {
				running.cancel(true);
			}
			return new ObservedAttempt() {

				@Override
				public Scope open() {
					return CancellingObserver.this.open();
				}

				@Override
				public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
					CancellingObserver.this.observed.add(number + " " + outcome);
				}

			};
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
		}

	}

	@Nested
	class CompletingTheResult {

		@Test
		void endsTheCallWithThatValue() {
			CompletableFuture<String> result = call();
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(result.complete("mine")).isTrue();
			assertThat(result.complete("again")).isFalse();
			assertThat(AsyncCallTests.this.time.pending()).isZero();
			assertThat(AsyncCallTests.this.listener.story().reason()).isEqualTo(StopReason.CANCELLED);
			assertThat(AsyncCallTests.this.listener.stopped().get(0).thrown()).isNull();
			assertThat(result).isCompletedWithValue("mine");
		}

		@Test
		void leavesTheRunningAttemptAlone() {
			CompletableFuture<String> result = call();
			result.completeExceptionally(new IllegalStateException("mine"));
			assertThat(lastStage()).isNotDone();
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
			assertThat(AsyncCallTests.this.recorder.lines("call")).containsExactly("call cancelled 0ms");
		}

		@Test
		void isSeenAlsoIfItCameAnotherWay() {
			CompletableFuture<String> result = call();
			result.completeAsync(() -> "mine", Runnable::run);
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.time.pending()).isZero();
			assertThat(AsyncCallTests.this.recorder.lines("call")).containsExactly("call cancelled 0ms");
			assertThat(result).isCompletedWithValue("mine");
		}

	}

	@Nested
	class Executing {

		@Test
		void happensOnTheExecutorAfterEachWait() {
			List<Runnable> tasks = new ArrayList<>();
			CompletableFuture<String> result = retry(policy().shape(Shape.fixed(Duration.ZERO))).executor(tasks::add)
				.build()
				.callAsync(AsyncCallTests.this::newStage);
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			assertThat(tasks).hasSize(1);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
			assertThat(AsyncCallTests.this.waiting.waiting()).isEqualTo(1);
			tasks.get(0).run();
			tasks.get(0).run();
			assertThat(AsyncCallTests.this.stages).hasSize(2);
			lastStage().complete("second");
			assertThat(result).isCompletedWithValue("second");
		}

		@Test
		void neverStartsWhatWasCancelledInItsQueue() {
			List<Runnable> tasks = new ArrayList<>();
			CompletableFuture<String> result = retry(policy()).executor(tasks::add)
				.build()
				.callAsync(AsyncCallTests.this::newStage);
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			AsyncCallTests.this.time.runNext();
			result.cancel(true);
			tasks.forEach(Runnable::run);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
		}

		@Test
		void endsAsRejectedIfRefused() {
			RejectedExecutionException full = new RejectedExecutionException("full");
			Executor executor = (task) -> {
				throw full;
			};
			for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(100))) {
				AsyncCallTests.this.listener.clear();
				CompletableFuture<String> result = retry(policy().shape(Shape.fixed(delay))).executor(executor)
					.build()
					.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure),
							(context, story) -> CompletableFuture.completedFuture(story.reason().tag()));
				AsyncCallTests.this.time.runAll();
				assertThat(result.join()).isEqualTo("rejected");
				assertThat(AsyncCallTests.this.listener.story()).hasCause(full)
					.hasMessageContaining("REJECTED, the executor refused the attempt with RejectedExecutionException");
				assertThat(AsyncCallTests.this.listener.story().failure()).isSameAs(AsyncCallTests.this.failure);
			}
		}

		@Test
		void isAskedForAtTheStartOfEachCall() {
			AtomicInteger asked = new AtomicInteger();
			Retry retry = retry(policy()).executorOfEachCall(() -> {
				asked.incrementAndGet();
				return Runnable::run;
			}).build();
			retry.callAsync(() -> CompletableFuture.completedFuture("fine"));
			CompletableFuture<String> failed = retry
				.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure));
			AsyncCallTests.this.time.runAll();
			assertThat(failed).isCompletedExceptionally();
			assertThat(asked).hasValue(2);
		}

		@Test
		void usesTheDefaultIfThereIsNone() {
			Retry retry = retry(policy().maxAttempts(2)).executorOfEachCall(() -> {
				throw new IllegalStateException("none");
			}).build();
			CompletableFuture<String> result = retry
				.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure));
			AsyncCallTests.this.time.runAll();
			assertThat(catchThrowable(result::join)).hasCause(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.listener.hookFailures()).hasSize(1);
		}

		@Test
		void keepsTheStackFlat() {
			CompletableFuture<Integer> depth = retry(policy().shape(Shape.fixed(Duration.ZERO)).maxAttempts(10_000))
				.build()
				.callAsync(() -> {
					if (Attempt.current().number() < 10_000) {
						return CompletableFuture.failedFuture(AsyncCallTests.this.failure);
					}
					return CompletableFuture.completedFuture(new Throwable().getStackTrace().length);
				});
			assertThat(depth.join()).isLessThan(200);
		}

		@Test
		void happensOnTheDefaultExecutorAndNotOnTheTimer() {
			List<String> threads = new ArrayList<>();
			Retry retry = Retry.of(policy().shape(Shape.fixed(Duration.ofMillis(1))).build());
			String result = retry.<String>callAsync(() -> {
				threads.add(Thread.currentThread().getName());
				if (threads.size() < 3) {
					return CompletableFuture.failedFuture(AsyncCallTests.this.failure);
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
			CompletableFuture<String> result = retry(policy).executor(this.queue::add)
				.build()
				.callAsync(AsyncCallTests.this::newStage,
						(context, story) -> CompletableFuture.completedFuture(story.attempts() + " " + story.reason()));
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			AsyncCallTests.this.time.runNext();
			assertThat(this.queue).hasSize(1);
			return result;
		}

		private void startLate() {
			List<String> before = AsyncCallTests.this.recorder.lines();
			List.copyOf(this.queue).forEach(Runnable::run);
			assertThat(AsyncCallTests.this.recorder.lines()).isEqualTo(before);
			assertThat(AsyncCallTests.this.stages).hasSize(1);
		}

		@Test
		void endsTheCallAtTheDeadlineWithItsLastFailure() {
			CompletableFuture<String> result = call(policy().deadline(Duration.ofMillis(500)));
			AsyncCallTests.this.time.advance(Duration.ofNanos(399_999_999));
			assertThat(AsyncCallTests.this.time.runDue()).isZero();
			AsyncCallTests.this.time.runAll();
			assertThat(result.join()).isEqualTo("1 DEADLINE");
			assertThat(AsyncCallTests.this.listener.story())
				.hasMessageContaining("500 ms: DEADLINE, the executor has not begun the attempt in time");
			assertThat(AsyncCallTests.this.listener.story().failure()).isSameAs(AsyncCallTests.this.failure);
			assertThat(AsyncCallTests.this.recorder.lines()).containsExactly("attempt 1 transient 0ms",
					"waiting policy 100ms", "waited", "call deadline 500ms", "recovered done");
			startLate();
		}

		@Test
		void makesAnAttemptWhoseTimeoutPassesATimeout() throws Throwable {
			CompletableFuture<String> result = call(
					policy().maxAttempts(3).attemptTimeout(Duration.ofMillis(200)).deadline(Duration.ofSeconds(5)));
			DriverContract.await(AsyncCallTests.this.time, () -> false, result);
			assertThat(result.join()).isEqualTo("3 ATTEMPTS_EXHAUSTED");
			assertThat(AsyncCallTests.this.listener.story().failure())
				.hasMessage("Attempt 3 of OrderService.place was not finished after 200 ms");
			assertThat(AsyncCallTests.this.recorder.lines()).containsExactly("attempt 1 transient 0ms",
					"waiting policy 100ms", "waited", "retry other", "attempt 2 timeout 200ms", "waiting policy 200ms",
					"waited", "retry timeout", "attempt 3 timeout 200ms", "call attempts_exhausted 700ms",
					"recovered done");
			startLate();
		}

		@Test
		void makesTheAttemptElsewhereAfterASecond() throws Exception {
			RetryPolicyBuilder policy = policy().maxAttempts(2).attemptTimeout(Duration.ofSeconds(3));
			CompletableFuture<String> result = retry(policy).executor(this.queue::add)
				.build()
				.callAsync(() -> AsyncCallTests.this.stages.isEmpty() ? newStage()
						: CompletableFuture.completedFuture("with " + Attempt.current().timeLeft()));
			lastStage().completeExceptionally(AsyncCallTests.this.failure);
			AsyncCallTests.this.time.runNext();
			AsyncCallTests.this.time.runNext();
			assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("with PT2S");
			assertThat(AsyncCallTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(1_100));
			assertThat(AsyncCallTests.this.listener.hookFailures()).singleElement().satisfies((event) -> {
				assertThat(event.hook()).isEqualTo("executor");
				assertThat(event.failure()).isInstanceOf(TimeoutException.class)
					.hasMessage("an attempt was not begun within a second");
			});
			startLate();
		}

		@Test
		void leavesTheBreakerAlone() throws Throwable {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().minimumCalls(1).failureRate(1).build())
				.time(AsyncCallTests.this.time)
				.build();
			CompletableFuture<String> result = retry(
					policy().maxAttempts(2).until((value, context) -> false).attemptTimeout(Duration.ofMillis(200)))
				.breaker(breaker)
				.executor(this.queue::add)
				.build()
				.callAsync(() -> CompletableFuture.completedFuture("pending"),
						(context, story) -> CompletableFuture.completedFuture("recovered"));
			assertThat(DriverContract.await(AsyncCallTests.this.time, () -> false, result)).isEqualTo("recovered");
			assertThat(AsyncCallTests.this.recorder.lines("attempt")).containsExactly("attempt 1 pending 0ms",
					"attempt 2 timeout 200ms");
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void isGivenTheTaskOnceThoughAnOperatorWakesTheCall() {
			CompletableFuture<String> result = call(policy().maxAttempts(2).attemptTimeout(Duration.ofMillis(200)));
			AsyncCallTests.this.time.advance(Duration.ofMillis(150));
			assertThat(AsyncCallTests.this.waiting.wake(null)).isEqualTo(1);
			assertThat(this.queue).hasSize(1);
			AsyncCallTests.this.time.advance(Duration.ofMillis(50));
			assertThat(AsyncCallTests.this.time.runDue()).isEqualTo(1);
			assertThat(result.join()).startsWith("2 ATTEMPTS_EXHAUSTED");
		}

		@Test
		void takesTheTimeInTheQueueFromTheAttempt() {
			CompletableFuture<String> result = call(policy().maxAttempts(2).attemptTimeout(Duration.ofMillis(200)));
			AsyncCallTests.this.time.advance(Duration.ofMillis(150));
			this.queue.remove(0).run();
			assertThat(AsyncCallTests.this.stages).hasSize(2);
			AsyncCallTests.this.time.advance(Duration.ofMillis(50));
			assertThat(AsyncCallTests.this.time.runDue()).isEqualTo(1);
			this.queue.remove(0).run();
			assertThat(result.join()).startsWith("2 ATTEMPTS_EXHAUSTED");
			assertThat(AsyncCallTests.this.recorder.lines("attempt")).containsExactly("attempt 1 transient 0ms",
					"attempt 2 timeout 200ms");
		}

		@Test
		void delaysTheEndOfAnAttemptByAnotherTimeoutAtMost() {
			CompletableFuture<String> result = retry(policy().maxAttempts(1).attemptTimeout(Duration.ofMillis(200)))
				.executor(this.queue::add)
				.build()
				.callAsync(AsyncCallTests.this::newStage,
						(context, story) -> CompletableFuture.completedFuture("recovered"));
			AsyncCallTests.this.time.runAll();
			assertThat(result.join()).isEqualTo("recovered");
			assertThat(AsyncCallTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(400));
			startLate();
		}

		@Test
		void hangsNothingInRealTime() throws Exception {
			ExecutorService pool = Executors.newSingleThreadExecutor();
			CountDownLatch done = new CountDownLatch(1);
			try {
				pool.execute(() -> {
					try {
						done.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
				});
				Retry retry = Retry
					.builder(policy().base(Duration.ofMillis(1))
						.attemptTimeout(Duration.ofMillis(20))
						.deadline(Duration.ofMillis(50))
						.build())
					.executor(pool)
					.listener(AsyncCallTests.this.listener)
					.build();
				CompletableFuture<String> result = retry
					.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure));
				assertThat(catchThrowable(result::join)).isInstanceOf(CompletionException.class);
				assertThat(AsyncCallTests.this.listener.story().elapsed()).isLessThan(Duration.ofMinutes(1));
			}
			finally {
				done.countDown();
				pool.shutdownNow();
			}
		}

	}

	@Nested
	class AShutdown {

		@Test
		void endsTenThousandPendingCalls() {
			Retry retry = retry(policy().base(Duration.ofHours(1)).cap(Duration.ofHours(1))).build();
			List<CompletableFuture<String>> results = new ArrayList<>();
			for (int i = 0; i < 10_000; i++) {
				results.add(retry.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure)));
			}
			assertThat(AsyncCallTests.this.waiting.waiting()).isEqualTo(10_000);
			AsyncCallTests.this.waiting.shutDown();
			assertThat(results).allMatch(CompletableFuture::isCompletedExceptionally);
			assertThat(AsyncCallTests.this.recorder.lines("call")).hasSize(10_000).containsOnly("call shutdown 0ms");
			assertThat(AsyncCallTests.this.time.pending()).isZero();
		}

		@Test
		void endsWhatAnExecutorHasNotStarted() {
			List<Runnable> dropped = new ArrayList<>();
			CompletableFuture<String> result = retry(policy()).executor(dropped::add)
				.build()
				.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure));
			AsyncCallTests.this.time.runNext();
			assertThat(dropped).hasSize(1);
			AsyncCallTests.this.waiting.shutDown();
			assertThat(result).isCompletedExceptionally();
			assertThat(AsyncCallTests.this.listener.story().reason()).isEqualTo(StopReason.SHUTDOWN);
		}

	}

	@Nested
	class ANestedCall {

		@Test
		void insideABlockingAttemptIsNotRetriedAgain() {
			AtomicInteger leaves = new AtomicInteger();
			Retry retry = retry(policy()).build();
			assertThatThrownBy(() -> retry.call(() -> {
				CompletableFuture<String> inner = retry.callAsync(() -> {
					leaves.incrementAndGet();
					return CompletableFuture.failedFuture(AsyncCallTests.this.failure);
				});
				AsyncCallTests.this.time.runAll();
				return inner.join();
			})).isInstanceOf(CompletionException.class).hasCause(AsyncCallTests.this.failure);
			assertThat(leaves).hasValue(4);
		}

		@Test
		void insideAnAsynchronousAttemptIsNotRetriedAgain() {
			AtomicInteger leaves = new AtomicInteger();
			AtomicInteger middles = new AtomicInteger();
			Retry retry = retry(policy()).build();
			CompletableFuture<String> result = retry.callAsync(() -> {
				middles.incrementAndGet();
				return retry.callAsync(() -> {
					leaves.incrementAndGet();
					return CompletableFuture.<String>failedFuture(AsyncCallTests.this.failure);
				}).thenApply((value) -> value);
			});
			AsyncCallTests.this.time.runAll();
			assertThat(result.handle((value, thrown) -> thrown).join()).isSameAs(AsyncCallTests.this.failure);
			assertThat(middles).hasValue(1);
			assertThat(leaves).hasValue(4);
		}

		@Test
		void neverOutlivesTheDeadlineAround() {
			Retry outer = retry(policy().maxAttempts(1).deadline(Duration.ofMillis(250))).build();
			Retry inner = retry(policy()).build();
			AtomicReference<@Nullable CompletableFuture<String>> pending = new AtomicReference<>();
			outer.call(() -> {
				pending.set(inner.callAsync(() -> CompletableFuture.failedFuture(AsyncCallTests.this.failure)));
				return "out before it ends";
			});
			AsyncCallTests.this.time.runAll();
			assertThat(pending.get()).isCompletedExceptionally();
			assertThat(AsyncCallTests.this.listener.story().reason()).isEqualTo(StopReason.DEADLINE);
			assertThat(AsyncCallTests.this.time.delays()).containsExactly(Duration.ofMillis(100));
		}

		@Test
		void sendsKeysOfTheCallAround() {
			List<@Nullable String> keys = new ArrayList<>();
			Retry outer = retry(policy().idempotency(Idempotency.BY_KEY).maxAttempts(2).nestedMultiply(true)).build();
			Retry inner = retry(policy().idempotency(Idempotency.BY_KEY).maxAttempts(2)).build();
			CompletableFuture<String> result = outer.callAsync(() -> inner.callAsync(() -> {
				OutboundRequest request = OutboundRequest.begin("GET");
				keys.add((request != null) ? request.idempotencyKey() : "none");
				return CompletableFuture.failedFuture(AsyncCallTests.this.failure);
			}));
			AsyncCallTests.this.time.runAll();
			assertThat(result).isCompletedExceptionally();
			assertThat(keys).hasSize(4).doesNotContainNull().containsOnly(keys.get(0));
		}

		@Test
		void leavesTheFramesOfItsThreadAlone() {
			Retry retry = retry(policy()).build();
			retry.call(() -> {
				Attempt around = Attempt.current();
				CompletableFuture<String> inner = retry.callAsync(() -> {
					assertThat(Attempt.current().idempotencyKey()).isNotEqualTo(around.idempotencyKey());
					RetryContext.ofDeadline(Duration.ZERO).open();
					throw AsyncCallTests.this.failure;
				});
				assertThat(Attempt.current().idempotencyKey()).isEqualTo(around.idempotencyKey());
				assertThat(Attempt.current().timeLeft()).isNull();
				inner.cancel(true);
				return "done";
			});
		}

		@Test
		void isNotSeenByWhatFollowsIt() {
			List<Boolean> seen = new ArrayList<>();
			Retry retry = retry(policy().maxAttempts(1)).build();
			AtomicReference<@Nullable CompletableFuture<String>> stage = new AtomicReference<>(
					new CompletableFuture<>());
			retry.<String, RuntimeException>call(() -> {
				CompletableFuture<String> result = retry.callAsync(stage::get, (context, story) -> {
					throw new IllegalStateException();
				});
				result.whenComplete((value, thrown) -> seen.add(Attempt.isRunning()));
				return "returned before it ends";
			});
			AsyncCallTests.this.listener.clear();
			CompletableFuture<String> running = stage.get();
			assertThat(running).isNotNull();
			running.completeExceptionally(AsyncCallTests.this.failure);
			assertThat(seen).containsExactly(false);
		}

		@Test
		void isOfTheAttemptThatIsJudged() {
			List<Integer> judged = new ArrayList<>();
			Retry retry = retry(policy().maxAttempts(2).until((result, context) -> {
				judged.add(Attempt.current().number());
				return false;
			})).build();
			CompletableFuture<String> result = retry.callAsync(AsyncCallTests.this::newStage);
			lastStage().complete("one");
			AsyncCallTests.this.time.runAll();
			lastStage().complete("two");
			assertThat(result).isCompletedWithValue("two");
			assertThat(judged).containsExactly(1, 2);
		}

	}

	@Test
	void takesTheGuardBackOfAWaitThatEndsBeforeItIsScheduled() {
		AtomicInteger scheduled = new AtomicInteger();
		List<Runnable> due = new ArrayList<>();
		RetryTime early = new RetryTime() {

			@Override
			public long nanoTime() {
				return 7;
			}

			@Override
			public void sleep(long nanos) {
			}

			@Override
			public Cancellable schedule(Runnable task, long nanos) {
				scheduled.incrementAndGet();
				AtomicBoolean taken = new AtomicBoolean();
				if (nanos == Duration.ofMillis(100).toNanos()) {
					task.run();
				}
				return () -> {
					if (taken.compareAndSet(false, true)) {
						scheduled.decrementAndGet();
					}
				};
			}

		};
		CompletableFuture<String> result = Retry
			.builder(RetryPolicy.builder("orders")
				.jitter(Jitter.none())
				.base(Duration.ofMillis(100))
				.attemptTimeout(Duration.ofSeconds(1))
				.maxAttempts(2)
				.build())
			.time(early)
			.executor(due::add)
			.build()
			.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
		due.forEach(Runnable::run);
		assertThat(result).isCompletedExceptionally();
		assertThat(scheduled).hasValue(0);
	}

	@Test
	void keepsTheInterruptOfTheThreadThatStartedIt() {
		CompletableFuture<String> result = retry(policy()).build().callAsync(() -> {
			throw new InterruptedException();
		});
		assertThat(Thread.interrupted()).isTrue();
		assertThat(result).isCompletedExceptionally();
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.INTERRUPTED);
	}

	@Test
	void doesNotTakeOverTheInterruptOfOtherThreads() {
		CompletableFuture<String> result = call();
		lastStage().completeExceptionally(new InterruptedException());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(result).isCompletedExceptionally();
	}

}
