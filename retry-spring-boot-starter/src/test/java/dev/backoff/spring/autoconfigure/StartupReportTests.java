package dev.backoff.spring.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Every kind of bad configuration, with the whole report that stops the start. */
class StartupReportTests {

	/* Each is line 4 of an application.yml, in a policy that is used. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					max-attempts: 0 | max-attempts (0): must be a number from 1 to 1000000, or unlimited. | Write 1 or more, or unlimited; 1 means no retry.
					jitter: 120% | jitter (120%): must be above 0% and at most 100%. | Write a percentage such as 20%, or none.
					jitter: 0.2 | jitter (0.2): must be none, full, equal, decorrelated, beta, beta a..b or a percentage. | Write it as a percentage: 20%.
					jitter: beta 0.7..0.3 | jitter (beta 0.7..0.3): must be a part of 0..1, the lower end first. | Write a part such as beta 0.3..0.7.
					base: -5s | base (-5s): must not be negative. | Write a number and a unit, such as 250ms, 2s or 5m.
					base: 10 | base (10): must have a unit. | Write 10ms or 10s.
					base: ${orders.base:10} | base (10 from ${orders.base:10}): must have a unit. | Write 10ms or 10s.
					cap: ${orders.cap:50ms} | cap (50ms from ${orders.cap:50ms}): must not be below the base (100ms). | Raise the cap or lower the base (built in).
					retry-after.max: 60 | retry-after.max (60): must have a unit. | Write 60ms or 60s.
					base: 1 s | base (1 s): must be a duration. | Write it without blanks: 1s.
					base: | base (): must not be empty. | Give it a value, or remove the key.
					cap: 0s | cap (0s): must be above zero. | Write a number and a unit, such as 250ms, 2s or 5m.
					cap: 50ms | cap (50ms): must not be below the base (100ms). | Raise the cap or lower the base (built in).
					multiplier: .nan | multiplier (NaN): must be a finite number of at least 1. | Write a number such as 2 or 1.5; 1 keeps the delay constant.
					deadline: 0 | deadline (0): must be above zero. | Write a duration such as 5s, or none.
					deadline: 5ms | deadline (5ms): leaves no room for a retry, which waits 0ms at least and needs 10ms (shortest-attempt). | Raise the deadline, or lower shortest-attempt (built in).
					attempt-timeout: 0 | attempt-timeout (0): must be above zero. | Write a duration such as 5s, or none.
					attempt-timeout: soon | attempt-timeout (soon): must be a duration. | Write a duration such as 5s, or none.
					ladder: [] | ladder (): must have at least one level. | Write the delays, such as 1s x5, 10s, 30s.
					ladder: 1s,,3s | ladder (1s, , 3s): has an empty level. | Write a delay in its place, or remove it.
					ladder: [1s, '', 3s] | ladder (1s, , 3s): has an empty level. | Write a delay in its place, or remove it.
					ladder: [1s, 5] | ladder (1s, 5): has the level '5', which must have a unit. | Write a level as a duration with an optional number of times, such as 10s or 1s x5.
					ladder: 4m 10m 10m | ladder (4m 10m 10m): has the level '4m 10m 10m', which must be a duration. | Separate levels by commas: 4m, 10m, 10m.
					ladder: 1s x5 10s，30s | ladder (1s x5 10s，30s): has the level '1s x5 10s，30s', which must be a duration. | Separate levels by commas: 1s x5, 10s, 30s.
					shape: ladder | shape (ladder): needs a ladder. | Add the delays as ladder.
					shape: curve | shape (curve): must be one of fixed, linear, exponential, ladder. | Write one of these words.
					shape: exponental | shape (exponental): must be one of fixed, linear, exponential, ladder. | Write exponential.
					preset: urgent | preset (urgent): must be one of user-facing, background, message, critical, health-check, short-job, medium-job, long-job. | Write one of these words.
					enabled: maybe | enabled (maybe): must be true or false. | Write true or false.
					final-poll: maybe | final-poll (maybe): must be true or false. | Write true or false.
					nested: twice | nested (twice): must be one of stop, multiply. | Write one of these words.
					step: 1s | step (1s): has no effect, because the shape is exponential (built in). | Remove it, or set the shape to linear.
					base: [1s, 2s] | base (1s, 2s): must be one value, not a list. | Write one value.
					base: [1s] | base (1s): must be one value, not a list. | Write one value.
					base: ${orders.base} | base (${orders.base}): has the placeholder ${orders.base}, which nothing defines. | Define the property orders.base, or give it a default, as in ${orders.base:2s}.
					base: "#{1 + 1}s" | base (#{1 + 1}s): must not be an expression: #{} is never evaluated here. | Write a literal value, or a ${placeholder}.
					retry-on: com.acme.Gone | retry-on (com.acme.Gone): names a class that is not on the class path. | Write the full name of an exception, as in java.io.IOException.
					retry-on: IOException | retry-on (IOException): names a class that is not on the class path. | Write java.io.IOException.
					retry-on: java.lang.String | retry-on (java.lang.String): names a class that is no exception. | Write an exception type.
					retry-on: java.lang.OutOfMemoryError | retry-on (java.lang.OutOfMemoryError): names a failure that is never retried. | Remove it.
					retry-on: dev.backoff.breaker.CircuitOpenException | retry-on (dev.backoff.breaker.CircuitOpenException): names a failure that is never retried. | Remove it.
					abort-on: [java.io.IOException, java.io.Gone] | abort-on (java.io.Gone): names a class that is not on the class path. | Write the full name of an exception, as in java.io.IOException.
					throttled-base: 20s | throttled-base (20s): must not be above the cap (10s). | Lower it, or raise the cap.
					classifier: gateway | classifier (gateway): names no bean of type FailureClassifier. | Write the name of such a bean, or define one called gateway.
					inherits: other | inherits (other): names a policy that is not defined. | Define backoff.policies.other, or remove the key.
					inherits: orders | inherits (orders): closes a circle: orders inherits orders. | Remove one of these inherits keys.
					retry-after: 5s | retry-after (5s): holds keys, not a value. | Write the keys below it, for instance backoff.policies.orders.retry-after.enabled.
					retry-after.max: 0s | retry-after.max (0s): must be above zero. | Write a number and a unit, such as 250ms, 2s or 5m.
					retry-after.maximum: 5s | retry-after.maximum (5s): is no key of a policy. | Known keys below retry-after: retry-after.enabled, retry-after.max.
					max-retries: 3 | max-retries (3): is no key of a policy. | Write 4 as max-attempts: it counts the first attempt too (retries + 1).
					delay: 1s | delay (1s): is no key of a policy. | Write base instead of delay.
					max-delay: 1s | max-delay (1s): is no key of a policy. | Write cap instead of max-delay.
					initial-interval: 1s | initial-interval (1s): is no key of a policy. | Write base instead of initial-interval.
					includes: java.io.IOException | includes (java.io.IOException): is no key of a policy. | Write retry-on instead of includes.
					max-atempts: 3 | max-atempts (3): is no key of a policy. | Write max-attempts instead of max-atempts.
					recover: park | recover (park): is no key of a policy. | Write it as recover of @Backoff: it belongs to the code.
					retry-when: 'true' | retry-when (true): is no key of a policy. | Write it as retryWhen of @Backoff: it belongs to the code.
					place.base: 1s | place.base (1s): is no key of a policy. | If the policy is called orders.place, write its name in brackets and quotes: "[orders.place]".
					""")
	void reportsValuesAndKeysOfPolicies(String line, String problem, String fix) {
		ReportRow.ofPolicy(line, problem, fix).check();
	}

	@ParameterizedTest
	@MethodSource
	void reportsFiles(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsFiles() {
		return Stream.of(
				yaml("unknown key of backoff", """
						backoff:
						  enable: true
						  inherits: orders
						  policies.orders.base: 1s
						""", "Invalid backoff.enable (true) at application.yml:2: is no key of backoff.",
						"Write backoff.enabled.",
						"Invalid backoff.inherits (orders) at application.yml:3: is no key of backoff.",
						"Known keys: enabled, retries-enabled, unknown-keys, instances, random, mode, other-retries, "
								+ "metrics.enabled, metrics.slo, metrics.durations, observation.enabled, http.hosts, "
								+ "http.attempt-header, http.deadline-header, http.idempotency-header, http.inbound, "
								+ "endpoint.messages, health.breakers, shutdown.wait, durable.work, durable.store, "
								+ "durable.data-source, durable.file, durable.table, durable.initialize-schema, "
								+ "durable.poll-interval, durable.heartbeat, durable.max-losses, durable.max-payload, "
								+ "durable.shutdown-wait, defaults.*, policies.*, breakers.*, budgets.*."),
				yaml("two spellings, one of them empty", """
						backoff:
						  policies:
						    orders.base: 1s
						    pay-ment:
						    payMent: { base: 1s }
						""",
						"Policies pay-ment (application.yml:4) and payMent (application.yml:5): names are compared by "
								+ "letters and digits only, so these two are the same.",
						"Rename one of them, or merge the two."),
				yaml("classifier of a policy that no method uses", """
						backoff:
						  policies:
						    orders.base: 1s
						    spare.classifier: backofFailureClassifiers
						""",
						"Invalid backoff.policies.spare.classifier (backofFailureClassifiers) at application.yml:4: "
								+ "names no bean of type FailureClassifier.",
						"Write backoffFailureClassifiers."),
				yaml("settings without a unit", """
						backoff:
						  metrics.slo: 100ms, 500
						  shutdown.wait: 5
						  policies.orders.base: 1s
						""", "Invalid backoff.metrics.slo (500) at application.yml:2: must have a unit.",
						"Write 500ms or 500s.",
						"Invalid backoff.shutdown.wait (5) at application.yml:3: must have a unit.",
						"Write 5ms or 5s."),
				yaml("key of a policy directly below backoff", """
						backoff:
						  max-attempts: 3
						  policies.orders.base: 1s
						""", "Invalid backoff.max-attempts (3) at application.yml:2: is no key of backoff.",
						"Write backoff.defaults.max-attempts, or the key below a policy."),
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
				yaml("value of a setting", """
						backoff:
						  enabled: perhaps
						  random: dice
						  unknown-keys: ignore
						  mode: aspect
						  metrics:
						    slo: 1s, none
						    durations: some
						  endpoint.messages: some
						  policies.orders.base: 1s
						""", "Invalid backoff.enabled (perhaps) at application.yml:2: must be true or false.",
						"Write true or false.",
						"Invalid backoff.unknown-keys (ignore) at application.yml:4: must be one of error, warn.",
						"Write one of these words.",
						"Invalid backoff.random (dice) at application.yml:3: must be one of fast, secure.",
						"Write one of these words.",
						"Invalid backoff.mode (aspect) at application.yml:5: must be one of proxy, aspectj.",
						"Write aspectj.",
						"Invalid backoff.metrics.slo (none) at application.yml:7: must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"Invalid backoff.metrics.durations (some) at application.yml:8: must be true or false.",
						"Write true or false.",
						"Invalid backoff.endpoint.messages (some) at application.yml:9: must be true or false.",
						"Write true or false."),
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
				yaml("policy that is a value", """
						backoff:
						  policies:
						    orders: 5s
						""", "Invalid backoff.policies.orders (5s) at application.yml:3: holds keys, not a value.",
						"Write the keys below it, for instance backoff.policies.orders.base."),
				yaml("inherits among the defaults", """
						backoff:
						  defaults: { inherits: orders, inherit: orders, base-config: orders }
						  policies.orders.base: 1s
						""",
						"Invalid backoff.defaults.inherits (orders) at application.yml:2: is no key of the defaults.",
						"Remove it: every policy inherits the defaults.",
						"Invalid backoff.defaults.inherit (orders) at application.yml:2: is no key of the defaults.",
						"Remove it: every policy inherits the defaults.",
						"Invalid backoff.defaults.base-config (orders) at application.yml:2: is no key of the defaults.",
						"Remove it: every policy inherits the defaults."),
				yaml("cap below the base, both in a file", """
						backoff:
						  defaults:
						    base: 1s
						  policies:
						    orders:
						      cap: 500ms
						""",
						"Invalid backoff.policies.orders.cap (500ms) at application.yml:6: must not be below "
								+ "the base (1s).",
						"Raise the cap or lower the base (application.yml:3)."),
				yaml("colliding names in one file", """
						backoff:
						  policies:
						    orders: { base: 1s }
						    Orders: { base: 2s }
						    ord-ers: { cap: 30s }
						""",
						"Policies orders (application.yml:3) and Orders (application.yml:4): names are "
								+ "compared by letters and digits only, so these two are the same.",
						"Rename one of them, or merge the two.",
						"Policies orders (application.yml:3) and ord-ers (application.yml:5): names are "
								+ "compared by letters and digits only, so these two are the same.",
						"Rename one of them, or merge the two."),
				yaml("one key twice", """
						backoff:
						  policies:
						    orders:
						      max-attempts: 2
						      maxAttempts: 3
						  defaults: { retry-on: [java.io.IOException], retryOn: [java.io.EOFException] }
						  policies.mails: { retry-after-max: 5s, retry-after.max: "${nothing}" }
						""", "Keys backoff.policies.orders.max-attempts (application.yml:4) and "
						+ "backoff.policies.orders.maxAttempts (application.yml:5): keys are compared by letters "
						+ "and digits only, so these two are the same.", "Remove one of them.",
						"Keys backoff.defaults.retry-on[0] (application.yml:6) and backoff.defaults.retryOn[0] "
								+ "(application.yml:6): keys are compared by letters and digits only, so these two are "
								+ "the same.",
						"Remove one of them.",
						"Keys backoff.policies.mails.retry-after-max (application.yml:7) and "
								+ "backoff.policies.mails.retry-after.max (application.yml:7): keys are compared by "
								+ "letters and digits only, so these two are the same.",
						"Remove one of them."),
				yaml("circle of three, and one that leads into it", """
						backoff:
						  policies:
						    orders: { base: 1s }
						    a: { inherits: b }
						    b: { inherits: c }
						    c: { inherits: a }
						    d: { inherits: c }
						""",
						"Invalid backoff.policies.c.inherits (a) at application.yml:6: closes a circle: a "
								+ "inherits b inherits c inherits a.",
						"Remove one of these inherits keys."),
				yaml("near name in inherits", """
						backoff:
						  policies:
						    payment: { base: 1s }
						    orders: { inherits: paymnet }
						""",
						"Invalid backoff.policies.orders.inherits (paymnet) at application.yml:4: names a "
								+ "policy that is not defined.",
						"Write payment."),
				yaml("decorrelated jitter with a narrow cap", """
						backoff:
						  policies:
						    orders: { jitter: decorrelated, base: 1s, cap: 1500ms }
						""",
						"Invalid backoff.policies.orders.cap (1500ms) at application.yml:3: must be at least "
								+ "twice the base (1s) for decorrelated jitter (application.yml:3).",
						"Raise the cap or lower the base (application.yml:3)."),
				yaml("decorrelated jitter beside another shape", """
						backoff:
						  policies:
						    orders: { jitter: decorrelated, shape: fixed }
						""",
						"Invalid backoff.policies.orders.jitter (decorrelated) at application.yml:3: grows "
								+ "from a base by itself, and the shape is fixed.",
						"Remove the shape, or choose another jitter."),
				yaml("decorrelated jitter beside a multiplier", """
						backoff:
						  policies:
						    orders: { jitter: decorrelated, multiplier: 3 }
						""",
						"Invalid backoff.policies.orders.multiplier (3) at application.yml:3: has no effect, "
								+ "because decorrelated jitter grows by itself.",
						"Remove it."),
				yaml("multiplier beside a linear shape", """
						backoff:
						  policies:
						    orders: { shape: linear, multiplier: 3 }
						""",
						"Invalid backoff.policies.orders.multiplier (3) at application.yml:3: has no effect, "
								+ "because the shape is linear (application.yml:3).",
						"Remove it, or set the shape to exponential."),
				yaml("ladder beside another shape", """
						backoff:
						  policies:
						    orders: { ladder: 1s, shape: fixed }
						""",
						"Invalid backoff.policies.orders.ladder (1s) at application.yml:3: contradicts the "
								+ "shape fixed beside it.",
						"Remove one of the two."),
				yaml("base beside a ladder", """
						backoff:
						  policies:
						    orders: { ladder: 1s, base: 2s }
						""",
						"Invalid backoff.policies.orders.base (2s) at application.yml:3: has no effect, "
								+ "because the shape is ladder (application.yml:3).",
						"Remove it, or set the shape to fixed, linear or exponential."),
				yaml("base that leaves a preset's deadline no room", """
						backoff:
						  policies:
						    orders: { preset: user-facing, base: 10s, jitter: none }
						""",
						"Invalid backoff.policies.orders.preset: its deadline (5s) at preset user-facing, "
								+ "application.yml:3: leaves no room for a retry, which waits 10s at least and needs "
								+ "10ms (shortest-attempt).",
						"Raise the deadline, or lower the base (application.yml:3)."),
				yaml("ladder that leaves a deadline no room", """
						backoff:
						  policies:
						    orders: { ladder: [5s, 1s], deadline: 2s }
						""",
						"Invalid backoff.policies.orders.deadline (2s) at application.yml:3: leaves no room "
								+ "for a retry, which waits 4s at least and needs 10ms (shortest-attempt).",
						"Raise the deadline, or shorten the ladder's first level (application.yml:3)."),
				yaml("dotted policy name without brackets", """
						backoff:
						  policies:
						    orders.base: 1s
						    OrderService.place:
						      retry-after.max: 1s
						""",
						"Invalid backoff.policies.OrderService.place.retry-after.max (1s) at "
								+ "application.yml:5: is no key of a policy.",
						"If the policy is called OrderService.place, write its name in brackets and quotes: "
								+ "\"[OrderService.place]\"."),
				yaml("unused policy", """
						backoff:
						  policies:
						    orders.base: 1s
						    spare: { base: 1s, cap: 500ms, classifier: gateway }
						""",
						"Invalid backoff.policies.spare.cap (500ms) at application.yml:4: must not be below "
								+ "the base (1s).",
						"Raise the cap or lower the base (application.yml:4)."),
				yaml("value that a stronger one hides", """
						backoff:
						  defaults: { base: soon, multiplier: much }
						  policies:
						    orders: { base: 1s, shape: fixed }
						""", "Invalid backoff.defaults.base (soon) at application.yml:2: must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"Invalid backoff.defaults.multiplier (much) at application.yml:2: must be a finite "
								+ "number of at least 1.",
						"Write a number such as 2 or 1.5; 1 keeps the delay constant."),
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
				ReportRow.of("an element of a list in the environment",
						ReportRow.shop().variable("BACKOFF_POLICIES_ORDERS_RETRY_ON_0", "com.acme.Gone"),
						"Invalid backoff.policies.orders.retry-on (com.acme.Gone) at the environment variable "
								+ "BACKOFF_POLICIES_ORDERS_RETRY_ON_0: names a class that is not on the class path.",
						"Write the full name of an exception, as in java.io.IOException."),
				ReportRow.of("the command line", ReportRow.shop().argument("--backoff.policies.orders.max-attempts=0"),
						"Invalid backoff.policies.orders.max-attempts (0) at the command line: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
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
