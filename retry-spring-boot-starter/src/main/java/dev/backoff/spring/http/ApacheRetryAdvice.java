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
import org.slf4j.event.Level;

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
		try {
			if (retries(client)) {
				tell(Level.WARN, "retries 429 and 503 itself, and waits for Retry-After within an attempt: the "
						+ "requests multiply");
			}
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			tell(Level.INFO, "may retry 429 and 503 itself, which cannot be read here");
		}
	}

	private void tell(Level level, String advice) {
		if (this.advised.compareAndSet(false, true)) {
			logger.atLevel(level).log("Apache HttpClient {}; to switch that off, {}", advice, SWITCH);
		}
	}

	private static boolean retries(HttpClientBuilder client) throws ReflectiveOperationException {
		return !Boolean.TRUE.equals(read(client, "automaticRetriesDisabled"))
				&& (!(read(client, "retryStrategy") instanceof HttpRequestRetryStrategy strategy)
						|| retries(strategy, 503) || retries(strategy, 429));
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
