package dev.backoff.libraries;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.WireRequest;

/**
 * A server that counts requests and answers all alike: {@code 503},
 * {@code 503 Retry-After: 0}, {@code reset}. With {@code reused } before that, the first
 * request gets 200, so that the next one finds an open connection.
 */
final class CountingServer implements AutoCloseable {

	private final String answer;

	private final boolean reused;

	private final AtomicInteger requests = new AtomicInteger();

	private final SocketServer server;

	CountingServer(String answer) {
		this.reused = answer.startsWith("reused ");
		this.answer = answer.replaceFirst("^reused ", "");
		this.server = new SocketServer(this::serve);
	}

	String url() {
		return "http://localhost:" + this.server.port() + "/work";
	}

	/** Return whether the first request is one that only opens a connection. */
	boolean isReused() {
		return this.reused;
	}

	/** Return how many requests came, without the one that opens the connection. */
	int requests() {
		return this.requests.get() - (this.reused ? 1 : 0);
	}

	private void serve(Socket socket) throws IOException {
		try (socket) {
			InputStream input = new BufferedInputStream(socket.getInputStream());
			while (WireRequest.read(input) != null) {
				String reply = (this.requests.incrementAndGet() == 1 && this.reused) ? "200" : this.answer;
				if (reply.equals("reset")) {
					socket.setSoLinger(true, 0);
					return;
				}
				String[] parts = reply.split(" ", 2);
				String header = (parts.length > 1) ? parts[1] + "\r\n" : "";
				String head = "HTTP/1.1 " + parts[0] + " X\r\n" + header + "Content-Length: 0\r\n\r\n";
				socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
			}
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
