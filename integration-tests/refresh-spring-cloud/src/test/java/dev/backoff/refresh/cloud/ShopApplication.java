package dev.backoff.refresh.cloud;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.backoff.fixture.VirtualTime;

/** The client of the configuration server. Waits take no time. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ShopApplication {

	@Bean
	Shop shop() {
		return new Shop();
	}

	@Bean
	VirtualTime time() {
		return new VirtualTime();
	}

}
