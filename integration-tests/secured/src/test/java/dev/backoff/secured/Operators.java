package dev.backoff.secured;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The chain of docs/changing.md. */
@Configuration(proxyBeanMethods = false)
class Operators {

	@Bean
	@Order(0)
	SecurityFilterChain operators(HttpSecurity http) {
		return http.securityMatcher(EndpointRequest.to("backoff"))
			.authorizeHttpRequests((requests) -> requests.requestMatchers(HttpMethod.GET)
				.hasAnyAuthority("SCOPE_backoff.read", "SCOPE_backoff.write")
				.anyRequest()
				.hasAuthority("SCOPE_backoff.write"))
			.csrf((csrf) -> csrf.disable())
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.build();
	}

}
