package dev.backoff.breaker;

import java.time.Duration;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BreakerSettingsTests {

	private static BreakerSettings.Builder builder() {
		return BreakerSettings.builder();
	}

	@Nested
	class Defaults {

		private final BreakerSettings settings = BreakerSettings.DEFAULTS;

		@Test
		void areHalfOfTwentyCallsInThirtySeconds() {
			assertThat(this.settings.failureRate()).isEqualTo(0.5);
			assertThat(this.settings.slowCall()).isNull();
			assertThat(this.settings.slowCallRate()).isEqualTo(0.8);
			assertThat(this.settings.window()).isEqualTo(WindowLength.of(Duration.ofSeconds(30)));
			assertThat(this.settings.minimumCalls()).isEqualTo(20);
			assertThat(this.settings.openFor()).isEqualTo(Duration.ofSeconds(30));
			assertThat(this.settings.openForMultiplier()).isEqualTo(1);
			assertThat(this.settings.probes()).isEqualTo(3);
			assertThat(this.settings.halfOpenTimeout()).isEqualTo(Duration.ofSeconds(30));
			assertThat(this.settings.awaited()).isFalse();
			assertThat(this.settings).hasToString("50% of at least 20 calls failed in 30s, open for 30s, 3 probes");
		}

	}

	@Nested
	class Options {

		@Test
		void setEveryNumber() {
			BreakerSettings settings = builder().failureRate(0.125)
				.slowCall(Duration.ofSeconds(2))
				.slowCallRate(1)
				.window(WindowLength.ofCalls(100))
				.minimumCalls(100)
				.openFor(Duration.ofSeconds(10))
				.openForMultiplier(2)
				.probes(1)
				.halfOpenTimeout(Duration.ofSeconds(5))
				.awaited(true)
				.build();
			assertThat(settings.failureRate()).isEqualTo(0.125);
			assertThat(settings.slowCall()).isEqualTo(Duration.ofSeconds(2));
			assertThat(settings.slowCallRate()).isEqualTo(1);
			assertThat(settings.window().calls()).isEqualTo(100);
			assertThat(settings.minimumCalls()).isEqualTo(100);
			assertThat(settings.openFor()).isEqualTo(Duration.ofSeconds(10));
			assertThat(settings.openForMultiplier()).isEqualTo(2);
			assertThat(settings.probes()).isEqualTo(1);
			assertThat(settings.halfOpenTimeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(settings.awaited()).isTrue();
			assertThat(settings).isNotEqualTo(BreakerSettings.DEFAULTS)
				.hasToString("12.5% of at least 100 calls failed or 100% slower than 2s in 100 calls, "
						+ "open for 10s, 1 probes");
		}

		@Test
		void takeTheTimeOpenForTheProbesToo() {
			assertThat(builder().openFor(Duration.ofSeconds(7)).build().halfOpenTimeout())
				.isEqualTo(Duration.ofSeconds(7));
			assertThat(builder().halfOpenTimeout(Duration.ofSeconds(5)).halfOpenTimeout(null).build())
				.isEqualTo(BreakerSettings.DEFAULTS);
			assertThat(builder().slowCall(Duration.ofSeconds(5)).slowCall(null).build())
				.isEqualTo(BreakerSettings.DEFAULTS);
		}

	}

	@Nested
	class Preconditions {

		@ParameterizedTest
		@ValueSource(doubles = { 0, -0.1, 1.0000001, 50, 101, Double.NaN, Double.POSITIVE_INFINITY })
		void rejectSharesOutOfRange(double share) {
			assertThatIllegalArgumentException().isThrownBy(builder().failureRate(share)::build)
				.withMessage("Invalid failureRate (" + share + "): must be above 0 and at most 1.");
			assertThatIllegalArgumentException().isThrownBy(builder().slowCallRate(share)::build)
				.withMessage("Invalid slowCallRate (" + share + "): must be above 0 and at most 1.");
		}

		@ParameterizedTest
		@ValueSource(ints = { 0, -1, Integer.MIN_VALUE })
		void rejectNumbersBelowOne(int number) {
			assertThatIllegalArgumentException().isThrownBy(builder().minimumCalls(number)::build)
				.withMessage("Invalid minimumCalls (" + number + "): must be 1 or more.");
			assertThatIllegalArgumentException().isThrownBy(builder().probes(number)::build)
				.withMessage("Invalid probes (" + number + "): must be 1 or more.");
		}

		@ParameterizedTest
		@ValueSource(doubles = { 0.99, 0, -1, Double.NaN, Double.POSITIVE_INFINITY })
		void rejectMultipliersBelowOne(double multiplier) {
			assertThatIllegalArgumentException().isThrownBy(builder().openForMultiplier(multiplier)::build)
				.withMessage("Invalid openForMultiplier (" + multiplier + "): must be a finite number of at least 1.");
		}

		@Test
		void rejectTimesThatAreNotAboveZero() {
			assertThatIllegalArgumentException().isThrownBy(builder().openFor(Duration.ZERO)::build)
				.withMessage("Invalid openFor (0ms): must be above zero.");
			assertThatIllegalArgumentException().isThrownBy(builder().slowCall(Duration.ofSeconds(-1))::build)
				.withMessage("Invalid slowCall (-1s): must be above zero.");
			assertThatIllegalArgumentException().isThrownBy(builder().halfOpenTimeout(Duration.ofNanos(-1))::build)
				.withMessage("Invalid halfOpenTimeout (-1ns): must be above zero.");
		}

		@Test
		void rejectAWindowOfFewerCallsThanTheMinimum() {
			assertThatIllegalArgumentException().isThrownBy(builder().window(WindowLength.ofCalls(19))::build)
				.withMessage("Invalid window (19 calls): must not be below the minimumCalls (20), or it never opens.");
			assertThat(builder().window(WindowLength.ofCalls(20)).build().window().calls()).isEqualTo(20);
		}

	}

}
