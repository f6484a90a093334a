package dev.backoff.secured;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;

import static org.assertj.core.api.Assertions.assertThat;

/** The endpoint behind the chain of the page, over HTTP. A token is its own scope. */
@SpringBootTest(classes = OperatorsTests.Shop.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=health,backoff",
				"management.endpoint.backoff.access=unrestricted", "backoff.policies.orders.base=1s" })
class OperatorsTests {

	@LocalServerPort
	private int port;

	@ParameterizedTest
	@CsvSource({ "GET, '', , 401", "GET, '', shop, 403", "GET, '', backoff.read, 200",
			"GET, /orders, backoff.write, 200", "POST, /orders, , 401", "POST, /orders, backoff.read, 403",
			"POST, /orders, backoff.write, 200", "DELETE, /orders, backoff.read, 403",
			"DELETE, /orders?key=base&key=cap, backoff.write, 200" })
	void isReadByOneScopeAndWrittenByAnother(String method, String path, String token, int status) throws Exception {
		assertThat(send(method, path, token)).isEqualTo(status);
	}

	private int send(String method, String path, String token) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/backoff" + path))
			.header("Content-Type", "application/json")
			.method(method, method.equals("POST") ? BodyPublishers.ofString("{\"base\": \"2s\", \"for\": \"30m\"}")
					: BodyPublishers.noBody());
		if (token != null) {
			request.header("Authorization", "Bearer " + token);
		}
		return HttpClient.newHttpClient().send(request.build(), BodyHandlers.discarding()).statusCode();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Operators.class)
	static class Shop {

		@Bean
		JwtDecoder decoder() {
			return (token) -> Jwt.withTokenValue(token)
				.header("alg", "none")
				.claim("scope", token)
				.issuedAt(Instant.EPOCH)
				.build();
		}

	}

}
