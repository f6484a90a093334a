package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class RetryTests {

	@Test
	void saysWhatItRuns() {
		Retry retry = Retry.builder(RetryPolicy.defaults("orders")).method("OrderService.place").build();
		assertThat(retry.method()).isEqualTo("OrderService.place");
		assertThat(retry.policy().name()).isEqualTo("orders");
		assertThat(retry).hasToString("Retry of OrderService.place by " + retry.policy());
		assertThat(Retry.of(RetryPolicy.defaults("orders")).method()).isEqualTo("orders");
	}

	@Test
	void runsInTheSystemsTimeByDefault() throws Exception {
		Retry retry = Retry.of(RetryPolicy.builder("p").shape(Shape.fixed(Duration.ZERO)).build());
		assertThat(retry.call(ScriptedOperation.<String>script().fails(new IOException()).returns("done")))
			.isEqualTo("done");
	}

	@Test
	void drawsFromItsSource() {
		VirtualTime time = new VirtualTime();
		Retry retry = Retry.builder(RetryPolicy.defaults("p"))
			.time(time)
			.random(RandomSources.scripted(0, 0.5, 0.25))
			.build();
		assertThatThrownBy(() -> retry.call(ScriptedOperation.script().fails(new IOException())))
			.isInstanceOf(IOException.class);
		assertThat(time.delays()).containsExactly(Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(100));
	}

	@Test
	void givesTheContextAndTheNumberToEachAttempt() {
		List<String> seen = new ArrayList<>();
		Retry retry = Retry.builder(RetryPolicy.defaults("p")).time(new VirtualTime()).build();
		String result = retry.callOn("context", (context, number) -> {
			seen.add(context + " " + number);
			if (number < 3) {
				throw new IllegalStateException();
			}
			return "done";
		}, null);
		assertThat(result).isEqualTo("done");
		assertThat(seen).containsExactly("context 1", "context 2", "context 3");
	}

	@Test
	void buildersLeaveEarlierRetriesAlone() {
		RecordingListener first = new RecordingListener();
		RecordingListener second = new RecordingListener();
		Retry.Builder builder = Retry.builder(RetryPolicy.builder("p").maxAttempts(1).build()).listener(first);
		Retry earlier = builder.build();
		builder.listener(second).method("other").build();
		assertThatThrownBy(() -> earlier.call(ScriptedOperation.script().fails(new IOException())))
			.isInstanceOf(IOException.class);
		assertThat(earlier.method()).isEqualTo("p");
		assertThat(first.stopped()).hasSize(1);
		assertThat(second.events()).isEmpty();
	}

	@Test
	void isSharedByThreads() throws Exception {
		Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(3).jitter(Jitter.none()).build())
			.time(new StandingTime())
			.build();
		int threads = 8;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			CountDownLatch start = new CountDownLatch(threads);
			List<Future<Integer>> sums = new ArrayList<>();
			for (int thread = 0; thread < threads; thread++) {
				sums.add(executor.submit(() -> {
					start.countDown();
					start.await();
					int sum = 0;
					for (int i = 0; i < 2000; i++) {
						sum += retry.callOn(i, (context, number) -> {
							if (number < 1 + context % 3) {
								throw new BlockingDriverTests.StacklessException();
							}
							return Attempt.current().number();
						}, null);
					}
					return sum;
				}));
			}
			for (Future<Integer> sum : sums) {
				assertThat(sum.get()).isEqualTo(667 + 667 * 2 + 666 * 3);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	/** The formulas for independent attempts, met by calls that really ran. */
	@Nested
	class Measured {

		private static final int CALLS = 200_000;

		private long attempts;

		private long successes;

		@Test
		void successAndExpectedAttempts() {
			run(CALLS, 0.9, 3);
			assertThat(1 - Math.pow(0.1, 3)).isCloseTo(0.999, within(1e-12));
			assertThat((1 - Math.pow(0.1, 3)) / 0.9).isCloseTo(1.11, within(1e-12));
			assertThat(this.successes / (double) CALLS).isCloseTo(0.999, within(3e-4));
			assertThat(this.attempts / (double) CALLS).isCloseTo(1.11, within(3e-3));
		}

		@Test
		void loadAtAFailureShareOfOneHalf() {
			run(CALLS, 0.5, 4);
			assertThat((1 - Math.pow(0.5, 4)) / (1 - 0.5)).isEqualTo(1.875);
			assertThat(this.attempts / (double) CALLS).isCloseTo(1.875, within(0.01));
		}

		@Test
		void loadInATotalOutage() {
			run(10_000, 0, 4);
			assertThat(this.attempts).isEqualTo(40_000);
			assertThat(this.successes).isZero();
		}

		private void run(int calls, double success, int maxAttempts) {
			Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(maxAttempts).build())
				.time(new StandingTime())
				.build();
			Random random = new Random(23);
			for (int call = 0; call < calls; call++) {
				try {
					retry.call(() -> {
						this.attempts++;
						if (random.nextDouble() >= success) {
							throw new BlockingDriverTests.StacklessException();
						}
						return this.successes++;
					});
				}
				catch (BlockingDriverTests.StacklessException ex) {
					assertThat(ex.getMessage()).isEqualTo("stackless");
				}
			}
		}

	}

	/** Time that stands still and keeps no list of what was slept. */
	private static final class StandingTime implements RetryTime {

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void sleep(long nanos) {
		}

	}

}
