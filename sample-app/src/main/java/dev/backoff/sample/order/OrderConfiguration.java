package dev.backoff.sample.order;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;

/** The breaker of order placement as a bean, for code that asks it before it calls. */
@Configuration(proxyBeanMethods = false)
class OrderConfiguration {

	@Bean
	CircuitBreaker paymentGateway(CircuitBreakers breakers) {
		return breakers.get("payment-gateway");
	}

}
