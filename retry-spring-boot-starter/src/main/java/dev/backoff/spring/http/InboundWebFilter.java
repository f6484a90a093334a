package dev.backoff.spring.http;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.observation.ServerRequestObservationContext;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import dev.backoff.spring.configuration.HttpSettings;

/**
 * The counterpart of {@link InboundServletFilter} for reactive applications.
 * <p>
 * The deadline and the attempt's number travel in the Reactor context. They reach the
 * threads of handlers only with {@code spring.reactor.context-propagation=auto} and
 * Micrometer's context-propagation; without them only the observation gets the number.
 * Thread-safe.
 */
record InboundWebFilter(HttpSettings settings) implements WebFilter, Ordered {

	@Override
	public int getOrder() {
		return InboundServletFilter.ORDER;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		HttpHeaders headers = exchange.getRequest().getHeaders();
		InboundCall call = InboundCall.read(this.settings, headers::getFirst);
		ServerRequestObservationContext.findCurrent(exchange.getAttributes())
			.ifPresent((context) -> context.addLowCardinalityKeyValue(call.keyValue()));
		return chain.filter(exchange)
			.contextWrite((context) -> context.putNonNull(RetryContextAccessor.KEY, call.deadline())
				.putNonNull(InboundCall.ATTEMPT, call.attempt()));
	}

}
