package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.UnknownHttpStatusCodeException;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** What RestClient and RestTemplate have beside {@link HttpClientFailuresTests}. */
class RestClientFailureClassifierTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

	private final FailureClassifier classifier = new RestClientFailureClassifier(
			new HttpStatusRules(new ServerHints(CLOCK)), new IoFailureClassifier(false));

	record Order(String id) {
	}

	@Nested
	class WhileReading {

		private static final String HALF = HEAD + "Content-Length: 100\r\n\r\n{\"id\":";

		@Test
		void noResponseInTimeIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying("", Ending.HANG)) {
				assertSays(classifier, thrownBy(() -> impatient().getForObject(server.url(), Order.class)),
						"transient timeout");
			}
		}

		@Test
		void bodyThatStopsIsTimeout() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HALF, Ending.HANG)) {
				assertSays(classifier, thrownBy(() -> impatient().getForObject(server.url(), Order.class)),
						"transient timeout");
			}
		}

		@Test
		void bodyThatIsNoJsonIsPermanent() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HEAD + "Content-Length: 3\r\n\r\n<p>", Ending.CLOSE)) {
				assertSays(classifier, thrownBy(() -> new RestTemplate().getForObject(server.url(), Order.class)),
						"permanent");
			}
		}

		@Test
		void resetWithinTheBodyIsIo() throws IOException {
			try (LoopbackServer server = LoopbackServer.replying(HALF, Ending.RESET)) {
				assertSays(classifier, thrownBy(() -> new RestTemplate().getForObject(server.url(), Order.class)),
						"transient io");
			}
		}

		@Test
		void uriWithoutHostIsPermanent() {
			assertSays(classifier, thrownBy(() -> impatient().getForObject("http:///order", Order.class)), "permanent");
		}

		private static RestTemplate impatient() {
			SimpleClientHttpRequestFactory factory = new SimpleClientHttpRequestFactory();
			factory.setReadTimeout(100);
			return new RestTemplate(factory);
		}

	}

	@Test
	void judgesWhatMayBeMissing() {
		assertSays(this.classifier, new UnknownHttpStatusCodeException(599, "", null, null, null),
				"transient http_5xx");
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

}
