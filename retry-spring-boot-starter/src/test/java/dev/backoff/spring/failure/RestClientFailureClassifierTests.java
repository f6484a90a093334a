package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.UnknownHttpStatusCodeException;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** Tests for {@link RestClientFailureClassifier}, with calls over real connections. */
class RestClientFailureClassifierTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

	private final FailureClassifier classifier = new RestClientFailureClassifier(CLOCK, false);

	record Order(String id) {
	}

	@Nested
	@ParameterizedClass
	@EnumSource
	class ByStatus {

		private final Client client;

		ByStatus(Client client) {
			this.client = client;
		}

		@ParameterizedTest
		@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
				400 | -                                          | permanent
				404 | -                                          | permanent
				409 | Retry-After: 7                             | permanent 7s
				408 | -                                          | transient timeout
				425 | -                                          | transient other
				429 | -                                          | throttled http_429
				429 | Retry-After: 7                             | throttled http_429 7s
				429 | Retry-After:   7                           | throttled http_429 7s
				429 | RateLimit: "default";r=0;t=30              | throttled http_429 30s
				429 | Retry-After: Fri, 20 Nov 2026 12:02:00 GMT | throttled http_429 120s
				429 | Retry-After: -1                            | throttled http_429
				429 | Retry-After: garbage                       | throttled http_429
				500 | -                                          | transient http_5xx
				501 | -                                          | permanent
				502 | -                                          | transient http_5xx
				503 | -                                          | transient http_503
				503 | Retry-After: Friday, 20-Nov-26 12:02:00 GMT | throttled http_503 120s
				503 | Retry-After: Fri Nov 20 12:02:00 2026      | throttled http_503 120s
				504 | -                                          | transient timeout
				505 | -                                          | permanent
				599 | -                                          | permanent
				""")
		void isClassified(int status, String header, String expected) throws IOException {
			try (LoopbackServer server = (header != null) ? LoopbackServer.status(status, header)
					: LoopbackServer.status(status)) {
				assertSays(classifier(), thrownBy(() -> this.client.call(server.url())), expected);
			}
		}

		@Test
		void correctsTheClockByTheDateOfTheResponse() throws IOException {
			try (LoopbackServer server = LoopbackServer.status(429, "Date: Fri, 20 Nov 2026 15:00:00 GMT",
					"Retry-After: Fri, 20 Nov 2026 15:02:00 GMT")) {
				assertSays(classifier(), thrownBy(() -> this.client.call(server.url())), "throttled http_429 120s");
			}
		}

	}

	@Nested
	@ParameterizedClass
	@MethodSource("dev.backoff.spring.failure.RestClientFailureClassifierTests#factories")
	class ByConnection {

		private final RestClient client;

		ByConnection(ClientHttpRequestFactory factory) {
			this.client = RestClient.builder().requestFactory(factory).build();
		}

		@Test
		void refusedIsConnect() throws IOException {
			assertCalling("http://127.0.0.1:" + SocketServer.closedPort() + "/", "transient connect");
		}

		@Test
		void unknownHostIsConnect() {
			assertCalling("http://nonexistent.invalid/", "transient connect");
		}

		@Test
		void resetIsIo() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying("", Ending.RESET)) {
				assertCalling(server.url(), "transient io");
			}
		}

		@Test
		void closedBeforeTheResponseIsIo() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying("", Ending.CLOSE)) {
				assertCalling(server.url(), "transient io");
			}
		}

		@Test
		void parsedBodyCutOffIsIo() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HEAD + "\r\n{\"id\":", Ending.CLOSE)) {
				assertCalling(server.url(), "transient io");
			}
		}

		@Test
		void bodyThatIsNoJsonIsPermanent() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HEAD + "Content-Length: 3\r\n\r\n<p>", Ending.CLOSE)) {
				assertCalling(server.url(), "permanent");
			}
		}

		@Test
		void bodyOfAnotherTypeIsPermanent() throws IOException {
			try (LoopbackServer server = LoopbackServer
				.replying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>", Ending.CLOSE)) {
				assertCalling(server.url(), "permanent");
			}
		}

		private void assertCalling(String url, String expected) {
			assertSays(classifier(), thrownBy(() -> this.client.get().uri(url).retrieve().body(Order.class)), expected);
		}

	}

	@Nested
	class WhileReading {

		private static final String HALF = HEAD + "Content-Length: 100\r\n\r\n{\"id\":";

		@Test
		void noResponseInTimeIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying("", Ending.HANG)) {
				assertSays(classifier(), thrownBy(() -> impatient().getForObject(server.url(), Order.class)),
						"transient timeout");
			}
		}

		@Test
		void bodyThatStopsIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HALF, Ending.HANG)) {
				assertSays(classifier(), thrownBy(() -> impatient().getForObject(server.url(), Order.class)),
						"transient timeout");
			}
		}

		@Test
		void resetWithinTheBodyIsIo() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HALF, Ending.RESET)) {
				assertSays(classifier(), thrownBy(() -> new RestTemplate().getForObject(server.url(), Order.class)),
						"transient io");
			}
		}

		@Test
		void uriWithoutHostIsPermanent() {
			assertSays(classifier(), thrownBy(() -> impatient().getForObject("http:///order", Order.class)),
					"permanent");
		}

		private static RestTemplate impatient() {
			SimpleClientHttpRequestFactory factory = new SimpleClientHttpRequestFactory();
			factory.setReadTimeout(100);
			return new RestTemplate(factory);
		}

	}

	@Test
	void judgesWhatMayBeMissing() {
		assertSays(this.classifier, new UnknownHttpStatusCodeException(599, "", null, null, null), "permanent");
		assertSays(this.classifier, new HttpClientErrorException(HttpStatus.TOO_MANY_REQUESTS), "throttled http_429");
		assertSays(this.classifier, new ResourceAccessException("no cause"), "transient io");
		assertSays(this.classifier, new RestClientException("anything", new IOException("reset")), "transient io");
		assertSays(this.classifier, new RestClientException("anything"), "nothing");
	}

	@Test
	void theResponseCountsWhereverItIs() {
		HttpClientErrorException response = new HttpClientErrorException(HttpStatus.BAD_REQUEST);
		assertSays(this.classifier, new RestClientException("token refused", response), "permanent");
		assertSays(this.classifier, new ResourceAccessException("x", new IOException("token refused", response)),
				"permanent");
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	private FailureClassifier classifier() {
		return this.classifier;
	}

	static Stream<ClientHttpRequestFactory> factories() {
		JdkClientHttpRequestFactory jdk = new JdkClientHttpRequestFactory();
		jdk.setReadTimeout(Duration.ofMinutes(1));
		return Stream.of(new SimpleClientHttpRequestFactory(), jdk, new ReactorClientHttpRequestFactory());
	}

	enum Client {

		REST_CLIENT {
			@Override
			void call(String url) {
				RestClient.builder()
					.requestFactory(new SimpleClientHttpRequestFactory())
					.build()
					.get()
					.uri(url)
					.retrieve()
					.toBodilessEntity();
			}
		},

		REST_TEMPLATE {
			@Override
			void call(String url) {
				new RestTemplate().getForObject(url, Order.class);
			}
		};

		abstract void call(String url);

	}

}
