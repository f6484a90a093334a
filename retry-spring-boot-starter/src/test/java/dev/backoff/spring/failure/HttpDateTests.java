package dev.backoff.spring.failure;

import java.time.Instant;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link HttpDate}. */
class HttpDateTests {

	private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Sun, 06 Nov 1994 08:49:37 GMT    | 1994-11-06T08:49:37Z
			Sun, 6 Nov 1994 08:49:37 GMT     | 1994-11-06T08:49:37Z
			sun, 06 nov 1994 08:49:37 gmt    | 1994-11-06T08:49:37Z
			Mon, 06 Nov 1994 08:49:37 GMT    | 1994-11-06T08:49:37Z
			Sunday, 06-Nov-94 08:49:37 GMT   | 1994-11-06T08:49:37Z
			Sun Nov  6 08:49:37 1994         | 1994-11-06T08:49:37Z
			Wed Nov 16 08:49:37 1994         | 1994-11-16T08:49:37Z
			Thu, 29 Feb 2024 00:00:00 GMT    | 2024-02-29T00:00:00Z
			Fri, 31 Dec 9999 23:59:59 GMT    | 9999-12-31T23:59:59Z
			Sat, 01 Jan 0000 00:00:00 GMT    | 0000-01-01T00:00:00Z
			""")
	void readsAllForms(String text, Instant expected) {
		assertThat(HttpDate.parse(text, NOW)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "7", "garbage", "2026-11-20T12:00:00Z", "Sun, 06 Nov 1994 08:49:37",
			"Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
			"Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 31 Feb 2026 08:49:37 GMT", "Sun, 00 Nov 2026 08:49:37 GMT",
			"Sun, 06 Nov 2026 24:00:00 GMT", "Sun, 06 Nov 2026 08:60:00 GMT", "Sun, 06 Nov 2026 08:00:60 GMT",
			"Thu, 29 Feb 2023 00:00:00 GMT", "Monday, 29-Feb-27 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
			"Sun Nov  6 08:49:37 94", "Sun Nov    08:49:37 1994", "Sun, 06 Nov ２０２６ 08:49:37 GMT" })
	void ignoresWhatIsNoDate(String text) {
		assertThat(HttpDate.parse(text, NOW)).isNull();
	}

	@Nested
	class YearsOfTwoDigits {

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				Friday, 20-Nov-26 12:00:00 GMT   | 2026-11-20T12:00:00Z
				Saturday, 01-Jan-00 00:00:00 GMT | 2000-01-01T00:00:00Z
				Friday, 20-Nov-76 12:00:00 GMT   | 2076-11-20T12:00:00Z
				Friday, 31-Dec-76 00:00:00 GMT   | 2076-12-31T00:00:00Z
				Tuesday, 01-Jan-77 00:00:00 GMT  | 1977-01-01T00:00:00Z
				Sunday, 29-Feb-76 00:00:00 GMT   | 2076-02-29T00:00:00Z
				""")
		void areTheLastYearAtMostFiftyYearsAhead(String text, Instant expected) {
			assertThat(HttpDate.parse(text, NOW)).isEqualTo(expected);
		}

		@Test
		void reachIntoTheNextCentury() {
			Instant late = Instant.parse("2099-06-01T00:00:00Z");
			assertThat(HttpDate.parse("Thursday, 01-Jan-05 00:00:00 GMT", late)).isEqualTo("2105-01-01T00:00:00Z");
			assertThat(HttpDate.parse("Thursday, 01-Jan-50 00:00:00 GMT", late)).isEqualTo("2050-01-01T00:00:00Z");
		}

	}

}
