package dev.backoff;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RunningCallsTests {

	private final VirtualTime time = new VirtualTime();

	private final RunningCalls running = new RunningCalls();

	private final Retry retry = Retry.builder(RetryPolicy.builder("orders").maxAttempts(2).build())
		.time(this.time)
		.executor(Runnable::run)
		.runningCalls(this.running)
		.build();

	@Nested
	class Counts {

		@Test
		void aCallWithItsAttemptsItsWaitAndItsRecovery() throws IOException {
			RunningCallsTests.this.time.whileSleeping((nanos) -> assertRunning(1));
			String recovered = RunningCallsTests.this.retry.<String, IOException>call(() -> {
				assertRunning(1);
				throw new IOException("down");
			}, (context, story) -> {
				assertRunning(1);
				return "recovered";
			});
			assertThat(recovered).isEqualTo("recovered");
			assertThat(RunningCallsTests.this.time.delays()).hasSize(1);
			assertRunning(0);
		}

		@Test
		void aCallThatFailsNoLongerThanItRuns() {
			assertThatThrownBy(() -> RunningCallsTests.this.retry.call(() -> {
				throw new AssertionError("broken");
			})).hasMessage("broken");
			assertRunning(0);
		}

		@Test
		void anAsynchronousCallUntilItsResultIsThere() {
			CompletableFuture<String> recovery = new CompletableFuture<>();
			CompletableFuture<String> result = RunningCallsTests.this.retry.callAsync(
					() -> CompletableFuture.<String>failedFuture(new IOException("down")),
					(context, story) -> recovery);
			assertRunning(1);
			RunningCallsTests.this.time.runAll();
			assertThat(result).isNotDone();
			assertRunning(1);
			recovery.complete("recovered");
			assertThat(result).isCompletedWithValue("recovered");
			assertRunning(0);
		}

		@Test
		void anAsynchronousCallUntilItIsCancelled() {
			CompletableFuture<String> result = RunningCallsTests.this.retry.callAsync(CompletableFuture::new);
			assertRunning(1);
			result.cancel(true);
			assertRunning(0);
		}

		@Test
		void aCallWithinAnotherToo() throws IOException {
			RunningCallsTests.this.retry.<Void, IOException>call(() -> RunningCallsTests.this.retry.call(() -> {
				assertRunning(2);
				return null;
			}));
			assertRunning(0);
		}

		private void assertRunning(int count) {
			assertThat(RunningCallsTests.this.running.count()).isEqualTo(count);
			assertThat(RunningCallsTests.this.running).hasToString("RunningCalls (" + count + ")");
		}

	}

	@Nested
	class WhenNoneRuns {

		private final AtomicInteger told = new AtomicInteger();

		@Test
		void tellsAtOnce() {
			RunningCallsTests.this.running.whenNone(this.told::incrementAndGet);
			assertThat(this.told).hasValue(1);
		}

		@Test
		void tellsOnceHoweverTheLastOneEndsMeanwhile() {
			for (int i = 0; i < 500; i++) {
				RunningCalls running = new RunningCalls();
				AtomicInteger told = new AtomicInteger();
				running.enter();
				Crowd.of(2, (thread) -> {
					if (thread == 0) {
						running.leave();
					}
					else {
						running.whenNone(told::incrementAndGet);
					}
				});
				assertThat(told).hasValue(1);
			}
		}

		@Test
		void tellsOnceWhenTheLastOneEnds() throws IOException {
			RunningCallsTests.this.retry.<Void, IOException>call(() -> {
				RunningCallsTests.this.running.whenNone(this.told::incrementAndGet);
				RunningCallsTests.this.retry.<Void, IOException>call(() -> null);
				assertThat(this.told).hasValue(0);
				return null;
			});
			assertThat(this.told).hasValue(1);
			RunningCallsTests.this.retry.<Void, IOException>call(() -> null);
			assertThat(this.told).hasValue(1);
		}

	}

}
