package dev.backoff.benchmarks.stall;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.budget.BudgetSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class StallSimulationTests {

	private static final int CAPACITY = 1_000;

	private static final Duration HORIZON = Duration.ofMinutes(2);

	private static final double NEVER = Double.POSITIVE_INFINITY;

	@Nested
	class WithTheDefaultBudget {

		@ParameterizedTest
		@ValueSource(doubles = { 0.6, 0.8, 0.9 })
		void recoversAboutAsSoonAsWithoutRetries(double utilisation) {
			assertThat(recovery(utilisation, RetryLimit.DEFAULT_BUDGET))
				.isLessThanOrEqualTo(1.25 * recovery(utilisation, RetryLimit.NO_RETRIES));
		}

		@Test
		void asksLittleMoreOfTheServerWhileItIsDown() {
			assertThat(run(0.8, RetryLimit.DEFAULT_BUDGET, 1).loadUntilBack()).isLessThan(1.02);
		}

		@Test
		void hidesWhatFailsOnItsOwnAfterwards() {
			StallFigures figures = run(0.8, RetryLimit.DEFAULT_BUDGET, 1);
			assertThat(IntStream.range(20, 120).mapToDouble(figures::goodput)).allMatch((goodput) -> goodput > 0.95);
		}

	}

	@Nested
	class WithoutABudget {

		@ParameterizedTest
		@ValueSource(doubles = { 0.6, 0.8, 0.9 })
		void neverRecoversThoughDelaysAreJittered(double utilisation) {
			assertThat(recovery(utilisation, RetryLimit.NO_BUDGET)).isEqualTo(NEVER);
		}

		@Test
		void asksThreeTimesAsMuch() {
			StallFigures figures = run(0.8, RetryLimit.NO_BUDGET, 1);
			assertThat(figures.load(100)).isCloseTo(3.0, within(0.25));
			assertThat(figures.goodput(100)).isZero();
		}

	}

	/** Open arrivals at 80 %: what the field has measured, run again. */
	@Nested
	class WithOtherLimits {

		@Test
		void firstAttemptsAloneRecoverAfterTheBacklogIsWorkedOff() {
			// 2,400 queued, 200 a second worked off, until fewer than 1,000 are left: 7
			// s,
			// and 1 s for the first of those to be answered
			assertThat(recovery(0.8, RetryLimit.NO_RETRIES)).isCloseTo(8, within(0.6));
		}

		@Test
		void successesFillTheBucketSafely() {
			assertThat(recovery(0.8, RetryLimit.PER_SUCCESS)).isCloseTo(8, within(0.6));
		}

		@ParameterizedTest
		@CsvSource({ "0.1, 12, 15", "0.2, 35, 50", "0.3, 121, Infinity" })
		void firstAttemptsFillItForAsLongAsTheyFail(double share, double least, double most) {
			assertThat(recovery(0.8, RetryLimit.perFirst(share))).isBetween(least, most);
		}

		@Test
		void aBucketTooLargeForTheServerIsAStormOfItsOwn() {
			RetryLimit large = RetryLimit.DEFAULT_BUDGET.withTokens(BudgetSettings.MOST);
			assertThat(recovery(0.8, large)).isEqualTo(NEVER);
		}

	}

	@Test
	void aSeedGivesTheSameFigures() {
		assertThat(run(0.8, RetryLimit.NO_RETRIES, 3).recoverySeconds())
			.isEqualTo(run(0.8, RetryLimit.NO_RETRIES, 3).recoverySeconds());
	}

	@Test
	void seedsDiffer() {
		assertThat(run(0.8, RetryLimit.NO_RETRIES, 1).recoverySeconds())
			.isNotEqualTo(run(0.8, RetryLimit.NO_RETRIES, 2).recoverySeconds());
	}

	/* The median of five seeds. */
	private static double recovery(double utilisation, RetryLimit limit) {
		return IntStream.rangeClosed(1, 5)
			.mapToDouble((seed) -> run(utilisation, limit, seed).recoverySeconds().orElse(NEVER))
			.sorted()
			.toArray()[2];
	}

	private static StallFigures run(double utilisation, RetryLimit limit, long seed) {
		return StallSimulation.run(utilisation, CAPACITY, HORIZON, limit, seed);
	}

}
