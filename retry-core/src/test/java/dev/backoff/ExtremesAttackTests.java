package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Numbers at the ends of their ranges. */
class ExtremesAttackTests {

	private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final List<Duration> DURATIONS = List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofNanos(2),
			Duration.ofMillis(1), Duration.ofDays(106_751), LONGEST);

	@Test
	void theGreatestAttemptsAndTheShortestDeadlineAgree() {
		for (Duration deadline : List.of(Duration.ofNanos(1), Duration.ofMillis(10), Duration.ofDays(106_751),
				LONGEST)) {
			for (Duration shortest : DURATIONS) {
				VirtualTime time = new VirtualTime();
				RecordingListener listener = new RecordingListener();
				Retry retry = Retry
					.builder(RetryPolicy.builder("attack")
						.maxAttempts(Integer.MAX_VALUE)
						.shape(Shape.fixed(Duration.ofDays(40_000)))
						.jitter(Jitter.none())
						.deadline(deadline)
						.shortestAttempt(shortest)
						.build())
					.time(time.interruptSleep(3))
					.listener(listener)
					.build();
				try {
					assertThatThrownBy(() -> retry.call(() -> {
						throw new IOException("down");
					})).hasMessage("down");
				}
				finally {
					Thread.interrupted();
				}
				assertThat(listener.story().reason()).isIn(StopReason.DEADLINE, StopReason.INTERRUPTED);
				assertThat(listener.story().elapsed()).isGreaterThanOrEqualTo(Duration.ZERO);
			}
		}
	}

	@Test
	void aHintOfAnyLengthIsBounded() {
		for (Duration hint : List.of(Duration.ofSeconds(1_000_000_000_000_000_000L), LONGEST, LONGEST.negated(),
				Duration.ofNanos(1), Duration.ZERO)) {
			for (Duration max : List.of(Duration.ZERO, Duration.ofNanos(1), LONGEST)) {
				VirtualTime time = new VirtualTime();
				FailureClassification classification = FailureClassification.throttled(RetryCause.HTTP_429)
					.withHint(hint);
				Retry retry = Retry
					.builder(RetryPolicy.builder("attack")
						.maxAttempts(2)
						.retryAfterMax(max)
						.classifiers(List.of((failure) -> classification))
						.build())
					.time(time)
					.build();
				assertThatThrownBy(() -> retry.call(() -> {
					throw new IOException("down");
				})).hasMessage("down");
				assertThat(time.delays()).hasSizeLessThan(2).noneMatch(Duration::isNegative);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, Long.MAX_VALUE - 50_000_000 })
	void aTickerMayStartAnywhereAndWrap(long start) {
		VirtualTime time = VirtualTime.startingAt(start);
		RecordingListener listener = new RecordingListener();
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.fails(new IOException("down"))
			.taking(Duration.ofMillis(7), time);
		assertThatThrownBy(() -> Retry
			.builder(RetryPolicy.builder("attack")
				.maxAttempts(3)
				.jitter(Jitter.none())
				.deadline(Duration.ofSeconds(5))
				.build())
			.time(time)
			.listener(listener)
			.build()
			.call(operation)).hasMessage("down");
		assertThat(listener.story()).hasMessageContaining("3 of 3 attempts in 321 ms: ATTEMPTS_EXHAUSTED");
	}

	@Test
	void aTickerThatJumpsNeverGivesNegativeTimes() {
		for (Duration jump : List.of(Duration.ofDays(100_000), Duration.ofDays(-100_000), Duration.ofNanos(-1))) {
			VirtualTime time = new VirtualTime();
			RecordingListener listener = new RecordingListener();
			Retry retry = Retry.builder(RetryPolicy.builder("attack").deadline(Duration.ofMinutes(1)).build())
				.time(time)
				.listener(listener)
				.build();
			assertThatThrownBy(() -> retry.call(() -> {
				time.advance(jump);
				assertThat(Attempt.current().timeLeft()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
				throw new IOException("down");
			})).hasMessage("down");
			RetriesStoppedException story = listener.story();
			assertThat(story.elapsed()).isGreaterThanOrEqualTo(Duration.ZERO);
			assertThat(story.attemptTimes()).noneMatch(Duration::isNegative);
		}
	}

	@Test
	void everyLengthIsToldInWords() {
		for (long nanos = 1; nanos > 0; nanos = nanos * 3 + 1) {
			assertThat(DurationText.story(nanos)).isNotEmpty();
			assertThat(DurationText.exact(nanos)).isNotEmpty();
		}
		assertThat(DurationText.story(Long.MAX_VALUE - 1)).isNotEmpty();
		assertThat(DurationText.exact(LONGEST.negated())).isNotEmpty();
	}

}
