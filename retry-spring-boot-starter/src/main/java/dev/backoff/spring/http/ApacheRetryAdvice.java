package dev.backoff.spring.http;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.core.Ordered;

/**
 * Warn once when Spring Boot builds an Apache HttpClient that retries by itself, within
 * each attempt. Runs last, after the application's customizers. Thread-safe.
 */
final class ApacheRetryAdvice
		implements ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>, Ordered {

	private static final Logger logger = LoggerFactory.getLogger(ApacheRetryAdvice.class);

	private static final String SWITCH = "return builder.withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries) "
			+ "in a bean ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>";

	private final AtomicBoolean advised = new AtomicBoolean();

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public HttpComponentsClientHttpRequestFactoryBuilder customize(
			HttpComponentsClientHttpRequestFactoryBuilder builder) {
		return builder.withHttpClientCustomizer(this::advise);
	}

	private void advise(HttpClientBuilder client) {
		Boolean retries = retries(client);
		if (Boolean.FALSE.equals(retries) || !this.advised.compareAndSet(false, true)) {
			return;
		}
		if (retries != null) {
			logger
				.warn("Apache HttpClient retries 429 and 503 itself, and waits for Retry-After within an attempt: the "
						+ "requests multiply; to switch that off, {}", SWITCH);
		}
		else {
			logger.info(
					"Apache HttpClient may retry 429 and 503 itself, which cannot be read here; to switch that off, {}",
					SWITCH);
		}
	}

	/** Return whether the client will retry, or null if that cannot be read. */
	private static @Nullable Boolean retries(HttpClientBuilder client) {
		try {
			if (Boolean.TRUE.equals(read(client, "automaticRetriesDisabled"))) {
				return false;
			}
			return !(read(client, "retryStrategy") instanceof HttpRequestRetryStrategy strategy)
					|| retries(strategy, 503) || retries(strategy, 429);
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	private static boolean retries(HttpRequestRetryStrategy strategy, int status) {
		return strategy.retryRequest(new BasicHttpResponse(status), 1, HttpClientContext.create());
	}

	private static @Nullable Object read(HttpClientBuilder client, String name) throws ReflectiveOperationException {
		Field field = HttpClientBuilder.class.getDeclaredField(name);
		field.setAccessible(true);
		return field.get(client);
	}

}
