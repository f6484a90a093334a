package dev.backoff.spring.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The report that stops the start; {@code ReportTableTests} has each problem. */
class StartupReportTests {

	private static final Map<String, List<String>> WRITTEN = ReportRow.reports("startup-reports.txt");

	@ParameterizedTest
	@MethodSource
	void reportsFiles(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsFiles() {
		return ReportRow.files("startup-reports.txt");
	}

	@ParameterizedTest
	@MethodSource
	void reportsWhereAValueIsWritten(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsWhereAValueIsWritten() {
		return Stream.of(written("a .properties file", ReportRow.shop().file("application.properties", """
				# policies
				backoff.policies.orders.base=1s
				backoff.policies.orders.cap=500ms
				""")),
				written("a profile's file",
						ReportRow.shop().argument("--spring.profiles.active=prod").file("application-prod.yml", """
								backoff.policies.orders.max-attempts: 0
								""").yaml("""
								backoff.policies.orders.base: 1s
								""")),
				written("an environment variable",
						ReportRow.shop().variable("BACKOFF_POLICIES_ORDERS_MAX_ATTEMPTS", "0").yaml("""
								backoff.policies.orders.base: 1s
								""")),
				written("an environment variable of a breaker",
						ReportRow.shop()
							.yaml("backoff.policies.orders.base: 1s")
							.variable("BACKOFF_BREAKERS_ORDERS_SLOW_CALL_RATE", "0.8")),
				written("an element of a list in the environment",
						ReportRow.shop().variable("BACKOFF_POLICIES_ORDERS_RETRY_ON_0", "com.acme.Gone")),
				written("the command line", ReportRow.shop().argument("--backoff.policies.orders.max-attempts=0")),
				written("a number in a source that names itself",
						ReportRow.shop()
							.source(new MapPropertySource("vault", Map.of("backoff.policies.orders.base", 10)))),
				written("SPRING_APPLICATION_JSON", ReportRow.shop().variable("SPRING_APPLICATION_JSON", """
						{ "backoff": { "policies": { "orders": { "max-attempts": 0 } } } }
						""")));
	}

	private static ReportRow written(String where, SmallApplication application) {
		return new ReportRow(where, application, WRITTEN.get(where));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void printsTheReportInsteadOfAStackTrace(CapturedOutput output) {
		SmallApplication application = ReportRow.shop().yaml("""
				backoff:
				  policies:
				    orders:
				      base: 1s
				      cap: 500ms
				      max-retries: 3
				""");
		assertThatExceptionOfType(InvalidBackoffException.class).isThrownBy(application::startAloud);
		assertThat(output.getAll().replace("\r", ""))
			.contains(
					"""
							***************************
							APPLICATION FAILED TO START
							***************************

							Description:

							Retries cannot work as configured, for 2 reasons:

							    1. Invalid backoff.policies.orders.cap (500ms) at application.yml:5: must not be below the base (1s).

							    2. Invalid backoff.policies.orders.max-retries (3) at application.yml:6: is no key of a policy.

							Action:

							1. Raise the cap or lower the base (application.yml:4).
							2. Write 4 as max-attempts: it counts the first attempt too (retries + 1).
							""")
			.doesNotContain("\tat ");
	}

}
