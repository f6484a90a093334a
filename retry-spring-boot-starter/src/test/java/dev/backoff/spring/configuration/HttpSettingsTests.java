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
		check(SmallApplication.of(), (configuration) -> {
			assertThat(configuration.http())
				.isEqualTo(new HttpSettings(List.of(), "X-Retry-Attempt", "X-Retry-Deadline-Ms", "Idempotency-Key"));
			assertThat(configuration.get(SettingKey.HTTP_INBOUND)).isFalse();
		});
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
				"""), (configuration) -> {
			assertThat(configuration.http())
				.isEqualTo(new HttpSettings(List.of("orders.example.com", "*.example.com:8443"), "X-A", "X-B", "X-C"));
			assertThat(configuration.get(SettingKey.HTTP_INBOUND)).isTrue();
		});
	}

	@Test
	void areReadFromTheEnvironment() {
		check(SmallApplication.of()
			.variable("BACKOFF_HTTP_HOSTS", "a, b:8080")
			.variable("BACKOFF_HTTP_ATTEMPT_HEADER", "X-A")
			.variable("BACKOFF_HTTP_INBOUND", "true"), (configuration) -> {
				assertThat(configuration.http().hosts()).containsExactly("a", "b:8080");
				assertThat(configuration.http().attemptHeader()).isEqualTo("X-A");
				assertThat(configuration.get(SettingKey.HTTP_INBOUND)).isTrue();
			});
		check(SmallApplication.of().variable("BACKOFF_HTTP_HOSTS_0", "a"),
				(configuration) -> assertThat(configuration.http().hosts()).containsExactly("a"));
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

	private static void check(SmallApplication application, Consumer<BackoffConfiguration> check) {
		application.run((context) -> check.accept(context.getBean(BackoffPolicies.class).configuration()));
	}

}
