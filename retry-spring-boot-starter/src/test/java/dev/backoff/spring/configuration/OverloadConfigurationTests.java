package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.window.OutcomeWindow.WindowLength;

import static org.assertj.core.api.Assertions.assertThat;

/** What works of breakers and budgets, and who wins. */
class OverloadConfigurationTests {

	private static SmallApplication orders() {
		return SmallApplication.of(Orders.class);
	}

	private static void run(SmallApplication application, Consumer<BackoffConfiguration> check) {
		application.run((context) -> check.accept(context.getBean(BackoffPolicies.class).configuration()));
	}

	private static String text(@Nullable EffectiveValue value) {
		return (value == null) ? "-" : value.value() + " <- " + value.origin();
	}

	private static String text(EffectivePolicy policy, Key<?> key) {
		return text(policy.values().get(key));
	}

	/* In one line, the first, what is below backoff, and one value of the policy. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					Orders |  | breaker | none <- built in
					Orders |  | budget | orders <- built in
					Orders |  | when-empty | stop <- built in
					Orders |  | idempotent | by-method <- built in
					Orders | breakers: { Orders: } | breaker | Orders <- the policy's name, defined below backoff.breakers
					Orders | policies.orders.breaker: Orders | breaker | Orders <- application.yml:1
					Orders | breakers.orders.window: 10s, policies.orders.breaker: none | breaker | none <- application.yml:1
					Orders | policies.orders.budget: None | budget | none <- application.yml:1
					Orders | budgets.20.tokens: 10, policies.orders.budget: 20 | budget | 20 <- application.yml:1
					Orders | breakers.on.window: 10s, policies.orders.breaker: "on" | breaker | on <- application.yml:1
					Orders | policies: { payments: { budget: payments }, orders: { inherits: payments } } | budget | payments <- application.yml:1
					Orders | policies: { payments: { breaker: payments }, orders: { inherits: payments } } | breaker | payments <- application.yml:1
					Orders | policies.orders.preset: short-job | when-empty | wait <- preset short-job, application.yml:1
					Orders | policies.orders: { preset: short-job, when-empty: stop } | when-empty | stop <- application.yml:1
					Orders | policies: { posts: { idempotent: true }, orders: { inherits: posts } } | idempotent | true <- application.yml:1
					Orders | policies: { posts: { idempotent: true }, orders: { inherits: posts, idempotent: By_Method } } | idempotent | By_Method <- application.yml:1
					Annotated |  | breaker | payment-gateway <- annotation on Annotated.place
					Annotated |  | budget | paymentGateway <- annotation on Annotated.place
					Annotated |  | idempotent | no <- annotation on Annotated.place
					Annotated | defaults.breaker: none | breaker | payment-gateway <- annotation on Annotated.place
					Annotated | budgets.shared.tokens: 10, policies.payments.budget: shared | budget | shared <- application.yml:1
					Annotated | defaults.idempotent: by-key, policies.payments.idempotent: yes | idempotent | true <- application.yml:1
					""")
	void thePolicyHasWhatTheStrongestLevelSays(String bean, @Nullable String backoff, String key, String value) {
		boolean annotated = bean.equals("Annotated");
		String yaml = annotated ? "breakers.payment-gateway.window: 10s, budgets.paymentGateway.tokens: 10, " : "";
		SmallApplication.of(annotated ? Annotated.class : Orders.class)
			.yaml("backoff: { " + yaml + ((backoff != null) ? backoff : "") + " }")
			.runWithPolicy((policy) -> {
				assertThat(text(policy.values().get(Section.POLICIES.keyOf(key)))).isEqualTo(value);
				String written = value.substring(0, value.indexOf(" <- "));
				String name = written.equals("none") ? null : written;
				switch (key) {
					case "breaker" -> assertThat(policy.breaker()).isEqualTo(name);
					case "budget" -> assertThat(policy.budget()).isEqualTo(name);
					case "when-empty" ->
						assertThat(policy.numbers().isPostponedWhenEmpty()).isEqualTo(written.equals("wait"));
					default -> {
						assertThat(policy.numbers().idempotency()).isEqualTo(OverloadValues.idempotency(written));
						assertThat(policy.numbers().isIdempotencySet()).isEqualTo(!value.endsWith("built in"));
					}
				}
			});
	}

	@Nested
	class Breakers {

		@ParameterizedTest
		@CsvSource(delimiter = '|',
				textBlock = """
						failure-rate: 30%      | 30% of at least 20 calls failed in 30s, open for 30s, 3 probes
						slow-call: 2s          | 50% of at least 20 calls failed or 80% slower than 2s in 30s, open for 30s, 3 probes
						slow-call: none        | 50% of at least 20 calls failed in 30s, open for 30s, 3 probes
						minimum-calls: 5       | 50% of at least 5 calls failed in 30s, open for 30s, 3 probes
						window: 1m             | 50% of at least 20 calls failed in 1m, open for 30s, 3 probes
						window: 20 calls       | 50% of at least 20 calls failed in 20 calls, open for 30s, 3 probes
						open-for: 5s           | 50% of at least 20 calls failed in 30s, open for 5s, 3 probes
						probes: 1              | 50% of at least 20 calls failed in 30s, open for 30s, 1 probes
						""")
		void haveTheirNumbers(String line, String settings) {
			run(orders().yaml("backoff.breakers.orders." + line),
					(configuration) -> assertThat(configuration.breaker("orders").settings()).hasToString(settings));
		}

		@Test
		void haveAllTheirNumbersWithOrigins() {
			run(orders().yaml("""
					backoff:
					  breakers:
					    orders:
					      slow-call: none
					      slow-call-rate: 70%
					      open-for: 10s
					      open-for-multiplier: 2
					      on-open: wait
					"""), (configuration) -> {
				NamedSettings<BreakerSettings> entry = configuration.breakers().get(Name.of("orders"));
				assertThat(entry.settings()).isEqualTo(BreakerSettings.builder()
					.slowCallRate(0.7)
					.openFor(Duration.ofSeconds(10))
					.openForMultiplier(2)
					.awaited(true)
					.build());
				assertThat(entry.values().keySet()).containsExactlyElementsOf(BreakerKey.KEYS);
				assertThat(text(entry.values().get(BreakerKey.SLOW_CALL_RATE))).isEqualTo("70% <- application.yml:5");
				assertThat(text(entry.values().get(BreakerKey.HALF_OPEN_TIMEOUT))).isEqualTo("10s <- built in");
				assertThat(text(entry.values().get(BreakerKey.FAILURE_RATE))).isEqualTo("50% <- built in");
			});
			run(orders().yaml("backoff.breakers.orders.half-open-timeout: 5s"),
					(configuration) -> assertThat(configuration.breaker("orders").settings().halfOpenTimeout())
						.hasSeconds(5));
		}

		@Test
		void haveTheDefaultNumbersUnlessTheyAreDefined() {
			run(orders().yaml("backoff.policies.orders.breaker: Orders"), (configuration) -> {
				assertThat(configuration.breakers()).isEmpty();
				assertThat(configuration.breaker("Orders").settings()).isEqualTo(BreakerSettings.DEFAULTS);
				assertThat(configuration.breaker("Orders").name()).isEqualTo("Orders");
			});
		}

	}

	@Nested
	class Budgets {

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				tokens: 10       | 10 | 0.1 | 0.1
				tokens: 0        | 0  | 0.1 | 0.1
				per-success: 0.2 | 50 | 0.2 | 0.1
				per-second: 0    | 50 | 0.1 | 0
				""")
		void haveTheirNumbers(String line, double tokens, double perSuccess, double perSecond) {
			run(orders().yaml("backoff.budgets.orders." + line),
					(configuration) -> assertThat(configuration.budget("ORDERS").settings())
						.isEqualTo(new BudgetSettings(tokens, perSuccess, perSecond)));
		}

		@Test
		void haveOriginsForEachNumber() {
			run(orders().yaml("""
					backoff.budgets:
					  orders:
					    per-second: 2
					"""), (configuration) -> {
				NamedSettings<BudgetSettings> entry = configuration.budgets().get(Name.of("orders"));
				assertThat(text(entry.values().get(BudgetKey.TOKENS))).isEqualTo("50 <- built in");
				assertThat(text(entry.values().get(BudgetKey.PER_SECOND))).isEqualTo("2 <- application.yml:3");
				assertThat(entry.values()).hasSize(3);
			});
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', textBlock = """
				1     | 50  | 50 | 50
				2     | 2469 | 1234 | 1234 <- 2469 for 2 instances: application.yml:3
				200   | 50  | 5  | 5 <- 50 for 200 instances: application.yml:3
				200   | 3   | 3  | 3 <- 3 for 200 instances: application.yml:3
				200   | 0   | 0  | 0 <- 0 for 200 instances: application.yml:3
				""")
		void shareTheirTokensAndTheirSecondsAmongInstances(int instances, double tokens, double share, String shown) {
			run(orders().yaml("""
					backoff.instances: %d
					backoff.budgets.orders:
					  tokens: %.0f
					""".formatted(instances, tokens)), (configuration) -> {
				NamedSettings<BudgetSettings> entry = configuration.budget("orders");
				assertThat(entry.settings().tokens()).isEqualTo(share);
				assertThat(entry.settings().perSecond()).isEqualTo(0.1 / instances);
				assertThat(entry.settings().perSuccess()).isEqualTo(0.1);
				assertThat(text(entry.values().get(BudgetKey.TOKENS))).startsWith(shown);
			});
		}

		@Test
		void shareTheirTokensAlsoWhereTheyAreBuiltIn() {
			run(orders().yaml("backoff.instances: 4"), (configuration) -> {
				NamedSettings<BudgetSettings> entry = configuration.budget("orders");
				assertThat(entry.settings().tokens()).isEqualTo(12);
				assertThat(text(entry.values().get(BudgetKey.TOKENS))).isEqualTo("12 <- 50 for 4 instances: built in");
				assertThat(text(entry.values().get(BudgetKey.PER_SECOND)))
					.isEqualTo("0.025 <- 0.1 for 4 instances: built in");
			});
		}

		@Test
		void haveTheDefaultNumbersUnlessTheyAreDefined() {
			run(orders(), (configuration) -> {
				assertThat(configuration.budgets()).isEmpty();
				assertThat(configuration.budget("orders").settings()).isEqualTo(BudgetSettings.DEFAULTS);
			});
		}

		@Test
		void areSpelledAsTheirFirstUserSpellsThem() {
			SmallApplication.of(ConfigurationSourcesTests.Spellings.class)
				.variable("BACKOFF_BUDGETS_STOCKCHECK_TOKENS", "5")
				.run((context) -> {
					BackoffPolicies policies = context.getBean(BackoffPolicies.class);
					List<String> budgets = context.getBean(BackoffMethods.class)
						.uses()
						.stream()
						.map((use) -> use.policy().budget())
						.toList();
					assertThat(budgets).containsExactly("stock-check", "stock-check");
					assertThat(policies.configuration().budget("stock-check").name()).isEqualTo("stock-check");
					assertThat(policies.configuration().budget("stock-check").settings().tokens()).isEqualTo(5);
					assertThat(policies.current().unused(Section.BUDGETS)).isEmpty();
				});
		}

	}

	@Nested
	class Environment {

		@ParameterizedTest
		@CsvSource({ "BACKOFF_BUDGETS_PAYMENTGATEWAY_TOKENS", "BACKOFF_BUDGETS_PAYMENT_GATEWAY_TOKENS",
				"backoff_budgets_payment_gateway_tokens", "backoff.budgets.payment-gateway.tokens" })
		void overridesTheBudgetItMeans(String variable) {
			run(orders().variable(variable, "7").yaml("""
					backoff:
					  budgets.payment-gateway: { tokens: 10, per-second: 2 }
					"""), (configuration) -> {
				assertThat(configuration.budgets()).containsOnlyKeys(Name.of("paymentgateway"));
				NamedSettings<BudgetSettings> entry = configuration.budget("payment-gateway");
				assertThat(entry.name()).isEqualTo("payment-gateway");
				assertThat(entry.settings()).isEqualTo(new BudgetSettings(7, 0.1, 2));
				assertThat(text(entry.values().get(BudgetKey.TOKENS)))
					.isEqualTo("7 <- the environment variable " + variable);
			});
		}

		@Test
		void definesABreaker() {
			SmallApplication application = orders().variable("BACKOFF_BREAKERS_ORDERS_OPEN_FOR_MULTIPLIER", "2")
				.variable("BACKOFF_BREAKERS_ORDERS_WINDOW", "100 calls")
				.variable("BACKOFF_BREAKERS_WIBBLE", "1")
				.variable("BACKOFF_POLICIES_ORDERS_WHEN_EMPTY", "wait");
			application.runWithPolicy((policy) -> {
				assertThat(policy.breaker()).isEqualTo("orders");
				assertThat(policy.numbers().isPostponedWhenEmpty()).isTrue();
				assertThat(text(policy, PolicyKey.BASE)).isEqualTo("100ms <- built in");
			});
			run(application, (configuration) -> {
				assertThat(configuration.breakers()).containsOnlyKeys(Name.of("orders"));
				assertThat(configuration.breaker("orders").settings().openForMultiplier()).isEqualTo(2);
				assertThat(configuration.breaker("orders").settings().window()).isEqualTo(WindowLength.ofCalls(100));
			});
		}

	}

	@Test
	void whatNoPolicyUsesIsKnown() {
		SmallApplication application = orders().yaml("""
				backoff:
				  breakers: { orders: , spare-one: , spare-two: }
				  budgets: { orders: , spare: }
				""");
		application.run((context) -> {
			BackoffPolicies policies = context.getBean(BackoffPolicies.class);
			assertThat(policies.current().unused(Section.BREAKERS)).containsExactly("spare-one", "spare-two");
			assertThat(policies.current().unused(Section.BUDGETS)).containsExactly("spare");
		});
		assertThat(application.startupLog()).isEmpty();
	}

	public static class Orders {

		@Backoff(value = "orders", jitter = "full")
		public void place() {
		}

	}

	public static class Annotated {

		@Backoff(value = "payments", breaker = "PaymentGateway", budget = "payment-gateway", idempotent = "no")
		public void place() {
		}

	}

}
