package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/** Defaults are written at the keys, and are those of the core. */
class PolicyKeyTests {

	@Test
	void defaultsOfPoliciesAreThoseOfTheCore() {
		RetryPolicyBuilder builder = RetryPolicy.builder("any")
			.shape(Shape.exponential(PolicyKey.BASE.builtIn(), PolicyKey.MULTIPLIER.<Double>builtIn()))
			.cap(PolicyKey.CAP.builtIn())
			.jitter(PolicyKey.JITTER.builtIn())
			.maxAttempts(PolicyKey.MAX_ATTEMPTS.<Integer>builtIn())
			.throttledBase(PolicyKey.THROTTLED_BASE.builtIn());
		for (PolicyKey key : PolicyKey.values()) {
			// unless it is written, the answer is an assumption
			if (key.setter() != null && key != PolicyKey.IDEMPOTENT) {
				key.setter().accept(builder, key.builtIn());
			}
		}
		assertThat(builder.build()).usingRecursiveComparison()
			.ignoringFields("builder.shape", "builder.cap", "builder.retryAfterMax")
			.isEqualTo(RetryPolicy.defaults("any"));
	}

	@Test
	void defaultsOfBreakersAreThoseOfTheCore() {
		BreakerSettings.Builder builder = BreakerSettings.builder();
		for (BreakerKey key : BreakerKey.values()) {
			if (key.builtInText() != null) {
				key.set(builder, key.builtIn());
			}
		}
		assertThat(builder.build()).isEqualTo(BreakerSettings.DEFAULTS);
	}

	@Test
	void defaultsOfBudgetsAreThoseOfTheCore() {
		Section.Entry<BudgetKey> nothing = new Section.Entry<BudgetKey>("", Map.of());
		assertThat(OverloadAssembler.budget(nothing, 1, new ArrayList<>()).settings())
			.isEqualTo(BudgetSettings.DEFAULTS);
	}

}
