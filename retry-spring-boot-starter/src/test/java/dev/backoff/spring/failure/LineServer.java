package dev.backoff.spring.failure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/** A server on the loopback interface that answers a line with a line. */
final class LineServer implements AutoCloseable {

	/** What to answer. */
	@FunctionalInterface
	interface Reply {

		@Nullable String to(String line);

	}

	private final ServerSocket listener;

	private final String greeting;

	private final Reply reply;

	private final List<Socket> open = new CopyOnWriteArrayList<>();

	private LineServer(String greeting, Reply reply) {
		this.greeting = greeting;
		this.reply = reply;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static LineServer start(String greeting, Reply reply) {
		LineServer server = new LineServer(greeting, reply);
		server.inBackground(server::accept);
		return server;
	}

	int port() {
		return this.listener.getLocalPort();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket socket = this.listener.accept();
				this.open.add(socket);
				inBackground(() -> talk(socket));
			}
			catch (IOException ex) {
				// the test has closed the server
			}
		}
	}

	private void talk(Socket socket) {
		try (BufferedReader input = new BufferedReader(
				new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			write(socket.getOutputStream(), this.greeting);
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				String answer = this.reply.to(line);
				write(socket.getOutputStream(), (answer != null) ? answer : "");
			}
		}
		catch (IOException ex) {
			// the client has gone: nobody is left to tell
		}
	}

	private static void write(OutputStream output, String line) throws IOException {
		if (!line.isEmpty()) {
			output.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
			output.flush();
		}
	}

	private void inBackground(Runnable work) {
		Thread thread = new Thread(work, "line-server");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.open) {
			socket.close();
		}
	}

}
