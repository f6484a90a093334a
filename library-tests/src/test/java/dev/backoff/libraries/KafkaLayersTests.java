package dev.backoff.libraries;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.SeekUtils;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.layers.RetryLayer;
import dev.backoff.spring.layers.RetryLayers;

import static org.assertj.core.api.Assertions.assertThat;

class KafkaLayersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class));

	@Test
	void aListenerIsCalledTenTimesByDefault() {
		assertThat(attempts(null)).isEqualTo(SeekUtils.DEFAULT_MAX_FAILURES).isEqualTo(10);
		assertThat(attempts(new DefaultErrorHandler())).isEqualTo(10);
	}

	@Test
	void aListenerIsCalledAsOftenAsItsHandlerSays() {
		assertThat(attempts(new DefaultErrorHandler(new FixedBackOff(0, 2)))).isEqualTo(3);
	}

	@Test
	void aHandlerWithoutEndHasNoNumber() {
		assertThat(attempts(new DefaultErrorHandler(new ExponentialBackOff()))).isNull();
	}

	@Test
	void otherHandlersAreNoLayer() {
		this.runner
			.withBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class,
					() -> containers(new CommonLoggingErrorHandler()))
			.withBean(Listener.class)
			.run((context) -> {
				RetryLayers.Report report = context.getBean(RetryLayers.class).report();
				assertThat(report.layers()).isEmpty();
				assertThat(report.unretried()).containsExactly("Listener.on (@KafkaListener)");
			});
	}

	@Test
	void retryableTopicsHaveTheirOwnNumber() {
		this.runner.withBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class)
			.withBean(TopicListener.class)
			.run((context) -> {
				RetryLayers.Report report = context.getBean(RetryLayers.class).report();
				assertThat(report.layers()).extracting(RetryLayer::place, RetryLayer::attempts)
					.containsExactly(org.assertj.core.groups.Tuple.tuple("TopicListener.on", 3));
				assertThat(report.unretried()).isEmpty();
			});
	}

	private Integer attempts(CommonErrorHandler handler) {
		RetryLayer[] layer = new RetryLayer[1];
		this.runner
			.withBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class,
					() -> containers(handler))
			.withBean(Listener.class)
			.run((context) -> {
				RetryLayers.Report report = context.getBean(RetryLayers.class).report();
				assertThat(report.unretried()).isEmpty();
				assertThat(report.layers()).hasSize(1);
				layer[0] = report.layers().get(0);
			});
		assertThat(layer[0].place()).isEqualTo("bean kafkaListenerContainerFactory");
		return layer[0].attempts();
	}

	private static ConcurrentKafkaListenerContainerFactory<?, ?> containers(CommonErrorHandler handler) {
		ConcurrentKafkaListenerContainerFactory<?, ?> containers = new ConcurrentKafkaListenerContainerFactory<>();
		if (handler != null) {
			containers.setCommonErrorHandler(handler);
		}
		return containers;
	}

	public static class Listener {

		@KafkaListener(topics = "orders")
		public void on(String order) {
		}

	}

	public static class TopicListener {

		@RetryableTopic
		@KafkaListener(topics = "orders")
		public void on(String order) {
		}

	}

}
