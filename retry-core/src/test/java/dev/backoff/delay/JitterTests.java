package dev.backoff.delay;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.fixture.RandomSources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JitterTests {

	private static final double GREATEST = Math.nextDown(1.0);

	private static final long MILLI = 1_000_000;

	static Stream<Jitter> all() {
		return Stream.of(Jitter.none(), Jitter.full(), Jitter.equal(), Jitter.proportional(0.2), Jitter.proportional(1),
				Jitter.decorrelated(), Jitter.beta(0, 1), Jitter.beta(0.3, 0.7));
	}

	@Nested
	class Tables {

		/* 100 ms below a cap of 10 s, decorrelated from a previous 300 ms */

		@ParameterizedTest
		@CsvSource({ "none, 100000000, 100000000, 100000000", "full, 0, 50000000, 99999999",
				"equal, 50000000, 75000000, 99999999", "20%, 80000000, 100000000, 119999999",
				"100%, 0, 100000000, 199999999", "decorrelated, 100000000, 500000000, 899999999",
				"beta, 0, 50000000, 99999999", "beta 0.3..0.7, 30000000, 50000000, 70000000" })
		void atLeastMiddleAndGreatestDraw(String name, long least, long middle, long greatest) {
			BackoffRule rule = new BackoffRule(Shape.fixed(Duration.ofMillis(100)), 10_000 * MILLI, Jitter.parse(name));
			assertThat(rule.delay(2, 300 * MILLI, () -> 0)).isEqualTo(least);
			assertThat(rule.delay(2, 300 * MILLI, () -> 0.5)).isEqualTo(middle);
			long highest = rule.delay(2, 300 * MILLI, () -> GREATEST);
			assertThat(highest).isBetween(greatest - 2, greatest);
		}

		@Test
		void proportionalDrawsBelowTheCapInsteadOfClamping() {
			Jitter jitter = Jitter.proportional(0.2);
			long cap = 100 * MILLI;
			assertThat(jitter.apply(cap, 0, cap, 0)).isEqualTo(80 * MILLI);
			assertThat(jitter.apply(cap, 0, cap, 0.5)).isEqualTo(90 * MILLI);
			assertThat(jitter.apply(cap, 0, cap, GREATEST)).isEqualTo(cap - 1);
			assertThat(jitter.apply(cap, 0, 110 * MILLI, 0.5)).isEqualTo(95 * MILLI);
		}

		@Test
		void decorrelatedDrawsBelowTheCapInsteadOfClamping() {
			BackoffRule rule = new BackoffRule(Shape.fixed(Duration.ofMillis(100)), 1000 * MILLI,
					Jitter.decorrelated());
			assertThat(rule.delay(2, 900 * MILLI, () -> 0.5)).isEqualTo(550 * MILLI);
			assertThat(rule.delay(2, 900 * MILLI, () -> GREATEST)).isEqualTo(1000 * MILLI - 1);
		}

		@Test
		void decorrelatedTakesAPreviousDelayBelowAThirdOfTheBase() {
			BackoffRule rule = new BackoffRule(Shape.fixed(Duration.ofNanos(100)), 1000, Jitter.decorrelated());
			assertThat(rule.delay(2, 0, () -> GREATEST)).isEqualTo(100);
		}

	}

	@Nested
	class Texts {

		@ParameterizedTest
		@MethodSource("dev.backoff.delay.JitterTests#all")
		void areReadAsTheyAreWritten(Jitter jitter) {
			assertThat(Jitter.parse(jitter.toString())).isEqualTo(jitter);
		}

		@ParameterizedTest
		@CsvSource({ "FULL, full", "' None ', none", "20 %, 20%", "12.50%, 12.5%", "0.1%, 0.1%",
				"Beta  0..0.5, beta 0.0..0.5" })
		void areReadInAnyCase(String text, String jitter) {
			assertThat(Jitter.parse(text)).hasToString(jitter);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						half          | must be none, full, equal, decorrelated, beta, beta a..b or a percentage. Write full for the default, or a percentage such as 20%.
						Beta 0.3      | must be none, full, equal, decorrelated, beta, beta a..b or a percentage. Write full for the default, or a percentage such as 20%.
						20            | must be none, full, equal, decorrelated, beta, beta a..b or a percentage. Write it as a percentage: 20%.
						120           | must be none, full, equal, decorrelated, beta, beta a..b or a percentage. Write full for the default, or a percentage such as 20%.
						0.2           | must be none, full, equal, decorrelated, beta, beta a..b or a percentage. Write it as a percentage: 20%.
						0%            | must be above 0% and at most 100%. Write a percentage such as 20%, or none.
						-20%          | must be above 0% and at most 100%. Write a percentage such as 20%, or none.
						100.1%        | must be above 0% and at most 100%. Write a percentage such as 20%, or none.
						beta 0.7..0.3 | must be a part of 0..1, the lower end first. Write a part such as beta 0.3..0.7.
						beta 0..1.1   | must be a part of 0..1, the lower end first. Write a part such as beta 0.3..0.7.
						beta 1.2.3..2 | must be a part of 0..1, the lower end first. Write a part such as beta 0.3..0.7.
						""")
		void thatAreWrongAreRejectedWithAnAdvice(String text, String message) {
			assertThatIllegalArgumentException().isThrownBy(() -> Jitter.parse(text))
				.withMessage("Invalid jitter (" + text + "): " + message);
		}

	}

	@Nested
	class Range {

		@ParameterizedTest
		@MethodSource("dev.backoff.delay.JitterTests#all")
		void isReachedAtTheLargestDelayToo(Jitter jitter) {
			long largest = Long.MAX_VALUE;
			double least = jitter.apply(largest, 0, largest, 0) / (double) largest;
			double greatest = jitter.apply(largest, 0, largest, GREATEST) / (double) largest;
			double[] expected = switch (jitter.toString()) {
				case "none" -> new double[] { 1, 1 };
				case "equal" -> new double[] { 0.5, 1 };
				case "20%" -> new double[] { 0.8, 1 };
				case "beta 0.3..0.7" -> new double[] { 0.3, 0.7 };
				default -> new double[] { 0, 1 };
			};
			assertThat(Math.abs(least - expected[0])).isLessThan(1e-7);
			assertThat(Math.abs(greatest - expected[1])).isLessThan(1e-7);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.delay.JitterTests#all")
		void growsWithTheDraw(Jitter jitter) {
			long before = -1;
			for (double u = 0; u < 1; u += 1 / 1024.0) {
				long delay = jitter.apply(3 * MILLI, MILLI, 10 * MILLI, u);
				assertThat(delay).isGreaterThanOrEqualTo(before);
				before = delay;
			}
		}

	}

	@Nested
	class Draws {

		@ParameterizedTest
		@MethodSource("dev.backoff.delay.JitterTests#all")
		void takesOneUniformADelay(Jitter jitter) {
			RandomSources.Counting random = RandomSources.counting(RandomSources.seeded(1));
			BackoffRule rule = BackoffRule.of(Shape.exponential(Duration.ofMillis(100), 2), Duration.ofSeconds(10),
					jitter);
			for (int retry = 1; retry <= 1000; retry++) {
				rule.delay(retry, 100, random);
			}
			assertThat(random.draws()).isEqualTo((jitter != Jitter.none()) ? 1000 : 0);
		}

		@Test
		void onlyDecorrelatedReplacesTheShape() {
			assertThat(all().filter(Jitter::replacesShape)).containsExactly(Jitter.decorrelated());
		}

	}

	@Nested
	class Preconditions {

		@ParameterizedTest
		@CsvSource({ "0, 0.0", "-0.2, -0.2", "1.0001, 1.0001", "NaN, NaN", "Infinity, Infinity" })
		void rejectTheShare(double share, String text) {
			assertThatIllegalArgumentException().isThrownBy(() -> Jitter.proportional(share))
				.withMessage("Invalid jitter (" + text + "): must be above 0 and at most 1 (0% to 100%).");
		}

		@ParameterizedTest
		@CsvSource({ "0.7, 0.3, 0.7..0.3", "0.5, 0.5, 0.5..0.5", "-0.1, 0.5, -0.1..0.5", "0.5, 1.1, 0.5..1.1",
				"NaN, 1, NaN..1.0", "0, NaN, 0.0..NaN" })
		void rejectThePart(double from, double to, String text) {
			assertThatIllegalArgumentException().isThrownBy(() -> Jitter.beta(from, to))
				.withMessage("Invalid jitter (beta " + text + "): must be a part of 0..1, the lower end first.");
		}

	}

}
