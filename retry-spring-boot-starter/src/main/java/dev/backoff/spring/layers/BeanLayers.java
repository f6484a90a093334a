package dev.backoff.spring.layers;

import java.util.List;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/** Clients and other beans that repeat calls by themselves, known by their class. */
final class BeanLayers implements RetryLayerFinder {

	static final String HTTP = "org.springframework.boot.http.client.";

	/* What looks up the client builder of Spring Boot: types, marks or names of beans. */
	static final List<String> IMPERATIVE = List.of(
			"org.springframework.boot.restclient.autoconfigure.RestClientBuilderConfigurer",
			"org.springframework.boot.restclient.autoconfigure.RestTemplateBuilderConfigurer", "httpServiceGroupName");

	static final List<String> REACTIVE = List.of("org.springframework.http.client.reactive.ClientHttpConnector",
			"webClientBuilder");

	private static final List<String> NONE = List.of();

	private static final int MOST = 10_000;

	private static final String JDK_OFF = "-Djdk.httpclient.redirects.retrylimit=1, which forbids redirects too";

	private static final String NETTY_OFF = "withHttpClientCustomizer((client) -> client.disableRetry(true)) at the builder";

	private static final String LANGCHAIN4J_OFF = "maxRetries(0) at the model's builder";

	/* A model of Spring AI has one of the two fields. */
	private static final List<Kind> KINDS = List.of(
			new Kind("JDK HttpClient", HTTP + "JdkClientHttpRequestFactoryBuilder",
					"a GET or HEAD on a broken connection", JDK_OFF, IMPERATIVE),
			new Kind("JDK HttpClient", HTTP + "reactive.JdkClientHttpConnectorBuilder",
					"a GET or HEAD on a broken connection", JDK_OFF, REACTIVE),
			new Kind("HttpURLConnection", HTTP + "SimpleClientHttpRequestFactoryBuilder",
					"a request without a body on a broken connection", "use another client", IMPERATIVE),
			new Kind("Reactor Netty", HTTP + "ReactorClientHttpRequestFactoryBuilder",
					"a connection that breaks before the request is sent", NETTY_OFF, IMPERATIVE),
			new Kind("Reactor Netty", HTTP + "reactive.ReactorClientHttpConnectorBuilder",
					"a connection that breaks before the request is sent", NETTY_OFF, REACTIVE),
			new Kind("OkHttp", "okhttp3.OkHttpClient",
					"a reused connection that is broken, 408, 503 with Retry-After: 0",
					"retryOnConnectionFailure(false), which leaves the 503", NONE),
			new Kind("Spring Framework RetryTemplate", "org.springframework.core.retry.RetryOperations",
					"what its policy says", "a policy with maxRetries(0)", NONE),
			new Kind("Spring Retry RetryTemplate", "org.springframework.retry.RetryOperations", "what its policy says",
					"a NeverRetryPolicy", NONE),
			new Kind("Kafka producer", "org.springframework.kafka.core.KafkaTemplate",
					"what may pass, until delivery.timeout.ms, 2 min by default", "spring.kafka.producer.retries=0",
					NONE),
			new Kind("OpenFeign Retryer", "feign.Retryer", "I/O errors, answers with Retry-After",
					"a bean Retryer.NEVER_RETRY", List.of("feignClientsRegistrarFactoryBean"), "maxAttempts"),
			new Kind("Spring AI", "org.springframework.ai.model.Model", "I/O errors and 5xx, up to 3 min apart",
					"spring.ai.retry.max-attempts=0", NONE, "retryTemplate.retryPolicy.backOff"),
			new Kind("Spring AI, by the provider's SDK", "org.springframework.ai.model.Model",
					"I/O errors, 408, 409, 429 and 5xx", "maxRetries(0) in the model's options", NONE,
					"options.maxRetries"),
			new Kind("LangChain4j", "dev.langchain4j.model.chat.ChatModel", "most exceptions", LANGCHAIN4J_OFF, NONE,
					"maxRetries"),
			new Kind("LangChain4j", "dev.langchain4j.model.embedding.EmbeddingModel", "most exceptions",
					LANGCHAIN4J_OFF, NONE, "maxRetries"));

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		for (Kind kind : KINDS) {
			beans.of(kind.type).forEach((name, bean) -> {
				if (kind.number == null || ExistingBeans.has(bean, kind.number)) {
					RetryLayer layer = new RetryLayer(kind.name, "bean " + name, attempts(bean, kind.number), kind.when,
							kind.off, null);
					found.accept(name, layer);
					beans.named(kind.users).forEach((user) -> found.accept(user, layer));
				}
			});
		}
	}

	private static @Nullable Integer attempts(Object bean, @Nullable String field) {
		Object number = (field != null) ? ExistingBeans.read(bean, field) : null;
		if (number instanceof BackOff delays) {
			return attempts(delays);
		}
		int first = (field != null && field.endsWith("Retries")) ? 1 : 0;
		return (number instanceof Integer count) ? count + first : null;
	}

	/** Return the attempts that some delays are for, or null if they have no end. */
	static @Nullable Integer attempts(BackOff delays) {
		BackOffExecution execution = delays.start();
		int attempts = 1;
		while (attempts < MOST && execution.nextBackOff() != BackOffExecution.STOP) {
			attempts++;
		}
		return (attempts < MOST) ? attempts : null;
	}

	/**
	 * A kind of beans.
	 *
	 * @param users the beans that look it up; others are known to the factory
	 * @param number the path to the field with the number, or null if there is none
	 */
	private record Kind(String name, String type, String when, String off, List<String> users,
			@Nullable String number) {

		Kind(String name, String type, String when, String off, List<String> users) {
			this(name, type, when, off, users, null);
		}

	}

}
