package dev.backoff.spring.configuration;

import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.spring.policy.BackoffPolicies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class HttpSettingsTests {

	@Test
	void tellNobodyAndReadNothingByDefault() {
		check(SmallApplication.of(), (http) -> assertThat(http).isEqualTo(
				new HttpSettings(List.of(), "X-Retry-Attempt", "X-Retry-Deadline-Ms", "Idempotency-Key", false)));
	}

	@Test
	void areReadFromAFile() {
		check(SmallApplication.of().yaml("""
				backoff:
				  http:
				    hosts: [Orders.example.com, "*.example.com:8443"]
				    attempt-header: X-A
				    deadline-header: X-B
				    idempotency-header: X-C
				    inbound: true
				"""), (http) -> assertThat(http).isEqualTo(
				new HttpSettings(List.of("orders.example.com", "*.example.com:8443"), "X-A", "X-B", "X-C", true)));
	}

	@Test
	void areReadFromTheEnvironment() {
		check(SmallApplication.of()
			.variable("BACKOFF_HTTP_HOSTS", "a, b:8080")
			.variable("BACKOFF_HTTP_ATTEMPT_HEADER", "X-A")
			.variable("BACKOFF_HTTP_INBOUND", "true"), (http) -> {
				assertThat(http.hosts()).containsExactly("a", "b:8080");
				assertThat(http.attemptHeader()).isEqualTo("X-A");
				assertThat(http.inbound()).isTrue();
			});
		check(SmallApplication.of().variable("BACKOFF_HTTP_HOSTS_0", "a"),
				(http) -> assertThat(http.hosts()).containsExactly("a"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "*", "*:8080", "localhost", "*.example.com", "10.0.0.7", "[::1]:8080", "my_service",
			"a.b.c:65535" })
	void hostsMayStandForMany(String text) {
		assertThat(TextValues.hostPattern(text)).isEqualTo(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "**", "*.", "a.*", "*.*.a", "a..b", ".a", "a:", "a:x", "a:123456", "::1", "a/b", "a,b",
			"é", "a@b", "https://", "http://a b" })
	void hostsThatAreNoneAreRefused(String text) {
		assertThatExceptionOfType(InvalidTextException.class).isThrownBy(() -> TextValues.hostPattern(text));
	}

	private static void check(SmallApplication application, Consumer<HttpSettings> check) {
		application.run((context) -> check.accept(context.getBean(BackoffPolicies.class).configuration().http()));
	}

}
