package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.SkippedTime;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

class RetryTests {

	@Nested
	class WithoutAResult {

		private final VirtualTime time = new VirtualTime();

		private final Retry retry = Retry.builder(RetryPolicy.builder("p").build()).time(this.time).build();

		private final List<String> sent = new ArrayList<>();

		@Test
		void isRunUntilItSucceeds() throws IOException {
			this.retry.run(this::send);
			assertThat(this.sent).containsExactly("1", "2", "3");
			assertThat(this.time.delays()).hasSize(2);
		}

		@Test
		void throwsNothingCheckedThatTheWorkDoesNot() {
			this.retry.run(() -> this.sent.add("once"));
			assertThat(this.sent).containsExactly("once");
		}

		private void send() throws IOException {
			this.sent.add(Integer.toString(Attempt.current().number()));
			if (this.sent.size() < 3) {
				throw new IOException("down");
			}
		}

	}

	@Test
	void saysWhatItRuns() {
		Retry retry = Retry.builder(RetryPolicy.builder("orders").build()).method("OrderService.place").build();
		assertThat(retry.method()).isEqualTo("OrderService.place");
		assertThat(retry.policy().name()).isEqualTo("orders");
		assertThat(retry).hasToString("Retry of OrderService.place by " + retry.policy());
		assertThat(Retry.builder(RetryPolicy.builder("orders").build()).build().method()).isEqualTo("orders");
	}

	@Test
	void runsInTheSystemsTimeByDefault() throws Exception {
		Retry retry = Retry.builder(RetryPolicy.builder("p").shape(Shape.fixed(Duration.ZERO)).build()).build();
		assertThat(retry.call(ScriptedOperation.<String>script().fails(new IOException()).returns("done")))
			.isEqualTo("done");
	}

	@Test
	void givesTheContextAndTheNumberToEachAttempt() {
		List<String> seen = new ArrayList<>();
		Retry retry = Retry.builder(RetryPolicy.builder("p").build()).time(new VirtualTime()).build();
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
		RetryBuilder builder = Retry.builder(RetryPolicy.builder("p").maxAttempts(1).build()).listener(first);
		Retry earlier = builder.build();
		builder.listener(second).method("other").build();
		assertThatThrownBy(() -> earlier.call(ScriptedOperation.script().fails(new IOException())))
			.isInstanceOf(IOException.class);
		assertThat(earlier.method()).isEqualTo("p");
		assertThat(first.stopped()).hasSize(1);
		assertThat(second.events()).isEmpty();
	}

	@Test
	void isSharedByThreads() {
		Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(3).jitter(Jitter.none()).build())
			.time(new SkippedTime(() -> 0))
			.build();
		Crowd.of(8, (thread) -> {
			int sum = 0;
			for (int i = 0; i < 2000; i++) {
				sum += retry.callOn(i, (context, number) -> {
					if (number < 1 + context % 3) {
						throw new BlockingDriverTests.StacklessException();
					}
					return Attempt.current().number();
				}, null);
			}
			assertThat(sum).isEqualTo(667 + 667 * 2 + 666 * 3);
		});
	}

	/* Of independent attempts, 1 − (1 − p)^n succeed, by (1 − (1 − p)^n) / p attempts. */
	@ParameterizedTest
	@CsvSource({ "0.9, 3, 0.999, 1.11", "0.5, 4, 0.9375, 1.875", "0, 4, 0, 4" })
	void succeedsAndLoadsAsTheFormulasSay(double success, int most, double succeeded, double attempts) {
		Retry retry = Retry.builder(RetryPolicy.builder("p").maxAttempts(most).build())
			.time(new SkippedTime(() -> 0))
			.build();
		Random random = new Random(23);
		double[] made = new double[2];
		for (int call = 0; call < 50_000; call++) {
			Throwable unused = catchThrowable(() -> retry.run(() -> {
				made[0]++;
				if (random.nextDouble() >= success) {
					throw new BlockingDriverTests.StacklessException();
				}
				made[1]++;
			}));
		}
		assertThat(made[0] / 50_000).isCloseTo(attempts, within(0.01));
		assertThat(made[1] / 50_000).isCloseTo(succeeded, within(0.003));
	}

	@Test
	void aTickerThatJumpsNeverGivesNegativeTimes() {
		for (Duration jump : List.of(Duration.ofDays(100_000), Duration.ofDays(-100_000), Duration.ofDays(-10_000),
				Duration.ofNanos(-1))) {
			VirtualTime time = new VirtualTime();
			RecordingListener listener = new RecordingListener();
			Retry retry = Retry.builder(RetryPolicy.builder("attack").deadline(Duration.ofMinutes(1)).build())
				.time(time)
				.listener(listener)
				.build();
			assertThatThrownBy(() -> retry.call(() -> {
				time.advance(jump);
				assertThat(Attempt.current().timeLeft()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
				throw new IOException("down");
			})).hasMessage("down");
			RetriesStoppedException report = listener.report();
			assertThat(report.elapsed()).isGreaterThanOrEqualTo(Duration.ZERO);
			assertThat(report.attemptTimes()).noneMatch(Duration::isNegative);
			assertThat(report.attempts()).isGreaterThanOrEqualTo((jump.abs().toDays() < 100_000) ? 4 : 1);
		}
	}

}
