package dev.backoff.delay;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DelayLevelsTests {

	private static final List<Duration> ROCKETMQ = List.of(Duration.ofSeconds(1), Duration.ofSeconds(5),
			Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(2),
			Duration.ofMinutes(3), Duration.ofMinutes(4), Duration.ofMinutes(5), Duration.ofMinutes(6),
			Duration.ofMinutes(7), Duration.ofMinutes(8), Duration.ofMinutes(9), Duration.ofMinutes(10),
			Duration.ofMinutes(20), Duration.ofMinutes(30), Duration.ofHours(1), Duration.ofHours(2));

	@Test
	void areThoseOfRocketMq() {
		for (int level = 1; level <= 18; level++) {
			Duration delay = ROCKETMQ.get(level - 1);
			assertThat(DelayLevels.ROCKETMQ.nearest(delay)).isEqualTo(level);
			assertThat(DelayLevels.ROCKETMQ.atLeast(delay)).isEqualTo(level);
			assertThat(DelayLevels.ROCKETMQ.atLeast(delay.plusNanos(1))).isEqualTo(Math.min(18, level + 1));
			assertThat(DelayLevels.ROCKETMQ.nearest(delay.plusNanos(1))).isEqualTo(level);
			if (level < 18) {
				Duration half = delay.plus(ROCKETMQ.get(level).minus(delay).dividedBy(2));
				assertThat(DelayLevels.ROCKETMQ.nearest(half)).as("a tie").isEqualTo(level + 1);
				assertThat(DelayLevels.ROCKETMQ.nearest(half.minusNanos(1))).isEqualTo(level);
			}
		}
	}

	@Test
	void beginWithTheFirstAndEndWithTheLast() {
		assertThat(DelayLevels.ROCKETMQ.nearest(Duration.ZERO)).isEqualTo(1);
		assertThat(DelayLevels.ROCKETMQ.atLeast(Duration.ZERO)).isEqualTo(1);
		assertThat(DelayLevels.ROCKETMQ.nearest(Duration.ofDays(1))).isEqualTo(18);
		assertThat(DelayLevels.ROCKETMQ.atLeast(Duration.ofDays(1))).isEqualTo(18);
	}

	@Test
	void areReadWithAllUnits() {
		DelayLevels levels = DelayLevels.of(" 2s  3m 4h\t5d ");
		assertThat(levels).hasToString("DelayLevels 2s 3m 4h 5d");
		assertThat(levels.atLeast(Duration.ofHours(5))).isEqualTo(4);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "''|Invalid level ():", "1s 2|Invalid level (2):", "0s|Invalid level (0s):",
			"1S|Invalid level (1S):", "1.5s|Invalid level (1.5s):" })
	void areNumbersWithUnits(String text, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> DelayLevels.of(text))
			.withMessage(message + " must be a number from 1 to 999999999 with the unit s, m, h or d.");
	}

	@Test
	void rise() {
		assertThatIllegalArgumentException().isThrownBy(() -> DelayLevels.of("1s 60s 1m"))
			.withMessage("Invalid level (1m): must be longer than the one before (1m).");
	}

}
