package dev.backoff.test;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ManyCallsTests {

	private static final int REPETITIONS = 25;

	private final VirtualTime time = new VirtualTime().patience(Duration.ofSeconds(10));

	private final ExecutorService threads = Executors.newFixedThreadPool(16);

	@AfterEach
	void threadsEnd() {
		assertThat(this.threads.shutdownNow()).isEmpty();
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.jitter(Jitter.none()).build())
			.time(this.time)
			.observer(new BackoffCalls(this.time));
	}

	@Test
	void aThousandCallsOfMoreThanThreeHoursEachTakeAboutAQuarterOfASecond() {
		Retry retry = retry(
				RetryPolicy.builder("orders").base(Duration.ofMinutes(1)).cap(Duration.ofHours(1)).maxAttempts(9))
			.build();
		// of this thread, since a busy machine gives it no more than a share
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		long began = threads.getCurrentThreadCpuTime();
		for (int i = 0; i < 1_000; i++) {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry.call(() -> {
				throw new IOException("down");
			}));
		}
		assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - began)).isLessThan(Duration.ofMillis(2500));
		assertThat(this.time.elapsed())
			.isEqualTo(Duration.ofMinutes(1 + 2 + 4 + 8 + 16 + 32 + 60 + 60).multipliedBy(1000));
	}

	@RepeatedTest(REPETITIONS)
	void callsOnManyThreadsKeepTheirDeadlines() throws Exception {
		Retry retry = retry(RetryPolicy.builder("orders")
			.base(Duration.ofSeconds(1))
			.cap(Duration.ofSeconds(8))
			.maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)
			.deadline(Duration.ofSeconds(60))).build();
		List<Future<Duration>> calls = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			calls.add(this.threads.submit(() -> {
				try {
					return retry.<Duration, IOException>call(() -> {
						throw new IOException("down");
					});
				}
				catch (IOException ex) {
					return RetriesStoppedException.of(ex).elapsed();
				}
			}));
		}
		for (Future<Duration> call : calls) {
			// 1 + 2 + 4 + 6 times 8
			assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(Duration.ofSeconds(55));
		}
	}

	@RepeatedTest(REPETITIONS)
	void callsThatAnOperatorWakesGoOnAtOnce() throws Exception {
		CallRegistry waiting = new CallRegistry();
		Retry retry = retry(RetryPolicy.builder("orders").base(Duration.ofHours(1)).maxAttempts(2)).calls(waiting)
			.executor(this.threads)
			.build();
		AtomicInteger attempts = new AtomicInteger();
		List<Future<?>> calls = new ArrayList<>();
		try (VirtualTime.Hold hold = this.time.hold()) {
			assertThat(hold).isNotNull();
			for (int i = 0; i < 8; i++) {
				calls.add(this.threads.submit(() -> retry.<Object, IOException>call(() -> {
					attempts.incrementAndGet();
					throw new IOException("down");
				})));
				calls.add(retry.callAsync(() -> {
					attempts.incrementAndGet();
					throw new IOException("down");
				}));
			}
			while (waiting.waiting() < 16) {
				Thread.onSpinWait();
			}
			this.time.advance(Duration.ofSeconds(1));
			assertThat(attempts).hasValue(16);
			assertThat(waiting.wake("orders")).isEqualTo(16);
			this.time.advance(Duration.ofSeconds(1));
			assertThat(attempts).hasValue(32);
		}
		assertThat(calls).allSatisfy((call) -> assertThat(call).failsWithin(Duration.ofMinutes(1)));
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofSeconds(2));
	}

}
