package dev.backoff.time;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "0, 0 ms", "400000, 0.4 ms", "999999, 1 ms", "1000000, 1 ms", "1499999, 1 ms", "1500000, 2 ms",
			"72000000, 72 ms", "999499999, 999 ms", "999500000, 1 s", "1830000000, 1.83 s", "1834999999, 1.83 s",
			"59960000000, 60 s", "119999000000, 120 s", "120000000000, 2 min", "125000000000, 2 min 5 s",
			"7199600000000, 120 min", "7200000000000, 2 h 0 min", "93780000000000, 26 h 3 min",
			"9223372036854775806, 2562047 h 47 min", "9223372036854775807, unlimited" })
	void tellsAPersonThreeDigitsAndOneUnit(long nanos, String text) {
		assertThat(DurationText.rounded(nanos)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0ms", "1, 1ns", "1500, 1500ns", "2000, 2us", "1830000000, 1830ms", "90000000000, 90s",
			"120000000000, 2m", "5400000000000, 90m", "7200000000000, 2h", "172800000000000, 2d", "-5000000, -5ms",
			"-1, -1ns", "9223372036854775807, unlimited" })
	void tellsAConfigurationExactly(long nanos, String text) {
		assertThat(DurationText.exact(nanos)).isEqualTo(text);
	}

	@Test
	void takesDurationsOfAnyLength() {
		assertThat(DurationText.exact(Duration.ofMinutes(3))).isEqualTo("3m");
		assertThat(DurationText.exact(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo("unlimited");
	}

}
