package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

import dev.backoff.annotation.Backoff;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.spring.configuration.BackoffProperties.RandomKind;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.time.Nanos;

import static org.assertj.core.api.Assertions.assertThat;

/** Where values come from, and how they may be spelled there. */
class ConfigurationSourcesTests {

	private static final String FILE = """
			backoff:
			  policies:
			    payment-callback:
			      base: 1s
			      max-attempts: 7
			      retry-on: [java.lang.IllegalStateException, java.io.IOException]
			""";

	private static SmallApplication application() {
		return SmallApplication.of(Callback.class).yaml(FILE);
	}

	private static String value(EffectivePolicy policy, Key<?> key) {
		EffectiveValue value = policy.values().get(key);
		return (value != null) ? value.value() + " <- " + value.origin() : "-";
	}

	@Nested
	class Variables {

		@ParameterizedTest
		@ValueSource(strings = { "BACKOFF_POLICIES_PAYMENT_CALLBACK_MAX_ATTEMPTS",
				"BACKOFF_POLICIES_PAYMENTCALLBACK_MAXATTEMPTS", "BACKOFF_POLICIES_PAYMENTCALLBACK_MAX_ATTEMPTS",
				"backoff_policies_payment_callback_max_attempts", "backoff.policies.payment-callback.max-attempts" })
		void overrideTheEntryTheyMean(String variable) {
			application().variable(variable, " 9 ").run((context) -> {
				BackoffPolicies policies = context.getBean(BackoffPolicies.class);
				assertThat(policies.current().names()).containsExactly("payment-callback");
				EffectivePolicy policy = policies.resolve("payment-callback");
				assertThat(policy.name()).isEqualTo("payment-callback");
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS))
					.isEqualTo("9 <- the environment variable " + variable);
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("1s <- application.yml:4");
			});
		}

		@Test
		void aloneDefineAPolicyUnderTheNameOfWhoUsesIt() {
			SmallApplication.of(Callback.class)
				.variable("BACKOFF_POLICIES_PAYMENT_CALLBACK_BASE", "2s")
				.run((context) -> {
					BackoffPolicies policies = context.getBean(BackoffPolicies.class);
					assertThat(policies.current().names()).containsExactly("payment-callback");
					assertThat(policies.current().unused(Section.POLICIES)).isEmpty();
					assertThat(policies.resolve("PaymentCallback").name()).isEqualTo("payment-callback");
				});
		}

		@ParameterizedTest
		@CsvSource({ "BACKOFF_POLICIES_PAYMENT_CALLBACK_RETRY_ON, java.io.EOFException, ''",
				"BACKOFF_POLICIES_PAYMENTCALLBACK_RETRYON_0, java.io.EOFException, ''",
				"'BACKOFF_POLICIES_PAYMENT_CALLBACK_RETRY_ON[0]', java.io.EOFException, ''" })
		void replaceListsWhole(String variable, String element) {
			application().variable(variable, element)
				.runWithPolicy(
						(policy) -> assertThat(policy.numbers().retryOn()).containsExactly(java.io.EOFException.class));
		}

		@Test
		void giveTheElementsOfAListTheirPlace() {
			application().variable("BACKOFF_POLICIES_PAYMENT_CALLBACK_RETRY_ON_1", "java.io.EOFException")
				.variable("BACKOFF_POLICIES_PAYMENT_CALLBACK_RETRY_ON_0", "java.io.FileNotFoundException")
				.runWithPolicy((policy) -> assertThat(policy.numbers().retryOn())
					.containsExactly(java.io.FileNotFoundException.class, java.io.EOFException.class));
		}

		@Test
		void setDefaultsAndSwitches() {
			application().variable("BACKOFF_DEFAULTS_CAP", "33s")
				.variable("BACKOFF_ENABLED", "no")
				.variable("BACKOFF_RETRIESENABLED", "off")
				.variable("BACKOFF_RANDOM", "Secure")
				.variable("BACKOFF_METRICS_ENABLED", "false")
				.variable("BACKOFF_METRICS_SLO_0", "100ms")
				.variable("BACKOFF_METRICS_SLO_1", "2s")
				.variable("BACKOFF_METRICS_DURATIONS", "true")
				.variable("BACKOFF_ENDPOINT_MESSAGES", "true")
				.run((context) -> {
					BackoffPolicies policies = context.getBean(BackoffPolicies.class);
					BackoffConfiguration configuration = policies.configuration();
					assertThat(configuration.isEnabled()).isFalse();
					assertThat(configuration.isRetriesEnabled()).isFalse();
					assertThat(configuration.get(SettingKey.RANDOM)).isEqualTo(RandomKind.SECURE);
					assertThat(configuration.shownSettings().get("metrics.enabled")).extracting(EffectiveValue::value)
						.isEqualTo("false");
					assertThat(configuration.get(SettingKey.METRICS_SLO)).containsExactly(Duration.ofMillis(100),
							Duration.ofSeconds(2));
					assertThat(configuration.get(SettingKey.METRICS_DURATIONS)).isTrue();
					assertThat(configuration.get(SettingKey.ENDPOINT_MESSAGES)).isTrue();
					assertThat(value(policies.resolve("payment-callback"), PolicyKey.CAP))
						.isEqualTo("33s <- the environment variable BACKOFF_DEFAULTS_CAP");
				});
		}

		@Test
		void tuneAMethodWithoutAName() {
			SmallApplication.of(Unnamed.class)
				.variable("BACKOFF_POLICIES_UNNAMED_PLACE_RETRY_AFTER_MAX", "3m")
				.runWithPolicy((policy) -> {
					assertThat(policy.name()).isEqualTo("Unnamed.place");
					assertThat(policy.numbers().retryAfterMaxNanos()).isEqualTo(Nanos.of(Duration.ofMinutes(3)));
				});
		}

		@Test
		void belongToThePolicyThatIsDefinedWhereTheyAreAmbiguous() {
			SmallApplication.of(Unnamed.class)
				.yaml("backoff.policies.payment-retry-after.base: 1s")
				.variable("BACKOFF_POLICIES_PAYMENT_RETRY_AFTER_ENABLED", "no")
				.run((context) -> {
					BackoffPolicies policies = context.getBean(BackoffPolicies.class);
					assertThat(policies.current().names()).containsExactly("payment-retry-after");
					assertThat(policies.resolve("payment-retry-after").numbers().isEnabled()).isFalse();
				});
		}

		@Test
		void thatMeanNothingAreLeftAlone() {
			application().variable("BACKOFF_SERVICE_HOST", "10.0.0.1")
				.variable("BACKOFF_SERVICE_PORT_8080_TCP", "x")
				.variable("BACKOFF_", "x")
				.variable("BACKOFF_ENABLED_0", "x")
				.variable("BACKOFF_DEFAULTS_INHERITS", "x")
				.variable("BACKOFF_DEFAULTS_BASE_0", "x")
				.variable("BACKOFF_POLICIES_PAYMENT_CALLBACK_DELAY", "x")
				.variable("BACKOFFICE_POLICIES_X_BASE", "x")
				.runWithPolicy(
						(policy) -> assertThat(value(policy, PolicyKey.BASE)).isEqualTo("1s <- application.yml:4"));
		}

	}

	@Nested
	class OrderOfSources {

		@Test
		void isBoots() {
			// a value that is hidden need not be one
			SmallApplication application = application().yaml(FILE.replace("1s", "${nothing}"))
				.file("application-prod.yml", "backoff.policies.paymentCallback.base: 2s");
			application.argument("--spring.profiles.active=prod").runWithPolicy((policy) -> {
				assertThat(policy.name()).isEqualTo("paymentCallback");
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("2s <- application-prod.yml:1");
				assertThat(value(policy, PolicyKey.MAX_ATTEMPTS)).isEqualTo("7 <- application.yml:5");
			});
			application.variable("BACKOFF_POLICIES_PAYMENTCALLBACK_BASE", "3s")
				.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.BASE))
					.isEqualTo("3s <- the environment variable BACKOFF_POLICIES_PAYMENTCALLBACK_BASE"));
			application.variable("SPRING_APPLICATION_JSON", """
					{ "backoff.policies.payment_callback": { "base": "4s" } }
					""")
				.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.BASE))
					.isEqualTo("4s <- the environment variable SPRING_APPLICATION_JSON"));
			application.argument("--backoff.policies.payment-callback.base=5s")
				.runWithPolicy(
						(policy) -> assertThat(value(policy, PolicyKey.BASE)).isEqualTo("5s <- the command line"));
		}

		@Test
		void takesListsWhole() {
			application().argument("--backoff.policies.payment-callback.retry-on[0]=java.io.EOFException")
				.runWithPolicy(
						(policy) -> assertThat(policy.numbers().retryOn()).containsExactly(java.io.EOFException.class));
		}

		@Test
		void includesSourcesThatNameThemselves() {
			application()
				.source(new MapPropertySource("vault",
						Map.of("backoff.policies.payment-callback.base", Duration.ofSeconds(6))))
				.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.BASE))
					.isEqualTo("PT6S <- the property source vault"));
		}

		@Test
		void includesSourcesThatCannotListTheirKeys() {
			Map<String, String> values = Map.of("backoff.policies.payment-callback.base", "6s", "backoff.random",
					"secure", "backoff.defaults.abort-on[0]", "java.io.EOFException", "backoff.defaults.abort-on[1]",
					"java.io.FileNotFoundException", "backoff.budgets.pay.per-second", "4",
					"backoff.breakers.pay.probes", "4");
			SmallApplication application = application().argument("--backoff.budgets.pay.tokens=10")
				.argument("--backoff.breakers.pay.probes=2");
			application.source(new Silent("jndi", values)).run((context) -> {
				BackoffPolicies policies = context.getBean(BackoffPolicies.class);
				BackoffConfiguration configuration = policies.configuration();
				assertThat(configuration.get(SettingKey.RANDOM)).isEqualTo(RandomKind.SECURE);
				assertThat(configuration.budget("pay").settings()).isEqualTo(new BudgetSettings(10, 0.1, 4));
				assertThat(configuration.breaker("pay").settings().probes()).isEqualTo(4);
				EffectivePolicy policy = policies.resolve("payment-callback");
				assertThat(value(policy, PolicyKey.BASE)).isEqualTo("6s <- the property source jndi");
				assertThat(policy.numbers().abortOn()).containsExactly(java.io.EOFException.class,
						java.io.FileNotFoundException.class);
			});
		}

	}

	@Nested
	class Spelling {

		@ParameterizedTest
		@ValueSource(strings = { "payment-callback", "paymentCallback", "PAYMENT_CALLBACK", "\"[Payment.Callback]\"" })
		void ofAPolicyDoesNotMatter(String name) {
			SmallApplication.of(Callback.class)
				.yaml("backoff.policies." + name + ".base: 1s")
				.run((context) -> assertThat(context.getBean(BackoffPolicies.class).current().unused(Section.POLICIES))
					.isEmpty());
		}

		@ParameterizedTest
		@ValueSource(strings = { "max-attempts", "maxAttempts", "max_attempts", "MAX-ATTEMPTS" })
		void ofAKeyDoesNotMatter(String key) {
			SmallApplication.of(Callback.class)
				.yaml("backoff.policies.payment-callback." + key + ": 3")
				.runWithPolicy((policy) -> assertThat(policy.numbers().maxAttempts()).isEqualTo(3));
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				base: 250ms         | BASE         | 250ms
				base: PT0.25S       | BASE         | PT0.25S
				max-attempts: 1_000 | MAX_ATTEMPTS | 1000
				shape: LINEAR       | SHAPE        | linear
				preset: User_Facing | PRESET       | User_Facing
				jitter: None        | JITTER       | None
				jitter: 20 %        | JITTER       | 20 %
				max-attempts: Unlimited | MAX_ATTEMPTS | Unlimited
				enabled: no         | ENABLED      | false
				enabled: 'off'      | ENABLED      | off
				multiplier: 2       | MULTIPLIER   | 2
				multiplier: 2.0     | MULTIPLIER   | 2.0
				nested: Multiply    | NESTED       | Multiply
				ladder: 1s x5, 5s   | LADDER       | 1s x5, 5s
				ladder: [1s x5, 5s] | LADDER       | 1s x5, 5s
				retry-after: { max: 5s } | RETRY_AFTER_MAX | 5s
				""")
		void ofAValueIsKept(String line, String key, String text) {
			SmallApplication.of(Callback.class)
				.yaml("""
						backoff:
						  policies:
						    payment-callback:
						      %s
						""".formatted(line))
				.runWithPolicy((policy) -> assertThat(value(policy, Section.POLICIES.keyOf(key)))
					.isEqualTo(text + " <- application.yml:4"));
		}

		@Test
		void ofAMethodWithoutAName() {
			for (String yaml : List.of("backoff.policies.\"[Unnamed.place]\".base: 3s", """
					backoff:
					  policies:
					    "[Unnamed.place]":
					      base: 3s
					""", "backoff.policies.unnamed-place.base: 3s")) {
				SmallApplication.of(Unnamed.class).yaml(yaml).runWithPolicy((policy) -> {
					assertThat(policy.name()).isEqualTo("Unnamed.place");
					assertThat(value(policy, PolicyKey.BASE)).startsWith("3s <- application.yml:");
				});
			}
			SmallApplication.of(Unnamed.class)
				.file("application.properties", "backoff.policies[Unnamed.place].base=3s")
				.argument("--backoff.policies.[Unnamed.place].cap=9s")
				.runWithPolicy((policy) -> {
					assertThat(value(policy, PolicyKey.BASE)).isEqualTo("3s <- application.properties:1");
					assertThat(value(policy, PolicyKey.CAP)).isEqualTo("9s <- the command line");
				});
		}

		@ParameterizedTest
		@ValueSource(strings = { "für-支付", "FÜR支付", "\"[für.支付]\"" })
		void ofANameMayHaveLettersOfAnyScript(String name) {
			SmallApplication.of(Letters.class)
				.yaml("backoff.policies." + name + ".base: 3s")
				.argument("--backoff.policies.für支付.cap=9s")
				.runWithPolicy((policy) -> {
					assertThat(value(policy, PolicyKey.BASE)).isEqualTo("3s <- application.yml:1");
					assertThat(value(policy, PolicyKey.CAP)).isEqualTo("9s <- the command line");
				});
		}

		@Test
		void isOneForAllWhoUseAName() {
			SmallApplication.of(Spellings.class).yaml("").run((context) -> {
				var names = context.getBean(dev.backoff.spring.advice.BackoffMethods.class)
					.uses()
					.stream()
					.map((use) -> use.policy().name())
					.distinct();
				assertThat(names).hasSize(1);
			});
		}

		@ParameterizedTest
		@ValueSource(strings = { "backoff:", "backoff.policies:", "backoff.defaults:", "backoff.metrics:",
				"backoff.policies.payment-callback.retry-after:", "backoff.policies.spare:",
				"backoff: { policies: {}, defaults: {} }" })
		void ofNothingIsFine(String yaml) {
			SmallApplication.of(Unnamed.class)
				.yaml(yaml)
				.runWithPolicy((policy) -> assertThat(policy.numbers().maxAttempts()).isEqualTo(4));
		}

		@ParameterizedTest
		@ValueSource(strings = { "", " {}" })
		void ofAPolicyWithoutKeysDefinesIt(String keys) {
			SmallApplication.of(Callback.class)
				.yaml("backoff.policies.payment-callback:" + keys)
				.runWithPolicy((policy) -> assertThat(policy.name()).isEqualTo("payment-callback"));
		}

	}

	@Nested
	class Placeholders {

		@Test
		void areResolvedInFilesAndAnnotations() {
			SmallApplication.of(WithPlaceholders.class)
				.yaml("""
						shop: { policy: payment-callback, types: "java.io.IOException, java.io.EOFException", steps: "1s, 2s" }
						backoff.policies.payment-callback:
						  cap: ${shop.cap:44s}
						  abort-on: ${shop.types}
						""")
				.runWithPolicy((policy) -> {
					assertThat(policy.name()).isEqualTo("payment-callback");
					assertThat(value(policy, PolicyKey.BASE)).isEqualTo("3s <- annotation on WithPlaceholders.place");
					assertThat(value(policy, PolicyKey.CAP)).isEqualTo("44s <- application.yml:3");
					assertThat(policy.numbers().abortOn()).hasSize(2);
				});
		}

		@Test
		void mayStandForAWholeLadder() {
			SmallApplication.of(LadderPlaceholder.class)
				.yaml("shop.steps: 1s x2, 5s")
				.runWithPolicy((policy) -> assertThat(value(policy, PolicyKey.LADDER))
					.isEqualTo("1s x2, 5s <- annotation on LadderPlaceholder.place"));
		}

		@Test
		void neverBecomeExpressions() {
			assertThat(SmallApplication.of(LadderPlaceholder.class)
				.yaml("shop.steps: \"#{T(java.lang.Runtime).getRuntime()}\"")
				.failure())
				.hasMessageStartingWith("@Backoff on LadderPlaceholder.place(): invalid ladder "
						+ "(#{T(java.lang.Runtime).getRuntime()} from ${shop.steps}): has the level");
		}

	}

	@Test
	void unknownKeysAreOnlyWarnedOfIfAskedTo() {
		SmallApplication.of(Callback.class)
			.yaml("""
					backoff:
					  unknown-keys: Warn
					  breakers.gateway.windows: 30s
					  budgets.gateway.max-tokens: 10
					  policies.payment-callback: { base: 1s, limits: gateway }
					""")
			.run((context) -> assertThat(context.getBean(BackoffPolicies.class).configuration().warnings())
				.containsExactly(
						"Invalid backoff.breakers.gateway.windows (30s) at application.yml:3: is no key of a breaker. "
								+ "Write window instead of windows.",
						"Invalid backoff.budgets.gateway.max-tokens (10) at application.yml:4: is no key of a budget. "
								+ "Write tokens instead of max-tokens.",
						"Invalid backoff.policies.payment-callback.limits (gateway) at application.yml:5: is no key of a "
								+ "policy. Known keys: inherits, preset, enabled, shape, base, cap, multiplier, step, ladder, "
								+ "jitter, max-attempts, deadline, attempt-timeout, shortest-attempt, final-poll, throttled-base, "
								+ "retry-on, abort-on, match-causes, classifier, nested, replay, durable, schedule, schedule-zone, breaker, budget, pace, idempotent, when-empty, "
								+ "concurrency, max-waiting, retry-after.enabled, retry-after.max."));
	}

	public static class Callback {

		@Backoff("payment-callback")
		public void place() {
		}

	}

	public static class Letters {

		@Backoff("für-支付")
		public void place() {
		}

	}

	public static class Unnamed {

		@Backoff
		public void place() {
		}

	}

	public static class Spellings {

		@Backoff(value = "stock-check", base = "1s")
		public void one() {
		}

		@Backoff(value = "stockCheck", base = "2s")
		public void two() {
		}

	}

	public static class WithPlaceholders {

		@Backoff(value = "${shop.policy}", base = "${shop.base:3s}")
		public void place() {
		}

	}

	public static class LadderPlaceholder {

		@Backoff(ladder = "${shop.steps}")
		public void place() {
		}

	}

	/** Answers single keys, but does not list them. */
	private static final class Silent extends PropertySource<Map<String, String>> {

		Silent(String name, Map<String, String> values) {
			super(name, values);
		}

		@Override
		public @Nullable Object getProperty(String name) {
			return this.source.get(name);
		}

	}

}
