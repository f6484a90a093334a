package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Attempts that take too long, besides the {@linkplain DriverContractTests contract}. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AttemptTimeoutTests extends CallFixture {

	private static RetryPolicyBuilder limited() {
		return policy().maxAttempts(3).attemptTimeout(Duration.ofSeconds(2));
	}

	/** Let the timer find that the attempt takes too long. */
	private void overrun() {
		time().advance(Duration.ofSeconds(3));
		time().runDue();
	}

	/** Return what a call throws whose attempts all take too long and throw this. */
	private Throwable overrun(RetryPolicyBuilder policy, Exception failure) {
		return catchThrowable(() -> retry(policy).call(() -> {
			overrun();
			throw failure;
		}));
	}

	@Nested
	class WorkThatIsInterrupted {

		@Test
		void canThrowWhatItLikes() {
			IOException closed = new IOException("closed");
			Throwable thrown = catchThrowable(() -> retry(limited()).call(() -> {
				overrun();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
				throw closed;
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class).hasCause(closed);
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 timeout 3s", "attempt 2 timeout 3s",
					"attempt 3 timeout 3s");
		}

		@Test
		void isToldTheTimeoutThoughTheTimerWasSetLate() {
			RetryTime pausing = new RetryTime() {

				@Override
				public long nanoTime() {
					time().advance(Duration.ofMillis(40));
					return time().nanoTime();
				}

				@Override
				public void sleep(long nanos) throws InterruptedException {
					time().sleep(nanos);
				}

				@Override
				public Cancellable schedule(Runnable task, long nanos) {
					return time().schedule(task, nanos);
				}

			};
			Throwable thrown = catchThrowable(() -> builder(limited()).time(pausing).build().call(() -> {
				overrun();
				throw new IOException("closed");
			}));
			assertThat(thrown).hasMessage("Attempt 3 of OrderService.place was not finished after 2 s");
		}

		@Test
		void isNotRepeatedIfACallInsideForbidsIt() {
			AtomicInteger applied = new AtomicInteger();
			Retry inner = Retry.builder(RetryPolicy.builder("inner").idempotency(Idempotency.NO).build())
				.time(time())
				.build();
			Throwable thrown = catchThrowable(() -> retry(limited()).call(() -> inner.call(() -> {
				applied.incrementAndGet();
				overrun();
				throw new IOException("closed");
			})));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(applied).hasValue(1);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void isNotCancelledBySomebodyElse() {
			assertThat(overrun(limited(), new CancellationException())).isInstanceOf(AttemptTimeoutException.class);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void keepsAnErrorAsItIs() {
			AssertionError error = new AssertionError();
			Throwable thrown = catchThrowable(() -> retry(limited()).call(() -> {
				overrun();
				throw error;
			}));
			assertThat(thrown).isSameAs(error);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		@Test
		void hasTimedOutIfItReturnsAfterItConsumedTheInterrupt() {
			List<String> closed = new ArrayList<>();
			Throwable thrown = catchThrowable(
					() -> retry(limited().maxAttempts(1)).<AutoCloseable, Exception>call(() -> {
						overrun();
						boolean interrupted = Thread.interrupted();
						return () -> closed.add("made up " + interrupted);
					}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class).hasNoCause();
			assertThat(closed).containsExactly("made up true");
		}

		@Test
		void hasNotTimedOutIfItHasNotNoticed() throws Exception {
			String result = retry(limited()).call(() -> {
				overrun();
				return "real";
			});
			assertThat(result).isEqualTo("real");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(recorder().lines()).containsExactly("attempt 1 success 3s", "call succeeded 3s");
		}

		@Test
		void mayHaveBeenApplied() {
			assertThat(overrun(limited().idempotency(Idempotency.NO), new InterruptedException()))
				.isInstanceOf(AttemptTimeoutException.class);
			assertThat(report())
				.hasMessageContaining("NOT_RETRYABLE, the work may have been applied and is not idempotent");
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 timeout 3s");
		}

	}

	@Nested
	class AnInterruptOfSomebodyElse {

		@Test
		void isNotTakenForOursIfItWasFirst() {
			Throwable thrown = catchThrowable(() -> retry(limited()).call(() -> {
				Thread.currentThread().interrupt();
				overrun();
				new CountDownLatch(1).await();
				return "never";
			}));
			assertThat(thrown).isInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void staysIfTheWorkDoesNotNoticeIt() throws Exception {
			String result = retry(limited()).call(() -> {
				Thread.currentThread().interrupt();
				overrun();
				return "real";
			});
			assertThat(result).isEqualTo("real");
			assertThat(Thread.interrupted()).isTrue();
		}

	}

	@Nested
	class TheTimer {

		@Test
		void doesNothingAfterTheAttempt() {
			Interruption interruption = new Interruption(null);
			assertThat(interruption.end()).isFalse();
			interruption.run();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		/* Real threads and the real timer: an interrupt that is a little late shows. */
		@Test
		void neverInterruptsWhatFollows() throws Exception {
			Retry retry = Retry
				.builder(RetryPolicy.builder("race")
					.base(Duration.ZERO)
					.maxAttempts(2)
					.attemptTimeout(Duration.ofNanos(30_000))
					.shortestAttempt(Duration.ZERO)
					.build())
				.build();
			for (int i = 0; i < 3_000; i++) {
				long until = System.nanoTime() + 20_000 + (i % 20) * 1_000L;
				try {
					retry.call(() -> {
						while (System.nanoTime() < until) {
							if (Thread.interrupted()) {
								throw new InterruptedException();
							}
						}
						return "fine";
					});
				}
				catch (AttemptTimeoutException ex) {
					// some end in time
				}
				for (int look = 0; look < 200; look++) {
					assertThat(Thread.currentThread().isInterrupted()).isFalse();
				}
			}
		}

	}

	@Nested
	class AStage {

		private final List<CompletableFuture<String>> stages = new ArrayList<>();

		private CompletionStage<String> hanging() {
			CompletableFuture<String> stage = new CompletableFuture<>();
			this.stages.add(stage);
			return stage;
		}

		@Test
		void isCancelledAndItsLateResultIgnored() {
			CompletableFuture<String> result = retry(limited()).callAsync(this::hanging);
			overrun();
			assertThat(this.stages.get(0)).isCancelled();
			time().runNext();
			assertThat(this.stages).hasSize(2);
			this.stages.get(0).complete("late");
			assertThat(result).isNotDone();
			this.stages.get(1).complete("fine");
			assertThat(result).isCompletedWithValue("fine");
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 timeout 3s", "attempt 2 success 0ms");
		}

		@Test
		void isAbandonedIfItDoesNotReactToCancellation() {
			CompletableFuture<AutoCloseable> deaf = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					throw new UnsupportedOperationException();
				}

			};
			CompletableFuture<AutoCloseable> result = retry(limited().maxAttempts(1)).callAsync(() -> deaf);
			overrun();
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class)
				.hasMessage("Attempt 1 of OrderService.place was not finished after 2 s");
			List<String> closed = new ArrayList<>();
			deaf.complete(() -> closed.add("late"));
			assertThat(closed).containsExactly("late");
		}

		@Test
		void thatIsCancelledByTheCallerFreesTheTimer() {
			CompletableFuture<String> result = retry(limited()).callAsync(this::hanging);
			assertThat(time().pending()).isEqualTo(1);
			assertThat(result.cancel(true)).isTrue();
			assertThat(time().pending()).isZero();
			assertThat(this.stages.get(0)).isCancelled();
		}

		@Test
		void endsThoughTheExecutorIsGone() {
			Retry retry = builder(limited().maxAttempts(1)).executor((task) -> {
				throw new RejectedExecutionException();
			}).build();
			CompletableFuture<String> result = retry.callAsync(this::hanging);
			overrun();
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class);
		}

		@Test
		void runsNoForeignCodeOnTheTimersThread() throws Exception {
			ConcurrentLinkedQueue<Runnable> handedOver = new ConcurrentLinkedQueue<>();
			Retry retry = builder(limited().maxAttempts(1)).executor(handedOver::add).build();
			CompletableFuture<String> result = retry.callAsync(this::hanging);
			overrun();
			assertThat(this.stages.get(0)).isNotDone();
			assertThat(handedOver).hasSize(1);
			// too late already, though nobody has heard of it yet
			this.stages.get(0).complete("late");
			handedOver.remove().run();
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class);
		}

		@Test
		void thatStartsTooSlowlyIsInterruptedWhileItStarts() throws Exception {
			CompletableFuture<String> result = retry(limited().maxAttempts(1)).callAsync(() -> {
				overrun();
				throw new InterruptedException();
			});
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class)
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

	}

	@Nested
	class WhatIsAround {

		@Test
		void breakersCountATimeoutAsAFailure() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().minimumCalls(2).build())
				.time(time())
				.build();
			catchThrowableOf(() -> builder(limited().maxAttempts(2)).breaker(breaker).build().call(() -> {
				overrun();
				throw new InterruptedException();
			}));
			assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void aListOfFailuresHasToNameIt() {
			assertThat(overrun(limited().retryOn(IOException.class), new IOException("closed")))
				.isInstanceOf(AttemptTimeoutException.class);
			assertThat(report())
				.hasMessageContaining("NOT_RETRYABLE, AttemptTimeoutException is not listed in retryOn");
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 timeout 3s");
			assertThat(RetriesStoppedException.of(overrun(limited().abortOn(RuntimeException.class), null)))
				.hasMessageContaining("NOT_RETRYABLE, RuntimeException is listed in abortOn");
		}

		@Test
		void aCallInsideThatWaitsIsInterruptedAndTheOuterOneRetries() throws Exception {
			Retry inner = Retry
				.builder(RetryPolicy.builder("inner")
					.jitter(Jitter.none())
					.base(Duration.ofMillis(1_500))
					.maxAttempts(3)
					.build())
				.time(this.innerTime())
				.build();
			AtomicInteger attempts = new AtomicInteger();
			String result = retry(limited()).call(() -> {
				if (attempts.incrementAndGet() == 1) {
					return inner.call(() -> {
						throw new IOException("inner");
					});
				}
				return "fine";
			});
			assertThat(result).isEqualTo("fine");
			assertThat(recorder().lines("attempt").get(0)).startsWith("attempt 1 timeout");
		}

		/* Each wait inside finds that the attempt around it takes too long. */
		private VirtualTime innerTime() {
			return new VirtualTime().whileSleeping((nanos) -> overrun());
		}

		@Test
		void aCallInsideHasNoMoreTimeThanTheAttempt() throws Exception {
			Retry inner = Retry.builder(RetryPolicy.builder("inner").jitter(Jitter.none()).build())
				.time(time())
				.build();
			Duration left = retry(limited()).call(() -> inner.call(() -> Attempt.current().timeLeft()));
			assertThat(left).isEqualTo(Duration.ofSeconds(2));
			Duration elsewhere = retry(limited())
				.call(() -> RetryContext.capture().wrap(() -> Attempt.current().timeLeft()).call());
			assertThat(elsewhere).isEqualTo(Duration.ofSeconds(2));
		}

	}

	@Nested
	class ThePolicy {

		@Test
		void refusesNoTime() {
			assertThat(catchThrowable(() -> limited().attemptTimeout(Duration.ZERO)))
				.hasMessage("Invalid attemptTimeout (0ms): must be above zero.");
			assertThat(catchThrowable(() -> limited().attemptTimeout(Duration.ofMillis(-1))))
				.hasMessage("Invalid attemptTimeout (-1ms): must be above zero.");
		}

		@Test
		void takesTheLongestTimeForNone() throws Exception {
			Retry retry = retry(limited().attemptTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
			assertThat(retry.policy().attemptTimeoutNanos()).isEqualTo(Long.MAX_VALUE);
			assertThat(retry.call(() -> "fine")).isEqualTo("fine");
		}

	}

	private static void catchThrowableOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
		assertThat(catchThrowable(call)).isNotNull();
	}

}
