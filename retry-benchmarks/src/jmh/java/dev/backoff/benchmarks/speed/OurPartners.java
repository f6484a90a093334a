package dev.backoff.benchmarks.speed;

import java.util.concurrent.CompletableFuture;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.Retry;
import dev.backoff.annotation.Backoff;
import dev.backoff.benchmarks.speed.woven.WovenPartner;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

/** Partners that retry by this library. */
final class OurPartners {

	private OurPartners() {
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Proxied {

		@Bean
		ProxiedPartner partner(Integer failures) {
			return new ProxiedPartner(failures);
		}

		static class ProxiedPartner extends Partner {

			ProxiedPartner(int failures) {
				super(failures);
			}

			@Override
			@Backoff("partner")
			public String ask(String question) {
				return super.ask(question);
			}

			@Override
			@Backoff("partner")
			public CompletableFuture<String> askLater(String question) {
				return super.askLater(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Keyed {

		@Bean
		KeyedPartner partner(Integer failures) {
			return new KeyedPartner(failures);
		}

		static class KeyedPartner extends Partner {

			KeyedPartner(int failures) {
				super(failures);
			}

			@Override
			@Backoff(value = "partner", per = "#question")
			public String ask(String question) {
				return super.ask(question);
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class KeyedByProperty {

		@Bean
		Desk desk() {
			return new Desk();
		}

		@Bean
		Partner partner(Desk desk) {
			Order order = new Order("?");
			return new Partner(0) {

				@Override
				public String ask(String question) {
					return desk.ask(order);
				}

			};
		}

		static class Desk {

			@Backoff(value = "partner", per = "#order.tenant")
			public String ask(Order order) {
				return order.tenant();
			}

		}

		record Order(String tenant) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Woven {

		@Bean
		WovenPartner partner(Integer failures) {
			return new WovenPartner(failures);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ BackoffAutoConfiguration.class, BackoffObservationAutoConfiguration.class })
	static class Programmatic {

		@Bean
		Partner partner(Integer failures, BackoffMethods methods) {
			Retry retry = methods.retry("partner");
			return new Partner(failures) {

				@Override
				public String ask(String question) {
					return retry.call(() -> super.ask(question));
				}

				@Override
				public CompletableFuture<String> askLater(String question) {
					return retry.callAsync(() -> super.askLater(question));
				}

			};
		}

	}

}
