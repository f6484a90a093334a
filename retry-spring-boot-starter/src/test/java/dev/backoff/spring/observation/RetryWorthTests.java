package dev.backoff.spring.observation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.Retry;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.observation.CallStatistics.Earned;
import dev.backoff.spring.observation.CallStatistics.RetryWorth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** What is advised of retries that earn little, in endpoint and log. */
class RetryWorthTests {

	private static final String CHANCES = " (chances are of this traffic; later attempts see harder failures)";

	private static RetryWorth worth(long calls, long first, long second, long third, long rescued) {
		return new RetryWorth(calls, calls + first + second + third, Map.of("2", new Earned(first, first - second), "3",
				new Earned(second, second - third), "4", new Earned(third, rescued)));
	}

	@ParameterizedTest
	@CsvSource({ "10000, 4000, 3000, 2940, 20, 3, 0.2, 14.7", "10000, 4000, 3000, 2960, 5, 2, 0.5, 29.9",
			"10000, 1000, 970, 960, 0, 1, 0.4, 22.7", "10000, 9000, 5000, 4000, 49, 3, 0.5, 14.3",
			// enough are rescued, the load is small, or too few calls were retried
			"10000, 4000, 3000, 2940, 50,,,", "20000, 3000, 2000, 1300, 0,,,", "10000, 999, 999, 999, 0,,,",
			"100000, 1000, 1000, 1000, 0,,," })
	void adviseFewerAttemptsIfLaterOnesRescueLittle(long calls, long first, long second, long third, long rescued,
			@Nullable Integer most, String lost, String saved) {
		assertThat(worth(calls, first, second, third, rescued).advice())
			.isEqualTo((most == null) ? List.of() : List.of("`max-attempts: " + most + "` would have lost " + lost
					+ " % of the calls and saved " + saved + " % of the load" + CHANCES));
	}

	@Test
	void nameACauseWhoseRetriesHardlyRescue() {
		RetryWorth worth = new RetryWorth(1_000_000, 1_010_000,
				Map.of("lock", new Earned(1_000, 9), "io", new Earned(1_000, 10), "pool", new Earned(999, 0),
						RetryCause.RESULT.tag(), new Earned(2_000, 0), "2", new Earned(4_000, 19)));
		assertThat(worth.advice())
			.containsExactly("after lock, 0.9 % of 1000 retries rescued a call: name it in `abort-on`" + CHANCES);
	}

	@Test
	void isLoggedOnceADay() {
		VirtualTime time = VirtualTime.wrappingAfter(Duration.ofSeconds(3));
		BoundedRecorders counts = new BoundedRecorders();
		try (LogCapture log = new LogCapture(StopLogger.class)) {
			Retry retry = Retry.builder(RetryPolicy.builder("orders").maxAttempts(2).build())
				.time(time)
				.recorder(counts.recorder("orders", "m"))
				.listener(new StopLogger(time, Runnable::run, () -> counts))
				.build();
			fail(retry, 998);
			time.advance(Duration.ofMinutes(5));
			fail(retry, 2);
			assertThat(log.lines(Level.INFO)).isEmpty();
			time.advance(Duration.ofMinutes(5));
			fail(retry, 500);
			time.advance(Duration.ofHours(23));
			fail(retry, 1);
			assertThat(log.lines(Level.INFO)).containsExactly(
					"Policy orders: `max-attempts: 1` would have lost 0 % of the calls and saved 50 % of the load"
							+ CHANCES + "; after other, 0 % of 1001 retries rescued a call: name it in `abort-on`"
							+ CHANCES);
			time.advance(Duration.ofHours(2));
			fail(retry, 1);
			assertThat(log.lines(Level.INFO)).hasSize(2);
		}
	}

	private static void fail(Retry retry, int calls) {
		for (int call = 0; call < calls; call++) {
			assertThatIOException().isThrownBy(() -> retry.call(() -> {
				throw new IOException("down");
			}));
		}
	}

}
