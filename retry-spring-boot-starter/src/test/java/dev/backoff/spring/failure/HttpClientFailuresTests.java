package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** What the failures of Spring's clients are called, over real connections. */
@ParameterizedClass
@MethodSource("clients")
class HttpClientFailuresTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private final Client client;

	HttpClientFailuresTests(Client client) {
		this.client = client;
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			400 | -                                          | permanent
			409 | Retry-After: 7                             | permanent 7s
			429 | -                                          | throttled http_429
			429 | Retry-After:   7                           | throttled http_429 7s
			429 | RateLimit: "default";r=0;t=30              | throttled http_429 30s
			429 | Retry-After: Fri, 20 Nov 2026 12:02:00 GMT | throttled http_429 120s
			500 | -                                          | transient http_5xx
			501 | -                                          | permanent
			503 | Retry-After: 0                             | throttled http_503 0s
			599 | -                                          | transient http_5xx
			""")
	void aStatusIsClassified(int status, String header, String expected) throws IOException {
		try (LoopbackServer server = (header != null) ? LoopbackServer.status(status, header)
				: LoopbackServer.status(status)) {
			assertCalling(server.url(), expected);
		}
	}

	@Test
	void theClockIsCorrectedByTheDateOfTheResponse() throws IOException {
		try (LoopbackServer server = LoopbackServer.status(429, "Date: Fri, 20 Nov 2026 15:00:00 GMT",
				"Retry-After: Fri, 20 Nov 2026 15:02:00 GMT")) {
			assertCalling(server.url(), "throttled http_429 120s");
		}
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
		assertReplied("", Ending.RESET, "transient io");
	}

	@Test
	void closedBeforeTheResponseIsIo() throws IOException {
		assertReplied("", Ending.CLOSE, "transient io");
	}

	@Test
	void bodyCutOffIsIo() throws IOException {
		String length = this.client.name().startsWith("WebClient") ? "Content-Length: 100\r\n" : "";
		assertReplied("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + length + "\r\n{\"id\":", Ending.CLOSE,
				"transient io");
	}

	@Test
	void bodyOfAnotherTypeIsPermanent() throws IOException {
		assertReplied("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>", Ending.CLOSE,
				"permanent");
	}

	private void assertReplied(String reply, Ending ending, String expected) throws IOException {
		try (LoopbackServer server = LoopbackServer.replying(reply, ending)) {
			assertCalling(server.url(), expected);
		}
	}

	private void assertCalling(String url, String expected) {
		assertSays(this.client.classifier(), thrownBy(() -> this.client.call().accept(url)), expected);
	}

	record Order(String id) {
	}

	record Client(String name, FailureClassifier classifier, Consumer<String> call) {

		@Override
		public String toString() {
			return this.name;
		}

	}

	static Stream<Client> clients() {
		JdkClientHttpRequestFactory jdk = new JdkClientHttpRequestFactory();
		jdk.setReadTimeout(Duration.ofMinutes(1));
		return Stream.of(
				new Client("RestTemplate",
						new RestClientFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)),
								new IoFailureClassifier(false)),
						(url) -> new RestTemplate().getForObject(url, Order.class)),
				restClient(new SimpleClientHttpRequestFactory()), restClient(jdk),
				restClient(new ReactorClientHttpRequestFactory()), webClient(new ReactorClientHttpConnector()),
				webClient(new JdkClientHttpConnector()));
	}

	private static Client restClient(ClientHttpRequestFactory factory) {
		RestClient client = RestClient.builder().requestFactory(factory).build();
		return new Client("RestClient by " + factory.getClass().getSimpleName(),
				new RestClientFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)),
						new IoFailureClassifier(false)),
				(url) -> client.get().uri(url).retrieve().body(Order.class));
	}

	private static Client webClient(ClientHttpConnector connector) {
		WebClient client = WebClient.builder().clientConnector(connector).build();
		return new Client("WebClient by " + connector.getClass().getSimpleName(),
				new WebClientFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)),
						new IoFailureClassifier(false)),
				(url) -> client.get().uri(url).retrieve().bodyToMono(Order.class).block(Duration.ofMinutes(1)));
	}

}
