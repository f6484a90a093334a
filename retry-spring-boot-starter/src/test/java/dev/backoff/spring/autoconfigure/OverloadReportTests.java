package dev.backoff.spring.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.SmallApplication;

/**
 * Every kind of bad breaker and budget, with the whole report that stops the start.
 */
class OverloadReportTests {

	private static final String PERCENTAGE = ": must be a percentage above 0% and at most 100%.";

	private static final String DURATION_FIX = "Write a number and a unit, such as 250ms, 2s or 5m.";

	/* Each is line 4 of an application.yml, for a breaker that is used. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					failure-rate: 0.5 | failure-rate (0.5): must be a percentage above 0% and at most 100%. | Write it as a percentage: 50%.
					failure-rate: .nan | failure-rate (NaN): must be a percentage above 0% and at most 100%. | Write a percentage such as 50%.
					slow-call-rate: 80 | slow-call-rate (80): must be a percentage above 0% and at most 100%. | Write it as a percentage: 80%.
					slow-call-rate: 70% | slow-call-rate (70%): has no effect without slow-call. | Add slow-call, what a call must exceed to be slow, such as 2s, or remove it.
					slow-call: 0s | slow-call (0s): must be above zero. | Write a duration such as 5s, or none.
					window: 100 | window (100): must be a duration or a number of calls. | Write 100s for a time, or 100 calls for a number of calls.
					window: 0 calls | window (0 calls): must be from 1 to 1000000 calls. | Write a number such as 100 calls.
					window: 10 calls | window (10 calls): must not be below minimum-calls (20), or it never opens. | Raise it, or lower minimum-calls (built in).
					{ window: 30 calls, minimum-calls: 40 } | window (30 calls): must not be below minimum-calls (40), or it never opens. | Raise it, or lower minimum-calls (application.yml:4).
					minimum-calls: 0 | minimum-calls (0): must be a whole number from 1 to 1000000. | Write 1 or more.
					probes: 0 | probes (0): must be a whole number from 1 to 1000000. | Write 1 or more.
					open-for: 0s | open-for (0s): must be above zero. | Write a number and a unit, such as 250ms, 2s or 5m.
					open-for: -1s | open-for (-1s): must not be negative. | Write a number and a unit, such as 250ms, 2s or 5m.
					open-for: 30 | open-for (30): must have a unit. | Write 30ms or 30s.
					slow-call: 2 | slow-call (2): must have a unit. | Write 2ms or 2s.
					half-open-timeout: 5 | half-open-timeout (5): must have a unit. | Write 5ms or 5s.
					open-for-multiplier: 0.5 | open-for-multiplier (0.5): must be a finite number of at least 1. | Write a number such as 2 or 1.5; 1 keeps the time constant.
					half-open-timeout: none | half-open-timeout (none): must be a duration. | Write a number and a unit, such as 250ms, 2s or 5m.
					on-open: fall | on-open (fall): must be one of fail, wait. | Write fail.
					provider: hystrix | provider (hystrix): must be one of own, resilience4j. | Write one of these words.
					{ provider: resilience4j, on-open: wait, probes: 3 } | probes (3): has no effect, because the provider is resilience4j (application.yml:4), whose own configuration rules it. | Remove it, and configure the breaker of that name there.
					failure-rate: [50%, 60%] | failure-rate (50%, 60%): must be one value, not a list. | Write one value.
					window: | window (): must not be empty. | Give it a value, or remove the key.
					window: ${shop.window} | window (${shop.window}): has the placeholder ${shop.window}, which nothing defines. | Define the property shop.window, or give it a default, as in ${shop.window:2s}.
					failure-rat: 50% | failure-rat (50%): is no key of a breaker. | Write failure-rate instead of failure-rat.
					wait-duration-in-open-state: 5s | wait-duration-in-open-state (5s): is no key of a breaker. | Write open-for instead of wait-duration-in-open-state.
					wibble: 1 | wibble (1): is no key of a breaker. | Known keys: provider, failure-rate, slow-call, slow-call-rate, window, minimum-calls, open-for, open-for-multiplier, probes, half-open-timeout, on-open.
					place.window: 5s | place.window (5s): is no key of a breaker. | If the breaker is called gateway.place, write its name in brackets and quotes: "[gateway.place]".
					""")
	void reportsBreakers(String line, String problem, String fix) {
		below("breakers", line, problem, fix).check();
	}

	/* The same for a budget. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					tokens: -1 | tokens (-1): must be a number from 0 to 1000000. | Write a number such as 50.
					per-success: 10% | per-success (10%): must be a number from 0 to 1000000. | Write it as a plain number: 0.1.
					per-success: .nan | per-success (NaN): must be a number from 0 to 1000000. | Write a number such as 1 or 0.1.
					per-second: 10001 | per-second (10001): must be a number from 0 to 10000. | Write a number such as 1 or 0.1.
					max-tokens: 5 | max-tokens (5): is no key of a budget. | Write tokens instead of max-tokens.
					post.tokens: 5 | post.tokens (5): is no key of a budget. | If the budget is called gateway.post, write its name in brackets and quotes: "[gateway.post]".
					""")
	void reportsBudgets(String line, String problem, String fix) {
		below("budgets", line, problem, fix).check();
	}

	private static ReportRow below(String section, String line, String problem, String fix) {
		return ReportRow.ofFourthLine("""
				backoff:
				  %s:
				    gateway:
				      %s
				  policies.orders.%s: gateway
				""".formatted(section, line, section.substring(0, section.length() - 1)),
				"backoff." + section + ".gateway." + problem, fix);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					idempotent: perhaps | idempotent (perhaps): must be by-method, true, false or by-key. | Write by-method, true, false or by-key; yes and no stand for true and false.
					when-empty: wai | when-empty (wai): must be one of stop, wait. | Write wait.
					concurrency: 0 | concurrency (0): must be a whole number from 1 to 1000000, or none. | Write 1 or more, or none for no limit.
					{ concurrency: 2, max-waiting: -1 } | max-waiting (-1): must be a whole number from 0 to 1000000, or unlimited. | Write 0 to refuse at once, a number, or unlimited.
					{ concurrency: 2, max-waiting: 5s } | max-waiting (5s): must be a whole number from 0 to 1000000, or unlimited. | Write 0 to refuse at once, a number, or unlimited.
					max-waiting: 5 | max-waiting (5): has no effect without a concurrency. | Add concurrency, or remove it.
					{ concurrency: none, max-waiting: 5 } | max-waiting (5): has no effect without a concurrency. | Add concurrency, or remove it.
					max-concurrent-calls: 5 | max-concurrent-calls (5): is no key of a policy. | Write concurrency instead of max-concurrent-calls.
					max-wait-duration: 5s | max-wait-duration (5s): is no key of a policy. | Write max-waiting instead of max-wait-duration: it counts attempts, not time.
					breaker: gateway | breaker (gateway): names a breaker that is not defined. | Define backoff.breakers.gateway, or remove it.
					budget: gateway | budget (gateway): names a budget that is not defined. | Define backoff.budgets.gateway, or remove it.
					budget: false | budget (false): must be the name of a budget, or none. | Write none to switch it off.
					budget: true | budget (true): must be the name of a budget, or none. | Remove it: a budget is on by default.
					budget: 20 | budget (20): must be the name of a budget, or none. | Set backoff.budgets.orders.tokens.
					breaker: "off" | breaker (off): must be the name of a breaker, or none. | Write none to switch it off.
					breaker: true | breaker (true): must be the name of a breaker, or none. | Define a breaker below backoff.breakers, and write its name.
					retryAftre.maxs: 60s | retryAftre.maxs (60s): is no key of a policy. | Write retry-after.max instead of retryAftre.maxs.
					retry-aftr.max: 5m | retry-aftr.max (5m): is no key of a policy. | Write retry-after.max instead of retry-aftr.max.
					""")
	void reportsPolicies(String line, String problem, String fix) {
		ReportRow.ofPolicy(line, problem, fix).check();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			circuit-breaker: gateway | Write breaker instead of circuit-breaker.
			retry-budget: gateway | Write budget instead of retry-budget.
			on-open: wait | Define it below backoff.breakers.<name>.
			open-for: 30s | Define it below backoff.breakers.<name>.
			probes: 3 | Define it below backoff.breakers.<name>.
			failure-rate: 50% | Define it below backoff.breakers.<name>.
			minimum-calls: 20 | Define it below backoff.breakers.<name>.
			tokens: 20 | Define it below backoff.budgets.<name>.
			per-second: 1 | Define it below backoff.budgets.<name>.
			breaker.failure-rate: 50% | Define it below backoff.breakers.<name>, and write breaker: <name>.
			circuit-breaker.wibble: 1 | Define it below backoff.breakers.<name>, and write breaker: <name>.
			budget.tokens: 20 | Define it below backoff.budgets.<name>, and write budget: <name>.
			retry-budget.per-second: 2 | Define it below backoff.budgets.<name>, and write budget: <name>.
			""")
	void reportsKeysThatBelongElsewhere(String line, String fix) {
		String[] entry = line.split(": ", 2);
		ReportRow.ofPolicy(line, entry[0] + " (" + entry[1] + "): is no key of a policy.", fix).check();
	}

	@Test
	void reportsKeysThatBelongElsewhereAmongTheDefaultsAndAboveThem() {
		ReportRow.of("elsewhere", ReportRow.shop().yaml("""
				backoff:
				  defaults: { open-for: 5s, retry-aftr.max: 5m }
				  tokens: 20
				  circuit-breaker.gateway.window: 5s
				  hosts: a
				  policies.orders.base: 1s
				"""), "Invalid backoff.defaults.open-for (5s) at application.yml:2: is no key of the defaults.",
				"Define it below backoff.breakers.<name>.",
				"Invalid backoff.defaults.retry-aftr.max (5m) at application.yml:2: is no key of the defaults.",
				"Write retry-after.max instead of retry-aftr.max.",
				"Invalid backoff.tokens (20) at application.yml:3: is no key of backoff.",
				"Define it below backoff.budgets.<name>.",
				"Invalid backoff.circuit-breaker.gateway.window (5s) at application.yml:4: is no key of backoff.",
				"Write backoff.breakers.gateway.window.",
				"Invalid backoff.hosts (a) at application.yml:5: is no key of backoff.", "Write backoff.http.hosts.")
			.check();
	}

	@ParameterizedTest
	@MethodSource
	void reportsNames(ReportRow row) {
		row.check();
	}

	static Stream<ReportRow> reportsNames() {
		return Stream.of(
				ReportRow.of("tokens below the cost", ReportRow.shop().yaml("""
						backoff:
						  budgets.gateway.tokens: 0.5
						  policies.orders.budget: gateway
						"""),
						"Invalid backoff.budgets.gateway.tokens (0.5) at application.yml:2: must not be below the "
								+ "cost of a retry (1), or no retry could ever be paid.",
						"Raise it; 0 allows no retry."),
				ReportRow.of("nearest breaker and budget", ReportRow.shop().yaml("""
						backoff:
						  breakers.payment-gateway.window: 30s
						  budgets.payment-gateway.tokens: 30
						  policies.orders: { breaker: paymentgatewai, budget: payment-gatway }
						"""),
						"Invalid backoff.policies.orders.breaker (paymentgatewai) at application.yml:4: names a breaker "
								+ "that is not defined.",
						"Write payment-gateway.",
						"Invalid backoff.policies.orders.budget (payment-gatway) at application.yml:4: names a budget "
								+ "that is not defined.",
						"Write payment-gateway."),
				ReportRow.of("names in an annotation", SmallApplication.of(Named.class),
						"@Backoff on Named.place(): invalid breaker (gateway): names a breaker that is not defined.",
						"Define backoff.breakers.gateway, or remove it.",
						"@Backoff on Named.place(): invalid budget (gateway): names a budget that is not defined.",
						"Define backoff.budgets.gateway, or remove it.",
						"@Backoff on Named.place(): invalid idempotent (sometimes): must be by-method, true, false or by-key.",
						"Write by-method, true, false or by-key; yes and no stand for true and false."),
				ReportRow.of("numbers and switches in an annotation", SmallApplication.of(Numbered.class),
						"@Backoff on Numbered.place(): invalid breaker (no): must be the name of a breaker, or none.",
						"Write none to switch it off.",
						"@Backoff on Numbered.place(): invalid budget (7.5): must be the name of a budget, or none.",
						"Set backoff.budgets.[Numbered.place].tokens."),
				ReportRow.of("a number in a policy with dots, and among the defaults", ReportRow.shop().yaml("""
						backoff:
						  defaults.budget: 30
						  policies:
						    "[shop.orders]": { budget: 20 }
						    orders: { inherits: shop.orders }
						"""),
						"Invalid backoff.defaults.budget (30) at application.yml:2: must be the name of a budget, or none.",
						"Set backoff.budgets.<name>.tokens.",
						"Invalid backoff.policies[shop.orders].budget (20) at application.yml:4: must be the name of a "
								+ "budget, or none.",
						"Set backoff.budgets.[shop.orders].tokens."),
				ReportRow.of("a name among the defaults", ReportRow.shop().yaml("""
						backoff:
						  defaults.budget: shared
						  policies.orders.base: 1s
						"""),
						"Invalid backoff.defaults.budget (shared) at application.yml:2: names a budget that is not "
								+ "defined.",
						"Define backoff.budgets.shared, or remove it."),
				ReportRow.of("colliding names in one file", ReportRow.shop().yaml("""
						backoff:
						  breakers:
						    orders: { window: 30s }
						    Orders: { window: 20s }
						  budgets:
						    order-s: { tokens: 1 }
						    orders: { tokens: 2 }
						  policies.orders.base: 1s
						"""),
						"Breakers orders (application.yml:3) and Orders (application.yml:4): names are compared by "
								+ "letters and digits only, so these two are the same.",
						"Rename one of them, or merge the two.",
						"Budgets order-s (application.yml:6) and orders (application.yml:7): names are compared by "
								+ "letters and digits only, so these two are the same.",
						"Rename one of them, or merge the two."),
				ReportRow.of("one key twice", ReportRow.shop().yaml("""
						backoff:
						  budgets:
						    orders: { per-success: 1, perSuccess: 2 }
						  policies.orders.base: 1s
						"""), "Keys backoff.budgets.orders.per-success (application.yml:3) and "
						+ "backoff.budgets.orders.perSuccess (application.yml:3): keys are compared by letters and "
						+ "digits only, so these two are the same.", "Remove one of them."),
				ReportRow.of("a budget called none", ReportRow.shop().yaml("""
						backoff:
						  budgets.none.tokens: 0
						  policies.orders.budget: none
						"""),
						"Invalid backoff.budgets.none.tokens (0) at application.yml:2: is below a budget called none, "
								+ "which stands for no budget.",
						"Give the budget another name."),
				ReportRow.of("sections misspelled, and values where keys are expected", ReportRow.shop().yaml("""
						backoff:
						  breaker.gateway.window: 30s
						  budget.gateway.tokens: 30
						  breakers: gateway
						  budgets.gateway: 30
						  policies.orders.base: 1s
						"""),
						"Invalid backoff.breaker.gateway.window (30s) at application.yml:2: is no key of backoff.",
						"Write backoff.breakers.gateway.window.",
						"Invalid backoff.budget.gateway.tokens (30) at application.yml:3: is no key of backoff.",
						"Write backoff.budgets.gateway.tokens.",
						"Invalid backoff.breakers (gateway) at application.yml:4: holds keys, not a value.",
						"Write the keys below it, for instance backoff.breakers.<name>.failure-rate.",
						"Invalid backoff.budgets.gateway (30) at application.yml:5: holds keys, not a value.",
						"Write the keys below it, for instance backoff.budgets.gateway.tokens."),
				ReportRow.of("environment variables",
						ReportRow.shop()
							.yaml("backoff.policies.orders.base: 1s")
							.variable("BACKOFF_BREAKERS_ORDERS_SLOW_CALL_RATE", "0.8"),
						"Invalid backoff.breakers.orders.slow-call-rate (0.8) at the environment variable "
								+ "BACKOFF_BREAKERS_ORDERS_SLOW_CALL_RATE" + PERCENTAGE,
						"Write it as a percentage: 80%."),
				ReportRow.of("one that nobody uses, and all problems at once", ReportRow.shop().yaml("""
						backoff:
						  breakers.spare: { probes: 0, failure-rate: 0% }
						  budgets.spare: { tokens: few, per-second: 0.5x }
						  policies.orders: { base: soon, budget: spare }
						"""), "Invalid backoff.policies.orders.base (soon) at application.yml:4: must be a duration.",
						DURATION_FIX,
						"Invalid backoff.breakers.spare.failure-rate (0%) at application.yml:2" + PERCENTAGE,
						"Write a percentage such as 50%.",
						"Invalid backoff.breakers.spare.probes (0) at application.yml:2: must be a whole number from 1 to "
								+ "1000000.",
						"Write 1 or more.",
						"Invalid backoff.budgets.spare.tokens (few) at application.yml:3: must be a number from 0 to "
								+ "1000000.",
						"Write a number such as 50.",
						"Invalid backoff.budgets.spare.per-second (0.5x) at application.yml:3: must be a number from 0 to "
								+ "10000.",
						"Write a number such as 1 or 0.1."));
	}

	public static class Numbered {

		@Backoff(breaker = "no", budget = "7.5")
		public void place() {
		}

	}

	public static class Named {

		@Backoff(breaker = "gateway", budget = "gateway", idempotent = "sometimes")
		public void place() {
		}

	}

}
