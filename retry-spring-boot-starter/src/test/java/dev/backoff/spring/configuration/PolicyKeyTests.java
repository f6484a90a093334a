package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.List;
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

	private static void setDefault(Key<?> key, Object builder) {
		if (key.builtInText() != null) {
			key.set(builder, new ConfigValue(List.of(key.builtInText()), "any", Level.BUILT_IN, "built in").parse(key));
		}
	}

	@Test
	void defaultsOfPoliciesAreThoseOfTheCore() {
		RetryPolicyBuilder builder = RetryPolicy.builder("any")
			.shape(Shape.exponential(PolicyKey.BASE.builtIn(), PolicyKey.MULTIPLIER.builtIn()))
			.cap(PolicyKey.CAP.builtIn())
			.jitter(PolicyKey.JITTER.builtIn())
			.maxAttempts(PolicyKey.MAX_ATTEMPTS.builtIn())
			.throttledBase(PolicyKey.THROTTLED_BASE.builtIn());
		// unless it is written, the answer is an assumption
		PolicyKey.KEYS.stream().filter((key) -> key != PolicyKey.IDEMPOTENT).forEach((key) -> setDefault(key, builder));
		assertThat(builder.build()).usingRecursiveComparison()
			.ignoringFields("builder.shape", "builder.cap", "builder.retryAfterMax")
			.isEqualTo(RetryPolicy.builder("any").build());
	}

	@Test
	void defaultsOfBreakersAreThoseOfTheCore() {
		BreakerSettings.Builder builder = BreakerSettings.builder();
		BreakerKey.KEYS.forEach((key) -> setDefault(key, builder));
		assertThat(builder.build()).isEqualTo(BreakerSettings.DEFAULTS);
	}

	@Test
	void defaultsOfBudgetsAreThoseOfTheCore() {
		Section.Entry nothing = new Section.Entry("", Map.of());
		assertThat(OverloadAssembler.budget(nothing, 1, new ArrayList<>()).settings())
			.isEqualTo(BudgetSettings.DEFAULTS);
	}

}
