package dev.backoff.spring.failure;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link RateLimitField}. */
class RateLimitFieldTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			"default";r=0;t=30                          | 30
			"default"; r=0;  t=30                       | 30
			"default";t=30;r=0                          | 30
			default;r=0;t=30                            | 30
			"default";r=0;t=0                           | 0
			"default";r=00;t=030                        | 30
			"default";r=0.0;t=29.1                      | 30
			"minute";r=0;t=12, "day";r=41;t=7200        | 12
			"minute";r=0;t=12,"day";r=0;t=7200          | 7200
			"day";r=0;t=7200	,	"minute";r=0;t=12   | 7200
			"a;r=0;t=9";r=0;t=30                        | 30
			"a,b\\"c\\\\";r=0;t=30                      | 30
			"x";r=0;t=30;pk=:cHsdsRa894==:              | 30
			"x";r=0;t=30;burst                          | 30
			"x";r=0;t=30;on=?1                          | 30
			"x";r=0;t=1;t=30                            | 30
			""")
	void takesTheLongestWaitOfThePoliciesUsedUp(String text, long seconds) {
		assertThat(RateLimitField.wait(text)).isEqualTo(Duration.ofSeconds(seconds));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "garbage", "\"default\";r=1;t=30", "\"default\";r=0", "\"default\";t=30",
			"\"default\"", "\"default\";r=0;t=-1", "\"default\";r=0;t=+5", "\"default\";r=0.5;t=1",
			"\"default\";r=0;t=\"30\"", "\"default\";r=\"0\";t=30", "\"default\";r=-1;t=30", "\"default\";r;t=30",
			"\"default\";r=0;T=30", "limit=100, remaining=0, reset=30" })
	void saysNothingUnlessAPolicyIsUsedUp(String text) {
		assertThat(RateLimitField.wait(text)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"a\";r=0;t=30,", "\"a\";r=0;t=30,,\"b\";r=0;t=5", "\"a\";r=0;t=30 x", "\"a\";r=0;t=30;",
			"\"a;r=0;t=30", "\"a\\", "\"a\";r=0;t=30;=5", "\"a\";r=0;t=30;x=", "\"a\";r=0;t=30;x=?2",
			"\"a\";r=0;t=30;x=(1 2)", ";r=0;t=30" })
	void isVoidIfMalformed(String text) {
		assertThat(RateLimitField.wait(text)).isNull();
	}

	@Test
	void saturates() {
		assertThat(RateLimitField.wait("\"a\";r=0;t=" + "9".repeat(20))).isEqualTo(ServerWait.LONGEST);
		assertThat(RateLimitField.wait("\"a\";r=0;t=" + "9".repeat(100))).isEqualTo(ServerWait.LONGEST);
	}

}
