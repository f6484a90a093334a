package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a shutdown does to calls. The tests with real time wait for their threads to sleep
 * and for nothing else.
 */
@Timeout(60)
class ShutdownTests {

	private final VirtualTime time = new VirtualTime();

	private final WaitingCalls waiting = new WaitingCalls();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	private RetryBuilder retry() {
		return Retry.builder(
				RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build())
			.time(this.time)
			.listener(this.listener)
			.recorder(this.recorder)
			.waitingCalls(this.waiting);
	}

	private String fail() throws IOException {
		throw this.failure;
	}

	@Test
	void endsAWaitWithTheLastFailure() {
		this.time.whileSleeping((nanos) -> {
			if (this.time.delays().size() == 3) {
				assertThat(this.waiting.count()).isEqualTo(1);
				this.waiting.shutDown();
			}
		});
		assertThatThrownBy(() -> retry().build().call(this::fail)).isSameAs(this.failure);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.SHUTDOWN);
		assertThat(this.listener.story())
			.hasMessageContaining("attempts in 700 ms: SHUTDOWN, the application is shutting down");
		assertThat(this.time.delays()).hasSize(3);
		assertThat(this.recorder.lines("call")).containsExactly("call shutdown 700ms");
		assertThat(this.waiting.count()).isZero();
	}

	@Test
	void letsFirstAttemptsPassAndRetriesNothing() throws Exception {
		this.waiting.shutDown();
		assertThat(retry().build().<String, RuntimeException>call(() -> "fine")).isEqualTo("fine");
		assertThatThrownBy(() -> retry().build().call(this::fail)).isSameAs(this.failure);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.SHUTDOWN);
		assertThat(this.time.delays()).isEmpty();
	}

	@Test
	void isFollowedByTheRecovery() throws Exception {
		this.waiting.shutDown();
		assertThat(retry().build().<String, IOException>call(this::fail, (context, story) -> story.reason().tag()))
			.isEqualTo("shutdown");
	}

	@Test
	void endsTheWaitForABreaker() {
		CircuitBreaker breaker = CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().awaited(true).build())
			.time(this.time)
			.build();
		breaker.forceOpen();
		this.time.whileSleeping((nanos) -> this.waiting.shutDown());
		assertThatThrownBy(() -> retry().breaker(breaker).build().call(this::fail))
			.isInstanceOf(CircuitOpenException.class);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.SHUTDOWN);
		assertThat(this.time.delays()).hasSize(1);
	}

	@Nested
	class WithAnExecutor {

		private final ExecutorService executor = Executors.newSingleThreadExecutor();

		private final CountDownLatch othersHaveRecovered = new CountDownLatch(9);

		@AfterEach
		void close() {
			this.executor.shutdownNow();
		}

		/** Let one of ten recover only when all the others have. */
		private List<CompletableFuture<Integer>> waitingCalls(boolean oneIsSlow) {
			AtomicInteger number = new AtomicInteger(oneIsSlow ? 0 : 1);
			return Stream
				.generate(() -> retry().build()
					.callAsync(() -> CompletableFuture.<Integer>failedFuture(ShutdownTests.this.failure),
							recovery(number.getAndIncrement())))
				.limit(10)
				.toList();
		}

		private Recovery<AsyncOperation<Integer>, CompletableFuture<Integer>, InterruptedException> recovery(
				int number) {
			return (context, story) -> {
				if (number == 0) {
					this.othersHaveRecovered.await();
				}
				else {
					this.othersHaveRecovered.countDown();
				}
				return CompletableFuture.completedFuture(number);
			};
		}

		@Test
		void endsCallsThoughOneOfThemRecoversSlowly() {
			List<CompletableFuture<Integer>> results = waitingCalls(true);
			ShutdownTests.this.waiting.shutDown(this.executor);
			assertThat(results).allMatch(CompletableFuture::isDone)
				.extracting(CompletableFuture::join)
				.containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
			assertThat(ShutdownTests.this.waiting.isShutDown()).isTrue();
			assertThat(ShutdownTests.this.waiting.count()).isZero();
		}

		@Test
		void endsThemItselfIfTheExecutorRefuses() {
			List<CompletableFuture<Integer>> results = waitingCalls(false);
			ShutdownTests.this.waiting.shutDown((task) -> {
				throw new RejectedExecutionException("closed");
			});
			assertThat(results).allMatch(CompletableFuture::isDone);
		}

		@Test
		void endsThemItselfIfTheExecutorDropsThem() {
			List<CompletableFuture<Integer>> results = waitingCalls(false);
			ShutdownTests.this.waiting.shutDown((task) -> {
			});
			assertThat(results).allMatch(CompletableFuture::isDone);
		}

		@Test
		void wakesSleepersBeforeAnybodyRecovers() throws InterruptedException {
			Thread sleeper = new Thread(
					() -> assertThat(catchThrowable(() -> retry().time(RetryTime.system()).build().call(() -> fail())))
						.isSameAs(ShutdownTests.this.failure));
			sleeper.start();
			while (ShutdownTests.this.waiting.count() < 1) {
				Thread.onSpinWait();
			}
			CompletableFuture<Integer> result = retry().build()
				.callAsync(() -> CompletableFuture.<Integer>failedFuture(ShutdownTests.this.failure),
						(context, story) -> {
							sleeper.join();
							return CompletableFuture.completedFuture(1);
						});
			ShutdownTests.this.waiting.shutDown(this.executor);
			assertThat(result).isCompletedWithValue(1);
			assertThat(sleeper.isAlive()).isFalse();
		}

		@Test
		void waitsNoLongerThanItIsLeftAlone() throws InterruptedException {
			CountDownLatch begun = new CountDownLatch(1);
			CountDownLatch released = new CountDownLatch(1);
			CompletableFuture<Integer> result = retry().build()
				.callAsync(() -> CompletableFuture.<Integer>failedFuture(ShutdownTests.this.failure),
						(context, story) -> {
							begun.countDown();
							released.await();
							return CompletableFuture.completedFuture(1);
						});
			Thread.currentThread().interrupt();
			// handed over for good: this thread only waits for it
			ShutdownTests.this.waiting.shutDown((task) -> {
				this.executor.execute(task);
				awaitUninterruptibly(begun);
			});
			assertThat(Thread.interrupted()).isTrue();
			assertThat(result).isNotDone();
			released.countDown();
			assertThat(result.join()).isEqualTo(1);
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			while (latch.getCount() > 0) {
				Thread.onSpinWait();
			}
		}

	}

	@Test
	void wakesAThousandSleepersAtOnce() throws InterruptedException {
		int callers = 1_000;
		Retry retry = Retry
			.builder(RetryPolicy.builder("orders")
				.base(Duration.ofHours(1))
				.cap(Duration.ofHours(1))
				.jitter(Jitter.equal())
				.build())
			.waitingCalls(this.waiting)
			.build();
		ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
		AtomicInteger calls = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			Thread thread = new Thread(() -> thrown.add(catchThrowable(() -> retry.call(() -> {
				calls.incrementAndGet();
				throw new IOException("down");
			}))));
			threads.add(thread);
			thread.start();
		}
		while (this.waiting.count() < callers) {
			Thread.onSpinWait();
		}
		RetryTime clock = RetryTime.system();
		long start = clock.nanoTime();
		this.waiting.shutDown();
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(Duration.ofNanos(clock.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
		assertThat(calls).hasValue(callers);
		assertThat(thrown).hasSize(callers).allSatisfy((failure) -> {
			assertThat(failure).isInstanceOf(IOException.class);
			RetriesStoppedException story = RetriesStoppedException.of(failure);
			assertThat(story).isNotNull();
			assertThat(story.reason()).isEqualTo(StopReason.SHUTDOWN);
		});
		assertThat(this.waiting.count()).isZero();
	}

}
