package dev.backoff.spring.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.observation.LogCapture;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.RetryBudgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A configuration that changes while the application runs. */
class LiveConfigurationTests extends LiveApplication {

	LiveConfigurationTests() {
		super("backoff.defaults.jitter=none", "backoff.policies.orders.base=1s",
				"backoff.policies.orders.max-attempts=3", "backoff.policies.mail.base=2s",
				"backoff.policies.mail.max-attempts=2", "backoff.policies.special.inherits=orders");
	}

	private StopReason stop(Consumer<Shop> call) {
		RetriesStoppedException report = RetriesStoppedException
			.of(catchThrowable(() -> call.accept(this.context.getBean(Shop.class))));
		assertThat(report).isNotNull();
		return report.reason();
	}

	private static List<Duration> seconds(int... seconds) {
		return Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
	}

	@Nested
	class Overriding {

		@Test
		void holdsForCallsThatBeginFromThenOn() {
			start(Branch.class);
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
			List<ValueChange> changes = live.override("ORDERS", Map.of("base", "4s", "maxAttempts", "4"), null);
			assertThat(changes).extracting(ValueChange::toString)
				.containsExactlyInAnyOrder("policy orders: base 1s (the property source test) -> 4s (live override)",
						"policy orders: cap 100s (built in, 100 times the base) -> 400s (built in, 100 times the "
								+ "base)",
						"policy orders: max-attempts 3 (the property source test) -> 4 (live override)",
						"policy special: base 1s (the property source test) -> 4s (live override)",
						"policy special: cap 100s (built in, 100 times the base) -> 400s (built in, 100 times the "
								+ "base)",
						"policy special: max-attempts 3 (the property source test) -> 4 (live override)");
			assertThat(waits(Shop::order)).isEqualTo(seconds(4, 8, 16));
			assertThat(waits(Shop::mail)).isEqualTo(seconds(2));
			assertThat(value("Shop.order", PolicyKey.BASE)).extracting(EffectiveValue::value, EffectiveValue::origin)
				.containsExactly("4s", "live override");
		}

		@Test
		void leavesCallsThatHaveBegunAlone() {
			start();
			Shop shop = context.getBean(Shop.class);
			shop.inAttempt(() -> live.override("orders", Map.of("base", "5s", "max-attempts", "2"), null));
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
			shop.inAttempt(() -> {
			});
			assertThat(waits(Shop::order)).isEqualTo(seconds(5));
		}

		@Test
		void isStrongerThanWhatIsWrittenAndRaisesTheCap() {
			centre.put("backoff.policies.orders.cap", "3s");
			start();
			live.override("orders", Map.of("base", "20s"), null);
			assertThat(waits(Shop::order)).isEqualTo(seconds(20, 20));
			assertThat(value("Shop.order", PolicyKey.CAP).origin())
				.isEqualTo("raised to the base (live override) from 3s (the property source centre)");
		}

		@Test
		void reachesThoseWhoInheritUnlessTheySayOtherwise() {
			centre.put("backoff.policies.special.base", "7s");
			start(Branch.class);
			live.override("orders", Map.of("base", "3s", "max-attempts", "2"), null);
			assertThat(waits(Branch.class, Branch::special)).isEqualTo(seconds(7));
			live.override("special", Map.of("base", "2s"), null);
			assertThat(waits(Branch.class, Branch::special)).isEqualTo(seconds(2));
		}

		@Test
		void knowsMethodsWithoutAPolicyByTheirLabel() {
			start();
			live.override("Shop.unnamed", Map.of("base", "6s", "max-attempts", "2"), null);
			assertThat(waits(Shop::unnamed)).isEqualTo(seconds(6));
		}

		@Test
		void followsIntoARetryThatSomebodyKeeps() {
			start();
			Retry kept = context.getBean(BackoffMethods.class).retry("mail");
			live.override("mail", Map.of("base", "9s"), null);
			assertThat(waits((shop) -> {
				try {
					kept.call(() -> {
						throw new IOException("down");
					});
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			})).isEqualTo(seconds(9));
		}

		@Test
		void changesNothingIfAnyOfItIsWrong() {
			start();
			refuses("orders", Map.of("max-attempts", "5", "base", "2x"), "Invalid base of policy orders (2x) at live "
					+ "override: must be a duration. Write a number and a unit, such as 250ms, 2s or 5m.");
			refuses("orders", Map.of("base", "10"),
					"Invalid base of policy orders (10) at live override: must have a unit. Write 10ms or 10s.");
			refuses("orders", Map.of("max-retries", "5"), "Invalid key (max-retries) of policy orders: is not known. "
					+ "Write max-attempts, which counts the first attempt too.");
			refuses("orders", Map.of("excludes", "x"),
					"Invalid key (excludes) of policy orders: is not known. Change enabled, base, ");
			refuses("orders", Map.of("breaker", "x"), "cannot be changed while the application runs");
			refuses("orders", Map.of("cap", " "), "must not be empty");
			refuses("orders", Map.of(), "needs a value");
			refuses("nobody", Map.of("cap", "2s"), "is not known");
			refuses("orders", Map.of("cap", "500ms"), "must not be below the base (1s)");
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
			assertThat(context.getBean(BackoffPolicies.class).configuration().overrides().isEmpty()).isTrue();
		}

		private void refuses(String policy, Map<String, String> values, String message) {
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.override(policy, values, null))
				.withMessageContaining(message);
		}

		@Test
		void endsByItselfUnlessItIsSetAgain() {
			start();
			live.override("orders", Map.of("base", "4s", "max-attempts", "2"), Duration.ofMinutes(30));
			live.override("orders", Map.of("max-attempts", "4"), Duration.ZERO);
			assertThat(live.until("orders", PolicyKey.BASE)).map(Instant.now()::isBefore).hasValue(true);
			assertThat(live.until("orders", PolicyKey.MAX_ATTEMPTS)).isEqualTo(Optional.empty());
			time.advance(Duration.ofMinutes(29));
			assertThat(time.runDue()).isZero();
			time.advance(Duration.ofMinutes(1));
			assertThat(time.runDue()).isEqualTo(1);
			Awaitility.await()
				.atMost(1, TimeUnit.MINUTES)
				.untilAsserted(() -> assertThat(value("Shop.order", PolicyKey.BASE).value()).isEqualTo("1s"));
			assertThat(value("Shop.order", PolicyKey.MAX_ATTEMPTS).value()).isEqualTo("4");
		}

		@Test
		void switchesAllRetriesOffForCallsThatHaveBegunToo() {
			start();
			Shop shop = context.getBean(Shop.class);
			shop.inAttempt(() -> live.overrideRetriesEnabled(false, null));
			assertThat(stop(Shop::order)).isEqualTo(StopReason.DISABLED);
			shop.inAttempt(() -> {
			});
			assertThat(stop(Shop::mail)).isEqualTo(StopReason.DISABLED);
			live.reset();
			assertThat(stop(Shop::mail)).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void switchesOnePolicyOffForCallsThatHaveBegunToo() {
			start();
			context.getBean(Shop.class).inAttempt(() -> live.override("orders", Map.of("enabled", "false"), null));
			assertThat(stop(Shop::order)).isEqualTo(StopReason.DISABLED);
			assertThat(stop(Shop::mail)).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void isLoggedAndCounted() {
			start();
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				live.override("mail", Map.of("base", "5s", "cap", "20s"), Duration.ofMinutes(1));
				assertThat(log.lines(Level.INFO)).contains("Overridden for 1m in this process only: policy mail: base "
						+ "2s (the property source test) -> 5s (live override)");
			}
			assertThat(registry.get("backoff.overrides").tag("policy", "mail").gauge().value()).isEqualTo(2);
			live.reset("mail");
			assertThat(registry.get("backoff.overrides").tag("policy", "mail").gauge().value()).isZero();
			assertThat(changes("overridden")).isEqualTo(1);
			assertThat(changes("reset")).isEqualTo(1);
			assertThat(changes("refused")).isZero();
		}

	}

	@Nested
	class Refreshing {

		@Test
		void putsWhatHasChangedIntoEffect() {
			start(Branch.class);
			centre.put("backoff.policies.orders.base", "3s");
			centre.put("backoff.policies.[Shop.unnamed].max-attempts", "1");
			centre.put("ladder", "1s, 5s");
			assertThat(refresh()).isTrue();
			assertThat(waits(Shop::order)).isEqualTo(seconds(3, 6));
			assertThat(waits(Shop::unnamed)).isEmpty();
			assertThat(waits(Branch.class, Branch::placeholder)).isEqualTo(seconds(1, 5));
		}

		@Test
		void refusesAWholeThatCannotWork() {
			start();
			centre.put("backoff.policies.orders.base", "3s");
			centre.put("backoff.policies.mail.jiter", "none");
			centre.put("backoff.budgets.orders.tokens", "-1");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				assertThat(refresh()).isFalse();
				assertThat(log.lines(Level.ERROR)).singleElement()
					.asString()
					.startsWith("Refused the configuration refreshed by a test; what was in effect stays so:")
					.contains("backoff.policies.mail.jiter", "Write jitter instead of jiter.",
							"backoff.budgets.orders.tokens");
			}
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
			assertThat(changes("refused")).isEqualTo(1);
		}

		@Test
		void refusesToTakeAwayAPolicyInUse() {
			centre.put("backoff.policies.callbacks.base", "3s");
			start(Callbacks.class);
			centre.remove("backoff.policies.callbacks.base");
			assertThat(refresh()).isFalse();
			assertThat(context.getBean(BackoffPolicies.class).current().names()).contains("callbacks");
		}

		@Test
		void keepsBalancesAndStates() {
			centre.putAll(Map.of("backoff.breakers.gate.failure-rate", "50%", "backoff.policies.mail.breaker", "gate"));
			start();
			CircuitBreaker breaker = context.getBean(CircuitBreakers.class).get("gate");
			breaker.forceOpen();
			assertThat(stop(Shop::order)).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			double balance = context.getBean(RetryBudgets.class).get("orders").balance();
			centre.put("backoff.breakers.gate.failure-rate", "30%");
			centre.put("backoff.breakers.later.open-for", "5s");
			centre.put("backoff.budgets.orders.tokens", "60");
			assertThat(refresh()).isTrue();
			assertThat(context.getBean(CircuitBreakers.class).get("gate")).isSameAs(breaker);
			assertThat(breaker.state()).isEqualTo(BreakerState.FORCED_OPEN);
			assertThat(breaker.settings().failureRate()).isEqualTo(0.3);
			assertThat(context.getBean(CircuitBreakers.class).find("later")).isPresent();
			assertThat(context.getBean(RetryBudgets.class).get("orders").balance()).isEqualTo(balance);
			centre.put("backoff.budgets.orders.tokens", "10");
			refresh();
			assertThat(context.getBean(RetryBudgets.class).get("orders").balance()).isEqualTo(10);
		}

		@Test
		void dividesTokensAmongOtherInstancesAtOnce() {
			start();
			RetryBudget budget = context.getBean(RetryBudgets.class).get("orders");
			budget.newCall(0).timedOut(true);
			centre.put("backoff.instances", "60");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				assertThat(refresh()).isTrue();
				assertThat(log.lines(Level.WARN)).isEmpty();
				assertThat(log.lines(Level.INFO)).anyMatch((line) -> line.contains("backoff: instances none -> 60"));
			}
			assertThat(budget.balance()).isEqualTo(5);
			assertThat(budget.settings().perSecond()).isEqualTo(0.1 / 60);
			assertThat(budget.strikes()).isOne();
		}

		@Test
		void staysBelowAnOverrideAndSaysSo() {
			start();
			live.override("orders", Map.of("base", "4s"), null);
			centre.put("backoff.policies.orders.base", "3s");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				refresh();
				assertThat(log.lines(Level.WARN)).singleElement()
					.asString()
					.startsWith("Refreshed, but hidden by a live override until that is reset: "
							+ "policy orders: base 1s (the property source test) -> 3s");
			}
			assertThat(waits(Shop::order)).isEqualTo(seconds(4, 8));
			live.reset("orders");
			assertThat(waits(Shop::order)).isEqualTo(seconds(3, 6));
		}

		@Test
		void refusesWhatOnlyAnOverrideWouldMend() {
			start();
			live.override("orders", Map.of("base", "100ms"), null);
			centre.put("backoff.policies.orders.cap", "500ms");
			assertThat(refresh()).isFalse();
			live.reset("orders");
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
		}

		@Test
		void isReadAgainWhenTheOverrideEndsThatItDidNotFit() {
			start();
			live.override("orders", Map.of("cap", "2s"), null);
			centre.put("backoff.policies.orders.base", "3s");
			centre.put("backoff.policies.orders.cap", "9s");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				assertThat(refresh()).isFalse();
				assertThat(log.lines(Level.WARN)).isEmpty();
			}
			assertThat(waits(Shop::order)).isEqualTo(seconds(1, 2));
			assertThat(live.reset("orders")).extracting(ValueChange::key).contains("base", "cap");
			assertThat(waits(Shop::order)).isEqualTo(seconds(3, 6));
		}

		@Test
		void switchesEverythingOffAndOnAgain() {
			start();
			centre.put("backoff.enabled", "false");
			centre.put("backoff.policies.mail.base", "nonsense");
			refresh();
			Throwable plain = catchThrowable(() -> context.getBean(Shop.class).order());
			assertThat(RetriesStoppedException.of(plain)).isNull();
			centre.clear();
			refresh();
			assertThat(stop(Shop::order)).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void switchesOnWhatWasOffAtTheStart() {
			centre.put("backoff.enabled", "false");
			centre.put("backoff.policies.mail.base", "nonsense");
			start();
			centre.put("backoff.enabled", "true");
			assertThat(refresh()).isFalse();
			assertThat(RetriesStoppedException.of(catchThrowable(() -> context.getBean(Shop.class).order()))).isNull();
			centre.remove("backoff.policies.mail.base");
			assertThat(refresh()).isTrue();
			assertThat(waits(Shop::mail)).isEqualTo(seconds(2));
			assertThat(registry.find("backoff.budget.tokens").gauges()).isNotEmpty();
		}

		@Test
		void tellsWhatWaitsForTheNextStart() {
			start();
			centre.put("backoff.http.inbound", "true");
			try (LogCapture log = new LogCapture(LiveConfiguration.class)) {
				refresh();
				assertThat(log.lines(Level.WARN)).singleElement()
					.asString()
					.contains("in effect from the next start on", "http.inbound");
			}
		}

		@Test
		void keepsThePlaceholdersThatSayWhichPolicyItIs() {
			centre.put("which", "orders");
			centre.put("longest", "4s");
			start(Named.class);
			centre.put("which", "mail");
			centre.put("longest", "5s");
			assertThat(refresh()).isTrue();
			assertThat(value("Named.call", PolicyKey.BASE).value()).isEqualTo("1s");
			assertThat(value("Named.call", PolicyKey.CAP).value()).isEqualTo("5s");
		}

		@Test
		void doesNothingForAChangeOfSomethingElse() {
			start();
			centre.put("server.port", "1");
			refresh();
			assertThat(changes("applied")).isZero();
		}

	}

	public static class Branch {

		@Backoff("special")
		public void special() {
			throw new IllegalStateException("down");
		}

		@Backoff(ladder = "${ladder:1s}")
		public void placeholder() {
			throw new IllegalStateException("down");
		}

	}

	public static class Callbacks {

		@Backoff("callbacks")
		public void call() {
			throw new IllegalStateException("down");
		}

	}

	public static class Named {

		@Backoff(value = "${which}", cap = "${longest}")
		public void call() {
			throw new IllegalStateException("down");
		}

	}

}
