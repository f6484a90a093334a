package dev.backoff.spring.actuate;

import java.time.Clock;
import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

import dev.backoff.CallRegistry;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.CallStatistics;
import dev.backoff.spring.observation.StoppedCalls;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Show the policies at {@code /actuator/backoff}, and let an operator change them.
 *
 * @since 0.1
 */
@AutoConfiguration(afterName = { "dev.backoff.spring.autoconfigure.BackoffAutoConfiguration",
		"dev.backoff.spring.observation.BackoffObservationAutoConfiguration" })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class BackoffEndpointAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnAvailableEndpoint(BackoffEndpoint.class)
	static class Exposed {

		@Bean
		BackoffEndpoint backoffEndpoint(BackoffPolicies policies, PolicyUses uses, OverloadSafety safety,
				LiveConfiguration live, CallRegistry calls, ObjectProvider<CallStatistics> statistics,
				ObjectProvider<StoppedCalls> stopped, ObjectProvider<EndpointContributor> parts,
				OtherRetries otherRetries, Environment environment, ObjectProvider<EndpointAccessResolver> access,
				ObjectProvider<Clock> clock) {
			Clock time = clock.getIfUnique(Clock::systemUTC);
			return new BackoffEndpoint(policies, uses, safety, live,
					new ActivityDescriptions(calls, statistics.getIfUnique(() -> List::of),
							stopped.getIfUnique(() -> new StoppedCalls(time, () -> false))),
					ActivityView.ThisProcess.of(environment, access.getIfUnique(), time),
					parts.orderedStream().toList(), otherRetries);
		}

		@Bean
		KeysPart backoffKeysPart(BackoffPolicies policies, OverloadSafety safety) {
			return new KeysPart(policies, safety);
		}

		@Bean
		WorthPart backoffWorthPart(ObjectProvider<CallStatistics> statistics, ObjectProvider<Clock> clock) {
			return new WorthPart(statistics.getIfUnique(() -> List::of), clock.getIfUnique(Clock::systemUTC).instant());
		}

		@Bean
		OperatorRequests backoffOperatorRequests(ApplicationEventPublisher publisher) {
			return new OperatorRequests(publisher);
		}

	}

}
