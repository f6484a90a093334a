package dev.backoff;

import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.fixture.Crowd;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls of many threads that wait for turns and permits, in the system's time. */
class PacedCallRaceTests {

	private static final int THREADS = 8;

	private static final int CALLS = 100;

	private final AtomicInteger holds = new AtomicInteger();

	private final RetryTime time = RetryTime.system();

	private final Pace pace = new Pace("ai", Duration.ofMillis(20), 100_000, this.time,
			(held, hold) -> this.holds.incrementAndGet());

	private final ConcurrencyLimit limit = new ConcurrencyLimit("ai", 3, 100_000);

	private final CallRegistry waiting = new CallRegistry();

	private Retry retry(Duration deadline) {
		return Retry.builder(RetryPolicy.builder("ai").deadline(deadline).build())
			.pace(this.pace)
			.concurrencyLimit(this.limit)
			.calls(this.waiting)
			.build();
	}

	@Test
	@Timeout(120)
	void cancelsDeadlinesAndInterruptsInHolds_nothingLeftBehind() throws Exception {
		// a rate that hinders none
		for (int i = 0; i < 1_000_000; i++) {
			this.pace.succeeded(this.time.nanoTime(), this.time.nanoTime());
		}
		long before = this.time.nanoTime();
		this.pace.throttled(before, 1, before);
		Queue<CompletableFuture<String>> results = new ConcurrentLinkedQueue<>();
		Crowd.of(THREADS, (thread) -> run(new Random(thread), before, results));
		for (CompletableFuture<String> result : results) {
			String unused = result.handle((value, failure) -> "over").get(100, TimeUnit.SECONDS);
		}
		assertThat(results).hasSizeGreaterThan(THREADS * CALLS / 2);
		assertThat(this.holds).hasPositiveValue();
		assertThat(this.pace.status().waiting()).isZero();
		assertThat(this.limit.waiting()).isZero();
		assertThat(this.limit.active()).isZero();
		assertThat(this.waiting.waiting()).isZero();
	}

	private void run(Random random, long before, Queue<CompletableFuture<String>> results) {
		Retry patient = retry(Duration.ofMinutes(1));
		Retry hasty = retry(Duration.ofMillis(2));
		for (int i = 0; i < CALLS; i++) {
			if (random.nextInt(20) == 0) {
				// the rate has heard of this refusal
				this.pace.throttled(before, 1_000_000, this.time.nanoTime());
			}
			Retry retry = random.nextBoolean() ? patient : hasty;
			if (random.nextInt(5) == 0) {
				if (random.nextInt(10) == 0) {
					Thread.currentThread().interrupt();
				}
				// or refused, or out of time
				Throwable unused = catchThrowable(() -> retry.call(() -> "done"));
				boolean unusedInterrupt = Thread.interrupted();
				continue;
			}
			CompletableFuture<String> result = retry.callAsync(() -> CompletableFuture.supplyAsync(() -> "done"));
			results.add(result);
			if (random.nextInt(4) == 0) {
				result.cancel(true);
			}
		}
	}

}
