package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Attempts that take too long within attempts that take too long. */
@SuppressWarnings("FutureReturnValueIgnored") // results are asked for elsewhere
class NestedTimeoutTests extends CallFixture {

	/* Two timers of the same time, so that either may notice first. */
	private final VirtualTime innerTime = new VirtualTime();

	private final RecordingRecorder innerRecorder = new RecordingRecorder();

	@AfterEach
	void leavesNothingScheduledInside() {
		assertThat(this.innerTime.pending()).as("scheduled tasks inside").isZero();
	}

	private RetryBuilder outer() {
		return builder(policy().maxAttempts(3).attemptTimeout(Duration.ofSeconds(2)));
	}

	private Retry inner(Duration timeout) {
		return Retry.builder(policy().maxAttempts(3).attemptTimeout(timeout).build())
			.time(this.innerTime)
			.executor(Runnable::run)
			.recorder(this.innerRecorder)
			.build();
	}

	private VirtualTime innerTime() {
		return this.innerTime;
	}

	private void advance(Duration passed) {
		time().advance(passed);
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
					innerTime().runDue();
					return consumeInterrupt();
				});
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(this.calls).isEqualTo(3);
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 timeout 2s", "attempt 2 timeout 2s",
					"attempt 3 timeout 2s");
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
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
				innerTime().runDue();
				advance(Duration.ofSeconds(2));
				time().runDue();
			}
			assertThat(result).isCompletedExceptionally();
			assertThat(this.calls).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void theAttemptAroundIsNotRetriedIfItHasTimeLeft() {
			Retry inner = inner(Duration.ofMillis(100));
			Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
				this.calls++;
				return inner.call(() -> {
					advance(Duration.ofMillis(100));
					innerTime().runDue();
					return consumeInterrupt();
				});
			}));
			assertThat(thrown).isInstanceOf(AttemptTimeoutException.class);
			assertThat(this.calls).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.NESTED);
		}

	}

	@Nested
	class TheInterruptOfTheAttemptAround {

		private final List<Boolean> interrupted = new ArrayList<>();

		@Test
		void isDeliveredThoughTheOneInsideWasPending() {
			assertInterrupted(Duration.ofSeconds(1), () -> {
				advance(Duration.ofSeconds(1));
				innerTime().runDue();
				advance(Duration.ofSeconds(1));
				time().runDue();
				return "late";
			});
		}

		@Test
		void isDeliveredThoughTheOneInsideWasPendingAndThenConsumed() {
			assertInterrupted(Duration.ofSeconds(1), () -> {
				advance(Duration.ofSeconds(1));
				innerTime().runDue();
				advance(Duration.ofSeconds(1));
				time().runDue();
				return consumeInterrupt();
			});
			assertThat(NestedTimeoutTests.this.innerRecorder.lines("attempt")).containsExactly("attempt 1 timeout 2s",
					"attempt 1 timeout 2s", "attempt 1 timeout 2s");
		}

		@Test
		void isNotTakenBackWithTheOneInside() {
			assertInterrupted(Duration.ofSeconds(1), () -> {
				advance(Duration.ofSeconds(1));
				innerTime().runDue();
				assertThat(Thread.interrupted()).isTrue();
				// what the work does then takes its time
				advance(Duration.ofSeconds(1));
				time().runDue();
				throw new IOException("closed");
			});
		}

		@Test
		void isNotTakenBackByTheOneInsideThatCameLater() {
			assertInterrupted(Duration.ofSeconds(5), () -> {
				advance(Duration.ofSeconds(2));
				time().runDue();
				assertThat(Thread.interrupted()).isTrue();
				innerTime().runDue();
				throw new IOException("closed");
			});
		}

		@Test
		void isNotTakenBackByAStageThatIsStartedInside() {
			Retry inner = inner(Duration.ofSeconds(1));
			Throwable thrown = catchThrowable(() -> outer().build().call(() -> {
				inner.callAsync(() -> {
					advance(Duration.ofSeconds(1));
					innerTime().runDue();
					advance(Duration.ofSeconds(1));
					time().runDue();
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
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

	}

	@Test
	void noInterruptIsMadeUpWhereTheWorkConsumesOneAsTheTimerComes() throws Exception {
		FutureTask<Boolean> task = new FutureTask<>(() -> {
			String result = outer().build().call(() -> {
				Thread.currentThread().interrupt();
				advance(Duration.ofSeconds(2));
				time().runDue();
				return "done";
			});
			assertThat(result).isEqualTo("done");
			return Thread.currentThread().isInterrupted();
		});
		ConsumingThread thread = new ConsumingThread(task);
		thread.start();
		assertThat(task.get(30, TimeUnit.SECONDS)).isFalse();
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
			time().runDue();
			assertThat(result).isNotDone();
			assertThat(result.cancel(true)).isTrue();
			assertThat(recorder().lines("attempt")).containsExactly("attempt 1 cancelled 2s");
			assertThat(reason()).isEqualTo(StopReason.CANCELLED);
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
			advance(Duration.ofMinutes(1));
			time().runDue();
			advance(Duration.ofMinutes(1));
			time().runDue();
			assertThat(result).isCompletedExceptionally();
			assertThatThrownBy(result::join).isSameAs(failure);
			assertThat(recorder().lines("attempt")).hasSize(3);
		}

	}

}
