package dev.backoff.spring.failure;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import feign.Feign;
import feign.Request;
import feign.RequestLine;
import feign.Retryer;
import feign.codec.DecodeException;
import feign.codec.EncodeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.assertWithoutEffect;
import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link FeignFailureClassifier}, with calls over real connections. */
class FeignFailureClassifierTests {

	private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);

	private final FailureClassifier classifier = new FeignFailureClassifier(new HttpStatusRules(new ServerHints(CLOCK)),
			new IoFailureClassifier(true));

	private final FailureClassifier builtIn = new BuiltInFailureClassifiers(getClass().getClassLoader(), CLOCK, false);

	interface Orders {

		@RequestLine("GET /")
		String get();

	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			400 | -                                          | permanent
			409 | Retry-After: 7                             | permanent 7s
			408 | -                                          | transient timeout
			429 | -                                          | throttled http_429
			429 | Retry-After: 7                             | throttled http_429 7s
			429 | RateLimit: "default";r=0;t=30              | throttled http_429 30s
			503 | Retry-After: 3                             | throttled http_503 3s
			""")
	void classifiesByStatus(int status, String header, String expected) throws IOException {
		try (LoopbackServer server = (header != null) ? LoopbackServer.status(status, header)
				: LoopbackServer.status(status)) {
			Throwable failure = thrownBy(() -> orders(server.url()).get());
			assertSays(this.classifier, failure, expected);
			assertThat(Classified.describe(this.builtIn.classify(failure))).isEqualTo(expected);
		}
	}

	@Test
	void refusedIsConnectThatMayFollowARedirect() throws IOException {
		Throwable failure = thrownBy(() -> orders("http://127.0.0.1:" + SocketServer.closedPort()).get());
		assertSays(this.classifier, failure, "transient connect");
		assertWithoutEffect(this.classifier, failure, false);
	}

	@Test
	void resetIsIo() throws IOException {
		try (LoopbackServer server = LoopbackServer.replying("", Ending.RESET)) {
			assertSays(this.classifier, thrownBy(() -> orders(server.url()).get()), "transient io");
		}
	}

	@Test
	void noResponseInTimeIsTimeout() throws IOException {
		try (LoopbackServer server = LoopbackServer.replying("", Ending.HANG)) {
			assertSays(this.classifier, thrownBy(() -> orders(server.url(), 1).get()), "transient timeout");
		}
	}

	@Test
	void aBodyThatIsCutOffIsIo() throws IOException {
		try (LoopbackServer server = LoopbackServer
			.replying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", Ending.CLOSE)) {
			assertSays(this.classifier, thrownBy(() -> orders(server.url()).get()), "transient io");
		}
	}

	@Test
	void aBodyThatCannotBeConvertedIsPermanent() throws IOException {
		Request request = Request.create(Request.HttpMethod.GET, "http://orders", Map.of(), null, null, null);
		assertSays(this.classifier, new DecodeException(200, "no order", request), "permanent");
		assertSays(this.classifier, new EncodeException("no order"), "permanent");
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IOException("reset"), "nothing");
	}

	private static Orders orders(String url) {
		return orders(url, 60);
	}

	private static Orders orders(String url, int readTimeout) {
		return Feign.builder()
			.retryer(Retryer.NEVER_RETRY)
			.options(new Request.Options(60, TimeUnit.SECONDS, readTimeout, TimeUnit.SECONDS, true))
			.target(Orders.class, url);
	}

}
