package dev.backoff.spring.autoconfigure;

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

/**
 * The whole report that stops the start. What it says of each kind of bad configuration
 * is in {@code ReportTableTests}.
 */
class StartupReportTests {

	@ParameterizedTest
	@MethodSource
	void reportsFiles(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsFiles() {
		return Stream.of(
				yaml("classifier", "backoff.policies.orders.classifier: gateway",
						"Invalid backoff.policies.orders.classifier (gateway) at application.yml:1: names no bean of "
								+ "type FailureClassifier.",
						"Write the name of such a bean, or define one called gateway."),
				yaml("classifier of a policy that no method uses", """
						backoff:
						  policies:
						    orders.base: 1s
						    spare.classifier: backofFailureClassifiers
						""",
						"Invalid backoff.policies.spare.classifier (backofFailureClassifiers) at application.yml:4: "
								+ "names no bean of type FailureClassifier.",
						"Write backoffFailureClassifiers."),
				yaml("policies misspelled", """
						backoff:
						  policy:
						    orders:
						      base: 1s
						""",
						"@Backoff on Shop.place(String): invalid value (orders): names a policy that is not "
								+ "defined.",
						"Define backoff.policies.orders, or give the annotation values such as base or idempotent.",
						"Invalid backoff.policy.orders.base (1s) at application.yml:4: is no key of backoff.",
						"Write backoff.policies.orders.base."),
				yaml("mode without its module", """
						backoff:
						  mode: aspectj
						  policies.orders.base: 1s
						""",
						"Invalid backoff.mode (aspectj): needs the module dev.backoff:retry-aspectj, which is not on "
								+ "the class path.",
						"Add the dependency dev.backoff:retry-aspectj, or remove the key."),
				yaml("values where keys are expected", """
						backoff:
						  policies: orders
						  defaults: 3
						  metrics: true
						""",
						"@Backoff on Shop.place(String): invalid value (orders): names a policy that is not "
								+ "defined.",
						"Define backoff.policies.orders, or give the annotation values such as base or idempotent.",
						"Invalid backoff.policies (orders) at application.yml:2: holds keys, not a value.",
						"Write the keys below it, for instance backoff.policies.<name>.base.",
						"Invalid backoff.defaults (3) at application.yml:3: holds keys, not a value.",
						"Write the keys below it, for instance backoff.defaults.base.",
						"Invalid backoff.metrics (true) at application.yml:4: holds keys, not a value.",
						"Write the keys below it, for instance backoff.metrics.enabled."),
				yaml("several problems at once", """
						backoff:
						  policies:
						    orders: { base: soon, cap: 0s, max-attempts: none, retries: 2 }
						""", "Invalid backoff.policies.orders.base (soon) at application.yml:3: must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"Invalid backoff.policies.orders.cap (0s) at application.yml:3: must be above zero.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"Invalid backoff.policies.orders.max-attempts (none) at application.yml:3: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry.",
						"Invalid backoff.policies.orders.retries (2) at application.yml:3: is no key of a " + "policy.",
						"Write 3 as max-attempts: it counts the first attempt too (retries + 1)."));
	}

	private static ReportRow yaml(String name, String text, String... problems) {
		return ReportRow.of(name, ReportRow.shop().yaml(text), problems);
	}

	@ParameterizedTest
	@MethodSource
	void reportsWhereAValueIsWritten(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsWhereAValueIsWritten() {
		return Stream.of(
				ReportRow.of("a .properties file", ReportRow.shop().file("application.properties", """
						# policies
						backoff.policies.orders.base=1s
						backoff.policies.orders.cap=500ms
						"""),
						"Invalid backoff.policies.orders.cap (500ms) at application.properties:3: must not be "
								+ "below the base (1s).",
						"Raise the cap or lower the base (application.properties:2)."),
				ReportRow.of("a profile's file",
						ReportRow.shop().argument("--spring.profiles.active=prod").file("application-prod.yml", """
								backoff.policies.orders.max-attempts: 0
								""").yaml("""
								backoff.policies.orders.base: 1s
								"""),
						"Invalid backoff.policies.orders.max-attempts (0) at application-prod.yml:1: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("an environment variable",
						ReportRow.shop().variable("BACKOFF_POLICIES_ORDERS_MAX_ATTEMPTS", "0").yaml("""
								backoff.policies.orders.base: 1s
								"""),
						"Invalid backoff.policies.orders.max-attempts (0) at the environment variable "
								+ "BACKOFF_POLICIES_ORDERS_MAX_ATTEMPTS: must be a number from 1 to 1000000, or "
								+ "unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("an environment variable of a breaker",
						ReportRow.shop()
							.yaml("backoff.policies.orders.base: 1s")
							.variable("BACKOFF_BREAKERS_ORDERS_SLOW_CALL_RATE", "0.8"),
						"Invalid backoff.breakers.orders.slow-call-rate (0.8) at the environment variable "
								+ "BACKOFF_BREAKERS_ORDERS_SLOW_CALL_RATE: must be a percentage above 0% and at most 100%.",
						"Write it as a percentage: 80%."),
				ReportRow.of("an element of a list in the environment",
						ReportRow.shop().variable("BACKOFF_POLICIES_ORDERS_RETRY_ON_0", "com.acme.Gone"),
						"Invalid backoff.policies.orders.retry-on (com.acme.Gone) at the environment variable "
								+ "BACKOFF_POLICIES_ORDERS_RETRY_ON_0: names a class that is not on the class path.",
						"Write the full name of an exception, as in java.io.IOException."),
				ReportRow.of("the command line", ReportRow.shop().argument("--backoff.policies.orders.max-attempts=0"),
						"Invalid backoff.policies.orders.max-attempts (0) at the command line: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("a number in a source that names itself",
						ReportRow.shop()
							.source(new MapPropertySource("vault", Map.of("backoff.policies.orders.base", 10))),
						"Invalid backoff.policies.orders.base (10) at the property source vault: must have a unit.",
						"Write 10ms or 10s."),
				ReportRow.of("SPRING_APPLICATION_JSON", ReportRow.shop().variable("SPRING_APPLICATION_JSON", """
						{ "backoff": { "policies": { "orders": { "max-attempts": 0 } } } }
						"""),
						"Invalid backoff.policies.orders.max-attempts (0) at the environment variable "
								+ "SPRING_APPLICATION_JSON: must be a number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."));
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
