package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.delay.Jitter;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Idempotency;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.Cancellable;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Attempts that take too long, besides the {@linkplain DriverContractTests contract}. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class AttemptTimeoutTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	@AfterEach
	void leavesNothingBehind() {
		assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
		assertThat(this.time.pending()).as("scheduled tasks").isZero();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(3).attemptTimeout(Duration.ofSeconds(2));
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	/** Let the timer find that the attempt takes too long. */
	private void overrun() {
		this.time.advance(Duration.ofSeconds(3));
		this.time.runDue();
	}

	@Nested
	class WorkThatIsInterrupted {

		@Test
		void canThrowWhatItLikes() {
			IOException closed = new IOException("closed");
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				overrun();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
				throw closed;
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class).hasCause(closed);
			assertThat(AttemptTimeoutTests.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 3s",
					"attempt 2 timeout 3s", "attempt 3 timeout 3s");
		}

		@Test
		void isToldTheTimeoutThoughTheTimerWasSetLate() {
			RetryTime pausing = new RetryTime() {

				@Override
				public long nanoTime() {
					AttemptTimeoutTests.this.time.advance(Duration.ofMillis(40));
					return AttemptTimeoutTests.this.time.nanoTime();
				}

				@Override
				public void sleep(long nanos) throws InterruptedException {
					AttemptTimeoutTests.this.time.sleep(nanos);
				}

				@Override
				public Cancellable schedule(Runnable task, long nanos) {
					return AttemptTimeoutTests.this.time.schedule(task, nanos);
				}

			};
			Throwable thrown = catchThrowable(() -> retry(policy()).time(pausing).build().call(() -> {
				overrun();
				throw new IOException("closed");
			}));
			assertThat(thrown).hasMessage("Attempt 3 of OrderService.place was not finished after 2 s");
		}

		@Test
		void isNotRepeatedIfACallInsideForbidsIt() {
			AtomicInteger applied = new AtomicInteger();
			Retry inner = Retry.builder(RetryPolicy.builder("inner").idempotency(Idempotency.NO).build())
				.time(AttemptTimeoutTests.this.time)
				.build();
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> inner.call(() -> {
				applied.incrementAndGet();
				overrun();
				throw new IOException("closed");
			})));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(applied).hasValue(1);
			assertThat(AttemptTimeoutTests.this.listener.story().reason()).isEqualTo(StopReason.NESTED);
		}

		@Test
		void isNotCancelledBySomebodyElse() {
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				overrun();
				throw new CancellationException();
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(AttemptTimeoutTests.this.listener.story().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void keepsAnErrorAsItIs() {
			AssertionError error = new AssertionError();
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				overrun();
				throw error;
			}));
			assertThat(thrown).isSameAs(error);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		@Test
		void hasTimedOutIfItReturnsAfterItConsumedTheInterrupt() {
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				overrun();
				return Thread.interrupted() ? "made up" : "real";
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class).hasNoCause();
		}

		@Test
		void hasNotTimedOutIfItHasNotNoticed() throws Exception {
			String result = retry(policy()).build().call(() -> {
				overrun();
				return "real";
			});
			assertThat(result).isEqualTo("real");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(AttemptTimeoutTests.this.recorder.lines()).containsExactly("attempt 1 success 3s",
					"call succeeded 3s");
		}

		@Test
		void mayHaveBeenApplied() {
			Throwable thrown = catchThrowable(() -> retry(policy().idempotency(Idempotency.NO)).build().call(() -> {
				overrun();
				throw new InterruptedException();
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(AttemptTimeoutTests.this.listener.story())
				.hasMessageContaining("NOT_RETRYABLE, the work may have been applied and is not idempotent");
			assertThat(AttemptTimeoutTests.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 3s");
		}

	}

	@Nested
	class AnInterruptOfSomebodyElse {

		@Test
		void endsTheCallAsBefore() {
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				throw new InterruptedException();
			}));
			assertThat(thrown).isInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
		}

		@Test
		void isNotTakenForOursIfItWasFirst() {
			Throwable thrown = catchThrowable(() -> retry(policy()).build().call(() -> {
				Thread.currentThread().interrupt();
				overrun();
				new CountDownLatch(1).await();
				return "never";
			}));
			assertThat(thrown).isInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(AttemptTimeoutTests.this.listener.story().reason()).isEqualTo(StopReason.INTERRUPTED);
		}

		@Test
		void staysIfTheWorkDoesNotNoticeIt() throws Exception {
			String result = retry(policy()).build().call(() -> {
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
		void isFreedWhenTheAttemptEnds() throws Exception {
			AtomicInteger calls = new AtomicInteger();
			String result = retry(policy()).build().call(() -> {
				assertThat(AttemptTimeoutTests.this.time.pending()).isEqualTo(1);
				if (calls.incrementAndGet() == 1) {
					throw new IOException();
				}
				return "fine";
			});
			assertThat(result).isEqualTo("fine");
		}

		@Test
		void doesNothingAfterTheAttempt() throws Exception {
			List<Runnable> timers = new ArrayList<>();
			Interruption interruption = new Interruption(null);
			timers.add(interruption);
			assertThat(interruption.end()).isFalse();
			timers.get(0).run();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		@Test
		void givesEachAttemptItsWholeTime() {
			List<Duration> left = new ArrayList<>();
			catchThrowableOf(() -> retry(policy()).build().call(() -> {
				left.add(Attempt.current().timeLeft());
				overrun();
				throw new InterruptedException();
			}));
			assertThat(left).hasSize(3).containsOnly(Duration.ofSeconds(2));
		}

		/* Real threads and the real timer: an interrupt that is a little late shows. */
		@Test
		void neverInterruptsWhatFollows() throws Exception {
			Retry retry = Retry.of(RetryPolicy.builder("race")
				.base(Duration.ZERO)
				.maxAttempts(2)
				.attemptTimeout(Duration.ofNanos(30_000))
				.shortestAttempt(Duration.ZERO)
				.build());
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
			CompletableFuture<String> result = retry(policy()).build().callAsync(this::hanging);
			overrun();
			assertThat(this.stages.get(0)).isCancelled();
			AttemptTimeoutTests.this.time.runNext();
			assertThat(this.stages).hasSize(2);
			this.stages.get(0).complete("late");
			assertThat(result).isNotDone();
			this.stages.get(1).complete("fine");
			assertThat(result).isCompletedWithValue("fine");
			assertThat(AttemptTimeoutTests.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 3s",
					"attempt 2 success 0ms");
		}

		@Test
		void isAbandonedIfItDoesNotReactToCancellation() {
			CompletableFuture<String> deaf = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					throw new UnsupportedOperationException();
				}

			};
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build().callAsync(() -> deaf);
			overrun();
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class)
				.hasMessage("Attempt 1 of OrderService.place was not finished after 2 s");
		}

		@Test
		void thatIsCancelledByTheCallerFreesTheTimer() {
			CompletableFuture<String> result = retry(policy()).build().callAsync(this::hanging);
			assertThat(AttemptTimeoutTests.this.time.pending()).isEqualTo(1);
			assertThat(result.cancel(true)).isTrue();
			assertThat(AttemptTimeoutTests.this.time.pending()).isZero();
			assertThat(this.stages.get(0)).isCancelled();
		}

		@Test
		void endsThoughTheExecutorIsGone() {
			Retry retry = retry(policy().maxAttempts(1)).executor((task) -> {
				throw new RejectedExecutionException();
			}).build();
			CompletableFuture<String> result = retry.callAsync(this::hanging);
			overrun();
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class);
		}

		@Test
		void runsNoForeignCodeOnTheTimersThread() throws Exception {
			ConcurrentLinkedQueue<Runnable> handedOver = new ConcurrentLinkedQueue<>();
			Retry retry = retry(policy().maxAttempts(1)).executor(handedOver::add).build();
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
			CompletableFuture<String> result = retry(policy().maxAttempts(1)).build().callAsync(() -> {
				overrun();
				throw new InterruptedException();
			});
			assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(AttemptTimeoutException.class)
				.hasCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}

		@Test
		void inRealTime() throws Exception {
			Retry retry = Retry.of(RetryPolicy.builder("real")
				.base(Duration.ofMillis(1))
				.maxAttempts(3)
				.attemptTimeout(Duration.ofMillis(20))
				.build());
			CompletableFuture<String> result = retry.callAsync(CompletableFuture::new);
			assertThat(result.handle((value, failure) -> failure).get()).isInstanceOf(AttemptTimeoutException.class)
				.hasMessageStartingWith("Attempt 3 of real was not finished after ");
		}

	}

	@Nested
	class WhatIsAround {

		@Test
		void breakersCountATimeoutAsAFailure() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway")
				.settings(BreakerSettings.builder().minimumCalls(2).build())
				.time(AttemptTimeoutTests.this.time)
				.build();
			catchThrowableOf(() -> retry(policy().maxAttempts(2)).breaker(breaker).build().call(() -> {
				overrun();
				throw new InterruptedException();
			}));
			assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void aListOfFailuresHasToNameIt() {
			catchThrowableOf(() -> retry(policy().retryOn(IOException.class)).build().call(() -> {
				overrun();
				throw new IOException("closed");
			}));
			assertThat(AttemptTimeoutTests.this.listener.story())
				.hasMessageContaining("NOT_RETRYABLE, AttemptTimeoutException is not listed in retryOn");
			assertThat(AttemptTimeoutTests.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 3s");
		}

		@Test
		void aListOfFailuresCanAbortIt() {
			catchThrowableOf(() -> retry(policy().abortOn(AttemptTimeoutException.class)).build().call(() -> {
				overrun();
				throw new IOException("closed");
			}));
			assertThat(AttemptTimeoutTests.this.listener.story())
				.hasMessageContaining("NOT_RETRYABLE, AttemptTimeoutException is listed in abortOn");
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
			String result = retry(policy()).build().call(() -> {
				if (attempts.incrementAndGet() == 1) {
					return inner.call(() -> {
						throw new IOException("inner");
					});
				}
				return "fine";
			});
			assertThat(result).isEqualTo("fine");
			assertThat(AttemptTimeoutTests.this.recorder.lines("attempt").get(0)).startsWith("attempt 1 timeout");
		}

		/* Each wait inside finds that the attempt around it takes too long. */
		private VirtualTime innerTime() {
			return new VirtualTime().whileSleeping((nanos) -> overrun());
		}

		@Test
		void aCallInsideHasNoMoreTimeThanTheAttempt() throws Exception {
			Retry inner = Retry.builder(RetryPolicy.builder("inner").jitter(Jitter.none()).build())
				.time(AttemptTimeoutTests.this.time)
				.build();
			Duration left = retry(policy()).build().call(() -> inner.call(() -> Attempt.current().timeLeft()));
			assertThat(left).isEqualTo(Duration.ofSeconds(2));
			Duration elsewhere = retry(policy()).build()
				.call(() -> RetryContext.capture().wrap(() -> Attempt.current().timeLeft()).call());
			assertThat(elsewhere).isEqualTo(Duration.ofSeconds(2));
		}

	}

	@Nested
	class ThePolicy {

		@Test
		void refusesNoTime() {
			assertThat(catchThrowable(() -> policy().attemptTimeout(Duration.ZERO)))
				.hasMessage("Invalid attemptTimeout (0ms): must be above zero.");
			assertThat(catchThrowable(() -> policy().attemptTimeout(Duration.ofMillis(-1))))
				.hasMessage("Invalid attemptTimeout (-1ms): must be above zero.");
		}

		@Test
		void takesTheLongestTimeForNone() throws Exception {
			Retry retry = retry(policy().attemptTimeout(Duration.ofSeconds(Long.MAX_VALUE))).build();
			assertThat(retry.policy().attemptTimeoutNanos()).isEqualTo(Long.MAX_VALUE);
			assertThat(retry.call(() -> "fine")).isEqualTo("fine");
		}

	}

	private static void catchThrowableOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
		assertThat(catchThrowable(call)).isNotNull();
	}

	@Nested
	class WithinAnotherTimeout {

		/*
		 * Two timers that tell the same time, so that either may be the first to notice.
		 */
		private final VirtualTime time = new VirtualTime();

		private final VirtualTime innerTime = new VirtualTime();

		private final RecordingListener listener = new RecordingListener();

		private final RecordingRecorder recorder = new RecordingRecorder();

		private final RecordingRecorder innerRecorder = new RecordingRecorder();

		@AfterEach
		void leavesNothingBehind() {
			assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
			assertThat(this.time.pending()).as("scheduled tasks").isZero();
			assertThat(this.innerTime.pending()).as("scheduled tasks inside").isZero();
			assertThat(Attempt.isRunning()).isFalse();
		}

		private RetryBuilder outer() {
			return Retry
				.builder(RetryPolicy.builder("outer")
					.jitter(Jitter.none())
					.maxAttempts(3)
					.attemptTimeout(Duration.ofSeconds(2))
					.build())
				.time(this.time)
				.executor(Runnable::run)
				.listener(this.listener)
				.recorder(this.recorder);
		}

		private Retry inner(Duration timeout) {
			return Retry.builder(
					RetryPolicy.builder("inner").jitter(Jitter.none()).maxAttempts(3).attemptTimeout(timeout).build())
				.time(this.innerTime)
				.executor(Runnable::run)
				.recorder(this.innerRecorder)
				.build();
		}

		private void advance(Duration passed) {
			this.time.advance(passed);
			this.innerTime.advance(passed);
		}

		private static String consumeInterrupt() throws InterruptedException {
			assertThat(Thread.interrupted()).as("interrupted").isTrue();
			throw new InterruptedException();
		}

		@Nested
		class AtOneTimeWithTheAttemptAround {

			private int calls;

			@Test
			void theAttemptAroundIsRetriedThoughTheOneInsideIsFirst() {
				Retry inner = inner(Duration.ofSeconds(5));
				Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
					this.calls++;
					return inner.call(() -> {
						advance(Duration.ofSeconds(2));
						WithinAnotherTimeout.this.innerTime.runDue();
						return consumeInterrupt();
					});
				}));
				assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
				assertThat(this.calls).isEqualTo(3);
				assertThat(WithinAnotherTimeout.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 2s",
						"attempt 2 timeout 2s", "attempt 3 timeout 2s");
				assertThat(WithinAnotherTimeout.this.listener.story().reason())
					.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}

			@Test
			void theAttemptAroundIsRetriedThoughTheOneInsideIsFirstWithStages() {
				Retry inner = inner(Duration.ofSeconds(5));
				CompletableFuture<String> result = outer().build().callAsync(() -> {
					this.calls++;
					return inner.callAsync(CompletableFuture::new);
				});
				for (int i = 1; i <= 3; i++) {
					advance(Duration.ofSeconds(2));
					WithinAnotherTimeout.this.innerTime.runDue();
					advance(Duration.ofSeconds(2));
					WithinAnotherTimeout.this.time.runDue();
				}
				assertThat(result).isCompletedExceptionally();
				assertThat(this.calls).isEqualTo(3);
				assertThat(WithinAnotherTimeout.this.listener.story().reason())
					.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}

			@Test
			void theAttemptAroundIsNotRetriedIfItHasTimeLeft() {
				Retry inner = inner(Duration.ofMillis(100));
				Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
					this.calls++;
					return inner.call(() -> {
						advance(Duration.ofMillis(100));
						WithinAnotherTimeout.this.innerTime.runDue();
						return consumeInterrupt();
					});
				}));
				assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
				assertThat(this.calls).isEqualTo(1);
				assertThat(WithinAnotherTimeout.this.listener.story().reason()).isEqualTo(StopReason.NESTED);
			}

		}

		@Nested
		class TheInterruptOfTheAttemptAround {

			private final List<Boolean> interrupted = new ArrayList<>();

			@Test
			void isDeliveredThoughTheOneInsideWasPending() {
				assertInterrupted(Duration.ofSeconds(1), () -> {
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.innerTime.runDue();
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.time.runDue();
					return "late";
				});
			}

			@Test
			void isDeliveredThoughTheOneInsideWasPendingAndThenConsumed() {
				assertInterrupted(Duration.ofSeconds(1), () -> {
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.innerTime.runDue();
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.time.runDue();
					return consumeInterrupt();
				});
				assertThat(WithinAnotherTimeout.this.innerRecorder.lines("attempt"))
					.containsExactly("attempt 1 timeout 2s", "attempt 1 timeout 2s", "attempt 1 timeout 2s");
			}

			@Test
			void isNotTakenBackWithTheOneInside() {
				assertInterrupted(Duration.ofSeconds(1), () -> {
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.innerTime.runDue();
					assertThat(Thread.interrupted()).isTrue();
					// what the work does then takes its time
					advance(Duration.ofSeconds(1));
					WithinAnotherTimeout.this.time.runDue();
					throw new IOException("closed");
				});
			}

			@Test
			void isNotTakenBackByTheOneInsideThatCameLater() {
				assertInterrupted(Duration.ofSeconds(5), () -> {
					advance(Duration.ofSeconds(2));
					WithinAnotherTimeout.this.time.runDue();
					assertThat(Thread.interrupted()).isTrue();
					WithinAnotherTimeout.this.innerTime.runDue();
					throw new IOException("closed");
				});
			}

			@Test
			void isNotTakenBackByAStageThatIsStartedInside() {
				Retry inner = inner(Duration.ofSeconds(1));
				Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
					inner.callAsync(() -> {
						advance(Duration.ofSeconds(1));
						WithinAnotherTimeout.this.innerTime.runDue();
						advance(Duration.ofSeconds(1));
						WithinAnotherTimeout.this.time.runDue();
						return CompletableFuture.completedFuture("late");
					});
					return consumeInterrupt();
				}));
				assertThat(thrown).isInstanceOf(AttemptTimeoutException.class)
					.hasCauseInstanceOf(InterruptedException.class);
			}

			/* The work around goes on whatever the call inside came to. */
			private void assertInterrupted(Duration timeout, Operation<String, Exception> work) {
				Retry inner = inner(timeout);
				Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
					try {
						inner.call(work);
					}
					catch (Exception ex) {
						assertThat(ex).isNotInstanceOf(AssertionError.class);
					}
					this.interrupted.add(Thread.currentThread().isInterrupted());
					return consumeInterrupt();
				}));
				assertThat(this.interrupted).containsExactly(true, true, true);
				assertThat(thrown).isInstanceOf(AttemptTimeoutException.class)
					.hasCauseInstanceOf(InterruptedException.class);
				assertThat(WithinAnotherTimeout.this.listener.story().reason())
					.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			}

		}

		@Nested
		class AnInterruptOfSomebodyElse {

			@Test
			void isNotMadeUpWhereTheWorkConsumesOneAsTheTimerComes() throws Exception {
				FutureTask<Boolean> task = new FutureTask<>(() -> {
					String result = outer().build().call(() -> {
						Thread.currentThread().interrupt();
						advance(Duration.ofSeconds(2));
						WithinAnotherTimeout.this.time.runDue();
						return "done";
					});
					assertThat(result).isEqualTo("done");
					return Thread.currentThread().isInterrupted();
				});
				ConsumingThread thread = new ConsumingThread(task);
				thread.start();
				assertThat(task.get(30, TimeUnit.SECONDS)).isFalse();
			}

		}

		/* Its work consumes an interrupt right after somebody has seen it. */
		private static final class ConsumingThread extends Thread {

			ConsumingThread(Runnable work) {
				super(work);
			}

			@Override
			public boolean isInterrupted() {
				boolean interrupted = super.isInterrupted();
				boolean consumed = Thread.currentThread() == this && Thread.interrupted();
				return interrupted || consumed;
			}

		}

		@Nested
		class TheEndOfAStage {

			@Test
			void isTheCallersIfTheExecutorDropsTheTimeout() {
				CompletableFuture<String> result = outer().executor((task) -> {
				}).build().callAsync(CompletableFuture::new);
				advance(Duration.ofSeconds(2));
				WithinAnotherTimeout.this.time.runDue();
				assertThat(result).isNotDone();
				assertThat(result.cancel(true)).isTrue();
				assertThat(WithinAnotherTimeout.this.recorder.lines("attempt"))
					.containsExactly("attempt 1 cancelled 2s");
				assertThat(WithinAnotherTimeout.this.listener.story().reason()).isEqualTo(StopReason.CANCELLED);
			}

			@Test
			void isIgnoredBetweenTheTimeoutAndTheExecutor() {
				List<Runnable> handedOver = new ArrayList<>();
				CompletableFuture<String> stage = new CompletableFuture<>();
				CompletableFuture<String> result = outer().executor(handedOver::add).build().callAsync(() -> stage);
				advance(Duration.ofSeconds(2));
				WithinAnotherTimeout.this.time.runDue();
				stage.complete("late");
				assertThat(result).isNotDone();
				handedOver.forEach(Runnable::run);
				assertThat(WithinAnotherTimeout.this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 2s");
				result.cancel(true);
			}

			@Test
			void comesThoughItsFailureCannotBeAskedForACause() {
				CompletableFuture<String> stage = new CompletableFuture<>();
				CompletableFuture<String> result = outer().build().callAsync(() -> stage);
				CompletionException failure = new CompletionException("hostile", null) {

					private static final long serialVersionUID = 1;

					@Override
					public synchronized Throwable getCause() {
						throw new IllegalStateException("getCause");
					}

				};
				stage.completeExceptionally(failure);
				assertThat(result).isCompletedExceptionally();
				assertThatThrownBy(result::join).isSameAs(failure);
				assertThat(WithinAnotherTimeout.this.recorder.lines("attempt")).hasSize(1);
			}

		}

	}

}
