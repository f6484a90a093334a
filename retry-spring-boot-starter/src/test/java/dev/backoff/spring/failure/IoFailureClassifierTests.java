package dev.backoff.spring.failure;

import java.io.CharConversionException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.InvalidClassException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.UnknownServiceException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.KeyStoreException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.ZipException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;
import dev.backoff.spring.failure.LoopbackServer.Ending;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.assertWithoutEffect;
import static dev.backoff.spring.failure.Classified.thrownBy;

/** Tests for {@link IoFailureClassifier}. */
class IoFailureClassifierTests {

	private final FailureClassifier classifier = new IoFailureClassifier(false);

	static Stream<Throwable> connects() {
		return Stream.of(new ConnectException("refused"), new NoRouteToHostException(), new UnknownHostException("x"),
				new UnresolvedAddressException(), new BindException("no port free"),
				new HttpConnectTimeoutException("x"));
	}

	@ParameterizedTest
	@MethodSource("connects")
	void noConnectionIsConnect(Throwable failure) {
		assertSays(this.classifier, failure, "transient connect");
	}

	@ParameterizedTest
	@MethodSource("connects")
	void noConnectionHasNoEffect(Throwable failure) {
		assertWithoutEffect(this.classifier, failure, true);
	}

	@Test
	void aHandshakeThatFailedHasNoEffect() {
		SSLHandshakeException handshake = new SSLHandshakeException("terminated");
		assertWithoutEffect(this.classifier, handshake, true);
		handshake.initCause(new EOFException());
		assertWithoutEffect(this.classifier, new IOException(handshake), true);
		assertSays(this.classifier, handshake, "transient io");
	}

	@Test
	void whatIsCutOffMidwayMayHaveAnEffect() {
		assertWithoutEffect(this.classifier, new SocketException("Connection reset"), false);
		assertWithoutEffect(this.classifier, new SocketTimeoutException("Read timed out"), false);
		assertWithoutEffect(this.classifier, new SSLException("closed"), false);
		assertWithoutEffect(this.classifier, new EOFException(), false);
		assertWithoutEffect(this.classifier, new PortUnreachableException(), false);
		assertSays(this.classifier, new PortUnreachableException(), "transient connect");
	}

	static Stream<Throwable> timeouts() {
		return Stream.of(new SocketTimeoutException(), new HttpTimeoutException("x"), new TimeoutException(),
				new InterruptedIOException("timeout"),
				new SSLException("Read timed out", new SocketTimeoutException()));
	}

	@ParameterizedTest
	@MethodSource("timeouts")
	void otherTimeoutsAreTimeout(Throwable failure) {
		assertSays(this.classifier, failure, "transient timeout");
	}

	static Stream<Throwable> ios() {
		return Stream.of(new SocketException("Connection reset"), new EOFException(), new ClosedChannelException(),
				new IOException("Broken pipe"), new UncheckedIOException(new IOException()),
				new FileSystemException("file", null, "No space left on device"), new SSLException("closed"),
				new SSLHandshakeException("Remote host terminated the handshake"));
	}

	@ParameterizedTest
	@MethodSource("ios")
	void otherIoIsIo(Throwable failure) {
		assertSays(this.classifier, failure, "transient io");
	}

	static Stream<Throwable> permanents() {
		return Stream.of(new FileNotFoundException(), new NoSuchFileException("x"), new AccessDeniedException("x"),
				new MalformedURLException(), new UnknownServiceException(), new CharConversionException(),
				new MalformedInputException(1), new InvalidClassException("x"), new ZipException(),
				new SSLPeerUnverifiedException("x"), new KeyStoreException(),
				new SSLHandshakeException("PKIX").initCause(new CertificateException("expired")),
				new SSLException("closed", new IOException(new CertificateException())),
				new IOException("Host is not specified", new IllegalArgumentException()));
	}

	@ParameterizedTest
	@MethodSource("permanents")
	void whatWillBeTheSameNextTimeIsPermanent(Throwable failure) {
		assertSays(this.classifier, failure, "permanent");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Received fatal alert: bad_certificate",
			"(certificate_required) Received fatal alert: certificate_required",
			"Received fatal alert: certificate_expired", "Received fatal alert: certificate_revoked",
			"Received fatal alert: certificate_unknown", "Received fatal alert: unsupported_certificate",
			"Received fatal alert: unknown_ca", "Received fatal alert: access_denied",
			"error:10000412:SSL routines:OPENSSL_internal:SSLV3_ALERT_BAD_CERTIFICATE" })
	void certificatesThatTheServerRefusesArePermanent(String message) {
		assertSays(this.classifier, new SSLHandshakeException(message), "permanent");
		assertSays(this.classifier, new SSLException(message), "permanent");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Received fatal alert: handshake_failure", "Received fatal alert: internal_error",
			"Received fatal alert: close_notify" })
	void otherAlertsAreIo(String message) {
		assertSays(this.classifier, new SSLHandshakeException(message), "transient io");
	}

	@Test
	void whatFailsToConnectAfterARedirectMayHaveAnEffect() {
		FailureClassifier following = new IoFailureClassifier(true);
		connects().forEach((failure) -> assertWithoutEffect(following, failure, false));
		assertWithoutEffect(following, new SSLHandshakeException("terminated"), false);
		assertSays(following, new ConnectException("refused"), "transient connect");
	}

	@Test
	void theFirstSpecificFailureOfTheChainCounts() {
		assertSays(this.classifier, new IOException("request failed", new ConnectException()), "transient connect");
		assertSays(this.classifier, new ConnectException("x").initCause(new SocketTimeoutException()),
				"transient connect");
		assertSays(this.classifier, new IOException("x", new UnresolvedAddressException()), "transient connect");
		assertSays(this.classifier, new IOException("x", new NoSuchFileException("y")), "permanent");
	}

	@Test
	void knowsNothingOfOtherFailures() {
		assertSays(this.classifier, new IllegalStateException(), "nothing");
		assertSays(this.classifier, new IllegalArgumentException(), "nothing");
	}

	@Test
	void endsWhereCausesGoRound() {
		IllegalStateException outer = new IllegalStateException();
		outer.initCause(new IllegalStateException(outer));
		assertSays(this.classifier, outer, "nothing");
	}

	@Nested
	class ForReal {

		@Test
		void sockets() throws IOException {
			int closed = SocketServer.closedPort();
			assertThrown(() -> new Socket(InetAddress.getLoopbackAddress(), closed).close(), "transient connect");
			assertThrown(() -> InetAddress.getAllByName("nonexistent.invalid"), "transient connect");
			InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nonexistent.invalid", 80);
			assertThrown(() -> SocketChannel.open(unresolved).close(), "transient connect");
		}

		@Test
		void httpClient() throws IOException {
			try (LoopbackServer hanging = LoopbackServer.replying("", Ending.HANG);
					LoopbackServer resetting = LoopbackServer.replying("", Ending.RESET);
					LoopbackServer closing = LoopbackServer.replying("", Ending.CLOSE)) {
				assertThrown(() -> send(resetting.url(), Duration.ofMinutes(1)), "transient io");
				assertThrown(() -> send(closing.url(), Duration.ofMinutes(1)), "transient io");
				// last: loading classes is not to take the time to connect
				assertThrown(() -> send(hanging.url(), Duration.ofSeconds(1)), "transient timeout");
			}
		}

		@Test
		void files(@TempDir Path directory) {
			assertThrown(() -> Files.readString(directory.resolve("missing")), "permanent");
			assertThrown(() -> Files.readString(directory), "transient io");
		}

		@Test
		void parsing() {
			JsonMapper mapper = new JsonMapper();
			assertThrown(() -> mapper.readTree("<html>"), "permanent");
			assertThrown(() -> mapper.readTree("{\"id\":"), "transient io");
		}

		private static void send(String url, Duration timeout) throws IOException, InterruptedException {
			HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(timeout).build();
			HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
		}

		private void assertThrown(ThrowingCallable action, String expected) {
			assertSays(classifier, thrownBy(action), expected);
		}

	}

}
