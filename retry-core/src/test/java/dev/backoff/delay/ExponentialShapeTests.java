package dev.backoff.delay;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

class ExponentialShapeTests {

	private static final Duration LARGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final BigDecimal LONGEST = BigDecimal.valueOf(Long.MAX_VALUE);

	@Test
	void roundsEachDelayFromTheExactOneOnly() {
		Shape shape = Shape.exponential(Duration.ofMillis(100), 1.5);
		assertThat(LongStream.rangeClosed(1, 6).map((k) -> shape.nanos((int) k)).toArray()).containsExactly(100_000_000,
				150_000_000, 225_000_000, 337_500_000, 506_250_000, 759_375_000);
		// 10 · 1.1^9 = 23.579…, while rounding on the way gives 24.2 or so
		Shape tiny = Shape.exponential(Duration.ofNanos(10), 1.1);
		assertThat(LongStream.rangeClosed(1, 10).map((k) -> tiny.nanos((int) k)).toArray()).containsExactly(10, 11, 12,
				13, 15, 16, 18, 19, 21, 24);
	}

	@ParameterizedTest
	@ValueSource(doubles = { 1, 1.0000001, 1.01, 1.1, 1.4999, 1.5, 2, 10 })
	void neverDecreases(double multiplier) {
		for (Duration base : new Duration[] { Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(100), LARGEST }) {
			Shape shape = Shape.exponential(base, multiplier);
			long before = 0;
			for (int retry = 1; retry <= 2000; retry++) {
				long delay = shape.nanos(retry);
				assertThat(delay).isGreaterThanOrEqualTo(before);
				before = delay;
			}
		}
	}

	@ParameterizedTest
	@ValueSource(doubles = { 1.01, 1.1, 1.3, 1.49, 2, 3 })
	void staysNearTheExactDelay(double multiplier) {
		Shape shape = Shape.exponential(Duration.ofMillis(1), multiplier);
		BigDecimal factor = new BigDecimal(Double.toString(multiplier));
		for (int retry = 1; retry <= 400; retry++) {
			BigDecimal exact = factor.pow(retry - 1, MathContext.DECIMAL128)
				.multiply(BigDecimal.valueOf(1_000_000))
				.min(LONGEST);
			// half a nanosecond of rounding, and what a double cannot tell
			assertThat((double) shape.nanos(retry)).isCloseTo(exact.doubleValue(),
					within(0.5 + exact.doubleValue() * 1e-13));
		}
	}

	/* F = 1 s, M = 2, n = 8: F(n − 1)M^(n − 2) and F M^(n − 1) ln M */
	@Test
	void isAsSensitiveAsItsDerivatives() {
		assertThat((seconds(2.001, 8) - seconds(1.999, 8)) / 2e-3).isCloseTo(448, within(1e-3));
		// a thousand small steps a retry, since there are whole retries only
		double step = Math.pow(2, 1e-3);
		assertThat((seconds(step, 7002) - seconds(step, 7000)) / 2e-3).isCloseTo(128 * Math.log(2), within(1e-3));
	}

	private static double seconds(double multiplier, int retry) {
		return Shape.exponential(Duration.ofSeconds(1), multiplier).nanos(retry) / 1e9;
	}

	@Nested
	class Overflow {

		private final int[] retries = { 1, 2, 35, 38, 55, 58, 63, 64, 65, 100, 111, 112, 113, 114, 1000, 1024,
				1_000_000, Integer.MAX_VALUE };

		@ParameterizedTest
		@ValueSource(ints = { 2, 3, 10, 100 })
		void isRightToTheLargestRetryAndNeverAboveTheCap(int multiplier) {
			for (Duration base : List.of(Duration.ofNanos(1), Duration.ofNanos(999), Duration.ofMillis(100),
					Duration.ofDays(1), Duration.ofNanos(Long.MAX_VALUE - 1), LARGEST)) {
				Shape shape = Shape.exponential(base, multiplier);
				for (int retry : this.retries) {
					BigDecimal factor = BigDecimal.valueOf(multiplier).pow(Math.min(retry, 1101) - 1);
					long exact = factor.multiply(BigDecimal.valueOf(Nanos.of(base))).min(LONGEST).longValueExact();
					// exact up to 13 days
					assertThat(shape.nanos(retry)).as("%s, retry %s", shape, retry)
						.isCloseTo(exact, within(exact >> 50));
					for (Duration cap : List.of(base, Collections.max(List.of(base, Duration.ofDays(365))), LARGEST)) {
						assertThat(BackoffRule.of(shape, cap, Jitter.none()).delay(retry, 0, () -> 0)).isPositive()
							.isEqualTo(Math.min(shape.nanos(retry), Nanos.of(cap)));
					}
				}
			}
		}

		@Test
		void takesExtremeMultipliers() {
			Shape shape = Shape.exponential(Duration.ofNanos(1), 1e300);
			assertThat(shape.nanos(1)).isEqualTo(1);
			assertThat(shape.nanos(2)).isEqualTo(Long.MAX_VALUE);
			assertThat(Shape.exponential(Duration.ofNanos(1), Double.MAX_VALUE).nanos(Integer.MAX_VALUE))
				.isEqualTo(Long.MAX_VALUE);
		}

		@Test
		void staysAtZeroFromABaseOfZeroAndAtTheBaseWithAMultiplierOfOne() {
			for (int retry : this.retries) {
				assertThat(Shape.exponential(Duration.ofNanos(123_456_789), 1).nanos(retry)).isEqualTo(123_456_789);
				assertThat(Shape.exponential(Duration.ZERO, 1e300).nanos(retry)).isZero();
				assertThat(Shape.exponential(Duration.ZERO, 1.1).nanos(retry)).isZero();
			}
		}

	}

	@Nested
	class Preconditions {

		@ParameterizedTest
		@CsvSource({ "0.999, 0.999", "0, 0.0", "-2, -2.0", "NaN, NaN", "Infinity, Infinity", "-Infinity, -Infinity" })
		void rejectTheMultiplier(double multiplier, String text) {
			assertThatIllegalArgumentException().isThrownBy(() -> Shape.exponential(Duration.ofMillis(100), multiplier))
				.withMessage("Invalid multiplier (" + text + "): must be a finite number of at least 1.");
		}

		@Test
		void rejectANegativeBase() {
			assertThatIllegalArgumentException().isThrownBy(() -> Shape.exponential(Duration.ofNanos(-1), 2))
				.withMessage("Invalid base (-1ns): must not be negative.");
		}

	}

	@Test
	void raisesItsBase() {
		Shape shape = Shape.exponential(Duration.ofMillis(100), 2);
		assertThat(ShapeTests.millis(shape.withBaseAtLeast(Duration.ofSeconds(1)), 3)).containsExactly(1000, 2000,
				4000);
		assertThat(shape.withBaseAtLeast(Duration.ofMillis(99))).isEqualTo(shape);
	}

	@Test
	void saysWhatItIs() {
		assertThat(Shape.exponential(Duration.ofMillis(100), 2)).hasToString("exponential 100ms ×2");
		assertThat(Shape.exponential(Duration.ofSeconds(1), 1.75)).hasToString("exponential 1s ×1.75");
	}

}
