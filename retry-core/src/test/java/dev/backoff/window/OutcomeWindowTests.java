package dev.backoff.window;

import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.fixture.Crowd;
import dev.backoff.window.OutcomeWindow.Counts;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomeWindowTests {

	private static final long NOW = 1_000_000_000_007L;

	private static final long SECOND = 1_000_000_000;

	static WindowLength[] lengths() {
		return new WindowLength[] { WindowLength.of(Duration.ofSeconds(30)), WindowLength.of(Duration.ofNanos(1)),
				WindowLength.of(Duration.ofSeconds(Long.MAX_VALUE)), WindowLength.ofCalls(100_000) };
	}

	private static OutcomeWindow seconds(long seconds) {
		return OutcomeWindow.of(WindowLength.of(Duration.ofSeconds(seconds)));
	}

	private static void record(OutcomeWindow window, String outcomes, long now) {
		outcomes.chars().forEach((outcome) -> window.record(outcome == 'F', false, now));
	}

	@Nested
	class AnyLength {

		@ParameterizedTest
		@MethodSource("dev.backoff.window.OutcomeWindowTests#lengths")
		void isEmptyAtFirst(WindowLength length) {
			Counts counts = OutcomeWindow.of(length).counts(NOW);
			assertThat(counts).isEqualTo(new Counts(0, 0, 0));
			assertThat(counts.failureRate()).isNaN();
			assertThat(counts.slowRate()).isNaN();
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.window.OutcomeWindowTests#lengths")
		void countsFailedAndSlowCallsApart(WindowLength length) {
			OutcomeWindow window = OutcomeWindow.of(length);
			window.record(false, false, NOW);
			window.record(true, false, NOW);
			window.record(false, true, NOW);
			window.record(true, true, NOW);
			window.record(true, false, NOW);
			Counts counts = window.counts(NOW);
			assertThat(counts).isEqualTo(new Counts(5, 3, 2));
			assertThat(counts.failureRate()).isEqualTo(0.6);
			assertThat(counts.slowRate()).isEqualTo(0.4);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.window.OutcomeWindowTests#lengths")
		void losesNothingAmongFiftyThreads(WindowLength length) {
			OutcomeWindow window = OutcomeWindow.of(length);
			Crowd.of(50, (number) -> {
				for (int i = 0; i < 1_000; i++) {
					window.record(i % 2 == 0, i % 5 == 0, NOW);
				}
			});
			assertThat(window.counts(NOW)).isEqualTo(new Counts(50_000, 25_000, 10_000));
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.window.OutcomeWindowTests#lengths")
		void neverShowsMoreFailedThanThereAre(WindowLength length) {
			OutcomeWindow window = OutcomeWindow.of(length);
			AtomicInteger writing = new AtomicInteger(30);
			Crowd.of(32, (number) -> {
				if (number < 30) {
					for (int i = 0; i < 500; i++) {
						window.record(true, true, NOW);
					}
					writing.decrementAndGet();
				}
				else {
					Counts counts;
					do {
						counts = window.counts(NOW);
						assertThat(counts.failed()).isBetween(0L, counts.total());
						assertThat(counts.slow()).isBetween(0L, counts.total());
					}
					while (writing.get() > 0);
				}
			});
			assertThat(window.counts(NOW)).isEqualTo(new Counts(15_000, 15_000, 15_000));
		}

	}

	@Nested
	class OverCalls {

		@Test
		void drivesOutTheOldest() {
			OutcomeWindow window = OutcomeWindow.of(WindowLength.ofCalls(5));
			record(window, "FFSSS", NOW);
			assertThat(window.counts(NOW)).isEqualTo(new Counts(5, 2, 0));
			record(window, "S", NOW);
			assertThat(window.counts(NOW)).isEqualTo(new Counts(5, 1, 0));
			record(window, "S", NOW);
			assertThat(window.counts(NOW)).isEqualTo(new Counts(5, 0, 0));
			record(window, "FFFFFFFFFFFF", NOW);
			assertThat(window.counts(NOW)).isEqualTo(new Counts(5, 5, 0));
		}

		@Test
		void keepsNoMoreThanItsLengthUnderManyThreads() {
			OutcomeWindow window = OutcomeWindow.of(WindowLength.ofCalls(64));
			Crowd.of(16, (number) -> {
				for (int i = 0; i < 1_000; i++) {
					window.record(number % 2 == 0, number % 2 == 0, NOW);
				}
			});
			Counts counts = window.counts(NOW);
			assertThat(counts.total()).isEqualTo(64);
			assertThat(counts.failed()).isEqualTo(counts.slow()).isBetween(0L, 64L);
			record(window, "S".repeat(64), NOW);
			assertThat(window.counts(NOW)).isEqualTo(new Counts(64, 0, 0));
		}

	}

	@Nested
	class OverATime {

		@Test
		void forgetsSliceBySlice() {
			OutcomeWindow window = seconds(5);
			for (int i = 0; i < 10; i++) {
				record(window, "F", NOW + i * SECOND / 2);
			}
			for (int i = 0; i < 10; i++) {
				assertThat(window.counts(NOW + 5 * SECOND - 1 + i * SECOND / 2).total()).isEqualTo(10 - i);
			}
			assertThat(window.counts(NOW + 10 * SECOND)).isEqualTo(Counts.NONE);
		}

		@Test
		void countsAcrossTheWrapOfTheTicker() {
			OutcomeWindow window = seconds(5);
			long beforeWrap = Long.MAX_VALUE - SECOND;
			record(window, "FF", beforeWrap);
			record(window, "F", beforeWrap + 2 * SECOND);
			assertThat(window.counts(beforeWrap + 2 * SECOND)).isEqualTo(new Counts(3, 3, 0));
			assertThat(window.counts(beforeWrap + 5 * SECOND)).isEqualTo(new Counts(1, 1, 0));
			assertThat(window.counts(beforeWrap + 7 * SECOND)).isEqualTo(Counts.NONE);
		}

		@ParameterizedTest
		@ValueSource(longs = { Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE })
		void takesAnyReadingAfterAnyOther(long first) {
			for (WindowLength length : lengths()) {
				OutcomeWindow window = OutcomeWindow.of(length);
				for (long now : new long[] { first, Long.MIN_VALUE, 0, Long.MAX_VALUE, -1, 1, first }) {
					window.record(true, true, now);
					Counts counts = window.counts(now);
					assertThat(counts.total()).isBetween(1L, 7L);
					assertThat(counts.failed()).isEqualTo(counts.total());
					assertThat(counts.slow()).isEqualTo(counts.total());
				}
			}
		}

		@Test
		void losesNothingWhenManyBeginASliceTogether() {
			OutcomeWindow window = seconds(600);
			Phaser together = new Phaser(8);
			Crowd.of(8, (number) -> {
				for (int i = 0; i < 600; i++) {
					together.arriveAndAwaitAdvance();
					window.record(true, false, NOW + i * SECOND);
				}
			});
			assertThat(window.counts(NOW + 599 * SECOND)).isEqualTo(new Counts(4_800, 4_800, 0));
		}

	}

}
