package dev.backoff.spring.otherretries;

import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.otherretries.OtherRetries.OtherRetry;

/** Clients and other beans that repeat calls by themselves, known by their type. */
final class RepeatingBeans {

	private static final String HTTP = "org.springframework.boot.http.client.";

	private static final List<Kind> KINDS = List.of(
			new Kind("Apache HttpClient 5", HTTP + "HttpComponentsClientHttpRequestFactoryBuilder", "429 and 503 once",
					"HttpClientBuilder.disableAutomaticRetries", true),
			new Kind("Apache HttpClient 5", HTTP + "reactive.HttpComponentsClientHttpConnectorBuilder",
					"429 and 503 once", "HttpAsyncClientBuilder.disableAutomaticRetries", true),
			new Kind("OkHttp", "okhttp3.OkHttpClient", "408, 503 with Retry-After: 0 and broken connections",
					"retryOnConnectionFailure(false), which leaves the 503", false),
			new Kind("OpenFeign", "feign.Retryer.Default", "I/O errors and answers with Retry-After",
					"a bean Retryer.NEVER_RETRY", true),
			new Kind("Spring Framework RetryTemplate", "org.springframework.core.retry.RetryOperations",
					"what its policy says", "maxRetries(0)", false),
			new Kind("Spring Retry RetryTemplate", "org.springframework.retry.RetryOperations", "what its policy says",
					"a NeverRetryPolicy", false),
			new Kind("Kafka listeners", "org.springframework.kafka.config.AbstractKafkaListenerContainerFactory",
					"a record that fails nine times", "a bean DefaultErrorHandler with FixedBackOff(0, 0)", false),
			new Kind("Kafka producer", "org.springframework.kafka.core.KafkaTemplate",
					"what may pass until delivery.timeout.ms", "spring.kafka.producer.retries=0", false),
			new Kind("AMQP listeners", "org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory",
					"a message that fails without end", "default-requeue-rejected=false below spring.rabbitmq.listener",
					false),
			new Kind("Spring AI", "org.springframework.ai.model.Model",
					"I/O errors and 5xx, ten times or as its provider's SDK does",
					"spring.ai.retry.max-attempts=0, or maxRetries(0) in the model's options", true),
			new Kind("LangChain4j", "dev.langchain4j.model.chat.ChatModel", "most exceptions twice",
					"maxRetries(0) at the model's builder", true),
			new Kind("LangChain4j", "dev.langchain4j.model.embedding.EmbeddingModel", "most exceptions twice",
					"maxRetries(0) at the model's builder", true));

	private RepeatingBeans() {
	}

	/** Return all, or those that repeat a request that was refused, as with a 429. */
	static List<OtherRetry> of(ConfigurableListableBeanFactory factory, boolean refused) {
		List<OtherRetry> found = new ArrayList<>();
		for (Kind kind : KINDS) {
			if ((kind.refused || !refused) && ClassUtils.isPresent(kind.type, factory.getBeanClassLoader())) {
				Class<?> type = ClassUtils.resolveClassName(kind.type, factory.getBeanClassLoader());
				for (String name : factory.getSingletonNames()) {
					if (type.isInstance(factory.getSingleton(name))) {
						found.add(new OtherRetry(kind.name, "bean " + name, kind.when, kind.off));
					}
				}
			}
		}
		return found;
	}

	private record Kind(String name, String type, String when, String off, boolean refused) {
	}

}
