package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RunningCallsTests {

	private final VirtualTime time = new VirtualTime();

	private final CallRegistry running = new CallRegistry();

	private final Retry retry = Retry.builder(RetryPolicy.builder("orders").maxAttempts(2).build())
		.time(this.time)
		.executor(Runnable::run)
		.calls(this.running)
		.counted(true)
		.build();

	@Nested
	class Lists {

		private final RunningCallsTests all = RunningCallsTests.this;

		private Retry retry(RetryPolicyBuilder policy) {
			return Retry.builder(policy.maxAttempts(2).jitter(Jitter.none()).build())
				.method("Orders.place")
				.time(this.all.time)
				.executor(Runnable::run)
				.calls(this.all.running)
				.counted(true)
				.build();
		}

		private List<CallRegistry.RunningAttempt> oldest() {
			return this.all.running.oldestRunning();
		}

		private CallRegistry.RunningAttempt running(int attempt, int seconds, @Nullable String thread) {
			return new CallRegistry.RunningAttempt("orders", "Orders.place", attempt, Duration.ofSeconds(seconds),
					thread);
		}

		private void listWhileBlocking(RetryPolicyBuilder policy) {
			AtomicInteger attempts = new AtomicInteger();
			this.all.time.whileSleeping((nanos) -> assertThat(oldest()).isEmpty());
			assertThatThrownBy(() -> retry(policy).call(() -> {
				assertThat(oldest())
					.containsExactly(running(attempts.incrementAndGet(), 0, Thread.currentThread().getName()));
				this.all.time.advance(Duration.ofSeconds(2));
				assertThat(oldest()).containsExactly(running(attempts.get(), 2, Thread.currentThread().getName()));
				throw new IOException("down");
			})).hasMessage("down");
			assertThat(attempts).hasValue(2);
			assertThat(oldest()).isEmpty();
		}

		@Test
		void anAttemptUnderADeadline() {
			listWhileBlocking(RetryPolicy.builder("orders").deadline(Duration.ofMinutes(1)));
		}

		@Test
		void anAttemptUnderATimeout() {
			listWhileBlocking(RetryPolicy.builder("orders").attemptTimeout(Duration.ofMinutes(1)));
		}

		@Test
		void anAsynchronousAttemptWhileItsStageRuns() {
			List<CompletableFuture<String>> stages = List.of(new CompletableFuture<>(), new CompletableFuture<>());
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<String> result = retry(
					RetryPolicy.builder("orders").base(Duration.ofSeconds(1)).deadline(Duration.ofMinutes(1)))
				.callAsync(() -> stages.get(attempts.getAndIncrement()));
			this.all.time.advance(Duration.ofSeconds(2));
			assertThat(oldest()).containsExactly(running(1, 2, null));
			stages.get(0).completeExceptionally(new IOException("down"));
			assertThat(oldest()).isEmpty();
			assertThat(this.all.time.runNext()).isTrue();
			assertThat(oldest()).containsExactly(running(2, 0, null));
			stages.get(1).complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(oldest()).isEmpty();
		}

		@Test
		void anAsynchronousAttemptOnceWhileItStarts() {
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<String> result = retry(RetryPolicy.builder("orders").deadline(Duration.ofMinutes(1)))
				.callAsync(() -> {
					assertThat(oldest())
						.containsExactly(running(attempts.incrementAndGet(), 0, Thread.currentThread().getName()));
					return CompletableFuture.failedFuture(new IOException("down"));
				});
			assertThat(this.all.time.runNext()).isTrue();
			assertThatThrownBy(result::join).hasRootCauseMessage("down");
			assertThat(attempts).hasValue(2);
		}

		@Test
		void theOldestFirst() {
			Retry retry = retry(RetryPolicy.builder("orders").deadline(Duration.ofMinutes(1)));
			for (int call = 0; call < 3; call++) {
				assertThat(retry.callAsync(CompletableFuture::new)).isNotDone();
				this.all.time.advance(Duration.ofSeconds(1));
			}
			assertThat(oldest()).containsExactly(running(1, 3, null), running(1, 2, null), running(1, 1, null));
		}

		@Test
		void noOthers() throws Exception {
			assertThat(retry(RetryPolicy.builder("orders")).call(this::oldest)).isEmpty();
		}

	}

	@Nested
	class Counts {

		@Test
		void aCallWithItsAttemptsItsWaitAndItsRecovery() throws IOException {
			RunningCallsTests.this.time.whileSleeping((nanos) -> assertRunning(1));
			String recovered = RunningCallsTests.this.retry.<String, IOException>call(() -> {
				assertRunning(1);
				throw new IOException("down");
			}, (context, report) -> {
				assertRunning(1);
				return "recovered";
			});
			assertThat(recovered).isEqualTo("recovered");
			assertThat(RunningCallsTests.this.time.delays()).hasSize(1);
			assertRunning(0);
		}

		@Test
		void anAsynchronousCallUntilItsResultIsThere() {
			CompletableFuture<String> recovery = new CompletableFuture<>();
			CompletableFuture<String> result = RunningCallsTests.this.retry.callAsync(
					() -> CompletableFuture.<String>failedFuture(new IOException("down")),
					(context, report) -> recovery);
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
			assertThat(RunningCallsTests.this.running.running()).isEqualTo(count);
			assertThat(RunningCallsTests.this.running.toString()).endsWith(" " + count + " running)");
		}

	}

	@Nested
	class WhenNoneRuns {

		private final AtomicInteger told = new AtomicInteger();

		@Test
		void tellsAtOnce() {
			RunningCallsTests.this.running.whenNoneRuns(this.told::incrementAndGet);
			assertThat(this.told).hasValue(1);
		}

		@Test
		void tellsOnceHoweverTheLastOneEndsMeanwhile() {
			for (int i = 0; i < 500; i++) {
				CallRegistry running = new CallRegistry();
				AtomicInteger told = new AtomicInteger();
				running.begins();
				Crowd.of(2, (thread) -> {
					if (thread == 0) {
						running.ends();
					}
					else {
						running.whenNoneRuns(told::incrementAndGet);
					}
				});
				assertThat(told).hasValue(1);
			}
		}

		@Test
		void tellsOnceWhenTheLastOneEnds() throws IOException {
			RunningCallsTests.this.retry.<Void, IOException>call(() -> {
				RunningCallsTests.this.running.whenNoneRuns(this.told::incrementAndGet);
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
