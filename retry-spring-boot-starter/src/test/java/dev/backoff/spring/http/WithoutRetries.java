package dev.backoff.spring.http;

import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;

/** The line that switches off the retries of Apache HttpClient. */
final class WithoutRetries
		implements ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> {

	@Override
	public HttpComponentsClientHttpRequestFactoryBuilder customize(
			HttpComponentsClientHttpRequestFactoryBuilder builder) {
		return builder.withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries);
	}

}
