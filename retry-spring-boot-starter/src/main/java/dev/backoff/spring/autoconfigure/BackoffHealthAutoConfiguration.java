package dev.backoff.spring.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.spring.actuate.BackoffBreakersHealthIndicator;
import dev.backoff.spring.configuration.ConditionalOnSetting;
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
	@ConditionalOnSetting("breakers")
	static class Enabled {

		@Bean
		@ConditionalOnMissingBean
		BackoffBreakersHealthIndicator backoffBreakersHealthIndicator(CircuitBreakers breakers,
				BackoffPolicies policies) {
			return new BackoffBreakersHealthIndicator(breakers, policies.configuration().isHealthOfBreakers());
		}

	}

}
