package dev.backoff.delay;

import java.time.Duration;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.fixture.RandomSources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What 100,000 seeded draws look like, against the exact distributions. */
class JitterDistributionTests {

	private static final int DRAWS = 100_000;

	private static final double GREATEST_DISTANCE = 0.0062;

	private static final double DELAY = 100_000_000;

	/* jitter, mean and sd in delays, distribution function over delays */
	static Stream<Arguments> exact() {
		return Stream.of(Arguments.of(Jitter.full(), 0.5, 0.2887, uniform(0, 1)),
				Arguments.of(Jitter.equal(), 0.75, 0.1443, uniform(0.5, 1)),
				Arguments.of(Jitter.proportional(0.2), 1.0, 0.5774 * 0.2, uniform(0.8, 1.2)),
				Arguments.of(Jitter.proportional(0.5), 1.0, 0.5774 * 0.5, uniform(0.5, 1.5)),
				Arguments.of(Jitter.beta(0, 1), 0.5, 0.2236, beta(0, 1)),
				Arguments.of(Jitter.beta(0.3, 0.7), 0.5, 0.1128, beta(0.3, 0.7)),
				Arguments.of(Jitter.decorrelated(), 2.0, 0.5774, uniform(1, 3)));
	}

	@ParameterizedTest
	@MethodSource("exact")
	void isTheExactOneAndNoOther(Jitter jitter, double mean, double deviation, DoubleUnaryOperator distribution) {
		double[] draws = draws(rule(jitter, Duration.ofSeconds(10)), 1);
		assertThat(mean(draws)).isCloseTo(mean, within(0.004 * mean));
		assertThat(deviation(draws)).isCloseTo(deviation, within(0.006 * deviation));
		assertThat(distance(draws, distribution)).isLessThan(GREATEST_DISTANCE);
		assertThat(exact().filter((other) -> !other.get()[0].equals(jitter))
			.map((other) -> distance(draws, (DoubleUnaryOperator) other.get()[3])))
			.allMatch((distance) -> distance > 5 * GREATEST_DISTANCE);
	}

	@Test
	void isDrawnInsideTheCapByProportional() {
		// retry 4 is 800 ms, capped to 100 ms: from 80 ms to the cap, all alike
		double[] draws = draws(rule(Jitter.proportional(0.2), Duration.ofMillis(100)), 4);
		assertThat(distance(draws, uniform(0.8, 1))).isLessThan(GREATEST_DISTANCE);
		assertThat(mean(draws)).isCloseTo(0.9, within(0.001));
	}

	@Test
	void decorrelatedGrowsAsItsTableSays() {
		double[] table = { 200, 350, 576, 914, 1393, 1859, 2228, 2493 };
		double[] means = new double[table.length];
		BackoffRule rule = rule(Jitter.decorrelated(), Duration.ofSeconds(10));
		RandomSource random = RandomSources.seeded(7);
		for (int client = 0; client < DRAWS; client++) {
			long previous = 0;
			for (int retry = 1; retry <= means.length; retry++) {
				previous = rule.delay(retry, previous, random);
				means[retry - 1] += previous / 1e6 / DRAWS;
			}
		}
		for (int i = 0; i < table.length; i++) {
			assertThat(means[i]).as("retry %s", i + 1).isCloseTo(table[i], within(0.03 * table[i]));
		}
	}

	@Nested
	class Atoms {

		static Stream<Arguments> late() {
			return JitterTests.all()
				.filter((jitter) -> jitter != Jitter.none())
				.flatMap((jitter) -> Stream.of(Arguments.of(jitter, Duration.ofSeconds(1)),
						Arguments.of(jitter, Duration.ofMillis(jitter.replacesShape() ? 200 : 100))));
		}

		@ParameterizedTest
		@MethodSource("late")
		void areNowhereInLateDelays(Jitter jitter, Duration cap) {
			assertThat(commonestShare(rule(jitter, cap))).isLessThan(0.001);
		}

		@Test
		void areAllThereIsWithoutJitter() {
			assertThat(commonestShare(rule(Jitter.none(), Duration.ofSeconds(1)))).isEqualTo(1);
		}

		private double commonestShare(BackoffRule rule) {
			int clients = 200_000;
			RandomSource random = RandomSources.seeded(11);
			long[] micros = new long[clients];
			for (int client = 0; client < clients; client++) {
				long delay = 0;
				for (int retry = rule.jitter().replacesShape() ? 1 : 12; retry <= 12; retry++) {
					delay = rule.delay(retry, delay, random);
				}
				micros[client] = delay / 1000;
			}
			Arrays.sort(micros);
			int run = 0;
			int commonest = 0;
			for (int i = 0; i < clients; i++) {
				run = (i > 0 && micros[i] == micros[i - 1]) ? run + 1 : 1;
				commonest = Math.max(commonest, run);
			}
			return commonest / (double) clients;
		}

	}

	@Nested
	class Herd {

		@Test
		void isSpreadByFullJitter() {
			assertThat(fullestBinAfterHalfASecond(Jitter.full())).isBetween(0.02, 0.036);
		}

		@Test
		void staysTogetherWithoutJitter() {
			assertThat(fullestBinAfterHalfASecond(Jitter.none())).isEqualTo(1);
		}

		/* The greatest share of 10,000 clients that retry within the same 10 ms. */
		private double fullestBinAfterHalfASecond(Jitter jitter) {
			BackoffRule rule = rule(jitter, Duration.ofSeconds(10));
			RandomSource random = RandomSources.seeded(3);
			int[] bins = new int[10_000];
			for (int client = 0; client < 10_000; client++) {
				long at = 0;
				for (int retry = 1; retry <= 8; retry++) {
					at += rule.delay(retry, 0, random);
					bins[(int) (at / 10_000_000)]++;
				}
			}
			return Arrays.stream(bins).skip(50).max().orElse(0) / 10_000.0;
		}

		/* As docs/numbers.md: the density of the middle is 1.5, and 0.568 is left. */
		@Test
		void isCloserTogetherInTheFirstWaveOfAConfinedBeta() {
			assertThat(fullestTenth(Jitter.beta(0.3, 0.7)) / fullestTenth(Jitter.full())).isCloseTo(2.6, within(0.1));
		}

		private double fullestTenth(Jitter jitter) {
			int[] tenths = new int[10];
			for (double draw : draws(rule(jitter, Duration.ofSeconds(10)), 1)) {
				tenths[Math.min(9, (int) (draw * 10))]++;
			}
			return Arrays.stream(tenths).max().orElse(0);
		}

	}

	private static BackoffRule rule(Jitter jitter, Duration cap) {
		return BackoffRule.of(Shape.exponential(Duration.ofMillis(100), 2), cap, jitter);
	}

	private static double[] draws(BackoffRule rule, int retry) {
		RandomSource random = RandomSources.seeded(42);
		double[] draws = new double[DRAWS];
		for (int i = 0; i < DRAWS; i++) {
			draws[i] = rule.delay(retry, 0, random) / DELAY;
		}
		Arrays.sort(draws);
		return draws;
	}

	private static double mean(double[] draws) {
		return Arrays.stream(draws).average().orElseThrow();
	}

	private static double deviation(double[] draws) {
		double mean = mean(draws);
		return Math.sqrt(Arrays.stream(draws).map((x) -> (x - mean) * (x - mean)).average().orElseThrow());
	}

	/** Return the Kolmogorov–Smirnov distance of sorted draws from a distribution. */
	private static double distance(double[] draws, DoubleUnaryOperator distribution) {
		double greatest = 0;
		for (int i = 0; i < draws.length; i++) {
			double exact = distribution.applyAsDouble(draws[i]);
			double below = exact - i / (double) draws.length;
			double above = (i + 1) / (double) draws.length - exact;
			greatest = Math.max(greatest, Math.max(below, above));
		}
		return greatest;
	}

	private static DoubleUnaryOperator uniform(double from, double to) {
		return (x) -> Math.min(1, Math.max(0, (x - from) / (to - from)));
	}

	private static DoubleUnaryOperator beta(double from, double to) {
		DoubleUnaryOperator whole = (x) -> x * x * (3 - 2 * x);
		double least = whole.applyAsDouble(from);
		double weight = whole.applyAsDouble(to) - least;
		return (x) -> (whole.applyAsDouble(Math.min(to, Math.max(from, x))) - least) / weight;
	}

}
