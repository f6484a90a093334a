package dev.backoff.libraries;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitProperties;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.layers.RetryLayer;
import dev.backoff.spring.layers.RetryLayers;

import static org.assertj.core.api.Assertions.assertThat;

/** The retries of Spring AMQP, as Spring Boot sets them up. No broker is needed. */
class AmqpLayersTests {

	@Test
	void aListenerIsCalledWithoutEndByDefault() {
		RetryLayers.Report report = report();
		assertThat(report.layers()).extracting(RetryLayer::name).containsExactly("Spring AMQP listener");
		assertThat(report.layers().get(0).attempts()).isNull();
		assertThat(report.unretried()).isEmpty();
	}

	@Test
	void aListenerIsCalledOnceWhereNothingIsDeliveredAgain() {
		RetryLayers.Report report = report("spring.rabbitmq.listener.simple.default-requeue-rejected=false");
		assertThat(report.layers()).isEmpty();
		assertThat(report.unretried()).containsExactly("Alone.on (@RabbitListener)");
	}

	@Test
	void theNumbersAreThoseOfSpringBoot() {
		RetryLayers.Report report = report("spring.rabbitmq.listener.simple.retry.enabled=true",
				"spring.rabbitmq.template.retry.enabled=true");
		int attempts = (int) new RabbitProperties.ListenerRetry().getMaxRetries() + 1;
		assertThat(report.layers()).extracting(RetryLayer::name, RetryLayer::attempts)
			.containsExactly(org.assertj.core.groups.Tuple.tuple("Spring AMQP listener", attempts),
					org.assertj.core.groups.Tuple.tuple("Spring AMQP template", attempts));
		// 4 around, 4 of its own, 4 within
		assertThat(report.methods().get("Sender.send").atMost()).isEqualTo(64);
	}

	@Test
	void theNumbersAreThoseThatAreSet() {
		assertThat(report("spring.rabbitmq.listener.type=direct", "spring.rabbitmq.listener.direct.retry.enabled=true",
				"spring.rabbitmq.listener.direct.retry.max-retries=6")
			.layers()).extracting(RetryLayer::attempts).containsExactly(7);
	}

	private static RetryLayers.Report report(String... properties) {
		List<String> arguments = new ArrayList<>(List.of("--spring.rabbitmq.listener.simple.auto-startup=false",
				"--spring.rabbitmq.listener.direct.auto-startup=false", "--backoff.other-retries=off"));
		List.of(properties).forEach((property) -> arguments.add("--" + property));
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run(arguments.toArray(String[]::new))) {
			return context.getBean(RetryLayers.class).report();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			RabbitAutoConfiguration.class })
	static class Application {

		@Bean
		Sender sender(RabbitTemplate template) {
			return new Sender();
		}

		@Bean
		Listener listener(Sender sender) {
			return new Listener();
		}

		@Bean
		Alone alone() {
			return new Alone();
		}

	}

	public static class Sender {

		@Backoff
		public void send() {
		}

	}

	public static class Listener {

		@RabbitListener(queues = "orders")
		public void on(String order) {
		}

	}

	/** Has no bean that retries. */
	public static class Alone {

		@RabbitListener(queues = "refunds")
		public void on(String refund) {
		}

	}

}
