package dev.backoff.sample.gateway;

import java.io.IOException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Run the gateway as long as the shop. */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	private static final Log logger = LogFactory.getLog(GatewayConfiguration.class);

	@Bean
	Gateway gateway(@Value("${shop.gateway.port}") int port) throws IOException {
		Gateway gateway = Gateway.start(port);
		logger.info("The partners answer at " + gateway.url());
		return gateway;
	}

}
