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
		void allowACapBelowALaddersLevels() {
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
		void raisesALaddersLaterLevelsToo() {
			BackoffRule raised = rule(Shape.ladder(List.of(Duration.ofSeconds(5), Duration.ofMillis(100))), NO_CAP,
					Jitter.none())
				.withBaseAtLeast(Duration.ofSeconds(1));
			assertThat(millis(raised, 3)).containsExactly(5000, 1000, 1000);
		}

	}

	@Nested
	class Extremes {

		private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

		private static final List<Jitter> JITTERS = List.of(Jitter.none(), Jitter.full(), Jitter.equal(),
				Jitter.proportional(1), Jitter.proportional(Double.MIN_VALUE), Jitter.beta(0, 1), Jitter.beta(0.999, 1),
				Jitter.beta(0.5, Math.nextUp(0.5)), Jitter.decorrelated());

		private static final List<Duration> DURATIONS = List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofNanos(2),
				Duration.ofMillis(1), Duration.ofDays(106_751), LONGEST);

		@Test
		void leaveNoRange() {
			for (Duration base : DURATIONS) {
				for (Duration cap : DURATIONS) {
					for (Shape shape : List.of(Shape.fixed(base), Shape.linear(base, LONGEST),
							Shape.exponential(base, 1), Shape.exponential(base, Double.MAX_VALUE),
							Shape.exponential(base, Math.nextUp(1.0)), Shape.ladder(List.of(base, LONGEST)))) {
						JITTERS.forEach((jitter) -> assertInRange(shape, cap, jitter));
					}
				}
			}
		}

		private static void assertInRange(Shape shape, Duration cap, Jitter jitter) {
			BackoffRule rule;
			try {
				rule = BackoffRule.of(shape, cap, jitter);
			}
			catch (IllegalArgumentException ex) {
				return;
			}
			for (RandomSource source : List.of(RandomSources.least(), RandomSources.middle(),
					RandomSources.greatest())) {
				long previous = rule.baseNanos();
				for (int retry : new int[] { 1, 2, 3, 64, 113, 1_000_000, Integer.MAX_VALUE }) {
					long delay = rule.delay(retry, previous, source);
					assertThat(delay).as("%s, retry %d", rule, retry).isBetween(0L, rule.capNanos());
					previous = delay;
				}
			}
			for (DelayPlan.Step step : DelayPlan.of(rule, 8).steps()) {
				assertThat(step.least()).as("%s", rule).isNotNegative();
				assertThat(step.greatest()).as("%s", rule).isGreaterThanOrEqualTo(step.least());
				assertThat(step.mean()).as("%s", rule).isBetween(0L, Long.MAX_VALUE);
			}
			assertThat(rule.withBaseAtLeast(LONGEST).delay(1, 0, RandomSources.greatest())).isBetween(0L,
					rule.capNanos());
			assertThat(rule.toString()).isNotEmpty();
		}

	}

	@Test
	void saysWhatItIs() {
		assertThat(rule(DEFAULT_SHAPE, Duration.ofSeconds(10), Jitter.full()))
			.hasToString("exponential 100ms ×2, cap 10s, jitter full");
		assertThat(rule(DEFAULT_SHAPE, NO_CAP, Jitter.beta(0.3, 0.7)))
			.hasToString("exponential 100ms ×2, no cap, jitter beta 0.3..0.7");
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
