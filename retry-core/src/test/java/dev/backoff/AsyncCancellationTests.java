package dev.backoff;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.HookedObserver;
import dev.backoff.fixture.RecordingObserver;

import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of an asynchronous call that its caller cancels or completes. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AsyncCancellationTests extends AsyncCallFixture {

	@Nested
	class Cancelling {

		@Test
		void endsTheWait() {
			CompletableFuture<String> result = call();
			lastStage().completeExceptionally(failure());
			assertThat(time().pending()).isEqualTo(1);
			assertThat(waiting().waiting()).isEqualTo(1);
			assertThat(result.cancel(true)).isTrue();
			assertThat(time().pending()).isZero();
			assertThat(waiting().waiting()).isZero();
			assertThat(recorder().lines()).containsExactly("attempt 1 transient 0ms", "waiting policy 100ms", "waited",
					"call cancelled 0ms");
			assertThat(listener().stopped()).hasSize(1);
			assertThat(listener().stopped().get(0).thrown()).isInstanceOf(CancellationException.class);
			assertThat(stages()).hasSize(1);
		}

		@Test
		void cancelsTheRunningAttempt() {
			CompletableFuture<String> result = call();
			assertThat(result.cancel(false)).isTrue();
			assertThat(lastStage()).isCancelled();
			assertThat(recorder().lines()).containsExactly("attempt 1 cancelled 0ms", "call cancelled 0ms");
			assertThat(result.cancel(true)).isTrue();
			assertThat(listener().stopped()).hasSize(1);
		}

		@Test
		void cancelsAnAttemptThatIsBeingStarted() {
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			result.set(retry(policy()).callAsync(() -> {
				CompletableFuture<String> running = result.get();
				if (running != null) {
					running.cancel(true);
				}
				CompletionStage<String> stage = newStage();
				if (running == null) {
					lastStage().completeExceptionally(failure());
				}
				return stage;
			}));
			time().runAll();
			assertThat(stages()).hasSize(2);
			assertThat(lastStage()).isCancelled();
			assertThat(recorder().lines("call")).hasSize(1);
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 transient 0ms",
					"attempt 2 cancelled 0ms");
		}

		@Test
		void betweenThePermitAndTheMethodCountsNoAttempt() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(time()).build();
			RecordingObserver observer = new RecordingObserver();
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			result.set(builder(policy()).breaker(breaker).observer(observer).enabledWhen(() -> {
				CompletableFuture<String> running = result.get();
				boolean waited = !recorder().lines("waited").isEmpty();
				return running == null || !waited || running.cancel(true);
			}).build().callAsync(AsyncCancellationTests.this::newStage));
			lastStage().completeExceptionally(failure());
			time().runAll();
			assertThat(stages()).hasSize(1);
			assertThat(recorder().lines()).containsExactly("attempt 1 transient 0ms", "waiting policy 100ms", "waited",
					"call cancelled 100ms");
			assertThat(report().attempts()).isEqualTo(1);
			assertThat(observer.lines()).containsExactly("call begins", "attempt 1 begins",
					"attempt 1 ends transient IOException", "wait 100ms policy",
					"call ends cancelled after 1 none CancellationException");
		}

		@Test
		void whileAnObserverIsToldOfTheAttemptCountsNoAttempt() {
			AtomicReference<@Nullable CompletableFuture<String>> result = new AtomicReference<>();
			RecordingObserver observer = new RecordingObserver();
			HookedObserver cancelling = new HookedObserver((place) -> {
				CompletableFuture<String> running = result.get();
				if (running != null && place.equals("attempt begins")) {
					running.cancel(true);
				}
			});
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().probes(1).openFor(Duration.ofMillis(1)).build())
				.time(time())
				.build();
			result.set(builder(policy()).breaker(breaker)
				.observer(observer)
				.observer(cancelling)
				.build()
				.callAsync(AsyncCancellationTests.this::newStage));
			lastStage().completeExceptionally(failure());
			breaker.open();
			time().runAll();
			assertThat(stages()).hasSize(1);
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 transient 0ms");
			assertThat(recorder().lines("retry")).isEmpty();
			assertThat(report().attempts()).isEqualTo(1);
			assertThat(observer.lines()).contains("attempt 1 ends transient IOException")
				.contains("attempt 2 ends cancelled");
			assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(breaker.isPermitting(time().nanoTime())).isTrue();
		}

		@Test
		void makesALateEndCountForNothing() {
			CompletableFuture<String> stubborn = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					throw new UnsupportedOperationException();
				}

			};
			CompletableFuture<String> result = retry(policy()).callAsync(() -> stubborn);
			result.cancel(true);
			List<String> before = recorder().lines();
			stubborn.complete("late");
			assertThat(recorder().lines()).isEqualTo(before);
			assertThat(result).isCancelled();
		}

		@Test
		void givesThePermitBack() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().probes(1).openFor(Duration.ofSeconds(1)).build())
				.time(time())
				.build();
			breaker.open();
			time().advance(Duration.ofSeconds(2));
			Retry retry = builder(policy()).breaker(breaker).build();
			retry.callAsync(AsyncCancellationTests.this::newStage).cancel(true);
			assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(retry.callAsync(() -> CompletableFuture.completedFuture("probe"))).isCompletedWithValue("probe");
			assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void isFollowedByNoRecovery() {
			AtomicInteger recoveries = new AtomicInteger();
			CompletableFuture<String> result = retry(policy()).callAsync(AsyncCancellationTests.this::newStage,
					(context, report) -> {
						recoveries.incrementAndGet();
						return CompletableFuture.completedFuture("recovered");
					});
			lastStage().completeExceptionally(failure());
			result.cancel(true);
			assertThat(recoveries).hasValue(0);
		}

		@Test
		void leavesARecoveryAlone() {
			CompletableFuture<String> recovery = new CompletableFuture<>();
			CompletableFuture<String> result = retry(policy().maxAttempts(1))
				.callAsync(() -> CompletableFuture.failedFuture(failure()), (context, report) -> recovery);
			result.cancel(true);
			assertThat(recovery).isNotDone();
			recovery.complete("recovered");
			assertThat(recorder().lines("recovered")).containsExactly("recovered done");
			assertThat(listener().stopped()).hasSize(1);
			assertThat(result).isCancelled();
		}

		@Test
		void ofAnEndedCallDoesNothing() {
			CompletableFuture<String> result = call();
			lastStage().complete("fine");
			assertThat(result.cancel(true)).isFalse();
			assertThat(recorder().lines("call")).containsExactly("call succeeded 0ms");
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
			CompletableFuture<String> result = retry(policy()).callAsyncOn(argument,
					(context, number) -> CompletableFuture.failedFuture(new IOException()), null);
			listener().clear();
			result.cancel(true);
			// keeps the result, and by it whatever that keeps
			holder.whenComplete((value, thrown) -> result.complete("never"));
			return new WeakReference<>(argument);
		}

	}

	@Nested
	class CompletingTheResult {

		@Test
		void endsTheCallWithThatValue() {
			CompletableFuture<String> result = call();
			lastStage().completeExceptionally(failure());
			assertThat(result.complete("mine")).isTrue();
			assertThat(result.complete("again")).isFalse();
			assertThat(time().pending()).isZero();
			assertThat(reason()).isEqualTo(StopReason.CANCELLED);
			assertThat(listener().stopped().get(0).thrown()).isNull();
			assertThat(result).isCompletedWithValue("mine");
		}

		@Test
		void leavesTheRunningAttemptAlone() {
			CompletableFuture<String> result = call();
			result.completeExceptionally(new IllegalStateException("mine"));
			assertThat(lastStage()).isNotDone();
			lastStage().completeExceptionally(failure());
			assertThat(stages()).hasSize(1);
			assertThat(recorder().lines("call")).containsExactly("call cancelled 0ms");
		}

		@Test
		void isSeenAlsoIfItCameAnotherWay() {
			CompletableFuture<String> result = call();
			result.completeAsync(() -> "mine", Runnable::run);
			lastStage().completeExceptionally(failure());
			assertThat(time().pending()).isZero();
			assertThat(recorder().lines("call")).containsExactly("call cancelled 0ms");
			assertThat(result).isCompletedWithValue("mine");
		}

	}

}
