package com.acme.platform;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.policy.PolicyRule;
import dev.backoff.time.Nanos;

/** The rules of the platform, in its own starter. */
@AutoConfiguration
public class PlatformRules {

	@Bean
	static PolicyRule atMostSixAttempts() {
		return (policy, objections) -> {
			if (policy.numbers().maxAttempts() > 6) {
				objections.refuse("max-attempts", "must not be above 6", "Write at most 6.");
			}
		};
	}

	@Bean
	static PolicyRule heldThreadsHaveADeadline() {
		return (policy, objections) -> {
			if (policy.holdsThread() && policy.numbers().deadlineNanos() == Nanos.UNLIMITED) {
				objections.refuse("deadline", "must be set where a call holds its thread", "Write 30s, for instance.");
			}
		};
	}

	@Bean
	static PolicyRule retriesHaveABudget() {
		return (policy, objections) -> {
			EffectiveValue budget = policy.value("budget");
			if (budget.wasSet() && budget.value().equals("none")) {
				objections.warn("budget", "must not be none from July on", "Name a budget, or remove the key.");
			}
		};
	}

}
