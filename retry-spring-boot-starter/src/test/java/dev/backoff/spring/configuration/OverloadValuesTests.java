package dev.backoff.spring.configuration;

import java.time.Duration;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.failure.Idempotency;
import dev.backoff.window.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OverloadValuesTests {

	private static void assertRefuses(Runnable reader, String rule, String fix) {
		assertThatExceptionOfType(InvalidTextException.class).isThrownBy(reader::run).satisfies((ex) -> {
			assertThat(ex.rule()).isEqualTo(rule);
			assertThat(ex.fix()).isEqualTo(fix);
		});
	}

	@Nested
	class Shares {

		@ParameterizedTest
		@CsvSource({ "50%, 0.5", "100%, 1", "0.1%, 0.001", "7 %, 0.07" })
		void arePercentages(String text, double share) {
			assertThat(OverloadValues.share(text)).isEqualTo(share);
		}

		@ParameterizedTest
		@CsvSource({ "0.5, Write it as a percentage: 50%.", "0.07, Write it as a percentage: 7%.",
				"1, Write it as a percentage: 100%.", "50, Write it as a percentage: 50%.",
				"101, Write a percentage such as 50%.", "0%, Write a percentage such as 50%.",
				"100.1%, Write a percentage such as 50%.", "-5%, Write a percentage such as 50%.",
				"NaN, Write a percentage such as 50%.", "NaN%, Write a percentage such as 50%.",
				"half, Write a percentage such as 50%.", "1e999, Write a percentage such as 50%." })
		void areNothingElse(String text, String fix) {
			assertRefuses(() -> OverloadValues.share(text), "must be a percentage above 0% and at most 100%", fix);
		}

		@Test
		void areNotMoreThanOneOfManyDigits() {
			assertRefuses(() -> OverloadValues.share("9".repeat(400) + "%"),
					"must be a percentage above 0% and at most 100%", "Write a percentage such as 50%.");
		}

	}

	@Nested
	class Windows {

		@ParameterizedTest
		@CsvSource({ "30s, 30000", "PT1M, 60000", "250ms, 250" })
		void areDurations(String text, long millis) {
			assertThat(OverloadValues.window(text)).isEqualTo(WindowLength.of(Duration.ofMillis(millis)));
		}

		@ParameterizedTest
		@CsvSource({ "100 calls, 100", "1 call, 1", "20calls, 20", "1000000 Calls, 1000000" })
		void areNumbersOfCalls(String text, int calls) {
			assertThat(OverloadValues.window(text)).isEqualTo(WindowLength.ofCalls(calls));
		}

		@ParameterizedTest
		@CsvSource({ "100, 'Write 100s for a time, or 100 calls for a number of calls.'",
				"0, 'Write 30s for a time, or 100 calls for a number of calls.'",
				"-5, 'Write 30s for a time, or 100 calls for a number of calls.'",
				"99999999999999999999, 'Write 30s for a time, or 100 calls for a number of calls.'",
				"calls, 'Write 30s for a time, or 100 calls for a number of calls.'",
				"30 s, 'Write it without blanks: 30s.'", "1.5s, 'Write it in a smaller unit: 1500ms.'" })
		void areNothingElse(String text, String fix) {
			assertRefuses(() -> OverloadValues.window(text), "must be a duration or a number of calls", fix);
		}

		@ParameterizedTest
		@ValueSource(strings = { "0 calls", "-1 calls", "1000001 calls", "99999999999 calls" })
		void haveANumberOfCallsThatCanBeCounted(String text) {
			assertRefuses(() -> OverloadValues.window(text), "must be from 1 to 1000000 calls",
					"Write a number such as 100 calls.");
		}

		@Test
		void haveATime() {
			assertRefuses(() -> OverloadValues.window("0s"), "must be above zero",
					"Write 30s for a time, or 100 calls for a number of calls.");
		}

	}

	@Nested
	class Numbers {

		@ParameterizedTest
		@CsvSource({ "0, 0", "0.1, 0.1", ".5, 0.5", "1.0E-4, 0.0001", "+3, 3", "1000000, 1000000" })
		void arePlain(String text, double number) {
			assertThat(OverloadValues.number(text, 1_000_000)).isEqualTo(number);
		}

		@ParameterizedTest
		@CsvSource({ "-1, Write a number such as 1 or 0.1.", "NaN, Write a number such as 1 or 0.1.",
				"Infinity, Write a number such as 1 or 0.1.", "1e400, Write a number such as 1 or 0.1.",
				"0x1p3, Write a number such as 1 or 0.1.", "1d, Write a number such as 1 or 0.1.",
				"1000001, Write a number such as 1 or 0.1.", "10%, Write it as a plain number: 0.1.",
				"-10%, Write a number such as 1 or 0.1." })
		void areNothingElse(String text, String fix) {
			assertRefuses(() -> OverloadValues.number(text, 1_000_000), "must be a number from 0 to 1000000", fix);
		}

		@ParameterizedTest
		@CsvSource({ "1, 1", "1000000, 1000000" })
		void mayBeWhole(String text, int number) {
			assertThat(OverloadValues.wholeNumber(text)).isEqualTo(number);
		}

		@ParameterizedTest
		@ValueSource(strings = { "0", "-1", "1.5", "1000001", "99999999999", "three" })
		void areNotWhole(String text) {
			assertRefuses(() -> OverloadValues.wholeNumber(text), "must be a whole number from 1 to 1000000",
					"Write 1 or more.");
		}

		@ParameterizedTest
		@CsvSource({ "1, 1", "1.5, 1.5", "2.0, 2", "1E+2, 100", "1e2, 100" })
		void mayGrow(String text, double growth) {
			assertThat(OverloadValues.growth(text, "time")).isEqualTo(growth);
		}

		@ParameterizedTest
		@ValueSource(strings = { "0.999", "0", "-2", "NaN", "Infinity", "1e400", "twice", "2x", "" })
		void doNotGrow(String text) {
			assertRefuses(() -> OverloadValues.growth(text, "time"), "must be a finite number of at least 1",
					"Write a number such as 2 or 1.5; 1 keeps the time constant.");
		}

	}

	@ParameterizedTest
	@CsvSource({ "true, YES", "Yes, YES", "on, YES", "false, NO", "no, NO", "by-key, BY_KEY", "byKey, BY_KEY",
			"BY_KEY, BY_KEY", "by-method, BY_METHOD" })
	void readsWhetherWorkMayBeAppliedAgain(String text, Idempotency idempotency) {
		assertThat(OverloadValues.idempotency(text)).isEqualTo(idempotency);
	}

	@ParameterizedTest
	@ValueSource(strings = { "maybe", "key", "1" })
	void refusesOtherWordsForIt(String text) {
		assertRefuses(() -> OverloadValues.idempotency(text), "must be by-method, true, false or by-key",
				"Write by-method, true, false or by-key; yes and no stand for true and false.");
	}

}
