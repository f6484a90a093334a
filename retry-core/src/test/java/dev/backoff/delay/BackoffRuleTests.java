package dev.backoff.delay;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.RandomSources;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BackoffRuleTests {

	private static final Duration NO_CAP = Duration.ofNanos(Nanos.UNLIMITED);

	private static final Shape DEFAULT_SHAPE = Shape.exponential(Duration.ofMillis(100), 2);

	@Nested
	class Delays {

		@Test
		void areCapped() {
			assertThat(millis(rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.none()), 9)).containsExactly(100, 200,
					400, 800, 1600, 3200, 6400, 10_000, 10_000);
			assertThat(millis(rule(Shape.linear(Duration.ofMillis(100), Duration.ofMillis(100)), Duration.ofMillis(250),
					Jitter.none()), 4))
				.containsExactly(100, 200, 250, 250);
		}

		@Test
		void areCappedBeforeTheyAreSpread() {
			BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(1), Jitter.full());
			assertThat(rule.delay(12, 0, RandomSources.middle())).isEqualTo(500_000_000);
			assertThat(rule.capped(12)).isEqualTo(1_000_000_000);
		}

		@Test
		void useTheBaseAsThePreviousDelayOfTheFirstRetry() {
			BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.decorrelated());
			assertThat(rule.delay(1, 999_999_999_999L, RandomSources.middle())).isEqualTo(200_000_000);
			assertThat(rule.delay(2, 200_000_000, RandomSources.middle())).isEqualTo(350_000_000);
		}

		@Test
		void doNotRememberEarlierCalls() {
			BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.none());
			assertThat(millis(rule, 3)).isEqualTo(millis(rule, 3)).containsExactly(100, 200, 400);
		}

		@Test
		void needARetryOfOneOrMore() {
			BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.full());
			assertThatIllegalArgumentException().isThrownBy(() -> rule.delay(0, 0, RandomSources.least()))
				.withMessage("Invalid retry (0): must be 1 or more.");
			assertThatIllegalArgumentException().isThrownBy(() -> rule.capped(-1))
				.withMessage("Invalid retry (-1): must be 1 or more.");
		}

	}

	@Nested
	class Preconditions {

		@Test
		void rejectACapBelowTheBase() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> rule(DEFAULT_SHAPE, Duration.ofMillis(50), Jitter.full()))
				.withMessage("Invalid cap (50ms): must not be below the base (100ms).");
			assertThat(rule(DEFAULT_SHAPE, Duration.ofMillis(100), Jitter.full()).capNanos()).isEqualTo(100_000_000);
		}

		@Test
		void rejectANegativeCap() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> rule(Shape.fixed(Duration.ZERO), Duration.ofMillis(-1), Jitter.full()))
				.withMessage("Invalid cap (-1ms): must not be negative.");
		}

		@Test
		void rejectDecorrelatedJitterWithoutRoom() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> rule(DEFAULT_SHAPE, Duration.ofNanos(199_999_999), Jitter.decorrelated()))
				.withMessage(
						"Invalid cap (199999999ns): must be at least twice the base (100ms) for decorrelated jitter.");
			assertThat(rule(DEFAULT_SHAPE, Duration.ofMillis(200), Jitter.decorrelated())).isNotNull();
		}

		@Test
		void rejectDecorrelatedJitterOnALadder() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> rule(Shape.ladder(List.of(Duration.ofSeconds(1))), NO_CAP, Jitter.decorrelated()))
				.withMessage("Invalid jitter (decorrelated): grows from a base, which a ladder lacks.");
		}

		@Test
		void allowACapBelowALaddersRungs() {
			BackoffRule rule = rule(Shape.ladder(List.of(Duration.ofSeconds(5), Duration.ofSeconds(1))),
					Duration.ofSeconds(2), Jitter.none());
			assertThat(millis(rule, 3)).containsExactly(2000, 1000, 1000);
		}

	}

	@Nested
	class RaisedBase {

		@Test
		void multipliesFromThere() {
			BackoffRule raised = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.none())
				.withBaseAtLeast(Duration.ofSeconds(1));
			assertThat(millis(raised, 5)).containsExactly(1000, 2000, 4000, 8000, 10_000);
		}

		@Test
		void isAtMostTheCap() {
			BackoffRule raised = rule(DEFAULT_SHAPE, Duration.ofMillis(400), Jitter.none())
				.withBaseAtLeast(Duration.ofSeconds(1));
			assertThat(millis(raised, 2)).containsExactly(400, 400);
		}

		@Test
		void leavesRoomForDecorrelatedJitter() {
			BackoffRule raised = rule(DEFAULT_SHAPE, Duration.ofMillis(400), Jitter.decorrelated())
				.withBaseAtLeast(Duration.ofSeconds(1));
			assertThat(raised.baseNanos()).isEqualTo(200_000_000);
		}

		@Test
		void isTheSameRuleIfItIsNoHigher() {
			BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.none());
			assertThat(rule.withBaseAtLeast(Duration.ofMillis(100))).isSameAs(rule);
		}

		@Test
		void raisesALaddersLaterRungsToo() {
			BackoffRule raised = rule(Shape.ladder(List.of(Duration.ofSeconds(5), Duration.ofMillis(100))), NO_CAP,
					Jitter.none())
				.withBaseAtLeast(Duration.ofSeconds(1));
			assertThat(millis(raised, 3)).containsExactly(5000, 1000, 1000);
		}

	}

	@Test
	void isAValue() {
		BackoffRule rule = rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.full());
		assertThat(rule).isEqualTo(rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.full()))
			.hasSameHashCodeAs(rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.full()))
			.isNotEqualTo(rule(DEFAULT_SHAPE, Duration.ofSeconds(11), Jitter.full()))
			.isNotEqualTo(rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.none()))
			.isNotEqualTo(rule(Shape.fixed(Duration.ofMillis(100)), Duration.ofSeconds(10), Jitter.full()))
			.hasToString("exponential 100ms ×2, cap 10s, jitter full");
		assertThat(rule(DEFAULT_SHAPE, NO_CAP, Jitter.beta(0.3, 0.7)))
			.hasToString("exponential 100ms ×2, no cap, jitter beta 0.3..0.7");
		assertThat(rule.shape()).isEqualTo(DEFAULT_SHAPE);
		assertThat(rule.jitter()).isEqualTo(Jitter.full());
	}

	private static BackoffRule rule(Shape shape, Duration cap, Jitter jitter) {
		return BackoffRule.of(shape, cap, jitter);
	}

	private static long[] millis(BackoffRule rule, int retries) {
		return IntStream.rangeClosed(1, retries)
			.mapToLong((retry) -> rule.delay(retry, 0, RandomSources.scripted()) / 1_000_000)
			.toArray();
	}

}
