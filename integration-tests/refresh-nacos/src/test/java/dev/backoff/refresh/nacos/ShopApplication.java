package dev.backoff.refresh.nacos;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;

/** A client of Nacos. Waits take no time. */
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

}
