package dev.backoff.simulator;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * Plan and simulate the policies of an application.
 *
 * @since 0.1
 */
@AutoConfiguration(after = BackoffAutoConfiguration.class)
public final class SimulatorAutoConfiguration {

	@Bean
	BackoffPlans backoffPlans(BackoffPolicies policies, BackoffMethods methods, LiveConfiguration live) {
		return new BackoffPlans(policies, methods, live);
	}

	/** The parts of the endpoint, where there is Actuator. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebEndpointResponse.class)
	static class Endpoint {

		@Bean
		PlanPart backoffPlanPart(BackoffPlans plans) {
			return new PlanPart(plans);
		}

		@Bean
		StormPart backoffStormPart(BackoffPlans plans) {
			return new StormPart(plans);
		}

	}

}
