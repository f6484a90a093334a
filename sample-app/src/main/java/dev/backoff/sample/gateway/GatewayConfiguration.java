package dev.backoff.sample.gateway;

import java.io.IOException;
import java.net.URI;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Run the gateway as long as the shop, unless the shop uses that of another one. */
@Configuration(proxyBeanMethods = false)
class GatewayConfiguration {

	private static final Log logger = LogFactory.getLog(GatewayConfiguration.class);

	@Bean
	@Lazy
	Gateway gateway(@Value("${shop.gateway.port}") int port) throws IOException {
		return Gateway.start(port);
	}

	@Bean
	PartnerAddress partners(@Value("${shop.gateway.url:}") String other, ObjectProvider<Gateway> gateway) {
		URI url = other.isEmpty() ? gateway.getObject().url() : URI.create(other);
		logger.info("The partners answer at " + url);
		return new PartnerAddress(url);
	}

}
