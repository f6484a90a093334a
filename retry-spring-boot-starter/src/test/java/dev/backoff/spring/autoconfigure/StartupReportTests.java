package dev.backoff.spring.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.SmallApplication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Every kind of bad configuration, with the whole report that stops the start. */
class StartupReportTests {

	@ParameterizedTest
	@MethodSource
	void reportsValuesAndKeysOfPolicies(ReportRow row) {
		row.check();
	}

	/* Each is line 4 of an application.yml, in a policy that is used. */
	static Stream<ReportRow> reportsValuesAndKeysOfPolicies() {
		return Stream.of(
				value("max-attempts: 0",
						"Invalid backoff.policies.orders.max-attempts (0) at application.yml:4: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				value("max-attempts: -1",
						"Invalid backoff.policies.orders.max-attempts (-1) at application.yml:4: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				value("max-attempts: 2.5",
						"Invalid backoff.policies.orders.max-attempts (2.5) at application.yml:4: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				value("jitter: 120%",
						"Invalid backoff.policies.orders.jitter (120%) at application.yml:4: must be above 0% "
								+ "and at most 100%.",
						"Write a percentage such as 20%, or none."),
				value("jitter: 0%",
						"Invalid backoff.policies.orders.jitter (0%) at application.yml:4: must be above 0% "
								+ "and at most 100%.",
						"Write a percentage such as 20%, or none."),
				value("jitter: 0.2",
						"Invalid backoff.policies.orders.jitter (0.2) at application.yml:4: must be none, "
								+ "full, equal, decorrelated, beta, beta a..b or a percentage.",
						"Write it as a percentage: 20%."),
				value("jitter: some",
						"Invalid backoff.policies.orders.jitter (some) at application.yml:4: must be none, "
								+ "full, equal, decorrelated, beta, beta a..b or a percentage.",
						"Write full for the default, or a percentage such as 20%."),
				value("jitter: beta 0.7..0.3",
						"Invalid backoff.policies.orders.jitter (beta 0.7..0.3) at application.yml:4: must be "
								+ "a part of 0..1, the lower end first.",
						"Write a part such as beta 0.3..0.7."),
				value("jitter: decorrelated, equal",
						"Invalid backoff.policies.orders.jitter (decorrelated, equal) at application.yml:4: "
								+ "must be none, full, equal, decorrelated, beta, beta a..b or a percentage.",
						"Write full for the default, or a percentage such as 20%."),
				value("base: -5s",
						"Invalid backoff.policies.orders.base (-5s) at application.yml:4: must not be negative.",
						"Write a number and a unit, such as 250ms, 2s or 5m."),
				value("base: 10foo",
						"Invalid backoff.policies.orders.base (10foo) at application.yml:4: must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m."),
				value("base: 10", "Invalid backoff.policies.orders.base (10) at application.yml:4: must have a unit.",
						"Write 10ms or 10s."),
				value("deadline: 300",
						"Invalid backoff.policies.orders.deadline (300) at application.yml:4: must have a unit.",
						"Write 300ms or 300s."),
				value("retry-after.max: 60",
						"Invalid backoff.policies.orders.retry-after.max (60) at application.yml:4: must have a unit.",
						"Write 60ms or 60s."),
				value("max-attempts: ٣",
						"Invalid backoff.policies.orders.max-attempts (٣) at application.yml:4: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				value("base: 1 s",
						"Invalid backoff.policies.orders.base (1 s) at application.yml:4: must be a duration.",
						"Write it without blanks: 1s."),
				value("base: 1.5s",
						"Invalid backoff.policies.orders.base (1.5s) at application.yml:4: must be a duration.",
						"Write it in a smaller unit: 1500ms."),
				value("base:", "Invalid backoff.policies.orders.base () at application.yml:4: must not be empty.",
						"Give it a value, or remove the key."),
				value("base: 99999999999999999999s",
						"Invalid backoff.policies.orders.base (99999999999999999999s) at application.yml:4: "
								+ "must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m."),
				value("cap: 0s", "Invalid backoff.policies.orders.cap (0s) at application.yml:4: must be above zero.",
						"Write a number and a unit, such as 250ms, 2s or 5m."),
				value("cap: 50ms",
						"Invalid backoff.policies.orders.cap (50ms) at application.yml:4: must not be below "
								+ "the base (100ms).",
						"Raise the cap or lower the base (built in)."),
				value("multiplier: .nan",
						"Invalid backoff.policies.orders.multiplier (NaN) at application.yml:4: must be a "
								+ "finite number of at least 1.",
						"Write a number such as 2 or 1.5; 1 keeps the delay constant."),
				value("multiplier: 0.5",
						"Invalid backoff.policies.orders.multiplier (0.5) at application.yml:4: must be a "
								+ "finite number of at least 1.",
						"Write a number such as 2 or 1.5; 1 keeps the delay constant."),
				value("multiplier: two",
						"Invalid backoff.policies.orders.multiplier (two) at application.yml:4: must be a "
								+ "finite number of at least 1.",
						"Write a number such as 2 or 1.5; 1 keeps the delay constant."),
				value("deadline: 0",
						"Invalid backoff.policies.orders.deadline (0) at application.yml:4: must be above zero.",
						"Write a duration such as 5s, or none."),
				value("deadline: 5ms",
						"Invalid backoff.policies.orders.deadline (5ms) at application.yml:4: leaves no room "
								+ "for a retry, which waits 0ms at least and needs 10ms (shortest-attempt).",
						"Raise the deadline, or lower shortest-attempt (built in)."),
				value("attempt-timeout: 0",
						"Invalid backoff.policies.orders.attempt-timeout (0) at application.yml:4: must be above zero.",
						"Write a duration such as 5s, or none."),
				value("attempt-timeout: soon",
						"Invalid backoff.policies.orders.attempt-timeout (soon) at application.yml:4: must be a "
								+ "duration.",
						"Write a duration such as 5s, or none."),
				value("deadline: never",
						"Invalid backoff.policies.orders.deadline (never) at application.yml:4: must be a "
								+ "duration.",
						"Write a duration such as 5s, or none."),
				value("ladder: []",
						"Invalid backoff.policies.orders.ladder () at application.yml:4: must have at least "
								+ "one rung.",
						"Write the delays, such as 1s x5, 10s, 30s."),
				value("ladder: 1s,,3s",
						"Invalid backoff.policies.orders.ladder (1s, , 3s) at application.yml:4: has an empty rung.",
						"Write a delay in its place, or remove it."),
				value("ladder: [1s, '', 3s]",
						"Invalid backoff.policies.orders.ladder (1s, , 3s) at application.yml:4: has an empty rung.",
						"Write a delay in its place, or remove it."),
				value("ladder: [1s, 5]",
						"Invalid backoff.policies.orders.ladder (1s, 5) at application.yml:4: has the rung '5', which "
								+ "must have a unit.",
						"Write a rung as a duration with an optional number of times, such as 10s or 1s x5."),
				value("ladder: [1s, 5 sec]",
						"Invalid backoff.policies.orders.ladder (1s, 5 sec) at application.yml:4: has the rung "
								+ "'5 sec', which must be a duration.",
						"Write a rung as a duration with an optional number of times, such as 10s or 1s x5."),
				value("ladder: [1s x0]",
						"Invalid backoff.policies.orders.ladder (1s x0) at application.yml:4: has the rung '1s "
								+ "x0', which repeats less than once or too often.",
						"Write a rung as a duration with an optional number of times, such as 10s or 1s x5."),
				value("shape: ladder",
						"Invalid backoff.policies.orders.shape (ladder) at application.yml:4: needs a ladder.",
						"Add the delays as ladder."),
				value("shape: curve",
						"Invalid backoff.policies.orders.shape (curve) at application.yml:4: must be one of "
								+ "fixed, linear, exponential, ladder.",
						"Write one of these words."),
				value("shape: exponental",
						"Invalid backoff.policies.orders.shape (exponental) at application.yml:4: must be one "
								+ "of fixed, linear, exponential, ladder.",
						"Write exponential."),
				value("preset: urgent",
						"Invalid backoff.policies.orders.preset (urgent) at application.yml:4: must be one of "
								+ "user-facing, background, message, critical, health-check, short-job, medium-job, "
								+ "long-job.",
						"Write one of these words."),
				value("enabled: maybe",
						"Invalid backoff.policies.orders.enabled (maybe) at application.yml:4: must be true or "
								+ "false.",
						"Write true or false."),
				value("final-poll: maybe",
						"Invalid backoff.policies.orders.final-poll (maybe) at application.yml:4: must be true "
								+ "or false.",
						"Write true or false."),
				value("nested: twice",
						"Invalid backoff.policies.orders.nested (twice) at application.yml:4: must be one of "
								+ "stop, multiply.",
						"Write one of these words."),
				value("step: 1s",
						"Invalid backoff.policies.orders.step (1s) at application.yml:4: has no effect, "
								+ "because the shape is exponential (built in).",
						"Remove it, or set the shape to linear."),
				value("base: [1s, 2s]",
						"Invalid backoff.policies.orders.base (1s, 2s) at application.yml:4: must be one "
								+ "value, not a list.",
						"Write one value."),
				value("base: [1s]",
						"Invalid backoff.policies.orders.base (1s) at application.yml:4: must be one value, "
								+ "not a list.",
						"Write one value."),
				value("base: ${orders.base}",
						"Invalid backoff.policies.orders.base (${orders.base}) at application.yml:4: has the "
								+ "placeholder ${orders.base}, which nothing defines.",
						"Define the property orders.base, or give it a default, as in ${orders.base:2s}."),
				value("base: \"#{1 + 1}s\"",
						"Invalid backoff.policies.orders.base (#{1 + 1}s) at application.yml:4: must not be an "
								+ "expression: #{} is never evaluated here.",
						"Write a literal value, or a ${placeholder}."),
				value("retry-on: com.acme.Gone",
						"Invalid backoff.policies.orders.retry-on (com.acme.Gone) at application.yml:4: names "
								+ "a class that is not on the class path.",
						"Write the full name of an exception, as in java.io.IOException."),
				value("retry-on: IOException",
						"Invalid backoff.policies.orders.retry-on (IOException) at application.yml:4: names a "
								+ "class that is not on the class path.",
						"Write java.io.IOException."),
				value("retry-on: java.lang.String",
						"Invalid backoff.policies.orders.retry-on (java.lang.String) at application.yml:4: "
								+ "names a class that is no exception.",
						"Write an exception type."),
				value("retry-on: java.lang.OutOfMemoryError",
						"Invalid backoff.policies.orders.retry-on (java.lang.OutOfMemoryError) at "
								+ "application.yml:4: names a failure that is never retried.",
						"Remove it."),
				value("abort-on: [java.io.IOException, java.io.Gone]",
						"Invalid backoff.policies.orders.abort-on (java.io.Gone) at application.yml:4: names a "
								+ "class that is not on the class path.",
						"Write the full name of an exception, as in java.io.IOException."),
				value("throttled-base: 20s",
						"Invalid backoff.policies.orders.throttled-base (20s) at application.yml:4: must not "
								+ "be above the cap (10s).",
						"Lower it, or raise the cap."),
				value("classifier: gateway",
						"Invalid backoff.policies.orders.classifier (gateway) at application.yml:4: names no "
								+ "bean of type FailureClassifier.",
						"Write the name of such a bean, or define one called gateway."),
				value("inherits: other",
						"Invalid backoff.policies.orders.inherits (other) at application.yml:4: names a policy "
								+ "that is not defined.",
						"Define backoff.policies.other, or remove the key."),
				value("inherits: orders",
						"Invalid backoff.policies.orders.inherits (orders) at application.yml:4: closes a "
								+ "circle: orders inherits orders.",
						"Remove one of these inherits keys."),
				value("retry-after: 5s",
						"Invalid backoff.policies.orders.retry-after (5s) at application.yml:4: holds keys, "
								+ "not a value.",
						"Write the keys below it, for instance backoff.policies.orders.retry-after.enabled."),
				value("retry-after.max: 0s",
						"Invalid backoff.policies.orders.retry-after.max (0s) at application.yml:4: must be "
								+ "above zero.",
						"Write a number and a unit, such as 250ms, 2s or 5m."),
				value("retry-after.maximum: 5s",
						"Invalid backoff.policies.orders.retry-after.maximum (5s) at application.yml:4: is no "
								+ "key of a policy.",
						"Known keys below retry-after: retry-after.enabled, retry-after.max."),
				value("max-retries: 3",
						"Invalid backoff.policies.orders.max-retries (3) at application.yml:4: is no key of a "
								+ "policy.",
						"Write 4 as max-attempts: it counts the first attempt too (retries + 1)."),
				value("delay: 1s",
						"Invalid backoff.policies.orders.delay (1s) at application.yml:4: is no key of a " + "policy.",
						"Write base instead of delay."),
				value("max-delay: 1s",
						"Invalid backoff.policies.orders.max-delay (1s) at application.yml:4: is no key of a "
								+ "policy.",
						"Write cap instead of max-delay."),
				value("initial-interval: 1s",
						"Invalid backoff.policies.orders.initial-interval (1s) at application.yml:4: is no key "
								+ "of a policy.",
						"Write base instead of initial-interval."),
				value("includes: java.io.IOException",
						"Invalid backoff.policies.orders.includes (java.io.IOException) at application.yml:4: "
								+ "is no key of a policy.",
						"Write retry-on instead of includes."),
				value("max-atempts: 3",
						"Invalid backoff.policies.orders.max-atempts (3) at application.yml:4: is no key of a "
								+ "policy.",
						"Write max-attempts instead of max-atempts."),
				value("wibble: 3",
						"Invalid backoff.policies.orders.wibble (3) at application.yml:4: is no key of a " + "policy.",
						"Known keys: inherits, preset, enabled, shape, base, cap, multiplier, step, ladder, "
								+ "jitter, max-attempts, deadline, attempt-timeout, shortest-attempt, final-poll, throttled-base, "
								+ "retry-on, abort-on, match-causes, classifier, nested, replay, durable, schedule, schedule-zone, breaker, budget, idempotent, when-empty, "
								+ "concurrency, max-waiting, retry-after.enabled, retry-after.max."),
				value("recover: park",
						"Invalid backoff.policies.orders.recover (park) at application.yml:4: is no key of a "
								+ "policy.",
						"Write it as recover of @Backoff: it belongs to the code."),
				value("retry-when: 'true'",
						"Invalid backoff.policies.orders.retry-when (true) at application.yml:4: is no key of "
								+ "a policy.",
						"Write it as retryWhen of @Backoff: it belongs to the code."),
				value("place.base: 1s",
						"Invalid backoff.policies.orders.place.base (1s) at application.yml:4: is no key of a "
								+ "policy.",
						"If the policy is called orders.place, write its name in brackets and quotes: "
								+ "\"[orders.place]\"."));
	}

	private static ReportRow value(String line, String... problems) {
		return ReportRow.of(line, SmallApplication.of(Shop.class).yaml("""
				backoff:
				  policies:
				    orders:
				      %s
				""".formatted(line)), problems);
	}

	@ParameterizedTest
	@MethodSource
	void reportsFiles(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsFiles() {
		return Stream.of(yaml("unknown key of backoff", """
				backoff:
				  enable: true
				  wibble: 1
				  policies.orders.base: 1s
				""", "Invalid backoff.enable (true) at application.yml:2: is no key of backoff.",
				"Write backoff.enabled.", "Invalid backoff.wibble (1) at application.yml:3: is no key of backoff.",
				"Known keys: enabled, retries-enabled, unknown-keys, instances, random, mode, other-retries, metrics.enabled, "
						+ "metrics.slo, metrics.durations, observation.enabled, http.hosts, http.attempt-header, http.deadline-header, "
						+ "http.idempotency-header, http.inbound, endpoint.messages, health.breakers, shutdown.wait, durable.work, durable.store, durable.data-source, durable.file, durable.table, durable.initialize-schema, durable.poll-interval, durable.heartbeat, durable.max-losses, durable.max-payload, durable.shutdown-wait, defaults.*, "
						+ "policies.*, breakers.*, budgets.*."),
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
						"Define backoff.policies.orders, or give the annotation values of its own.",
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
						"Invalid backoff.random (dice) at application.yml:3: must be one of fast, secure.",
						"Write one of these words.",
						"Invalid backoff.mode (aspect) at application.yml:5: must be one of proxy, aspectj.",
						"Write aspectj.",
						"Invalid backoff.metrics.slo (none) at application.yml:7: must be a duration.",
						"Write a number and a unit, such as 250ms, 2s or 5m.",
						"Invalid backoff.metrics.durations (some) at application.yml:8: must be true or false.",
						"Write true or false.",
						"Invalid backoff.endpoint.messages (some) at application.yml:9: must be true or false.",
						"Write true or false.",
						"Invalid backoff.unknown-keys (ignore) at application.yml:4: must be one of error, " + "warn.",
						"Write one of these words."),
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
						"Define backoff.policies.orders, or give the annotation values of its own.",
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
						  defaults:
						    inherits: orders
						  policies.orders.base: 1s
						""",
						"Invalid backoff.defaults.inherits (orders) at application.yml:3: is no key of the "
								+ "defaults.",
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
						""", "Keys backoff.policies.orders.max-attempts (application.yml:4) and "
						+ "backoff.policies.orders.maxAttempts (application.yml:5): keys are compared by letters "
						+ "and digits only, so these two are the same.", "Remove one of them."),
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
						"Raise the deadline, or shorten the ladder's first rung (application.yml:3)."),
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
		return ReportRow.of(name, SmallApplication.of(Shop.class).yaml(text), problems);
	}

	@ParameterizedTest
	@MethodSource
	void reportsWhereAValueIsWritten(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsWhereAValueIsWritten() {
		return Stream.of(
				ReportRow.of("a .properties file", shop().file("application.properties", """
						# policies
						backoff.policies.orders.base=1s
						backoff.policies.orders.cap=500ms
						"""),
						"Invalid backoff.policies.orders.cap (500ms) at application.properties:3: must not be "
								+ "below the base (1s).",
						"Raise the cap or lower the base (application.properties:2)."),
				ReportRow.of("a profile's file",
						shop().argument("--spring.profiles.active=prod").file("application-prod.yml", """
								backoff.policies.orders.max-attempts: 0
								""").yaml("""
								backoff.policies.orders.base: 1s
								"""),
						"Invalid backoff.policies.orders.max-attempts (0) at application-prod.yml:1: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("an environment variable",
						shop().variable("BACKOFF_POLICIES_ORDERS_MAX_ATTEMPTS", "0").yaml("""
								backoff.policies.orders.base: 1s
								"""),
						"Invalid backoff.policies.orders.max-attempts (0) at the environment variable "
								+ "BACKOFF_POLICIES_ORDERS_MAX_ATTEMPTS: must be a number from 1 to 1000000, or "
								+ "unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("an element of a list in the environment",
						shop().variable("BACKOFF_POLICIES_ORDERS_RETRY_ON_0", "com.acme.Gone"),
						"Invalid backoff.policies.orders.retry-on (com.acme.Gone) at the environment variable "
								+ "BACKOFF_POLICIES_ORDERS_RETRY_ON_0: names a class that is not on the class path.",
						"Write the full name of an exception, as in java.io.IOException."),
				ReportRow.of("the command line", shop().argument("--backoff.policies.orders.max-attempts=0"),
						"Invalid backoff.policies.orders.max-attempts (0) at the command line: must be a "
								+ "number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."),
				ReportRow.of("SPRING_APPLICATION_JSON", shop().variable("SPRING_APPLICATION_JSON", """
						{ "backoff": { "policies": { "orders": { "max-attempts": 0 } } } }
						"""),
						"Invalid backoff.policies.orders.max-attempts (0) at the environment variable "
								+ "SPRING_APPLICATION_JSON: must be a number from 1 to 1000000, or unlimited.",
						"Write 1 or more, or unlimited; 1 means no retry."));
	}

	private static SmallApplication shop() {
		return SmallApplication.of(Shop.class);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void printsTheReportInsteadOfAStackTrace(CapturedOutput output) {
		SmallApplication application = shop().yaml("""
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

	public static class Shop {

		@Backoff("orders")
		public String place(String order) {
			return order;
		}

	}

}
