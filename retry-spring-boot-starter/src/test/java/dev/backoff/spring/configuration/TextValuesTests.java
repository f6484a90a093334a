package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TextValuesTests {

	@Nested
	class Durations {

		@ParameterizedTest
		@CsvSource({ "0, 0", "00, 0", "+250ms, 250_000_000", "7ns, 7", "3us, 3_000", "3µs, 3_000", "10ms, 10_000_000",
				"1s, 1_000_000_000", "1S, 1_000_000_000", "1MS, 1_000_000", "2m, 120_000_000_000",
				"1h, 3_600_000_000_000", "1d, 86_400_000_000_000", "PT0.1S, 100_000_000", "pt1s, 1_000_000_000",
				"+PT1S, 1_000_000_000", "P1D, 86_400_000_000_000", "PT0S, 0" })
		void areRead(String text, String nanos) {
			assertThat(TextValues.duration(text).toNanos()).isEqualTo(Long.parseLong(nanos.replace("_", "")));
		}

		@ParameterizedTest
		@ValueSource(strings = { "10foo", "s", "1 s", "1.5s", "1,5s", "1:30", "one", "PT", "P", "1e3", "0x10", "--1s",
				"1s2s", "99999999999999999999s", "106751991167301d", "", "∞", "٣s" })
		void thatAreNoneAreRefused(String text) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.duration(text))
				.withMessage("must be a duration");
		}

		@ParameterizedTest
		@CsvSource({ "10, Write 10ms or 10s.", "+250, Write +250ms or +250s.", "007, Write 007ms or 007s." })
		void haveAUnit(String text, String fix) {
			List.<Function<String, Duration>>of(TextValues::duration, TextValues::positiveDuration,
					TextValues::durationOrNone)
				.forEach((reader) -> assertThatExceptionOfType(InvalidTextException.class)
					.isThrownBy(() -> reader.apply(text))
					.withMessage("must have a unit")
					.satisfies((ex) -> assertThat(ex.fix()).isEqualTo(fix)));
		}

		@ParameterizedTest
		@ValueSource(strings = { "-1", "-1ns", "-5s", "-PT1S", "PT-1S" })
		void mustNotBeNegative(String text) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.duration(text))
				.withMessage("must not be negative");
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				1 s    | Write it without blanks: 1s.
				1 0 ms | Write it without blanks: 10ms.
				5 hr   | Write a number and a unit, such as 250ms, 2s or 5m.
				1.5s   | Write it in a smaller unit: 1500ms.
				1.5 S  | Write it in a smaller unit: 1500ms.
				.5m    | Write it in a smaller unit: 30s.
				0.1ms  | Write it in a smaller unit: 100us.
				1.5h   | Write it in a smaller unit: 90m.
				10sec  | Write a number and a unit, such as 250ms, 2s or 5m.
				""")
		void areMended(String text, String fix) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.duration(text))
				.satisfies((ex) -> assertThat(ex.fix()).isEqualTo(fix));
		}

		@ParameterizedTest
		@ValueSource(strings = { "0", "0s", "PT0S" })
		void mustBeAboveZeroWhereZeroMakesNoSense(String text) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.positiveDuration(text))
				.withMessage("must be above zero");
		}

		@ParameterizedTest
		@CsvSource({ "none, 0", "None, 0", "5s, 5000", "1ms, 1" })
		void thatAreDeadlinesMayBeNone(String text, long millis) {
			assertThat(TextValues.durationOrNone(text)).hasMillis(millis);
		}

		@Test
		void thatAreHugeAreKept() {
			assertThat(TextValues.duration("100000000d")).isEqualTo(Duration.ofDays(100_000_000));
		}

	}

	@Nested
	class Attempts {

		@ParameterizedTest
		@CsvSource({ "1, 1", "4, 4", "+4, 4", "1000000, 1000000", "unlimited, " + RetryPolicy.UNLIMITED_ATTEMPTS,
				"UNLIMITED, " + RetryPolicy.UNLIMITED_ATTEMPTS })
		void areRead(String text, int attempts) {
			assertThat(TextValues.attempts(text)).isEqualTo(attempts);
		}

		@ParameterizedTest
		@ValueSource(strings = { "0", "-1", "1000001", "2147483647", "99999999999", "2.5", "none", "infinite", "", "٣",
				"３" })
		void areRefused(String text) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.attempts(text))
				.withMessage("must be a number from 1 to 1000000, or unlimited");
		}

	}

	@Nested
	class Jitters {

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				0.2  | Write it as a percentage: 20%.
				.5   | Write it as a percentage: 50%.
				1    | Write it as a percentage: 100%.
				20   | Write full for the default, or a percentage such as 20%.
				0    | Write full for the default, or a percentage such as 20%.
				half | Write full for the default, or a percentage such as 20%.
				""")
		void areMended(String text, String fix) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.jitter(text))
				.satisfies((ex) -> assertThat(ex.fix()).isEqualTo(fix));
		}

	}

	@Nested
	class Ladders {

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				1s            | 1s
				1s x3         | 1s 1s 1s
				1s x 3        | 1s 1s 1s
				1s 3          | 1s 1s 1s
				1s*3          | 1s 1s 1s
				1s×2,5s       | 1s 1s 5s
				PT1S x2       | 1s 1s
				250ms x2      | 250ms 250ms
				0s, 1s        | 0ms 1s
				""")
		void areRead(String text, String levels) {
			assertThat(TextValues.ladder(Arrays.asList(text.split(",")))
				.stream()
				.map(DurationText::exact)
				.collect(Collectors.joining(" "))).isEqualTo(levels);
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				x      | has the level 'x', which must be a duration
				1s x0  | has the level '1s x0', which repeats less than once or too often
				1s x2000000 | has the level '1s x2000000', which repeats less than once or too often
				1s x99999999999 | has the level '1s x99999999999', which repeats less than once or too often
				-1s x2 | has the level '-1s x2', which must not be negative
				5 sec  | has the level '5 sec', which must be a duration
				250    | has the level '250', which must have a unit
				250 x2 | has the level '250 x2', which must have a unit
				' '    | has an empty level
				""")
		void nameTheLevelThatIsWrong(String text, String rule) {
			assertThatExceptionOfType(InvalidTextException.class)
				.isThrownBy(() -> TextValues.ladder(List.of("1s", text)))
				.withMessage(rule);
		}

		@Test
		void mustHaveALevelAndNotTooMany() {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.ladder(List.of(" ")))
				.withMessage("must have at least one level");
			assertThatExceptionOfType(InvalidTextException.class)
				.isThrownBy(() -> TextValues.ladder(List.of("1s x600000", "2s x600000")))
				.withMessage("must not have more than 1000000 levels");
		}

	}

	@Nested
	class Words {

		@ParameterizedTest
		@CsvSource({ "true, true", "YES, true", "on, true", "False, false", "no, false", "OFF, false" })
		void ofSwitches(String text, boolean flag) {
			assertThat(TextValues.flag(text)).isEqualTo(flag);
		}

		@ParameterizedTest
		@ValueSource(strings = { "1", "0", "y", "enabled", "" })
		void thatAreNoSwitchAreRefused(String text) {
			assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.flag(text))
				.withMessage("must be true or false");
		}

		@ParameterizedTest
		@ValueSource(strings = { "user-facing", "USER_FACING", "userFacing", "User Facing" })
		void areReadWhateverTheirSeparators(String text) {
			assertThat(TextValues.word(Preset.class, text)).isEqualTo(Preset.USER_FACING);
		}

		@Test
		void areMendedByTheNearest() {
			assertThatExceptionOfType(InvalidTextException.class)
				.isThrownBy(() -> TextValues.word(ShapeName.class, "exponantial"))
				.withMessage("must be one of fixed, linear, exponential, ladder")
				.satisfies((ex) -> assertThat(ex.fix()).isEqualTo("Write exponential."));
		}

		@Test
		void areComparedByLettersAndDigits() {
			assertThat(TextValues.canonical("[Order-Service.place_2]")).isEqualTo("orderserviceplace2");
			assertThat(TextValues.canonical("Zahlung-Ü")).isEqualTo("zahlungü");
			assertThat(TextValues.canonical("--")).isEmpty();
		}

		@Test
		void areNotComparedByTheLanguageOfTheMachine() {
			java.util.Locale before = java.util.Locale.getDefault();
			java.util.Locale.setDefault(java.util.Locale.forLanguageTag("tr"));
			try {
				assertThat(TextValues.word(ShapeName.class, "LINEAR")).isEqualTo(ShapeName.LINEAR);
				assertThat(TextValues.attempts("UNLIMITED")).isEqualTo(RetryPolicy.UNLIMITED_ATTEMPTS);
				assertThat(TextValues.jitter("DECORRELATED")).hasToString("decorrelated");
			}
			finally {
				java.util.Locale.setDefault(before);
			}
		}

	}

}
