package dev.backoff.spring.failure;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/** A server that wants a certificate, and a client that has none. */
class RefusedCertificateTests {

	private static final String PASSWORD = "changeit";

	@TempDir
	private static Path directory;

	/* With TLS 1.2 the JDK 25 answers handshake_failure, which has other causes too. */
	@Test
	void isPermanent() throws Exception {
		SSLContext context = context();
		SSLContext trusting = SSLContext.getInstance("TLS");
		trusting.init(null, trusted(keys()).getTrustManagers(), null);
		try (SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory()
			.createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			server.setNeedClientAuth(true);
			server.setEnabledProtocols(new String[] { "TLSv1.3" });
			Thread thread = new Thread(() -> refuse(server), "refusing");
			thread.setDaemon(true);
			thread.start();
			Throwable failure = thrownBy(() -> get(server.getLocalPort(), trusting));
			assertThat(failure).hasStackTraceContaining("Received fatal alert");
			assertSays(new IoFailureClassifier(false), failure, "permanent");
		}
	}

	private static void refuse(SSLServerSocket server) {
		while (!server.isClosed()) {
			try (SSLSocket socket = (SSLSocket) server.accept()) {
				socket.startHandshake();
			}
			catch (IOException ex) {
				// refused, which the client is told by an alert
			}
		}
	}

	private static void get(int port, SSLContext context) throws IOException, InterruptedException {
		HttpClient client = HttpClient.newBuilder().sslContext(context).build();
		client.send(HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/")).build(),
				BodyHandlers.discarding());
	}

	private static SSLContext context() throws Exception {
		KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		own.init(keys(), PASSWORD.toCharArray());
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(own.getKeyManagers(), trusted(keys()).getTrustManagers(), null);
		return context;
	}

	private static TrustManagerFactory trusted(KeyStore keys) throws Exception {
		TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trusted.init(keys);
		return trusted;
	}

	/** Return a key with a certificate that it has signed itself. */
	private static KeyStore keys() throws Exception {
		Path file = directory.resolve("server.p12");
		if (!Files.exists(file)) {
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
					"san=dns:localhost", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString())
				.redirectErrorStream(true)
				.start();
			assertThat(keytool.getInputStream().readAllBytes()).isNotNull();
			assertThat(keytool.waitFor()).isZero();
		}
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream input = Files.newInputStream(file)) {
			keys.load(input, PASSWORD.toCharArray());
		}
		return keys;
	}

}
