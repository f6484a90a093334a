package dev.backoff.spring.http;

import java.util.function.Consumer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** The clients that an application gets from Spring Boot. */
enum HttpClients {

	REST_CLIENT {

		@Override
		void send(AssertableApplicationContext context, HttpMethod method, String url, Consumer<HttpHeaders> headers) {
			context.getBean(RestClient.Builder.class)
				.build()
				.method(method)
				.uri(url)
				.headers(headers)
				.body("work")
				.retrieve()
				.toBodilessEntity();
		}

	},

	REST_TEMPLATE {

		@Override
		void send(AssertableApplicationContext context, HttpMethod method, String url, Consumer<HttpHeaders> headers) {
			HttpHeaders own = new HttpHeaders();
			headers.accept(own);
			context.getBean(RestTemplateBuilder.class)
				.build()
				.exchange(url, method, new HttpEntity<>("work", own), String.class);
		}

	},

	WEB_CLIENT {

		@Override
		void send(AssertableApplicationContext context, HttpMethod method, String url, Consumer<HttpHeaders> headers) {
			context.getBean(WebClient.Builder.class)
				.build()
				.method(method)
				.uri(url)
				.headers(headers)
				.bodyValue("work")
				.retrieve()
				.toBodilessEntity()
				.block();
		}

	};

	/** Send a request with a body, and wait for the answer. */
	abstract void send(AssertableApplicationContext context, HttpMethod method, String url,
			Consumer<HttpHeaders> headers);

	void post(AssertableApplicationContext context, String url) {
		send(context, HttpMethod.POST, url, (headers) -> {
		});
	}

	/** Start from what an application with the JDK's clients has. */
	static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					BackoffHttpAutoConfiguration.class, HttpClientAutoConfiguration.class,
					ImperativeHttpClientAutoConfiguration.class, ReactiveHttpClientAutoConfiguration.class,
					RestClientAutoConfiguration.class, RestTemplateAutoConfiguration.class,
					WebClientAutoConfiguration.class))
			.withPropertyValues("spring.http.clients.imperative.factory=jdk",
					"spring.http.clients.reactive.connector=jdk");
	}

}
