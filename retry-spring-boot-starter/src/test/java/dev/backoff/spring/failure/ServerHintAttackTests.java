package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import dev.backoff.Retry;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Servers that answer with hints to hurt. */
class ServerHintAttackTests {

	static Stream<List<String>> hostileHeaders() {
		List<String> duplicates = new ArrayList<>(Collections.nCopies(500, "Retry-After: 1000000"));
		List<String> limits = new ArrayList<>(Collections.nCopies(500, "RateLimit: \"a\";r=0;t=99999999999"));
		return Stream.of(List.of("Retry-After: " + "9".repeat(1_000_000)),
				List.of("Retry-After: " + "x".repeat(100_000)), List.of("Retry-After: " + "9".repeat(200)),
				List.of("Retry-After: 1000000000000000000"), List.of("Retry-After: 9223372036854775808"),
				List.of("Retry-After: -9223372036854775808"), List.of("Retry-After: -1"), List.of("Retry-After: 1e9"),
				List.of("Retry-After: 0x7fffffff"), List.of("Retry-After: Fri, 31 Dec 9999 23:59:60 GMT"),
				List.of("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "Date: Thu, 01 Jan 0000 00:00:00 GMT"),
				List.of("Retry-After: Thu, 01 Jan 0000 00:00:00 GMT", "Date: Fri, 31 Dec 9999 23:59:59 GMT"),
				List.of("Retry-After: Mon, 30 Feb 2026 00:00:00 GMT"), List.of("Retry-After: Sun Nov 99 08:49:37 1994"),
				List.of("Retry-After: Sunday, 99-Nov-94 08:49:37 GMT"), List.of("Retry-After: "),
				List.of("Retry-After: 5, 5"), List.of("Retry-After: 5", "Retry-After: 100000"), duplicates, limits,
				List.of("RateLimit: " + "(".repeat(5_000)), List.of("RateLimit: " + "\"".repeat(3_001)),
				List.of("RateLimit: \"a\";r=0;t=-1"), List.of("RateLimit: \"a\";r=0;t=" + "9".repeat(3_000)),
				List.of("RateLimit: \"a\\"), List.of("RateLimit: ;;;;====,,,,"),
				List.of("RateLimit: \"a\";r=0;t=5, \"b\";r=0;t=\"9\""));
	}

	@ParameterizedTest
	@MethodSource("hostileHeaders")
	@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void neverHoldACallLongerThanAllowed(List<String> headers) throws IOException {
		for (boolean jdk : new boolean[] { true, false }) {
			VirtualTime time = new VirtualTime();
			RecordingListener listener = new RecordingListener();
			Retry retry = Retry
				.builder(RetryPolicy.builder("attack")
					.maxAttempts(3)
					.retryAfterMax(Duration.ofSeconds(30))
					.classifiers(List.of(new BuiltInFailureClassifiers(getClass().getClassLoader(), Clock.systemUTC())))
					.build())
				.time(time)
				.listener(listener)
				.build();
			try (LoopbackServer server = LoopbackServer.status(429, headers.toArray(String[]::new))) {
				RestClient client = RestClient.builder()
					.requestFactory(jdk ? new JdkClientHttpRequestFactory() : new SimpleClientHttpRequestFactory())
					.build();
				assertThatExceptionOfType(RestClientException.class)
					.isThrownBy(() -> retry.call(() -> client.get().uri(server.url()).retrieve().toBodilessEntity()));
			}
			assertThat(time.delays())
				.allSatisfy((delay) -> assertThat(delay).isBetween(Duration.ZERO, Duration.ofSeconds(33)));
			assertThat(listener.hookFailures()).isEmpty();
			assertThat(listener.stopped()).hasSize(1);
		}
	}

	@Test
	void neverAreNegativeAndNeverThrow() {
		Random random = new Random(3);
		ServerHints hints = new ServerHints(Clock.systemUTC());
		String[] parts = { "\"", ";", "r=", "t=", "0", "9", "99999999999999999999", "-", ",", " ", "\\", ":", "?1", "a",
				"(", ")", "=", "Fri, 31 Dec 9999 23:59:59 GMT", "\t", "é", "\u0000" };
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
