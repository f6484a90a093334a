package dev.backoff.libraries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

/** How many requests one call makes with each client, counted at the server. */
class HttpClientRequestsTests {

	@ParameterizedTest
	@CsvSource({
			// 429 | 503 | 503 Retry-After: 0 | 408 | reset | reused reset
			"APACHE, GET, 2, 2, 2, 1, 2, 2", "APACHE, POST, 2, 2, 2, 1, 1, 1",
			"APACHE_WITHOUT_RETRIES, GET, 1, 1, 1, 1, 1, 1", "APACHE_WITHOUT_RETRIES, POST, 1, 1, 1, 1, 1, 1",
			"JDK, GET, 1, 1, 1, 1, 2, 2", "JDK, POST, 1, 1, 1, 1, 1, 1", "URL_CONNECTION, GET, 1, 1, 1, 1, 2, 2",
			"URL_CONNECTION, POST, 1, 1, 1, 1, 1, 1", "REACTOR_NETTY, GET, 1, 1, 1, 1, 1, 1",
			"REACTOR_NETTY, POST, 1, 1, 1, 1, 1, 1", "OKHTTP, GET, 1, 1, 2, 2, 1, 3",
			"OKHTTP, POST, 1, 1, 2, 2, 1, 3" })
	void areCounted(Client client, String method, int tooMany, int unavailable, int unavailableNow, int timeout,
			int reset, int reusedReset) {
		// at once, since Apache HttpClient waits a second between them
		assertThat(Stream.of("429", "503", "503 Retry-After: 0", "408", "reset", "reused reset")
			.parallel()
			.map((answer) -> requests(client, method, answer)))
			.containsExactly(tooMany, unavailable, unavailableNow, timeout, reset, reusedReset);
	}

	@ParameterizedTest
	@EnumSource
	void areOneWithEveryClientThatSucceeds(Client client) {
		assertThat(requests(client, "POST", "200")).isEqualTo(1);
	}

	private static int requests(Client client, String method, String answer) {
		try (CountingServer server = new CountingServer(answer)) {
			Sender sender = client.sender();
			if (server.isReused()) {
				sender.send(method, server.url());
			}
			try {
				sender.send(method, server.url());
			}
			catch (IOException | RestClientException ex) {
				// what it is does not matter here
			}
			return server.requests();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@FunctionalInterface
	interface Sender {

		void send(String method, String url) throws IOException;

	}

	enum Client {

		APACHE {

			@Override
			Sender sender() {
				return of(ClientHttpRequestFactoryBuilder.httpComponents());
			}

		},

		APACHE_WITHOUT_RETRIES {

			@Override
			Sender sender() {
				HttpComponentsClientHttpRequestFactoryBuilder builder = ClientHttpRequestFactoryBuilder
					.httpComponents();
				return of(builder.withHttpClientCustomizer((client) -> client.disableAutomaticRetries()));
			}

		},

		JDK {

			@Override
			Sender sender() {
				return of(ClientHttpRequestFactoryBuilder.jdk());
			}

		},

		URL_CONNECTION {

			@Override
			Sender sender() {
				return of(ClientHttpRequestFactoryBuilder.simple());
			}

		},

		REACTOR_NETTY {

			@Override
			Sender sender() {
				return of(ClientHttpRequestFactoryBuilder.reactor());
			}

		},

		OKHTTP {

			@Override
			Sender sender() {
				OkHttpClient client = new OkHttpClient();
				return (method, url) -> {
					RequestBody body = method.equals("POST") ? RequestBody.create(new byte[4]) : null;
					client.newCall(new Request.Builder().url(url).method(method, body).build()).execute().close();
				};
			}

		};

		abstract Sender sender();

		static Sender of(ClientHttpRequestFactoryBuilder<?> builder) {
			RestClient client = RestClient.builder().requestFactory(builder.build()).build();
			return (method, url) -> {
				RestClient.RequestBodySpec request = client.method(HttpMethod.valueOf(method)).uri(url);
				(method.equals("POST") ? request.body("work") : request).retrieve().toBodilessEntity();
			};
		}

	}

}
