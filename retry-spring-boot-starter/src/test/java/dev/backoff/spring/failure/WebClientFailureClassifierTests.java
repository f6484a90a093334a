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
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Exceptions;
import reactor.netty.http.client.HttpClient;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** What WebClient has beside {@link HttpClientFailuresTests}. */
@ParameterizedClass
@MethodSource("connectors")
class WebClientFailureClassifierTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

	private static final String HALF = HEAD + "Content-Length: 100\r\n\r\n{\"id\":";

	private final FailureClassifier classifier = new WebClientFailureClassifier(
			new HttpStatusRules(new ServerHints(CLOCK)), new IoFailureClassifier(false));

	private final WebClient client;

	WebClientFailureClassifierTests(ClientHttpConnector connector) {
		this.client = WebClient.builder().clientConnector(connector).build();
	}

	record Order(String id) {
	}

	@Nested
	class AResponse {

		@Test
		void nulInAHeaderIsIo() throws IOException {
			assertReplied("HTTP/1.1 200 OK\r\nX-A: a\u0000b\r\nContent-Length: 2\r\n\r\n{}");
		}

		@Test
		void brokenChunkSizeIsIo() throws IOException {
			assertReplied(HEAD + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");
		}

		@Test
		void junkInPlaceOfAStatusLineIsIo() throws IOException {
			assertReplied("junk\r\n\r\n");
			assertReplied("HTTP/1.1 abc OK\r\n\r\n");
		}

		private void assertReplied(String reply) throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(reply, Ending.CLOSE)) {
				assertSays(classifier, thrownBy(() -> call(server.url())), "transient io");
			}
		}

	}

	@Test
	void seesThroughTheExhaustionOfReactorsOwnRetries() throws IOException {
		try (LoopbackServer server = LoopbackServer.status(503)) {
			Throwable failure = thrownBy(() -> call(server.url()));
			assertSays(this.classifier, Exceptions.retryExhausted("3/3", failure), "transient http_503");
		}
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	@Nested
	class WithNetty {

		private final WebClient impatient = WebClient.builder()
			.clientConnector(
					new ReactorClientHttpConnector(HttpClient.create().responseTimeout(Duration.ofMillis(100))))
			.build();

		@Test
		void noResponseInTimeIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying("", Ending.HANG)) {
				assertSays(classifier, thrownBy(() -> read(server.url())), "transient timeout");
			}
		}

		@Test
		void bodyThatStopsIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HALF, Ending.HANG)) {
				assertSays(classifier, thrownBy(() -> read(server.url())), "transient timeout");
			}
		}

		@Test
		void uriWithoutHostIsPermanent() {
			assertSays(classifier, thrownBy(() -> read("http:///order")), "permanent");
		}

		@Test
		void nulInAHeaderOfTheRequestIsPermanent() throws IOException {
			try (LoopbackServer server = LoopbackServer.status(200)) {
				Throwable failure = thrownBy(() -> this.impatient.get()
					.uri(server.url())
					.header("X-A", "a\u0000b")
					.retrieve()
					.toBodilessEntity()
					.block());
				assertSays(classifier, failure, "permanent");
			}
		}

		private void read(String url) {
			this.impatient.get().uri(url).retrieve().bodyToMono(Order.class).block();
		}

	}

	private void call(String url) {
		this.client.get().uri(url).retrieve().bodyToMono(Order.class).block(Duration.ofMinutes(1));
	}

	static Stream<ClientHttpConnector> connectors() {
		return Stream.of(new ReactorClientHttpConnector(), new JdkClientHttpConnector());
	}

}
