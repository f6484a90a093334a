package dev.backoff.sample.gateway;

import java.io.IOException;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Starts the gateway with the shop and ends it with the shop.
 */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	@Bean
	Gateway gateway(@Value("${shop.gateway.port}") int port) throws IOException {
		return Gateway.start(port);
	}

}
