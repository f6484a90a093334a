package dev.backoff.libraries;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import org.springframework.kafka.test.utils.KafkaTestUtils;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import dev.backoff.delay.RandomSource;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.adapt.FrameworkRetries;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** Containers of messages wait by a policy, with brokers in this process, or none. */
class AdaptedContainersTests {

	private static final RandomSource MIDDLE = () -> 0.5;

	private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean("middle", RandomSource.class, () -> MIDDLE);

	private static void withDelays(String attempts, Consumer<RecordingBackOff> test) {
		RUNNER
			.withPropertyValues("backoff.policies.orders.base=4ms", "backoff.policies.orders.max-attempts=" + attempts)
			.run((context) -> test
				.accept(new RecordingBackOff(context.getBean(FrameworkRetries.class).backOff("orders"))));
	}

	@Test
	void anErrorHandlerOfKafkaRetriesEachRecordByThePolicy() {
		EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "orders");
		broker.afterPropertiesSet();
		try {
			withDelays("3", (delays) -> retriesEachRecord(broker, delays));
		}
		finally {
			broker.destroy();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void waitsThatAreTooLongForKafkaAreTold(CapturedOutput output) {
		RUNNER.withPropertyValues("backoff.policies.orders.base=5m", "backoff.policies.orders.max-attempts=3")
			.run((context) -> context.getBean(FrameworkRetries.class).backOff("orders"));
		assertThat(output).contains("Policy orders waits up to 10 min, longer than Kafka's max.poll.interval.ms allows "
				+ "by default: use ContainerPausingBackOffHandler");
	}

	private static void retriesEachRecord(EmbeddedKafkaKraftBroker broker, RecordingBackOff delays) {
		send(broker, "first", "second", "third");
		Queue<String> attempts = new ConcurrentLinkedQueue<>();
		Queue<Object> recovered = new ConcurrentLinkedQueue<>();
		CountDownLatch done = new CountDownLatch(3);
		ContainerProperties properties = new ContainerProperties(new TopicPartitionOffset("orders", 0, 0L));
		properties.setMessageListener((MessageListener<String, String>) (message) -> {
			attempts.add(message.value());
			if (!message.value().equals("second")) {
				throw new IllegalStateException("down");
			}
			done.countDown();
		});
		KafkaMessageListenerContainer<String, String> container = new KafkaMessageListenerContainer<>(
				new DefaultKafkaConsumerFactory<>(KafkaTestUtils.consumerProps(broker, "shop", false),
						new StringDeserializer(), new StringDeserializer()),
				properties);
		container.setCommonErrorHandler(new DefaultErrorHandler((message, failure) -> {
			recovered.add(message.value());
			done.countDown();
		}, delays));
		// the handler has looked at the first delay when it was made
		delays.given.clear();
		container.start();
		try {
			await(done);
		}
		finally {
			container.stop();
		}
		assertThat(attempts).containsExactly("first", "first", "first", "second", "third", "third", "third");
		assertThat(recovered).containsExactly("first", "third");
		assertThat(delays.given).containsExactly(2L, 4L, BackOffExecution.STOP, 2L, 4L, BackOffExecution.STOP);
	}

	private static void send(EmbeddedKafkaKraftBroker broker, String... values) {
		DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(
				KafkaTestUtils.producerProps(broker), new StringSerializer(), new StringSerializer());
		try {
			KafkaTemplate<String, String> template = new KafkaTemplate<>(producers);
			for (String value : values) {
				template.send("orders", value).join();
			}
		}
		finally {
			producers.destroy();
		}
	}

	@Test
	void aContainerOfJmsConnectsByThePolicyUntilItsBrokerIsThere() {
		withDelays("unlimited", (delays) -> {
			CountDownLatch received = new CountDownLatch(1);
			DefaultMessageListenerContainer container = jmsContainer(1, delays, received);
			try {
				await(delays.third);
				EmbeddedActiveMQ broker = broker(1);
				try {
					new JmsTemplate(new ActiveMQConnectionFactory("vm://1")).convertAndSend("orders", "first");
					await(received);
				}
				finally {
					container.shutdown();
					stop(broker);
				}
			}
			finally {
				container.shutdown();
			}
			assertThat(delays.given).startsWith(2L, 4L, 8L).doesNotContain(BackOffExecution.STOP);
		});
	}

	@Test
	void aContainerOfJmsStopsByThePolicy() {
		withDelays("3", (delays) -> {
			DefaultMessageListenerContainer container = jmsContainer(2, delays, new CountDownLatch(1));
			try {
				await(delays.third);
			}
			finally {
				container.shutdown();
			}
			assertThat(delays.given).startsWith(2L, 4L, BackOffExecution.STOP);
		});
	}

	private static DefaultMessageListenerContainer jmsContainer(int server, BackOff delays, CountDownLatch received) {
		DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
		container.setConnectionFactory(new ActiveMQConnectionFactory("vm://" + server));
		container.setDestinationName("orders");
		container.setMessageListener((jakarta.jms.MessageListener) (message) -> received.countDown());
		container.setBackOff(delays);
		container.afterPropertiesSet();
		container.start();
		return container;
	}

	private static EmbeddedActiveMQ broker(int server) {
		try {
			return new EmbeddedActiveMQ()
				.setConfiguration(new ConfigurationImpl().setPersistenceEnabled(false)
					.setSecurityEnabled(false)
					.addAcceptorConfiguration("here", "vm://" + server))
				.start();
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private static void stop(EmbeddedActiveMQ broker) {
		try {
			broker.stop();
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void aContainerOfAmqpConnectsAgainByThePolicy() {
		withDelays("3", (delays) -> {
			CachingConnectionFactory unreachable = new CachingConnectionFactory("localhost", SocketServer.closedPort());
			SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(unreachable);
			container.setQueueNames("orders");
			container.setMessageListener((message) -> {
			});
			container.setRecoveryBackOff(delays);
			container.afterPropertiesSet();
			container.start();
			try {
				await(delays.third);
			}
			finally {
				container.destroy();
				unreachable.destroy();
			}
			assertThat(delays.given).containsExactly(2L, 4L, BackOffExecution.STOP);
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/** Gives what another one gives, and keeps it. */
	private static final class RecordingBackOff implements BackOff {

		private final BackOff backOff;

		private final List<Long> given = Collections.synchronizedList(new ArrayList<>());

		private final CountDownLatch third = new CountDownLatch(3);

		RecordingBackOff(BackOff backOff) {
			this.backOff = backOff;
		}

		@Override
		public BackOffExecution start() {
			BackOffExecution execution = this.backOff.start();
			return () -> {
				long next = execution.nextBackOff();
				this.given.add(next);
				this.third.countDown();
				return next;
			};
		}

	}

}
