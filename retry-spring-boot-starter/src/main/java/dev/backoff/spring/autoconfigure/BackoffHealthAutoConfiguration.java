package dev.backoff.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.type.AnnotatedTypeMetadata;

import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.spring.actuate.BackoffBreakersHealthIndicator;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * Show configured breakers in the application's health, as {@code backoffBreakers}.
 *
 * @since 0.1
 */
@AutoConfiguration(after = BackoffAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
public final class BackoffHealthAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnEnabledHealthIndicator("backoffbreakers")
	@Conditional(OnConfiguredBreaker.class)
	static class Enabled {

		@Bean
		@ConditionalOnMissingBean
		BackoffBreakersHealthIndicator backoffBreakersHealthIndicator(CircuitBreakers breakers,
				BackoffPolicies policies) {
			return new BackoffBreakersHealthIndicator(breakers, policies.configuration().isHealthOfBreakers());
		}

	}

	/** Match if there is a breaker below {@code backoff.breakers}. */
	static final class OnConfiguredBreaker extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			boolean found = context.getEnvironment() instanceof ConfigurableEnvironment environment
					&& !BackoffConfiguration.read(environment).breakers().isEmpty();
			return new ConditionOutcome(found, ConditionMessage.forCondition("breaker below backoff.breakers")
				.because(found ? "there is one" : "there is none"));
		}

	}

}
