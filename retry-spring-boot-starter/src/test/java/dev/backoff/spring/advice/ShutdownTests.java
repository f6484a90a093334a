package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The ends of calls that wait, which an executor helps to run. */
class ShutdownTests {

	private final ExecutorService executor = Executors.newSingleThreadExecutor();

	private final CountDownLatch othersHaveEnded = new CountDownLatch(9);

	private final AtomicInteger ended = new AtomicInteger();

	@AfterEach
	void close() {
		this.executor.shutdownNow();
	}

	private void end() {
		this.ended.incrementAndGet();
		this.othersHaveEnded.countDown();
	}

	private void endLast() {
		try {
			this.othersHaveEnded.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		this.ended.incrementAndGet();
	}

	private void run(Executor executor) {
		Shutdown.run(Collections.nCopies(10, this::end), executor);
		assertThat(this.ended).hasValue(10);
	}

	@Test
	void aSlowEndDelaysNoOther() {
		List<Runnable> ends = new ArrayList<>(Collections.nCopies(9, this::end));
		ends.add(0, this::endLast);
		Shutdown.run(ends, this.executor);
		assertThat(this.ended).hasValue(10);
	}

	@Test
	void theThreadRunsThemItselfIfTheExecutorRefuses() {
		run((task) -> {
			throw new RejectedExecutionException("closed");
		});
	}

	@Test
	void theThreadRunsThemItselfIfTheExecutorDropsThem() {
		run((task) -> {
		});
	}

	@Test
	void anInterruptedThreadWaitsForNoEndThatHasBegun() {
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Void> released = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		Thread.currentThread().interrupt();
		Shutdown.run(List.of(() -> {
			begun.countDown();
			end.complete(released.join());
		}), (task) -> {
			this.executor.execute(task);
			while (begun.getCount() > 0) {
				Thread.onSpinWait();
			}
		});
		assertThat(Thread.interrupted()).isTrue();
		assertThat(end).isNotDone();
		released.complete(null);
		assertThat(end.join()).isNull();
	}

}
