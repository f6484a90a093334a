package dev.backoff.spring.configuration;

import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
	@CsvSource(delimiter = '|',
			textBlock = """
					hosts: "http://orders.example.com/x" | hosts (http://orders.example.com/x) | must be a host, not a URL | Write orders.example.com.
					hosts: "a b"                         | hosts (a b)                         | must be a host, *.domain or *, with an optional port | Write a host such as orders.example.com, *.example.com or localhost:8080.
					hosts: [ok, "a:99999"]               | hosts (a:99999)                     | must have a port of at most 65535 | Write a port from 0 to 65535.
					attempt-header: "X Retry"            | attempt-header (X Retry)            | must be the name of a header | Write letters, digits and hyphens, such as X-Retry-Attempt.
					deadline-header: "X:"                | deadline-header (X:)                | must be the name of a header | Write letters, digits and hyphens, such as X-Retry-Attempt.
					idempotency-header: "Schlüssel"      | idempotency-header (Schlüssel)      | must be the name of a header | Write letters, digits and hyphens, such as X-Retry-Attempt.
					inbound: maybe                       | inbound (maybe)                     | must be true or false | Write true or false.
					""")
	void mustMakeSense(String line, String value, String rule, String fix) {
		Throwable failure = SmallApplication.of().yaml("backoff:\n  http:\n    " + line + "\n").failure();
		assertThat(failure).isInstanceOf(InvalidBackoffException.class);
		assertThat(((InvalidBackoffException) failure).problems()).extracting(Problem::toString)
			.containsExactly("Invalid backoff.http." + value + " at application.yml:3: " + rule + ". " + fix);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					{ attempt-header: X-A, deadline-header: x-a }       | deadline-header (x-a) at application.yml:2: is the name of backoff.http.attempt-header too (application.yml:2).
					{ attempt-header: X-A, idempotency-header: X-A }    | idempotency-header (X-A) at application.yml:2: is the name of backoff.http.attempt-header too (application.yml:2).
					{ idempotency-header: x-retry-attempt }             | idempotency-header (x-retry-attempt) at application.yml:2: is the name of backoff.http.attempt-header too (built in).
					{ attempt-header: X-Retry-Deadline-Ms }             | attempt-header (X-Retry-Deadline-Ms) at application.yml:2: is the name of backoff.http.deadline-header too (built in).
					""")
	void twoHeadersMustNotHaveOneName(String lines, String problem) {
		Throwable failure = SmallApplication.of().yaml("backoff:\n  http: " + lines + "\n").failure();
		assertThat(failure).isInstanceOf(InvalidBackoffException.class);
		assertThat(((InvalidBackoffException) failure).problems()).extracting(Problem::toString)
			.containsExactly("Invalid backoff.http." + problem + " Give each header a name of its own.");
	}

	@Test
	void anUnknownKeyIsReportedWithTheNearest() {
		Throwable failure = SmallApplication.of().yaml("backoff:\n  http:\n    host: a\n").failure();
		assertThat(((InvalidBackoffException) failure).problems()).extracting(Problem::fix)
			.containsExactly("Write backoff.http.hosts.");
	}

	@Test
	void aValueForTheGroupIsReported() {
		Throwable failure = SmallApplication.of().yaml("backoff:\n  http: on\n").failure();
		assertThat(((InvalidBackoffException) failure).problems()).extracting(Problem::fix)
			.containsExactly("Write the keys below it, for instance backoff.http.hosts.");
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
