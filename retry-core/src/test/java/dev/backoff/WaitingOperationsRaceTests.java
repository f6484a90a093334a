package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Operators against timers, callers, each other and the shutdown, in real time. */
class WaitingOperationsRaceTests {

	private static final int TOKENS = 1_000_000;

	private final ExecutorService pool = Executors.newFixedThreadPool(4);

	private final CallRegistry waiting = new CallRegistry();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final RetryBudget budget = RetryBudget.of("orders", new BudgetSettings(TOKENS, 0, 0));

	private final AtomicInteger attempts = new AtomicInteger();

	@AfterEach
	void close() {
		this.pool.shutdownNow();
	}

	private Retry retry(Duration delay) {
		return Retry
			.builder(RetryPolicy.builder("orders")
				.retryOn(IllegalStateException.class)
				.jitter(Jitter.none())
				.shape(Shape.fixed(delay))
				.maxAttempts(4)
				.build())
			.executor(this.pool)
			.budget(this.budget)
			.calls(this.waiting)
			.listener(this.listener)
			.recorder(this.recorder)
			.build();
	}

	private String fail() {
		this.attempts.incrementAndGet();
		throw new IllegalStateException("down");
	}

	private CompletableFuture<String> failedStage() {
		this.attempts.incrementAndGet();
		return CompletableFuture.failedFuture(new IllegalStateException("down"));
	}

	private void assertEachHasEndedOnce(int calls) {
		while (this.listener.stopped().size() < calls || this.recorder.lines("call").size() < calls) {
			Thread.onSpinWait();
		}
		assertThat(this.listener.stopped()).hasSize(calls);
		assertThat(this.recorder.lines("call")).hasSize(calls);
		assertThat(this.recorder.lines("waited")).hasSameSizeAs(this.recorder.lines("waiting"));
		// one for each wait that began, and one only
		assertThat(this.budget.balance()).isEqualTo(TOKENS - this.recorder.lines("waiting").size());
		assertThat(this.attempts).hasValue(calls + this.recorder.lines("retry").size());
		assertThat(this.waiting.waiting()).isZero();
	}

	@Test
	void endEachAsynchronousCallOnce() {
		int calls = 3_000;
		Retry retry = retry(Duration.ofNanos(200_000));
		List<CompletableFuture<String>> results = new ArrayList<>();
		AtomicBoolean started = new AtomicBoolean();
		Crowd.of(5, (number) -> {
			if (number == 0) {
				for (int i = 0; i < calls; i++) {
					results.add(retry.callAsync(this::failedStage));
				}
				started.set(true);
				return;
			}
			while (!started.get() || this.waiting.waiting() > 0) {
				operate(number);
			}
		});
		for (CompletableFuture<String> result : results) {
			assertThat(catchThrowable(result::join)).isNotNull();
		}
		assertEachHasEndedOnce(calls);
	}

	private void operate(int number) {
		switch (number) {
			case 1 -> this.waiting.wake("orders");
			case 2 -> this.waiting.wake(null);
			case 3 -> this.waiting.retriesAreOff("orders");
			default -> assertThat(this.waiting.oldestWaiting(10)).allSatisfy((call) -> {
				assertThat(call.attempt()).isBetween(1, 3);
				assertThat(call.dueIn()).isLessThanOrEqualTo(Duration.ofNanos(200_000));
			});
		}
	}

	@Test
	void endEachThreadsCallOnce() {
		int threads = 8;
		int calls = 200;
		Retry retry = retry(Duration.ofNanos(200_000));
		AtomicInteger running = new AtomicInteger(threads);
		Crowd.of(threads + 4, (number) -> {
			if (number >= 4) {
				for (int i = 0; i < calls; i++) {
					assertThat(catchThrowable(() -> retry.call(this::fail))).hasMessage("down");
				}
				running.decrementAndGet();
				return;
			}
			while (running.get() > 0) {
				operate(number + 1);
			}
		});
		assertEachHasEndedOnce(threads * calls);
	}

	@Test
	void wakeThreadsThatSleep() throws InterruptedException {
		Retry retry = retry(Duration.ofHours(1));
		ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			Thread thread = new Thread(() -> thrown.add(catchThrowable(() -> retry.call(this::fail))));
			thread.start();
			threads.add(thread);
		}
		awaitWaiting(8, 1);
		assertThat(this.waiting.wake("orders")).isEqualTo(8);
		awaitWaiting(8, 2);
		assertThat(this.waiting.wake("orders")).isEqualTo(8);
		awaitWaiting(8, 3);
		assertThat(this.attempts).hasValue(24);
		assertThat(this.waiting.wake("orders")).isEqualTo(8);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(thrown).hasSize(8)
			.allSatisfy((failure) -> assertThat(RetriesStoppedException.of(failure).reason())
				.isEqualTo(StopReason.ATTEMPTS_EXHAUSTED));
		assertEachHasEndedOnce(8);
	}

	private void awaitWaiting(int calls, int attempt) {
		while (this.waiting.oldestWaiting(calls).stream().filter((call) -> call.attempt() == attempt).count() < calls) {
			Thread.onSpinWait();
		}
	}

}
