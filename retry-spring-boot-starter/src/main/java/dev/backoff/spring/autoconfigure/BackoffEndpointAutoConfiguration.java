package dev.backoff.spring.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.RunningCalls;
import dev.backoff.WaitingCalls;
import dev.backoff.spring.actuate.AuditedOperations;
import dev.backoff.spring.actuate.BackoffEndpoint;
import dev.backoff.spring.actuate.EndpointPart;
import dev.backoff.spring.actuate.WrittenArguments;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.StoppedCalls;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show the policies at {@code /actuator/backoff}, and let an operator change them.
 *
 * @since 0.1
 */
@AutoConfiguration(after = { BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class BackoffEndpointAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnAvailableEndpoint(BackoffEndpoint.class)
	static class Exposed {

		@Bean
		@ConditionalOnMissingBean
		BackoffEndpoint backoffEndpoint(BackoffPolicies policies, BackoffMethods methods, OverloadSafety safety,
				LiveConfiguration live, WaitingCalls waiting, RunningCalls running,
				ObjectProvider<CallStatistics> statistics, ObjectProvider<StoppedCalls> stopped,
				ObjectProvider<EndpointPart> parts) {
			return new BackoffEndpoint(policies, methods, safety, live, waiting, running, statistics.getIfUnique(),
					stopped.getIfUnique(), parts.orderedStream().toList());
		}

		@Bean
		WrittenArguments backoffWrittenArguments() {
			return new WrittenArguments();
		}

		@Bean
		AuditedOperations backoffAuditedOperations(ApplicationEventPublisher publisher) {
			return new AuditedOperations(publisher);
		}

	}

}
