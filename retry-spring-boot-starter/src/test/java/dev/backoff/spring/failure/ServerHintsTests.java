package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import dev.backoff.Retry;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests for {@link ServerHints}. */
class ServerHintsTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private final ServerHints hints = new ServerHints(CLOCK);

	@Nested
	class RetryAfterInSeconds {

		@ParameterizedTest
		@CsvSource({ "120,120", "0,0", "' 120',120", "'120 ',120", "'\t7 ',7", "007,7", "299.997,300", "1.5,2",
				"0.001,1", "0.0,0", "2.000,2", "2.,2", "9223372036.9,9223372036" })
		void isTheWait(String text, long seconds) {
			assertThat(retryAfter(text)).isEqualTo(Duration.ofSeconds(seconds));
		}

		@ParameterizedTest
		@ValueSource(strings = { "9223372037", "9999999999", "1000000000000000000", "9223372036854775807",
				"9223372036854775808", "99999999999999999999" })
		void saturates(String text) {
			Duration wait = retryAfter(text);
			assertThat(wait).isEqualTo(ServerWait.LONGEST);
			assertThat(Nanos.of(wait)).isPositive();
			assertThat(wait.toNanos()).isPositive();
		}

		@Test
		void saturatesAtAHundredDigits() {
			assertThat(retryAfter("1" + "0".repeat(100))).isEqualTo(ServerWait.LONGEST);
		}

		@ParameterizedTest
		@ValueSource(strings = { "", " ", "-1", "-1.5", "+5", ".5", "1,5", "1.5.2", "1.5s", "1e3", "0x10", "1 2", "12s",
				"garbage", "１２", "null", "120, 60", "120;x", "\u0000", "Fri, 99 Nov 2026 12:00:00 GMT" })
		void isIgnoredIfItIsNone(String text) {
			assertThat(retryAfter(text)).isNull();
		}

		@ParameterizedTest
		@ValueSource(strings = { "9", "x", " ", "-", "\"", "," })
		void isIgnoredIfItHasAMegabyte(String text) {
			assertThat(retryAfter(text.repeat(1 << 20))).isNull();
			assertThat(rateLimit(text.repeat(1 << 20))).isNull();
		}

	}

	@Nested
	class RetryAfterInMilliseconds {

		@ParameterizedTest
		@CsvSource({ "1500,1500", "0,0", "12.5,60000", "'',60000", "-1,60000", "soon,60000" })
		void precedesSeconds(String text, long millis) {
			HttpHeaders headers = headers(HttpHeaders.RETRY_AFTER, "60");
			headers.set("Retry-After-Ms", text);
			assertThat(hints.wait(headers)).hasMillis(millis);
		}

		@Test
		void saturates() {
			assertThat(hints.wait(headers("retry-after-ms", "9".repeat(30)))).isLessThanOrEqualTo(ServerWait.LONGEST);
		}

	}

	@Nested
	class RetryAfterAsDate {

		@ParameterizedTest
		@ValueSource(strings = { "Fri, 20 Nov 2026 12:02:00 GMT", "Friday, 20-Nov-26 12:02:00 GMT",
				"Fri Nov 20 12:02:00 2026", " Fri, 20 Nov 2026 12:02:00 GMT " })
		void isComparedWithTheClock(String text) {
			assertThat(retryAfter(text)).isEqualTo(Duration.ofMinutes(2));
		}

		@ParameterizedTest
		@ValueSource(strings = { "Fri, 20 Nov 2026 11:59:59 GMT", "Friday, 20-Nov-20 12:02:00 GMT",
				"Fri Nov 20 12:02:00 1970", "Fri, 20 Nov 2026 12:00:00 GMT" })
		void isZeroInThePast(String text) {
			assertThat(retryAfter(text)).isZero();
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				Fri, 20 Nov 2026 15:00:00 GMT  | 120
				Friday, 20-Nov-26 15:00:00 GMT | 120
				Fri Nov 20 15:00:00 2026       | 120
				Fri, 20 Nov 2026 15:10:00 GMT  | 0
				garbage                        | 10920
				''                             | 10920
				""")
		void isCorrectedByTheDateOfTheResponse(String date, long seconds) {
			HttpHeaders headers = headers(HttpHeaders.RETRY_AFTER, "Fri, 20 Nov 2026 15:02:00 GMT");
			headers.set(HttpHeaders.DATE, date);
			assertThat(hints.wait(headers)).isEqualTo(Duration.ofSeconds(seconds));
		}

		@ParameterizedTest
		@CsvSource({ "3600,1", "1,1", "0,3601", "'',3601", "-5,3601", "old,3601" })
		void isComparedWithTheClockIfTheAnswerComesFromACache(String age, long seconds) {
			HttpHeaders headers = headers(HttpHeaders.RETRY_AFTER, "Fri, 20 Nov 2026 12:00:01 GMT");
			headers.set(HttpHeaders.DATE, "Fri, 20 Nov 2026 11:00:00 GMT");
			headers.set(HttpHeaders.AGE, age);
			assertThat(hints.wait(headers)).isEqualTo(Duration.ofSeconds(seconds));
		}

		@Test
		void isBoundedInTheYear9999() {
			assertThat(retryAfter("Fri, 31 Dec 9999 23:59:59 GMT")).isEqualTo(ServerWait.LONGEST);
		}

	}

	@Nested
	class RateLimit {

		@Test
		void isTheWaitWithoutRetryAfter() {
			assertThat(rateLimit("\"default\";r=0;t=30")).hasSeconds(30);
		}

		@Test
		void yieldsToRetryAfter() {
			HttpHeaders headers = headers("RateLimit", "\"default\";r=0;t=30");
			headers.set(HttpHeaders.RETRY_AFTER, "0");
			assertThat(hints.wait(headers)).isZero();
		}

		@Test
		void standsInForAnUnreadableRetryAfter() {
			HttpHeaders headers = headers("ratelimit", "\"default\";r=0;t=30");
			headers.set(HttpHeaders.RETRY_AFTER, "soon");
			assertThat(hints.wait(headers)).hasSeconds(30);
		}

		@Test
		void mayHaveSeveralLines() {
			HttpHeaders headers = headers("RateLimit", "\"a\";r=0;t=30");
			headers.add("RateLimit", "\"b\";r=0;t=60");
			assertThat(hints.wait(headers)).hasSeconds(60);
		}

		@Test
		void isNotLookedAtBeyondFourKilobytes() {
			HttpHeaders headers = new HttpHeaders();
			for (int i = 0; i < 500; i++) {
				headers.add("RateLimit", "\"a\";r=0;t=30");
			}
			assertThat(hints.wait(headers)).isNull();
		}

	}

	@Nested
	class HostileValues {

		static Stream<List<String>> hostileHeaders() {
			List<String> duplicates = new ArrayList<>(Collections.nCopies(500, "Retry-After: 1000000"));
			List<String> limits = new ArrayList<>(Collections.nCopies(500, "RateLimit: \"a\";r=0;t=99999999999"));
			return Stream.of(List.of("Retry-After: " + "9".repeat(1_000_000)),
					List.of("Retry-After: " + "x".repeat(100_000)), List.of("Retry-After: " + "9".repeat(200)),
					List.of("Retry-After: 1000000000000000000"), List.of("Retry-After: 9223372036854775808"),
					List.of("Retry-After: -9223372036854775808"), List.of("Retry-After: -1"),
					List.of("Retry-After: 1e9"), List.of("Retry-After: 0x7fffffff"),
					List.of("Retry-After: Fri, 31 Dec 9999 23:59:60 GMT"),
					List.of("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "Date: Thu, 01 Jan 0000 00:00:00 GMT"),
					List.of("Retry-After: Thu, 01 Jan 0000 00:00:00 GMT", "Date: Fri, 31 Dec 9999 23:59:59 GMT"),
					List.of("Retry-After: Mon, 30 Feb 2026 00:00:00 GMT"),
					List.of("Retry-After: Sun Nov 99 08:49:37 1994"),
					List.of("Retry-After: Sunday, 99-Nov-94 08:49:37 GMT"), List.of("Retry-After: "),
					List.of("Retry-After: 5, 5"), List.of("Retry-After: 5", "Retry-After: 100000"), duplicates, limits,
					List.of("RateLimit: " + "(".repeat(5_000)), List.of("RateLimit: " + "\"".repeat(3_001)),
					List.of("RateLimit: \"a\";r=0;t=-1"), List.of("RateLimit: \"a\";r=0;t=" + "9".repeat(3_000)),
					List.of("RateLimit: \"a\\"), List.of("RateLimit: ;;;;====,,,,"),
					List.of("RateLimit: \"a\";r=0;t=5, \"b\";r=0;t=\"9\""));
		}

		@ParameterizedTest
		@MethodSource("hostileHeaders")
		@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
		void holdNoCallLongerThanAllowed(List<String> headers) throws IOException {
			for (boolean jdk : new boolean[] { true, false }) {
				VirtualTime time = new VirtualTime();
				RecordingListener listener = new RecordingListener();
				Retry retry = Retry
					.builder(RetryPolicy.builder("orders")
						.maxAttempts(3)
						.retryAfterMax(Duration.ofSeconds(30))
						.classifiers(List
							.of(new BuiltInFailureClassifiers(getClass().getClassLoader(), Clock.systemUTC(), true)))
						.build())
					.time(time)
					.listener(listener)
					.build();
				try (LoopbackServer server = LoopbackServer.status(429, headers.toArray(String[]::new))) {
					RestClient client = RestClient.builder()
						.requestFactory(jdk ? new JdkClientHttpRequestFactory() : new SimpleClientHttpRequestFactory())
						.build();
					assertThatExceptionOfType(RestClientException.class).isThrownBy(
							() -> retry.call(() -> client.get().uri(server.url()).retrieve().toBodilessEntity()));
				}
				assertThat(time.delays())
					.allSatisfy((delay) -> assertThat(delay).isBetween(Duration.ZERO, Duration.ofSeconds(33)));
				assertThat(listener.hookFailures()).isEmpty();
				assertThat(listener.stopped()).hasSize(1);
			}
		}

		@Test
		void areNeitherNegativeNorThrown() {
			Random random = new Random(3);
			String[] parts = { "\"", ";", "r=", "t=", "0", "9", "99999999999999999999", "-", ",", " ", "\\", ":", "?1",
					"a", "(", ")", "=", "Fri, 31 Dec 9999 23:59:59 GMT", "\t", "é", "\u0000" };
			for (int i = 0; i < 200_000; i++) {
				StringBuilder text = new StringBuilder();
				for (int j = random.nextInt(10); j >= 0; j--) {
					text.append(parts[random.nextInt(parts.length)]);
				}
				HttpHeaders headers = new HttpHeaders();
				headers.add(random.nextBoolean() ? "RateLimit" : "Retry-After", text.toString());
				Duration wait = hints.wait(headers);
				if (wait != null) {
					assertThat(wait.isNegative()).isFalse();
					assertThat(wait).isLessThanOrEqualTo(ServerWait.LONGEST);
				}
			}
		}

	}

	@Test
	void saysNothingWithoutHeaders() {
		assertThat(this.hints.wait(new HttpHeaders())).isNull();
	}

	@Nested
	class SeveralValues {

		@Test
		void countByTheFirstThatCanBeRead() {
			assertThat(retryAfter("soon", "7", "9")).isEqualTo(Duration.ofSeconds(7));
			assertThat(retryAfter("1,5", "Fri, 20 Nov 2026 12:02:00 GMT")).isEqualTo(Duration.ofMinutes(2));
			assertThat(retryAfter("7", "soon")).isEqualTo(Duration.ofSeconds(7));
			assertThat(retryAfter("soon", "later")).isNull();
		}

		private @Nullable Duration retryAfter(String... values) {
			HttpHeaders headers = new HttpHeaders();
			headers.put(HttpHeaders.RETRY_AFTER, List.of(values));
			return hints.wait(headers);
		}

	}

	private @Nullable Duration retryAfter(String text) {
		return this.hints.wait(headers(HttpHeaders.RETRY_AFTER, text));
	}

	private @Nullable Duration rateLimit(String text) {
		return this.hints.wait(headers("RateLimit", text));
	}

	private static HttpHeaders headers(String name, String value) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(name, value);
		return headers;
	}

}
