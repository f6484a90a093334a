package dev.backoff.spring.failure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server on the loopback interface that answers each connection with the same bytes and
 * then closes it, resets it or keeps it open.
 */
final class LoopbackServer implements AutoCloseable {

	enum Ending {

		CLOSE, RESET, HANG

	}

	private final ServerSocket listener;

	private final String reply;

	private final Ending ending;

	private final List<Socket> open = new CopyOnWriteArrayList<>();

	private LoopbackServer(String reply, Ending ending) {
		this.reply = reply;
		this.ending = ending;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread thread = new Thread(this::run, "loopback");
		thread.setDaemon(true);
		thread.start();
	}

	/** Answer with raw bytes. */
	static LoopbackServer replying(String reply, Ending ending) {
		return new LoopbackServer(reply, ending);
	}

	/** Answer with a status and headers. */
	static LoopbackServer status(int status, String... headers) {
		StringBuilder reply = new StringBuilder(
				"HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\nConnection: close\r\n");
		for (String header : headers) {
			reply.append(header).append("\r\n");
		}
		return new LoopbackServer(reply.append("\r\n").toString(), Ending.CLOSE);
	}

	/** Return a port on which nobody listens. */
	static int closedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	int port() {
		return this.listener.getLocalPort();
	}

	String url() {
		return "http://127.0.0.1:" + port() + "/";
	}

	private void run() {
		while (!this.listener.isClosed()) {
			try {
				answer(this.listener.accept());
			}
			catch (IOException ex) {
				// the client or the test has gone: nobody is left to tell
			}
		}
	}

	private void answer(Socket socket) throws IOException {
		this.open.add(socket);
		skipHead(socket.getInputStream());
		socket.getOutputStream().write(this.reply.getBytes(StandardCharsets.UTF_8));
		socket.getOutputStream().flush();
		if (this.ending == Ending.RESET) {
			socket.setSoLinger(true, 0);
		}
		if (this.ending != Ending.HANG) {
			socket.close();
		}
	}

	private static void skipHead(InputStream input) throws IOException {
		int seen = 0;
		while (seen < 4) {
			int next = input.read();
			if (next < 0) {
				return;
			}
			seen = (next == "\r\n\r\n".charAt(seen)) ? seen + 1 : (next == '\r') ? 1 : 0;
		}
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.open) {
			socket.close();
		}
	}

}
