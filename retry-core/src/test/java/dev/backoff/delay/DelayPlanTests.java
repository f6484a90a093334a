package dev.backoff.delay;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.fixture.RandomSources;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

class DelayPlanTests {

	private static final Duration NO_CAP = Duration.ofNanos(Nanos.UNLIMITED);

	@Nested
	class Totals {

		@ParameterizedTest
		@CsvSource({ "100ms, 2, 5, 3100000000", "100ms, 1.5, 5, 1318750000", "1s, 3, 4, 40000000000",
				"100ms, 1, 7, 700000000", "1s, 2, 3, 7000000000", "1s, 2, 5, 31000000000", "1s, 2, 10, 1023000000000",
				"1s, 2, 13, 8191000000000", "1s, 2, 15, 32767000000000" })
		void withoutACapAreTheGeometricSum(String base, double multiplier, int retries, long total) {
			Duration first = base.equals("1s") ? Duration.ofSeconds(1) : Duration.ofMillis(100);
			DelayPlan plan = plan(Shape.exponential(first, multiplier), NO_CAP, retries);
			double closed = (multiplier == 1) ? (double) first.toNanos() * retries
					: first.toNanos() * (Math.pow(multiplier, retries) - 1) / (multiplier - 1);
			assertThat(plan.totalGreatest()).isEqualTo(total).isEqualTo(Math.round(closed));
			assertThat(plan.totalMean()).isEqualTo(total);
		}

		@ParameterizedTest
		@CsvSource({ "100, 2, 10, 5000, 26300000000", "50, 2, 12, 20000, 85550000000", "100, 2, 8, 10000, 22700000000",
				"100, 2, 3, 10000, 700000000", "100, 2, 8, 12800, 25500000000" })
		void withACapAreTheGeometricSumAndThenCaps(long base, double multiplier, int retries, long cap, long total) {
			DelayPlan plan = plan(Shape.exponential(Duration.ofMillis(base), multiplier), Duration.ofMillis(cap),
					retries);
			int growing = Math.min(retries,
					(int) Math.ceil(Math.log((double) cap / base) / Math.log(multiplier) - 1e-12));
			double closed = 1e6 * (base * (Math.pow(multiplier, growing) - 1) / (multiplier - 1)
					+ (double) (retries - growing) * cap);
			assertThat(plan.totalGreatest()).isEqualTo(total).isEqualTo(Math.round(closed));
		}

		@Test
		void ofALadderAreTheSumOfItsLevels() {
			Shape ladder = Shape
				.ladder(Stream.of(4, 10, 10, 60, 120, 360, 900).map((level) -> Duration.ofMinutes(level)).toList());
			assertThat(plan(ladder, NO_CAP, 7).totalGreatest()).isEqualTo(Duration.ofMinutes(1464).toNanos());
			assertThat(plan(ladder, NO_CAP, 8).totalGreatest()).isEqualTo(Duration.ofMinutes(2364).toNanos());
		}

		@Test
		void saturate() {
			DelayPlan plan = plan(Shape.fixed(NO_CAP), NO_CAP, 3);
			assertThat(plan.totalGreatest()).isEqualTo(Long.MAX_VALUE);
			assertThat(plan.totalMean()).isEqualTo(Long.MAX_VALUE);
		}

	}

	@Nested
	class Steps {

		@Test
		void tellTheRangeOfEachRetry() {
			BackoffRule rule = BackoffRule.of(Shape.exponential(Duration.ofMillis(100), 2), Duration.ofMillis(200),
					Jitter.proportional(0.2));
			assertThat(DelayPlan.of(rule, 3).steps()).containsExactly(
					new DelayPlan.Step(1, 80_000_000, 100_000_000, 120_000_000),
					new DelayPlan.Step(2, 160_000_000, 180_000_000, 200_000_000),
					new DelayPlan.Step(3, 160_000_000, 180_000_000, 200_000_000));
		}

		@Test
		void areNoneWithoutRetries() {
			DelayPlan plan = plan(Shape.fixed(Duration.ofSeconds(1)), NO_CAP, 0);
			assertThat(plan.steps()).isEmpty();
			assertThat(plan.totalMean()).isZero();
			assertThat(plan.totalGreatest()).isZero();
		}

		@Test
		void endAtTenThousand() {
			assertThat(plan(Shape.fixed(Duration.ofNanos(1)), NO_CAP, Integer.MAX_VALUE).steps()).hasSize(10_000);
		}

		@Test
		void rejectANegativeNumberOfRetries() {
			assertThatIllegalArgumentException().isThrownBy(() -> plan(Shape.fixed(Duration.ZERO), NO_CAP, -1))
				.withMessage("Invalid retries (-1): must not be negative.");
		}

		@Test
		void ofDecorrelatedJitterFromZeroAreZero() {
			BackoffRule rule = BackoffRule.of(Shape.fixed(Duration.ZERO), Duration.ofSeconds(1), Jitter.decorrelated());
			assertThat(DelayPlan.of(rule, 3).steps()).containsExactly(new DelayPlan.Step(1, 0, 0, 0),
					new DelayPlan.Step(2, 0, 0, 0), new DelayPlan.Step(3, 0, 0, 0));
		}

	}

	/** What the plan shows is what a rule does. */
	@Nested
	class Agreement {

		private static final int CLIENTS = 20_000;

		private static final int RETRIES = 6;

		static Stream<Arguments> rules() {
			List<Shape> shapes = List.of(Shape.fixed(Duration.ofMillis(100)),
					Shape.linear(Duration.ofMillis(100), Duration.ofMillis(150)),
					Shape.exponential(Duration.ofMillis(100), 2),
					Shape.ladder(List.of(Duration.ofMillis(100), Duration.ofMillis(700), Duration.ofMillis(300))));
			return shapes.stream()
				.flatMap((shape) -> JitterTests.all()
					.filter((jitter) -> !(jitter.replacesShape() && shape.levels() > 0))
					.map((jitter) -> Arguments.of(BackoffRule.of(shape, Duration.ofSeconds(1), jitter))));
		}

		@ParameterizedTest
		@MethodSource("rules")
		void ofLeastMeanAndGreatest(BackoffRule rule) {
			RandomSource random = RandomSources.seeded(rule.toString().hashCode());
			double[] sum = new double[RETRIES];
			long[] least = new long[RETRIES];
			long[] greatest = new long[RETRIES];
			Arrays.fill(least, Long.MAX_VALUE);
			for (int client = 0; client < CLIENTS; client++) {
				long delay = 0;
				for (int k = 0; k < RETRIES; k++) {
					delay = rule.delay(k + 1, delay, random);
					sum[k] += delay;
					least[k] = Math.min(least[k], delay);
					greatest[k] = Math.max(greatest[k], delay);
				}
			}
			List<DelayPlan.Step> steps = DelayPlan.of(rule, RETRIES).steps();
			assertThat(DelayPlan.of(rule, RETRIES).steps()).isEqualTo(steps);
			double tolerance = rule.jitter().replacesShape() ? 0.03 : 0.015;
			for (DelayPlan.Step step : steps) {
				int k = step.retry() - 1;
				assertThat(sum[k] / CLIENTS).as("%s", step)
					.isCloseTo((double) step.mean(), within(tolerance * step.mean()));
				assertThat(least[k]).as("%s", step).isGreaterThanOrEqualTo(step.least());
				assertThat(greatest[k]).as("%s", step).isLessThanOrEqualTo(step.greatest());
				// and the range is no wider than it must be
				double width = 0.01 * (step.greatest() - step.least());
				assertThat((double) least[k]).as("%s", step).isLessThanOrEqualTo(step.least() + width);
				assertThat((double) greatest[k]).as("%s", step).isGreaterThanOrEqualTo(step.greatest() - width);
			}
		}

		@ParameterizedTest
		@MethodSource("rules")
		void atTheLeastAndTheGreatestDraw(BackoffRule rule) {
			long low = 0;
			long high = 0;
			for (DelayPlan.Step step : DelayPlan.of(rule, RETRIES).steps()) {
				low = rule.delay(step.retry(), low, RandomSources.least());
				high = rule.delay(step.retry(), high, RandomSources.greatest());
				assertThat(low).isEqualTo(step.least());
				// the greatest draw stays just below the bound, and a growing delay below
				// that again
				assertThat(high).isBetween((long) (step.greatest() * (1 - 1e-6)) - 1, step.greatest());
			}
		}

	}

	@Nested
	class LargestBase {

		/* The last has a cap; the others follow the closed form. */
		@ParameterizedTest
		@CsvSource({ "30000, 5, 2, 0, 1, 967.7", "30000, 5, 2, 2000, 1, 580.6", "30000, 5, 3, 0, 1, 247.9",
				"30000, 5, 2, 0, 1.2, 806.5", "5000, 4, 2, 0, 1, 333.3", "5000, 4, 2, 800, 1, 66.7",
				"6000, 3, 1, 0, 1, 2000.0", "26300, 10, 2, 0, 1, 100.0" })
		void isTheGoldenOne(long deadline, int retries, double multiplier, long attempt, double jitter, double millis) {
			Duration cap = (retries == 10) ? Duration.ofSeconds(5) : NO_CAP;
			Duration base = DelayPlan.largestBase(Duration.ofMillis(deadline), retries, multiplier, cap,
					Duration.ofMillis(attempt), jitter);
			assertThat(base.toNanos() / 1e6).isCloseTo(millis, within(0.051));
		}

		@ParameterizedTest
		@CsvSource({ "30, 5, 2, 2000", "30, 8, 2, 10000", "30, 8, 1.5, 5000", "85, 12, 2, 20000",
				"3600, 100, 1.1, 60000", "30, 5, 1, 4000", "1, 20, 3, 50" })
		void underACapIsTheLargestThatFits(long deadline, int retries, double multiplier, long capMillis) {
			Duration limit = Duration.ofSeconds(deadline);
			Duration cap = Duration.ofMillis(capMillis);
			Duration base = DelayPlan.largestBase(limit, retries, multiplier, cap, Duration.ZERO, 1);
			assertThat(total(base, multiplier, cap, retries)).isLessThanOrEqualTo(limit.toNanos() + retries);
			if (base.compareTo(cap) < 0) {
				Duration longer = base.plusNanos(2L * retries);
				assertThat(total(longer, multiplier, cap, retries)).isGreaterThan(limit.toNanos());
			}
		}

		private long total(Duration base, double multiplier, Duration cap, int retries) {
			return plan(Shape.exponential(base, multiplier), (cap.compareTo(base) < 0) ? base : cap, retries)
				.totalGreatest();
		}

		@ParameterizedTest
		@CsvSource({ "600, 11, 2, 1138", "60, 11, 2, 113", "30, 5, 2, 967", "30, 9, 2, 78", "10, 4, 1, 2500" })
		void followsTheBuiltInCap(long deadline, int retries, double multiplier, long millis) {
			Duration limit = Duration.ofSeconds(deadline);
			Duration base = DelayPlan.largestBase(limit, retries, multiplier, null, Duration.ZERO, 1);
			assertThat(base.toMillis()).isEqualTo(millis);
			assertThat(builtInTotal(base, multiplier, retries)).isLessThanOrEqualTo(limit.toNanos() + retries);
			assertThat(builtInTotal(base.plusNanos(2L * retries), multiplier, retries)).isGreaterThan(limit.toNanos());
		}

		private long builtInTotal(Duration base, double multiplier, int retries) {
			Shape shape = Shape.exponential(base, multiplier);
			return plan(shape, Duration.ofNanos(BackoffRule.builtInCap(shape)), retries).totalGreatest();
		}

		@Test
		void isTheCapIfAllFits() {
			assertThat(DelayPlan.largestBase(Duration.ofHours(1), 3, 2, Duration.ofSeconds(5), Duration.ZERO, 1))
				.isEqualTo(Duration.ofSeconds(5));
			assertThat(DelayPlan.largestBase(Duration.ofHours(1), 3, 1, Duration.ofSeconds(5), Duration.ZERO, 1))
				.isEqualTo(Duration.ofSeconds(5));
		}

		@Test
		void isZeroIfTheAttemptsFillTheTime() {
			assertThat(DelayPlan.largestBase(Duration.ofSeconds(5), 4, 2, NO_CAP, Duration.ofSeconds(1), 1))
				.isEqualTo(Duration.ZERO);
			assertThat(DelayPlan.largestBase(Duration.ofSeconds(5), 4, 2, NO_CAP, NO_CAP, 1)).isEqualTo(Duration.ZERO);
		}

		@Test
		void takesNumbersOfAnySize() {
			assertThat(DelayPlan.largestBase(Duration.ofSeconds(5), 100_000, 2, Duration.ofMillis(1), Duration.ZERO, 1))
				.isEqualTo(Duration.ZERO);
			assertThat(DelayPlan.largestBase(Duration.ofSeconds(5), 4000, 2, Duration.ofMillis(1), Duration.ZERO, 1))
				.isEqualTo(Duration.ofMillis(1));
			assertThat(DelayPlan.largestBase(NO_CAP, 1, 2, NO_CAP, Duration.ZERO, 1)).isEqualTo(NO_CAP);
		}

		@Test
		void rejectsANegativeTime() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> DelayPlan.largestBase(Duration.ofSeconds(-5), 1, 2, NO_CAP, Duration.ZERO, 1))
				.withMessage("Invalid deadline (-5s): must not be negative.");
		}

	}

	private static DelayPlan plan(Shape shape, Duration cap, int retries) {
		return DelayPlan.of(BackoffRule.of(shape, cap, Jitter.none()), retries);
	}

}
