package dev.backoff.refresh.apollo;

import com.ctrip.framework.apollo.spring.events.ApolloConfigChangeEvent;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

/** A client of Apollo. Waits take no time. */
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

	/** Calls that fail. */
	public static class Shop {

		@Backoff("orders")
		public void order() {
			throw new IllegalStateException("down");
		}

		@Backoff("mail")
		public void mail() {
			throw new IllegalStateException("down");
		}

	}

	/** When the last event was published. */
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static final class LastEvent implements ApplicationListener<ApolloConfigChangeEvent> {

		private volatile long nanos;

		@Override
		public void onApplicationEvent(ApolloConfigChangeEvent event) {
			this.nanos = System.nanoTime();
		}

		long nanos() {
			return this.nanos;
		}

	}

}
