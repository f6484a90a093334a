package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.time.DurationText;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link TextValues} and {@link OverloadValues} make of texts, by the words of the
 * readers below. A row may have several texts, and says nothing of what is {@code -}.
 */
class TextValuesTests {

	private static final Map<String, Function<String, Object>> READERS = Map.ofEntries(
			entry("duration", (text) -> TextValues.duration(text).toNanos()),
			entry("positive", (text) -> TextValues.positiveDuration(text).toNanos()),
			entry("or none", (text) -> TextValues.durationOrNone(text).toNanos()),
			entry("attempts", OverloadValues::attempts), entry("jitter", TextValues::jitter),
			entry("ladder",
					(text) -> TextValues.ladder(Arrays.asList(text.split(",")))
						.stream()
						.map(DurationText::exact)
						.collect(Collectors.joining(" "))),
			entry("flag", TextValues::flag),
			entry("preset", (text) -> OverloadValues.oneOf(Preset.class).apply(text).name()),
			entry("shape", (text) -> OverloadValues.oneOf(ShapeName.class).apply(text).name()),
			entry("share", OverloadValues::share), entry("window", OverloadValues::window),
			entry("number", (text) -> OverloadValues.number(text, 1_000_000)),
			entry("whole", OverloadValues::wholeNumber), entry("growth", (text) -> OverloadValues.growth(text, "time")),
			entry("idempotency", OverloadValues::idempotency), entry("size", TextValues::size));

	private static Stream<String> each(String texts) {
		return Stream.of(texts.split("; ")).map((text) -> text.equals("empty") ? "" : text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			duration    | 0; 00; PT0S                     | 0
			duration    | 7ns                             | 7
			duration    | 3us; 3µs                        | 3000
			duration    | 10ms                            | 10000000
			duration    | 1MS                             | 1000000
			duration    | +250ms                          | 250000000
			duration    | PT0.1S                          | 100000000
			duration    | 1s; 1S; pt1s; +PT1S             | 1000000000
			duration    | 2m                              | 120000000000
			duration    | 1h                              | 3600000000000
			duration    | 1d; P1D                         | 86400000000000
			or none     | none; None                      | 0
			or none     | 5s                              | 5000000000
			or none     | 1ms                             | 1000000
			attempts    | 1                               | 1
			attempts    | 4; +4                           | 4
			attempts    | 1000000                         | 1000000
			attempts    | unlimited; UNLIMITED            | 2147483647
			ladder      | 1s                              | 1s
			ladder      | 1s x3; 1s x 3; 1s 3; 1s*3       | 1s 1s 1s
			ladder      | 1s×2,5s                         | 1s 1s 5s
			ladder      | PT1S x2                         | 1s 1s
			ladder      | 250ms x2                        | 250ms 250ms
			ladder      | 0s, 1s                          | 0ms 1s
			flag        | true; YES; on                   | true
			flag        | False; no; OFF                  | false
			preset      | user-facing; USER_FACING; userFacing; User Facing | USER_FACING
			share       | 50%                             | 0.5
			share       | 100%                            | 1.0
			share       | 0.1%                            | 0.001
			share       | 7 %                             | 0.07
			window      | 30s                             | 30s
			window      | PT1M                            | 1m
			window      | 250ms                           | 250ms
			window      | 100 calls                       | 100 calls
			window      | 1 call                          | 1 calls
			window      | 20calls                         | 20 calls
			window      | 1000000 Calls                   | 1000000 calls
			number      | 0                               | 0.0
			number      | 0.1                             | 0.1
			number      | .5                              | 0.5
			number      | 1.0E-4                          | 1.0E-4
			number      | +3                              | 3.0
			number      | 1000000                         | 1000000.0
			whole       | 1                               | 1
			whole       | 1000000                         | 1000000
			growth      | 1                               | 1.0
			growth      | 1.5                             | 1.5
			growth      | 2.0                             | 2.0
			growth      | 1E+2; 1e2                       | 100.0
			idempotency | true; Yes; on                   | YES
			idempotency | false; no                       | NO
			idempotency | by-key; byKey; BY_KEY           | BY_KEY
			idempotency | by-method                       | BY_METHOD
			size        | 1b                              | 1
			size        | 64KB; 64 kb; 064KB              | 65536
			size        | 999MB                           | 1047527424
			""")
	void areRead(String reader, String texts, String value) {
		assertThat(each(texts)).allSatisfy((text) -> assertThat(READERS.get(reader).apply(text)).hasToString(value));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					duration | 10foo; s; 1 s; 1.5s; 1,5s; 1:30; one; PT; P; 1e3; 0x10; --1s; 1s2s; 99999999999999999999s; 106751991167301d; empty; ∞; ٣s | must be a duration | -
					duration; positive; or none | 10 | must have a unit | Write 10ms or 10s.
					duration; positive; or none | +250 | must have a unit | Write +250ms or +250s.
					duration; positive; or none | 007 | must have a unit | Write 007ms or 007s.
					duration | -1; -1ns; -5s; -PT1S; PT-1S | must not be negative | -
					duration | 1 s | - | Write it without blanks: 1s.
					duration | 1 0 ms | - | Write it without blanks: 10ms.
					duration | 5 hr; 10sec | - | Write a number and a unit, such as 250ms, 2s or 5m.
					duration | 1.5s; 1.5 S | - | Write it in a smaller unit: 1500ms.
					duration | .5m | - | Write it in a smaller unit: 30s.
					duration | 0.1ms | - | Write it in a smaller unit: 100us.
					duration | 1.5h | - | Write it in a smaller unit: 90m.
					positive | 0; 0s; PT0S | must be above zero | -
					attempts | 0; -1; 1000001; 2147483647; 99999999999; 2.5; none; infinite; empty; ٣; ３ | must be a whole number from 1 to 1000000, or unlimited | -
					jitter | 0.2 | - | Write it as a percentage: 20%.
					jitter | .5 | - | Write it as a percentage: 50%.
					jitter | 1 | - | Write it as a percentage: 100%.
					jitter | 20 | - | Write it as a percentage: 20%.
					jitter | 0; half | - | Write full for the default, or a percentage such as 20%.
					ladder | 1s,x | has the level 'x', which must be a duration | -
					ladder | 1s,1s x0 | has the level '1s x0', which repeats less than once or too often | -
					ladder | 1s,1s x2000000 | has the level '1s x2000000', which repeats less than once or too often | -
					ladder | 1s,1s x99999999999 | has the level '1s x99999999999', which repeats less than once or too often | -
					ladder | 1s,-1s x2 | has the level '-1s x2', which must not be negative | -
					ladder | 1s,5 sec | has the level '5 sec', which must be a duration | -
					ladder | 1s,250 | has the level '250', which must have a unit | -
					ladder | 1s,250 x2 | has the level '250 x2', which must have a unit | -
					ladder | 1s x600000,2s x600000 | must not have more than 1000000 levels | -
					flag | 1; 0; y; enabled; empty | must be true or false | -
					shape | exponantial | must be one of fixed, linear, exponential, ladder | Write exponential.
					share | 0.5; 50 | must be a percentage above 0% and at most 100% | Write it as a percentage: 50%.
					share | 0.07 | must be a percentage above 0% and at most 100% | Write it as a percentage: 7%.
					share | 1 | must be a percentage above 0% and at most 100% | Write it as a percentage: 100%.
					share | 101; 0%; 100.1%; -5%; NaN; NaN%; half; 1e999 | must be a percentage above 0% and at most 100% | Write a percentage such as 50%.
					window | 100 | must be a duration or a number of calls | Write 100s for a time, or 100 calls for a number of calls.
					window | 0; -5; 99999999999999999999; calls | must be a duration or a number of calls | Write 30s for a time, or 100 calls for a number of calls.
					window | 30 s | must be a duration or a number of calls | Write it without blanks: 30s.
					window | 1.5s | must be a duration or a number of calls | Write it in a smaller unit: 1500ms.
					window | 0 calls; -1 calls; 1000001 calls; 99999999999 calls | must be from 1 to 1000000 calls | Write a number such as 100 calls.
					window | 0s | must be above zero | Write 30s for a time, or 100 calls for a number of calls.
					number | -1; NaN; Infinity; 1e400; 0x1p3; 1d; 1000001; -10% | must be a number from 0 to 1000000 | Write a number such as 1 or 0.1.
					number | 10% | must be a number from 0 to 1000000 | Write it as a plain number: 0.1.
					whole | 0; -1; 1.5; 1000001; 99999999999; three | must be a whole number from 1 to 1000000 | Write 1 or more.
					growth | 0.999; 0; -2; NaN; Infinity; 1e400; twice; 2x; empty | must be a finite number of at least 1 | Write a number such as 2 or 1.5; 1 keeps the time constant.
					size | 0; 0B; 000KB; -1KB; 1000MB; 1.5MB; 64; 1GB | must be a size from 1 B to 999 MB | Write a size such as 64KB or 1MB.
					idempotency | maybe; key; 1 | must be by-method, true, false or by-key | Write by-method, true, false or by-key; yes and no stand for true and false.
					""")
	void areRefused(String readers, String texts, String rule, String fix) {
		each(readers).forEach((reader) -> assertThat(each(texts))
			.allSatisfy((text) -> assertThatExceptionOfType(InvalidTextException.class).as("%s '%s'", reader, text)
				.isThrownBy(() -> READERS.get(reader).apply(text))
				.satisfies((ex) -> {
					assertThat(rule).isIn("-", ex.rule());
					assertThat(fix).isIn("-", ex.fix());
				})));
	}

	@Test
	void areReadAndRefusedHoweverLargeTheyAre() {
		assertThat(TextValues.duration("100000000d")).isEqualTo(Duration.ofDays(100_000_000));
		assertThatExceptionOfType(InvalidTextException.class)
			.isThrownBy(() -> OverloadValues.share("9".repeat(400) + "%"));
	}

	@Test
	void areNotComparedByTheLanguageOfTheMachine() {
		java.util.Locale before = java.util.Locale.getDefault();
		java.util.Locale.setDefault(java.util.Locale.forLanguageTag("tr"));
		try {
			assertThat(OverloadValues.oneOf(ShapeName.class).apply("LINEAR")).isEqualTo(ShapeName.LINEAR);
			assertThat(OverloadValues.attempts("UNLIMITED")).isEqualTo(RetryPolicy.UNLIMITED_ATTEMPTS);
			assertThat(TextValues.jitter("DECORRELATED")).hasToString("decorrelated");
		}
		finally {
			java.util.Locale.setDefault(before);
		}
	}

}
