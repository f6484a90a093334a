package dev.backoff.spring.http;

import java.time.Clock;

import jakarta.servlet.Filter;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebFilter;

import dev.backoff.spring.configuration.ConditionalOnSetting;
import dev.backoff.spring.failure.QuotaHeaders;
import dev.backoff.spring.policy.BackoffPolicies;

/**
 * Describe attempts in the headers of outbound requests, apply those of inbound ones, and
 * read what responses say of quotas.
 *
 * @since 0.1
 */
@AutoConfiguration(afterName = "dev.backoff.spring.autoconfigure.BackoffAutoConfiguration")
public final class BackoffHttpAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RestClientCustomizer.class)
	static class BlockingClients {

		@Bean
		BlockingClientQuotas backoffBlockingClientQuotas(BackoffPolicies policies, ObjectProvider<Clock> clock) {
			return new BlockingClientQuotas(quotas(policies, clock));
		}

		@Bean
		BlockingClientHeaders backoffBlockingClientHeaders(BackoffPolicies policies) {
			return new BlockingClientHeaders(
					new AttemptHeaders(policies.configuration().http(), "RestClient or RestTemplate"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HttpClientBuilder.class, ClientHttpRequestFactoryBuilderCustomizer.class })
	static class ApacheClients {

		@Bean
		ApacheClientHeaders backoffApacheClientHeaders(BackoffPolicies policies) {
			return new ApacheClientHeaders(policies.configuration().http());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebClientCustomizer.class)
	static class ReactiveClients {

		@Bean
		ReactiveClientHeaders backoffReactiveClientHeaders(BackoffPolicies policies, ObjectProvider<Clock> clock) {
			return new ReactiveClientHeaders(new AttemptHeaders(policies.configuration().http(), "WebClient"),
					quotas(policies, clock));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Filter.class, OncePerRequestFilter.class })
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnSetting("http.inbound")
	static class Servlets {

		@Bean
		@ConditionalOnMissingBean(name = "backoffInboundFilter")
		FilterRegistrationBean<InboundServletFilter> backoffInboundFilter(BackoffPolicies policies) {
			FilterRegistrationBean<InboundServletFilter> registration = new FilterRegistrationBean<>(
					new InboundServletFilter(policies.configuration().http()));
			registration.setOrder(InboundServletFilter.ORDER);
			return registration;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(WebFilter.class)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnSetting("http.inbound")
	static class ReactiveHandlers {

		@Bean
		InboundWebFilter backoffInboundWebFilter(BackoffPolicies policies) {
			return new InboundWebFilter(policies.configuration().http());
		}

	}

	/* Null if no known policy has a pace; then clients stay as they are. */
	private static @Nullable QuotaHeaders quotas(BackoffPolicies policies, ObjectProvider<Clock> clock) {
		return policies.current().isPaced() ? new QuotaHeaders(clock.getIfUnique(Clock::systemUTC)) : null;
	}

}
