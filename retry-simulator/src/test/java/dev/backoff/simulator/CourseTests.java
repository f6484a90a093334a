package dev.backoff.simulator;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CourseTests {

	private static final long SECOND = 1_000_000_000;

	private static final long CALLS = 100;

	/* A stall that ends at 2 s, looked at until 12 s. */
	private final Course figures = new Course(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10));

	@Test
	void isBackAtOnceIfNothingFailed() {
		offer((second) -> CALLS, CALLS);
		assertThat(this.figures.recoverySeconds()).hasValue(0);
	}

	@Test
	void isBackWhenSuccessesAreBackForGood() {
		offer((second) -> (second < 5 || second == 7) ? 0 : CALLS, CALLS);
		// seconds begin at each tenth: the one from 7.95 s on has enough successes
		assertThat(this.figures.recoverySeconds()).hasValueCloseTo(6.0, within(0.11));
	}

	@Test
	void isNeverBackIfTheLastSecondIsBad() {
		offer((second) -> (second == 11) ? 0 : CALLS, CALLS);
		assertThat(this.figures.recoverySeconds()).isEmpty();
	}

	@Test
	void isNotBackWhileNothingEnds() {
		spread(2, CALLS, this.figures::firstAttempt);
		assertThat(this.figures.recoverySeconds()).isEmpty();
	}

	@Test
	void countsAttemptsForEachCall() {
		offer((second) -> 0, 3 * CALLS);
		assertThat(this.figures.load(3)).isEqualTo(3);
		assertThat(this.figures.goodput(3)).isZero();
		assertThat(this.figures.loadUntilBack()).isEqualTo(3);
	}

	@Test
	void coversWholeSecondsOnly() {
		assertThat(this.figures.covers(-3)).isFalse();
		assertThat(this.figures.covers(-2)).isTrue();
		assertThat(this.figures.covers(9)).isTrue();
		assertThat(this.figures.covers(10)).isFalse();
	}

	private void offer(java.util.function.IntToLongFunction successes, long attempts) {
		for (int second = 0; second < 12; second++) {
			spread(second, CALLS, this.figures::firstAttempt);
			spread(second, attempts, this.figures::attempt);
			spread(second, successes.applyAsLong(second), this.figures::success);
			spread(second, CALLS - successes.applyAsLong(second), this.figures::failure);
		}
	}

	private static void spread(int second, long count, java.util.function.LongConsumer counter) {
		for (int i = 0; i < count; i++) {
			counter.accept(second * SECOND + i * SECOND / count);
		}
	}

}
