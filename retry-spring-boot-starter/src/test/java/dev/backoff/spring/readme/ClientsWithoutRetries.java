package dev.backoff.spring.readme;

import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the page on failures shows of Apache HttpClient. */
@Configuration(proxyBeanMethods = false)
public class ClientsWithoutRetries {

	@Bean
	ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> withoutRetries() {
		return (builder) -> builder.withHttpClientCustomizer(HttpClientBuilder::disableAutomaticRetries);
	}

}
