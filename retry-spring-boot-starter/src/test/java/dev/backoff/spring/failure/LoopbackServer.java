package dev.backoff.spring.failure;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.WireRequest;

/** A server on the loopback interface that gives each connection the same answer. */
final class LoopbackServer implements AutoCloseable {

	enum Ending {

		CLOSE, RESET, HANG

	}

	private final String reply;

	private final Ending ending;

	private final SocketServer server;

	private LoopbackServer(String reply, Ending ending) {
		this.reply = reply;
		this.ending = ending;
		this.server = new SocketServer(this::answer);
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

	int port() {
		return this.server.port();
	}

	String url() {
		return "http://127.0.0.1:" + port() + "/";
	}

	private void answer(Socket socket) throws IOException {
		WireRequest.read(new BufferedInputStream(socket.getInputStream()));
		socket.getOutputStream().write(this.reply.getBytes(StandardCharsets.UTF_8));
		if (this.ending == Ending.RESET) {
			socket.setSoLinger(true, 0);
		}
		if (this.ending != Ending.HANG) {
			socket.close();
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
