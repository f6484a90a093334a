package dev.backoff.spring.actuate;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.spring.configuration.ConditionalOnSetting;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show configured breakers in the application's health, as {@code backoffBreakers}.
 *
 * @since 0.1
 */
@AutoConfiguration(afterName = "dev.backoff.spring.autoconfigure.BackoffAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
public final class BackoffHealthAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnEnabledHealthIndicator("backoffbreakers")
	@ConditionalOnSetting("breakers")
	static class Enabled {

		@Bean
		BackoffBreakersHealthIndicator backoffBreakersHealthIndicator(OverloadSafety safety, BackoffPolicies policies) {
			return new BackoffBreakersHealthIndicator(safety.breakers(),
					policies.configuration().get(SettingKey.HEALTH_BREAKERS));
		}

	}

}
