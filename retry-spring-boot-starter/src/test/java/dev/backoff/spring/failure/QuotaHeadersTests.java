package dev.backoff.spring.failure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;

import dev.backoff.pace.QuotaReading;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link QuotaHeaders}. */
class QuotaHeadersTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private final QuotaHeaders quotas = new QuotaHeaders(CLOCK);

	/* As captured, each followed by what it tells. */
	@ParameterizedTest
	@ValueSource(strings = { """
			x-ratelimit-limit-requests: 5000
			x-ratelimit-limit-tokens: 160000
			x-ratelimit-remaining-requests: 4999
			x-ratelimit-remaining-tokens: 159976
			x-ratelimit-reset-requests: 12ms
			x-ratelimit-reset-tokens: 9ms
			> requests 4999 of 5000 in PT0.012S, bucket
			> tokens 159976 of 160000 in PT0.009S, bucket""", """
			retry-after: 2
			x-ratelimit-limit-requests: 14400
			x-ratelimit-limit-tokens: 18000
			x-ratelimit-remaining-requests: 14370
			x-ratelimit-remaining-tokens: 17997
			x-ratelimit-reset-requests: 2m59.56s
			x-ratelimit-reset-tokens: 7.66s
			> requests 14370 of 14400 in PT2M59.56S, bucket
			> tokens 17997 of 18000 in PT7.66S, bucket""", """
			x-ratelimit-limit-requests: 80
			x-ratelimit-remaining-requests: 79
			x-ratelimit-reset-requests: 10
			x-ratelimit-limit-tokens: -1
			x-ratelimit-remaining-tokens: -1
			x-ratelimit-reset-tokens: 0
			> requests 79 of 80 in PT10S, bucket""", """
			date: Fri, 20 Nov 2026 15:00:00 GMT
			anthropic-ratelimit-requests-limit: 50
			anthropic-ratelimit-requests-remaining: 49
			anthropic-ratelimit-requests-reset: 2026-11-20T15:00:02Z
			anthropic-ratelimit-input-tokens-limit: 50000
			anthropic-ratelimit-input-tokens-remaining: 50000
			anthropic-ratelimit-input-tokens-reset: 2026-11-20T14:59:59Z
			anthropic-ratelimit-output-tokens-limit: 10000
			anthropic-ratelimit-output-tokens-remaining: 9000
			anthropic-ratelimit-output-tokens-reset: 2026-11-20T16:00:06+01:00
			> requests 49 of 50 in PT2S, bucket
			> input-tokens 50000 of 50000 in PT0S, bucket
			> output-tokens 9000 of 10000 in PT6S, bucket""", """
			RateLimit-Policy: "burst";q=100;w=60, "day";q=1000;w=86400
			RateLimit-Policy: "bytes";q=65535;qu="content-bytes";w=10, "open";q=4;qu="concurrent-requests"
			RateLimit: "burst";r=50;t=30, "day";r=0;t=7200;pk=:cHsdsRa894==:
			RateLimit: "bytes";r=9;t=3, "open";r=1;t=1, "unknown";r=1;t=1
			> burst 50 of 100 in PT30S, window
			> day 0 of 1000 in PT2H, window
			> bytes 9 of 65535 in PT3S, window""", """
			Date: Fri, 20 Nov 2026 11:30:00 GMT
			X-RateLimit-Limit: 5000
			X-RateLimit-Remaining: 4987
			X-RateLimit-Used: 13
			X-RateLimit-Resource: core
			X-RateLimit-Reset: 1795176000
			> requests 4987 of 5000 in PT30M, window""" })
	void responses(String response) {
		List<QuotaReading> told = read(response.substring(0, response.indexOf('>')));
		assertThat(told.stream()
			.map((reading) -> "> %s %d of %d in %s, %s".formatted(reading.name(), reading.remaining(), reading.limit(),
					reading.reset(), reading.window() ? "window" : "bucket"))
			.collect(Collectors.joining("\n"))).isEqualTo(response.substring(response.indexOf('>')));
		assertThat(told).allMatch((reading) -> reading.ofRequests() != reading.name().matches(".*tokens|bytes"));
	}

	@ParameterizedTest
	@CsvSource({ "6m0s,360000", "1h2m3.5s,3723500", "24h0m0s,86400000", "0s,0", "1ms,1", "60,60000", "1.5,2000",
			"8.64s,8640", "'',", "-1,", "-6m0s,", "6m0,", "soon,", "1d,", "6 m,", "9000h,", "999999999h,",
			"99999999999999999999,", "99999999999999999999h," })
	void resetOfABucket(String text, Long millis) {
		assertThat(
				read("x-ratelimit-limit-tokens: 9\nx-ratelimit-remaining-tokens: 1\nx-ratelimit-reset-tokens: " + text))
			.isEqualTo((millis != null) ? List.of(tokens(9, 1, Duration.ofMillis(millis))) : List.of());
	}

	/* The clock stands at 1795176000. */
	@ParameterizedTest
	@CsvSource({ "1795176060,60", "1795175999,0", "1000000001,0", "3600,3600", "0,0", "1826712000,31536000", "'',",
			"-1,", "3601,", "1000000000,", "1826712001,", "1795176060000,", "Tue Feb 16 2021 09:02:42 GMT+0100," })
	void resetOfAWindow(String text, Long seconds) {
		assertThat(read("X-RateLimit-Limit: 9\nX-RateLimit-Remaining: 1\nX-RateLimit-Reset: " + text))
			.isEqualTo((seconds != null) ? List.of(window(9, 1, Duration.ofSeconds(seconds))) : List.of());
	}

	@ParameterizedTest
	@CsvSource({ "0,0", "-1,-1", "9,-1", "'',1", "9,''", "9.5,1", "1000000000000000000,1", "'10, 10;w=1',1" })
	void numbersThatTellNothing(String limit, String remaining) {
		assertThat(read(
				"X-RateLimit-Limit: " + limit + "\nX-RateLimit-Remaining: " + remaining + "\nX-RateLimit-Reset: 60"))
			.isEmpty();
	}

	@Test
	void fromACache_nothing() {
		String response = "X-RateLimit-Limit: 9\nX-RateLimit-Remaining: 1\nX-RateLimit-Reset: 60\nAge: ";
		assertThat(read(response + "0\n")).hasSize(1);
		assertThat(read(response + "1\n")).isEmpty();
	}

	@Test
	void namesFromOutside_bounded() {
		StringBuilder policies = new StringBuilder("RateLimit-Policy: \"" + "x".repeat(65) + "\";q=9, \"é\";q=9");
		StringBuilder rest = new StringBuilder("RateLimit: \"" + "x".repeat(65) + "\";r=1;t=1, \"é\";r=1;t=1");
		for (int i = 0; i < 20; i++) {
			policies.append(", \"q").append(i / 2).append("\";q=9");
			rest.append(", \"q").append(i / 2).append("\";r=1;t=1");
		}
		assertThat(read(policies + "\n" + rest + "\nX-RateLimit-Limit: 9\n")).extracting(QuotaReading::name)
			.containsExactly("q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7");
	}

	@Test
	void tenThousandRandomSets_inBounds() {
		Random random = new Random(43);
		long told = 0;
		for (int set = 0; set < 10_000; set++) {
			List<QuotaReading> readings = this.quotas.read(hostile(random));
			assertThat(readings).hasSizeLessThanOrEqualTo(8).allSatisfy((reading) -> {
				assertThat(reading.name()).hasSizeBetween(1, 64);
				assertThat(reading.limit()).isPositive();
				assertThat(reading.remaining()).isNotNegative();
				assertThat(reading.reset()).isBetween(Duration.ZERO, Duration.ofDays(365));
			});
			told += readings.size();
		}
		assertThat(told).isGreaterThan(2_500);
	}

	private static HttpHeaders hostile(Random random) {
		HttpHeaders headers = new HttpHeaders();
		for (String field : List.of("x-ratelimit-%s-requests", "x-ratelimit-%s-tokens",
				"anthropic-ratelimit-requests-%s", "anthropic-ratelimit-output-tokens-%s", "X-RateLimit-%s")) {
			if (random.nextBoolean()) {
				headers.set(field.formatted("limit"), number(random));
				headers.set(field.formatted("remaining"), number(random));
				headers.set(field.formatted("reset"), time(random));
			}
		}
		StringBuilder policies = new StringBuilder("\"p\";q=" + number(random));
		StringBuilder rest = new StringBuilder("\"p\";r=" + number(random) + ";t=" + number(random));
		for (int i = random.nextInt(12); i > 0; i--) {
			policies.append(", \"p").append(i).append("\";q=").append(number(random));
			rest.append(",p").append(i).append(";r=").append(number(random)).append(";t=").append(number(random));
		}
		headers.set("RateLimit-Policy", policies.toString());
		headers.set("RateLimit", rest.toString());
		for (String about : List.of("Date", "Age")) {
			if (random.nextInt(4) == 0) {
				headers.set(about, time(random));
			}
		}
		return headers;
	}

	private static String time(Random random) {
		return switch (random.nextInt(6)) {
			case 0 -> "Fri, 20 Nov 2026 12:0" + random.nextInt(10) + ":00 GMT";
			case 1 -> Instant.ofEpochSecond(random.nextLong() >> (20 + random.nextInt(44))).toString();
			case 2 -> number(random) + "m" + number(random) + "s";
			case 3 -> Long.toString(1_795_176_000L + random.nextInt(7200) - 3600);
			case 4 -> random.nextInt(1000) + "ms";
			default -> number(random);
		};
	}

	private static String number(Random random) {
		return switch (random.nextInt(12)) {
			case 0 -> Long.toString(random.nextLong() >> random.nextInt(63));
			case 1 -> Long.toString(Long.MAX_VALUE);
			case 2 -> "-" + random.nextInt(3);
			case 3 -> "9".repeat(random.nextInt(300));
			case 4 -> "0";
			case 5 -> random.nextInt(100) + "." + random.nextInt(100);
			case 6 -> "\"\\ é\u0000;,=";
			default -> Integer.toString(random.nextInt(100_000));
		};
	}

	private List<QuotaReading> read(String response) {
		HttpHeaders headers = new HttpHeaders();
		response.lines().forEach((line) -> headers.add(line.split(":", 2)[0], line.split(":", 2)[1].strip()));
		return this.quotas.read(headers);
	}

	private static QuotaReading tokens(long limit, long remaining, Duration reset) {
		return new QuotaReading("tokens", limit, remaining, reset, false, false);
	}

	private static QuotaReading window(long limit, long remaining, Duration reset) {
		return new QuotaReading("requests", limit, remaining, reset, true, true);
	}

}
