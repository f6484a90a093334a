package dev.backoff.spring.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.backoff.fixture.SocketServer;
import dev.backoff.fixture.WireRequest;

/**
 * A server that applies the work of each request, and then resets the connection as often
 * as it is told to before it answers. It may close before its first answer.
 */
final class WorkServer implements AutoCloseable {

	private final List<WireRequest> applied = new CopyOnWriteArrayList<>();

	private final int resets;

	private final String answer;

	private final SocketServer server;

	/** Reset this many connections after their work is applied. */
	WorkServer(int resets) {
		this(resets, "200 OK", Integer.MAX_VALUE);
	}

	private WorkServer(int resets, String answer, int most) {
		this.resets = resets;
		this.answer = answer;
		this.server = new SocketServer(most, this::serve);
	}

	/** Answer with a status and a header. */
	static WorkServer answering(int status, String header) {
		return new WorkServer(0, status + " X\r\n" + header, Integer.MAX_VALUE);
	}

	/** Redirect the first request to this server, which is closed by then. */
	static WorkServer redirectingOnce(int status) {
		return new WorkServer(0, status + " X\r\nLocation: /elsewhere", 1);
	}

	String url() {
		return "http://localhost:" + port() + "/work";
	}

	int port() {
		return this.server.port();
	}

	/** Return the requests whose work was applied, in order. */
	List<WireRequest> applied() {
		return List.copyOf(this.applied);
	}

	/** Return the values of a header, one of each request that has it. */
	List<String> values(String header) {
		return this.applied.stream().flatMap((request) -> request.values(header).stream()).toList();
	}

	private void serve(Socket socket) throws IOException {
		try (socket) {
			WireRequest request = WireRequest.read(new BufferedInputStream(socket.getInputStream()));
			if (request == null) {
				return;
			}
			this.applied.add(request);
			if (this.applied.size() <= this.resets) {
				socket.setSoLinger(true, 0);
				return;
			}
			String answer = "HTTP/1.1 " + this.answer + "\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndone";
			socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
