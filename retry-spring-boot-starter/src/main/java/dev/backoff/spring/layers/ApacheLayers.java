package dev.backoff.spring.layers;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.message.BasicHttpResponse;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Apache HttpClient 5 as Spring Boot builds it. The application's customizers are asked
 * what they set, with a builder that is dropped.
 */
final class ApacheLayers implements RetryLayerFinder {

	private static final int MOST = 100;

	@Override
	public void find(ConfigurableListableBeanFactory factory, BiConsumer<String, RetryLayer> found) {
		ExistingBeans beans = new ExistingBeans(factory);
		beans.of(BeanLayers.HTTP + "HttpComponentsClientHttpRequestFactoryBuilder")
			.forEach((name, builder) -> add(beans, name, customized(builder, HttpClientBuilder.create()),
					BeanLayers.IMPERATIVE, found));
		beans.of(BeanLayers.HTTP + "reactive.HttpComponentsClientHttpConnectorBuilder")
			.forEach((name, builder) -> add(beans, name, customized(builder, HttpAsyncClientBuilder.create()),
					BeanLayers.REACTIVE, found));
	}

	@SuppressWarnings("unchecked") // the field of Boot's builder says what it takes
	private static <B> B customized(Object builder, B client) {
		Consumer<B> customizer = (Consumer<B>) ExistingBeans.read(builder, "httpClientBuilder.customizer");
		Objects.requireNonNull(customizer).accept(client);
		return client;
	}

	private static void add(ExistingBeans beans, String name, Object client, List<String> users,
			BiConsumer<String, RetryLayer> found) {
		if (Boolean.TRUE.equals(ExistingBeans.read(client, "automaticRetriesDisabled"))) {
			return;
		}
		Object set = ExistingBeans.read(client, "retryStrategy");
		HttpRequestRetryStrategy strategy = (set != null) ? (HttpRequestRetryStrategy) set
				: DefaultHttpRequestRetryStrategy.INSTANCE;
		int attempts = Math.max(attempts(strategy, 503), attempts(strategy, 429));
		if (attempts > 1) {
			RetryLayer layer = new RetryLayer("Apache HttpClient 5", "bean " + name, attempts,
					"429, 503, some I/O errors", "withHttpClientCustomizer(" + client.getClass().getSimpleName()
							+ "::disableAutomaticRetries) at the builder",
					null);
			found.accept(name, layer);
			beans.named(users).forEach((user) -> found.accept(user, layer));
		}
	}

	private static int attempts(HttpRequestRetryStrategy strategy, int status) {
		int attempts = 1;
		while (attempts < MOST
				&& strategy.retryRequest(new BasicHttpResponse(status), attempts, HttpClientContext.create())) {
			attempts++;
		}
		return attempts;
	}

}
