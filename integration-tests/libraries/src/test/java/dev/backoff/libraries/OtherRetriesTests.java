package dev.backoff.libraries;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import dev.langchain4j.model.openai.OpenAiChatModel;
import feign.Retryer;
import io.github.resilience4j.retry.annotation.Retry;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.resilience.annotation.Retryable;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.otherretries.OtherRetries;
import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;

import static org.assertj.core.api.Assertions.assertThat;

/** What is found of the real libraries. */
class OtherRetriesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class));

	@Test
	void areBeansKnownByTheirType() {
		this.runner.withBean("ok", OkHttpClient.class)
			.withBean("feign", Retryer.class, Retryer.Default::new)
			.withBean("framework", org.springframework.core.retry.RetryTemplate.class)
			.withBean("springRetry", org.springframework.retry.support.RetryTemplate.class)
			.withBean("records", ConcurrentKafkaListenerContainerFactory.class)
			.withBean("kafka", KafkaTemplate.class,
					() -> new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of())))
			.withBean("messages", SimpleRabbitListenerContainerFactory.class)
			.withBean("model", OpenAiChatModel.class,
					() -> OpenAiChatModel.builder().apiKey("none").modelName("none").build())
			.run((context) -> assertThat(found(context)).extracting((retry) -> retry.name() + ", " + retry.place())
				.containsExactly("OkHttp, bean ok", "OpenFeign, bean feign",
						"Spring Framework RetryTemplate, bean framework",
						"Spring Retry RetryTemplate, bean springRetry", "Kafka listeners, bean records",
						"Kafka producer, bean kafka", "AMQP listeners, bean messages", "LangChain4j, bean model"));
	}

	@ParameterizedTest
	@CsvSource({ "http-components, http-components, HttpClientBuilder HttpAsyncClientBuilder", "jdk, jdk, ''",
			"simple, reactor, ''" })
	void areHttpClientsThatRepeatAnswers(String factory, String connector, String builders) {
		this.runner
			.withConfiguration(AutoConfigurations.of(HttpClientAutoConfiguration.class,
					ImperativeHttpClientAutoConfiguration.class, ReactiveHttpClientAutoConfiguration.class))
			.withPropertyValues("spring.http.clients.imperative.factory=" + factory,
					"spring.http.clients.reactive.connector=" + connector)
			.run((context) -> assertThat(found(context))
				.extracting((retry) -> retry.off().replace(".disableAutomaticRetries", ""))
				.isEqualTo(builders.isEmpty() ? List.of() : List.of(builders.split(" "))));
	}

	@Test
	void areNoBeansThatNeverRepeat() {
		this.runner.withBean(Retryer.class, () -> Retryer.NEVER_RETRY)
			.run((context) -> assertThat(found(context)).isEmpty());
	}

	@Test
	void areAnnotationsBesideOursAndElsewhere() {
		this.runner.withBean(Annotated.class)
			.withBean(OnType.class)
			.run((context) -> assertThat(found(context))
				.extracting((retry) -> retry.name() + ", " + retry.place() + ", " + retry.when())
				.containsExactlyInAnyOrder("Spring Framework @Retryable, Annotated.framework, java.io.IOException",
						"Resilience4j @Retry, Annotated.resilience, "
								+ "what the instance partner lists, by default any exception",
						"Spring Retry @Retryable, OnType.call, any exception",
						"Spring Retry @Retryable, OnType.theirs, any exception",
						"Spring Framework @Retryable, Annotated.theirs, any exception"));
	}

	@Test
	void createNoBean() {
		this.runner.withUserConfiguration(LazyBeans.class).run((context) -> {
			assertThat(found(context)).isEmpty();
			assertThat(context.getBeanFactory().containsSingleton("lazyClient")).isFalse();
		});
	}

	private static List<OtherRetry> found(AssertableApplicationContext context) {
		return context.getBean(OtherRetries.class).all();
	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		OkHttpClient lazyClient() {
			return new OkHttpClient();
		}

	}

	public static class Annotated {

		@Backoff
		@Retryable(includes = IOException.class)
		public void framework() {
		}

		@Backoff
		@Retry(name = "partner")
		public void resilience() {
		}

		@Backoff
		public void once() {
		}

		@Retryable
		public void theirs() {
		}

	}

	@org.springframework.retry.annotation.Retryable
	public static class OnType {

		@Backoff
		public void call() {
		}

		public void theirs() {
		}

	}

}
