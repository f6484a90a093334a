package dev.backoff.refresh.cloud;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

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

	@Bean
	LastEvent lastEvent() {
		return new LastEvent();
	}

	/** When the last event was published. */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static final class LastEvent implements ApplicationListener<EnvironmentChangeEvent> {

		private volatile long nanos;

		@Override
		public void onApplicationEvent(EnvironmentChangeEvent event) {
			this.nanos = System.nanoTime();
		}

		long nanos() {
			return this.nanos;
		}

	}

}
