package dev.backoff.libraries;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.kafka.test.utils.KafkaTestUtils;
import org.springframework.messaging.support.MessageBuilder;

import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.adapt.FrameworkRetries;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** Consumers as docs/moving-in.md shows them: the client of a broker repeats too. */
class ConsumersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean(VirtualTime.class, VirtualTime::new);

	@Test
	void aContainerOfKafkaRepeatsAttemptsUnlessToldOtherwise() {
		EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "orders", "orders-dlt", "parcels");
		broker.afterPropertiesSet();
		try {
			assertThat(attempts(broker, "parcels", Listener.class)).isEqualTo(40);
			assertThat(attempts(broker, "orders", Listener.class, DeadLetters.class)).isEqualTo(4);
			try (Consumer<String, String> reader = consumers(broker).createConsumer()) {
				broker.consumeFromEmbeddedTopics(reader, "orders-dlt");
				assertThat(KafkaTestUtils.getSingleRecord(reader, "orders-dlt").value()).isEqualTo("bad");
			}
		}
		finally {
			broker.destroy();
		}
	}

	private int attempts(EmbeddedKafkaBroker broker, String topic, Class<?>... application) {
		AtomicInteger attempts = new AtomicInteger();
		this.runner.withInitializer((context) -> context.getBeanFactory().registerSingleton("broker", broker))
			.withUserConfiguration(Kafka.class)
			.withUserConfiguration(application)
			.withPropertyValues("topic=" + topic, "backoff.policies.orders.max-attempts=4")
			.run((context) -> {
				KafkaTemplate<?, ?> kafka = context.getBean(KafkaTemplate.class);
				for (String order : List.of("bad", "good")) {
					kafka.send(MessageBuilder.withPayload(order).setHeader(KafkaHeaders.TOPIC, topic).build()).join();
				}
				attempts.set(context.getBean(Listener.class).attemptsOfBad());
			});
		return attempts.get();
	}

	private static DefaultKafkaConsumerFactory<String, String> consumers(EmbeddedKafkaBroker broker) {
		return new DefaultKafkaConsumerFactory<>(KafkaTestUtils.consumerProps(broker, "shop", false),
				new StringDeserializer(), new StringDeserializer());
	}

	@Test
	void aMessageOfRocketMqGoesThroughTheLevelsOfAPolicy() {
		this.runner
			.withPropertyValues("backoff.policies.orders.jitter=none",
					"backoff.policies.orders.ladder="
							+ "1s, 5s, 10s, 30s, 1m, 2m, 3m, 4m, 5m, 6m, 7m, 8m, 9m, 10m, 20m, 30m, 1h, 2h")
			.run((context) -> {
				OrderListener listener = new OrderListener((order) -> {
					throw new IllegalStateException("down");
				}, context.getBean(FrameworkRetries.class));
				assertThat(IntStream.range(0, 18).map((delivery) -> level(listener, delivery)).toArray())
					.isEqualTo(IntStream.rangeClosed(1, 18).toArray());
				assertThat(level(listener, 18)).isEqualTo(-1);
			});
	}

	private static int level(OrderListener listener, int redeliveries) {
		MessageExt message = new MessageExt();
		message.setBody(new byte[] { 1 });
		message.setReconsumeTimes(redeliveries);
		ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(new MessageQueue());
		assertThat(listener.consumeMessage(List.of(message), context))
			.isEqualTo(ConsumeConcurrentlyStatus.RECONSUME_LATER);
		return context.getDelayLevelWhenNextConsume();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableKafka
	static class Kafka {

		@Bean
		KafkaTemplate<String, String> template(EmbeddedKafkaBroker broker) {
			return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(KafkaTestUtils.producerProps(broker),
					new StringSerializer(), new StringSerializer()));
		}

		@Bean
		ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
				EmbeddedKafkaBroker broker, ObjectProvider<CommonErrorHandler> errorHandler) {
			ConcurrentKafkaListenerContainerFactory<String, String> factory = new ConcurrentKafkaListenerContainerFactory<>();
			factory.setConsumerFactory(consumers(broker));
			errorHandler.ifAvailable(factory::setCommonErrorHandler);
			return factory;
		}

	}

	public static class Listener {

		private final AtomicInteger bad = new AtomicInteger();

		private final CountDownLatch good = new CountDownLatch(1);

		@KafkaListener(topics = "${topic}", groupId = "shop")
		@Backoff("orders")
		public void receive(String order) {
			if (order.equals("bad")) {
				this.bad.incrementAndGet();
				throw new IllegalStateException("down");
			}
			this.good.countDown();
		}

		public int attemptsOfBad() throws InterruptedException {
			assertThat(this.good.await(60, TimeUnit.SECONDS)).isTrue();
			return this.bad.get();
		}

	}

}
