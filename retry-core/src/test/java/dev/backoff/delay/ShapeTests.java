package dev.backoff.delay;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ShapeTests {

	private static final Duration LARGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	@Nested
	class Fixed {

		@Test
		void waitsTheSameTimeAlways() {
			assertThat(millis(Shape.fixed(Duration.ofMillis(100)), 5)).containsExactly(100, 100, 100, 100, 100);
		}

		@Test
		void takesZeroAndTheLargestDuration() {
			assertThat(Shape.fixed(Duration.ZERO).nanos(2000)).isZero();
			assertThat(Shape.fixed(LARGEST).nanos(2000)).isEqualTo(Long.MAX_VALUE);
		}

		@Test
		void rejectsANegativeBase() {
			assertThatIllegalArgumentException().isThrownBy(() -> Shape.fixed(Duration.ofMillis(-1)))
				.withMessage("Invalid base (-1ms): must not be negative.");
		}

		@Test
		void raisesItsBase() {
			Shape shape = Shape.fixed(Duration.ofMillis(100));
			assertThat(shape.withBaseAtLeast(Duration.ofSeconds(1))).isEqualTo(Shape.fixed(Duration.ofSeconds(1)));
			assertThat(shape.withBaseAtLeast(Duration.ofMillis(1))).isEqualTo(shape);
		}

		@Test
		void saysWhatItIs() {
			assertThat(Shape.fixed(Duration.ofMillis(100))).hasToString("fixed 100ms");
		}

	}

	@Nested
	class Linear {

		@Test
		void waitsOneStepLongerEachTime() {
			assertThat(millis(Shape.linear(Duration.ofMillis(100), Duration.ofMillis(50)), 3)).containsExactly(100, 150,
					200);
		}

		@Test
		void saturates() {
			Shape shape = Shape.linear(Duration.ofNanos(1), LARGEST);
			assertThat(shape.nanos(1)).isEqualTo(1);
			assertThat(shape.nanos(2)).isEqualTo(Long.MAX_VALUE);
			assertThat(shape.nanos(Integer.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
			assertThat(Shape.linear(LARGEST, Duration.ofNanos(1)).nanos(Integer.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
		}

		@Test
		void rejectsANegativeBaseOrStep() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> Shape.linear(Duration.ofSeconds(-1), Duration.ofSeconds(1)))
				.withMessage("Invalid base (-1s): must not be negative.");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> Shape.linear(Duration.ofSeconds(1), Duration.ofSeconds(-1)))
				.withMessage("Invalid step (-1s): must not be negative.");
		}

		@Test
		void raisesItsBaseAndKeepsItsStep() {
			Shape shape = Shape.linear(Duration.ofMillis(100), Duration.ofMillis(50));
			assertThat(millis(shape.withBaseAtLeast(Duration.ofSeconds(1)), 2)).containsExactly(1000, 1050);
			assertThat(shape.withBaseAtLeast(Duration.ZERO)).isEqualTo(shape);
		}

		@Test
		void saysWhatItIs() {
			assertThat(Shape.linear(Duration.ofMillis(100), Duration.ofMillis(50))).hasToString("linear 100ms + 50ms");
		}

	}

	@Nested
	class Ladder {

		private final Shape shape = Shape
			.ladder(List.of(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30)));

		@Test
		void waitsItsLevelsAndRepeatsTheLast() {
			assertThat(millis(this.shape, 5)).containsExactly(1000, 5000, 30_000, 30_000, 30_000);
			assertThat(this.shape.nanos(Integer.MAX_VALUE)).isEqualTo(30_000_000_000L);
		}

		@Test
		void takesZeroAndTheLargestDuration() {
			Shape extremes = Shape.ladder(List.of(LARGEST, Duration.ZERO));
			assertThat(extremes.nanos(1)).isEqualTo(Long.MAX_VALUE);
			assertThat(extremes.nanos(2)).isZero();
		}

		@Test
		void rejectsAnEmptyLadderAndANegativeLevel() {
			assertThatIllegalArgumentException().isThrownBy(() -> Shape.ladder(List.of()))
				.withMessage("Invalid ladder ([]): must have at least one level.");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> Shape.ladder(List.of(Duration.ofSeconds(1), Duration.ofSeconds(-2))))
				.withMessage("Invalid level (-2s): must not be negative.");
		}

		@Test
		void raisesOnlyTheLowerLevels() {
			assertThat(millis(this.shape.withBaseAtLeast(Duration.ofSeconds(7)), 3)).containsExactly(7000, 7000,
					30_000);
		}

		@Test
		void saysWhatItIs() {
			assertThat(this.shape).hasToString("ladder 1s, 5s, 30s");
		}

	}

	@Test
	void onlyLaddersHaveLevels() {
		assertThat(Shape.fixed(Duration.ZERO).levels()).isZero();
		assertThat(Shape.linear(Duration.ZERO, Duration.ZERO).levels()).isZero();
		assertThat(Shape.exponential(Duration.ZERO, 2).levels()).isZero();
	}

	static long[] millis(Shape shape, int retries) {
		return LongStream.rangeClosed(1, retries).map((k) -> shape.nanos((int) k) / 1_000_000).toArray();
	}

}
