package dev.backoff.policy;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;

import static org.assertj.core.api.Assertions.assertThat;

class PresetTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			user-facing  | 4 attempts, exponential 100ms ×2, cap 2s, jitter full, deadline 5s
			background   | 15 attempts, exponential 2s ×2, cap 5m, jitter full, no deadline
			message      | unlimited attempts, exponential 100ms ×2, cap 1h, jitter full, no deadline
			critical     | 12 attempts, exponential 500ms ×2, cap 30s, jitter full, deadline 4m
			health-check | 3 attempts, exponential 1s ×2, cap 5s, jitter full, no deadline
			short-job    | 4 attempts, exponential 2s ×2, cap 30s, jitter equal, deadline 1m
			medium-job   | 7 attempts, exponential 30s ×2, cap 2m, jitter equal, no deadline
			long-job     | 10 attempts, exponential 5m ×1.75, cap 15m, jitter equal, no deadline
			""")
	void setsItsNumbers(String key, String numbers) {
		Preset preset = preset(key);
		assertThat(RetryPolicy.builder("p").preset(preset).build()).hasToString("RetryPolicy p (" + numbers + ")");
	}

	@Test
	void leavesTheRest() {
		RetryPolicy policy = RetryPolicy.builder("p")
			.jitter(Jitter.beta(0, 1))
			.multiplier(3)
			.deadline(Duration.ofHours(1))
			.shape(Shape.fixed(Duration.ofSeconds(7)))
			.preset(Preset.BACKGROUND)
			.build();
		assertThat(policy)
			.hasToString("RetryPolicy p (15 attempts, exponential 2s ×3, cap 5m, jitter beta, deadline 1h)");
	}

	@ParameterizedTest
	@CsvSource({ "user-facing, false", "background, true", "message, true", "critical, true", "health-check, false",
			"short-job, true", "medium-job, true", "long-job, true" })
	void waitsForAnEmptyBudgetWhereNobodyWaits(String key, boolean postponed) {
		assertThat(preset(key).numbers().isPostponedWhenEmpty()).isEqualTo(postponed);
		assertThat(RetryPolicy.builder("p").preset(preset(key)).build().isPostponedWhenEmpty()).isEqualTo(postponed);
		assertThat(RetryPolicy.builder("p").postponedWhenEmpty(true).preset(preset(key)).build().isPostponedWhenEmpty())
			.isTrue();
		assertThat(
				RetryPolicy.builder("p").preset(preset(key)).postponedWhenEmpty(false).build().isPostponedWhenEmpty())
			.isFalse();
	}

	@Test
	void yieldsToWhatFollows() {
		assertThat(RetryPolicy.builder("p").preset(Preset.USER_FACING).maxAttempts(2).build().maxAttempts())
			.isEqualTo(2);
	}

	private static Preset preset(String key) {
		for (Preset preset : Preset.values()) {
			if (preset.key().equals(key)) {
				return preset;
			}
		}
		throw new AssertionError("no preset " + key);
	}

}
