package dev.backoff.spring.failure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import dev.backoff.fixture.SocketServer;

/** A server on the loopback interface that answers a line with a line. */
final class LineServer implements AutoCloseable {

	/** What to answer. */
	@FunctionalInterface
	interface Reply {

		@Nullable String to(String line);

	}

	private final String greeting;

	private final Reply reply;

	private final SocketServer server;

	private LineServer(String greeting, Reply reply) {
		this.greeting = greeting;
		this.reply = reply;
		this.server = new SocketServer(this::talk);
	}

	static LineServer start(String greeting, Reply reply) {
		return new LineServer(greeting, reply);
	}

	int port() {
		return this.server.port();
	}

	private void talk(Socket socket) throws IOException {
		try (BufferedReader input = new BufferedReader(
				new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			write(socket.getOutputStream(), this.greeting);
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				String answer = this.reply.to(line);
				write(socket.getOutputStream(), (answer != null) ? answer : "");
			}
		}
	}

	private static void write(OutputStream output, String line) throws IOException {
		if (!line.isEmpty()) {
			output.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
			output.flush();
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
