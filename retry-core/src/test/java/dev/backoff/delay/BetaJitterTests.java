package dev.backoff.delay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class BetaJitterTests {

	private static final int STEPS = 1_000_000;

	@Test
	void invertsTheDistributionFunctionToTheLastDigits() {
		double previous = -1;
		double error = 0;
		double step = 1;
		for (int i = 0; i <= STEPS; i++) {
			double u = (double) i / STEPS;
			double x = BetaJitter.inverse(u);
			error = Math.max(error, Math.abs(x * x * (3 - 2 * x) - u));
			step = Math.min(step, x - previous);
			previous = x;
		}
		assertThat(error).isLessThanOrEqualTo(1e-15);
		assertThat(step).as("rises").isPositive();
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0, Double.MIN_VALUE, 2 * Double.MIN_VALUE, Double.MIN_NORMAL, 1e-300, 1e-30 })
	void isRightForTheLeastDraws(double u) {
		// so near to zero the distribution function is 3x²
		assertThat(BetaJitter.inverse(u)).isCloseTo(Math.sqrt(u / 3), within(1e-14 * Math.sqrt(u) + 1e-160));
		assertThat(BetaJitter.inverse(1 - u)).isEqualTo(1);
	}

}
