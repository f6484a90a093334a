package dev.backoff.spring.adapt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

import dev.backoff.delay.RandomSource;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.live.LiveConfiguration;
import dev.backoff.spring.observation.LogCapture;
import dev.backoff.spring.policy.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FrameworkRetriesTests {

	private static final RandomSource MIDDLE = () -> 0.5;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withBean("middle", RandomSource.class, () -> MIDDLE)
		.withPropertyValues("backoff.policies.orders.base=4ms", "backoff.policies.orders.max-attempts=3");

	private static FrameworkRetries retries(ApplicationContext context) {
		return context.getBean(FrameworkRetries.class);
	}

	private static List<Long> delays(BackOff backOff) {
		List<Long> delays = new ArrayList<>();
		BackOffExecution execution = backOff.start();
		for (long next = execution.nextBackOff(); next != BackOffExecution.STOP
				&& delays.size() < 20; next = execution.nextBackOff()) {
			delays.add(next);
		}
		return delays;
	}

	@Test
	void delaysAreThoseOfThePolicyAndStopWithItsAttempts() {
		this.runner.run((context) -> assertThat(delays(retries(context).backOff("orders"))).containsExactly(2L, 4L));
	}

	@Test
	void delaysAreRoundedUpToMilliseconds() {
		this.runner.withPropertyValues("backoff.policies.orders.base=3ms")
			.run((context) -> assertThat(delays(retries(context).backOff("orders"))).containsExactly(2L, 3L));
	}

	@Test
	void delaysFollowAnOverrideFromTheNextStartOn() {
		this.runner.run((context) -> {
			BackOff backOff = retries(context).backOff("orders");
			LiveConfiguration live = context.getBean(LiveConfiguration.class);
			live.override("orders", Map.of("base", "2s"), null);
			assertThat(delays(backOff)).containsExactly(1_000L, 2_000L);
			live.override("orders", Map.of("enabled", "false"), null);
			assertThat(delays(backOff)).isEmpty();
			live.reset("orders");
			live.overrideRetriesEnabled(false, null);
			assertThat(delays(backOff)).isEmpty();
		});
	}

	@Test
	void anUnknownPolicyNamesTheNearest() {
		this.runner.run((context) -> {
			assertThatExceptionOfType(InvalidBackoffException.class).isThrownBy(() -> retries(context).backOff("order"))
				.withMessageContaining("Write orders");
			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> retries(context).retryPolicy("order"))
				.withMessageContaining("names a policy that is not defined");
		});
	}

	@Test
	void policiesAreKnownToBeAdapted() {
		this.runner.withPropertyValues("backoff.policies.mail.base=1s").run((context) -> {
			retries(context).backOff("ORDERS");
			assertThat(context.getBean(BackoffMethods.class).isAdapted("orders")).isTrue();
			assertThat(context.getBean(BackoffMethods.class).isAdapted("mail")).isFalse();
		});
	}

	@Test
	void waitsThatAreTooLongForKafkaAreToldOnce() {
		try (LogCapture log = new LogCapture(FrameworkRetries.class)) {
			this.runner.withPropertyValues("backoff.policies.orders.base=5m")
				.run((context) -> retries(context).backOff("orders"));
			assertThat(log.lines(Level.INFO)).containsExactly(
					"Policy orders waits up to 10 min, longer than Kafka's max.poll.interval.ms allows by default: "
							+ "use ContainerPausingBackOffHandler");
		}
	}

	@Test
	void aTemplateOfTheFrameworkRetriesByThePolicy() {
		this.runner
			.withPropertyValues("backoff.policies.orders.abort-on=java.lang.IllegalStateException",
					"backoff.policies.orders.deadline=1m")
			.run((context) -> {
				RetryPolicy policy = retries(context).retryPolicy("orders");
				assertThat(policy.getTimeout()).isEqualTo(Duration.ofMinutes(1));
				RetryTemplate template = new RetryTemplate(policy);
				List<Exception> thrown = new ArrayList<>();
				assertThatThrownBy(() -> template.execute(() -> {
					thrown.add(new IOException("reset"));
					throw thrown.get(thrown.size() - 1);
				})).isInstanceOf(RetryException.class);
				assertThat(thrown).hasSize(3);
				thrown.clear();
				assertThatThrownBy(() -> template.execute(() -> {
					thrown.add(new IllegalStateException("closed"));
					throw thrown.get(thrown.size() - 1);
				})).isInstanceOf(RetryException.class);
				assertThat(thrown).hasSize(1);
			});
	}

	@Test
	void anErrorHandlerOfKafkaRetriesEachRecordByThePolicy() {
		this.runner.run((context) -> {
			Recording backOff = new Recording(retries(context).backOff("orders"));
			Queue<String> attempts = new ConcurrentLinkedQueue<>();
			Queue<Object> recovered = new ConcurrentLinkedQueue<>();
			CountDownLatch done = new CountDownLatch(3);
			ContainerProperties properties = new ContainerProperties("orders");
			properties.setGroupId("shop");
			properties.setPollTimeout(10);
			properties
				.setMessageListener((org.springframework.kafka.listener.MessageListener<String, String>) (message) -> {
					attempts.add(message.value());
					if (!message.value().equals("second")) {
						throw new IllegalStateException("down");
					}
					done.countDown();
				});
			KafkaMessageListenerContainer<String, String> container = new KafkaMessageListenerContainer<>(
					consumers("first", "second", "third"), properties);
			container.setCommonErrorHandler(new DefaultErrorHandler((message, failure) -> {
				recovered.add(message.value());
				done.countDown();
			}, backOff));
			// the handler has looked at the first delay when it was made
			backOff.given.clear();
			container.start();
			try {
				assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
			}
			finally {
				container.stop();
			}
			assertThat(attempts).containsExactly("first", "first", "first", "second", "third", "third", "third");
			assertThat(recovered).containsExactly("first", "third");
			assertThat(backOff.given).containsExactly(2L, 4L, BackOffExecution.STOP, 2L, 4L, BackOffExecution.STOP);
		});
	}

	@SuppressWarnings("unchecked")
	private static ConsumerFactory<String, String> consumers(String... values) {
		TopicPartition partition = new TopicPartition("orders", 0);
		MockConsumer<String, String> consumer = new MockConsumer<>("earliest") {

			@Override
			public synchronized void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
				super.subscribe(topics, listener);
				schedulePollTask(() -> {
					rebalance(List.of(partition));
					add(0);
				});
			}

			/* A broker gives records again from there on. */
			@Override
			public synchronized void seek(TopicPartition sought, long offset) {
				super.seek(sought, offset);
				schedulePollTask(() -> add((int) offset));
			}

			private void add(int from) {
				for (int i = from; i < values.length; i++) {
					addRecord(new ConsumerRecord<>("orders", 0, i, "key", values[i]));
				}
			}

		};
		consumer.updateBeginningOffsets(Map.of(partition, 0L));
		ConsumerFactory<String, String> factory = Mockito.mock(ConsumerFactory.class);
		BDDMockito.given(factory.createConsumer(Mockito.any(), Mockito.any(), Mockito.any(), Mockito.any()))
			.willReturn(consumer);
		BDDMockito.given(factory.getConfigurationProperties()).willReturn(Map.of("enable.auto.commit", false));
		return factory;
	}

	@Test
	void aContainerOfJmsConnectsAgainByThePolicy() throws Exception {
		ConnectionFactory unreachable = Mockito.mock(ConnectionFactory.class);
		BDDMockito.given(unreachable.createConnection()).willThrow(new JMSException("refused"));
		this.runner.run((context) -> {
			Recording backOff = new Recording(retries(context).backOff("orders"));
			DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
			container.setConnectionFactory(unreachable);
			container.setDestinationName("orders");
			container.setMessageListener((MessageListener) (message) -> {
			});
			container.setBackOff(backOff);
			container.afterPropertiesSet();
			container.start();
			try {
				assertThat(backOff.stopped.await(30, TimeUnit.SECONDS)).isTrue();
			}
			finally {
				container.shutdown();
			}
			assertThat(backOff.given).startsWith(2L, 4L, BackOffExecution.STOP);
		});
	}

	/** Gives what another one gives, and keeps it. */
	private static final class Recording implements BackOff {

		private final BackOff backOff;

		private final List<Long> given = Collections.synchronizedList(new ArrayList<>());

		private final CountDownLatch stopped = new CountDownLatch(1);

		Recording(BackOff backOff) {
			this.backOff = backOff;
		}

		@Override
		public BackOffExecution start() {
			BackOffExecution execution = this.backOff.start();
			return () -> {
				long next = execution.nextBackOff();
				this.given.add(next);
				if (next == BackOffExecution.STOP) {
					this.stopped.countDown();
				}
				return next;
			};
		}

	}

}
