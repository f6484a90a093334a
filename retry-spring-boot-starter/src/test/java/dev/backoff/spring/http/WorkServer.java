package dev.backoff.spring.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server that applies the work of each request, and then resets the connection as often
 * as it is told to before it answers. It may close before its first answer.
 */
final class WorkServer implements AutoCloseable {

	private final ServerSocket listener;

	private final List<Request> applied = new CopyOnWriteArrayList<>();

	private final int resets;

	private final String answer;

	private final boolean once;

	/** Reset this many connections after their work is applied. */
	WorkServer(int resets) {
		this(resets, "200 OK", false);
	}

	private WorkServer(int resets, String answer, boolean once) {
		this.resets = resets;
		this.answer = answer;
		this.once = once;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread thread = new Thread(this::run, "work-server");
		thread.setDaemon(true);
		thread.start();
	}

	/** Answer with a status and a header. */
	static WorkServer answering(int status, String header) {
		return new WorkServer(0, status + " X\r\n" + header, false);
	}

	/** Redirect the first request to this server, which is closed by then. */
	static WorkServer redirectingOnce(int status) {
		return new WorkServer(0, status + " X\r\nLocation: /elsewhere", true);
	}

	String url() {
		return "http://localhost:" + port() + "/work";
	}

	int port() {
		return this.listener.getLocalPort();
	}

	/** Return the requests whose work was applied, in order. */
	List<Request> applied() {
		return List.copyOf(this.applied);
	}

	/** Return the values of a header, one of each request that has it. */
	List<String> values(String header) {
		return this.applied.stream().flatMap((request) -> request.values(header).stream()).toList();
	}

	private void run() {
		while (!this.listener.isClosed()) {
			try (Socket socket = this.listener.accept()) {
				Request request = read(new BufferedInputStream(socket.getInputStream()));
				if (request == null) {
					continue;
				}
				this.applied.add(request);
				if (this.applied.size() <= this.resets) {
					socket.setSoLinger(true, 0);
				}
				else {
					if (this.once) {
						this.listener.close();
					}
					socket.getOutputStream()
						.write(("HTTP/1.1 " + this.answer + "\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndone")
							.getBytes(StandardCharsets.UTF_8));
					socket.getOutputStream().flush();
				}
			}
			catch (IOException ex) {
				// the client or the test has gone: nobody is left to tell
			}
		}
	}

	private static Request read(InputStream input) throws IOException {
		List<String> lines = new ArrayList<>();
		for (String line = line(input); !line.isEmpty(); line = line(input)) {
			lines.add(line);
		}
		if (lines.isEmpty()) {
			return null;
		}
		Request request = new Request(lines.get(0).split(" ", 2)[0], lines.subList(1, lines.size()));
		List<String> length = request.values("Content-Length");
		if (!length.isEmpty()) {
			input.readNBytes(Integer.parseInt(length.get(0)));
		}
		else if (request.values("Transfer-Encoding").contains("chunked")) {
			while (!line(input).equals("0")) {
				line(input);
			}
			line(input);
		}
		return request;
	}

	private static String line(InputStream input) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = input.read(); next >= 0 && next != '\n'; next = input.read()) {
			if (next != '\r') {
				line.append((char) next);
			}
		}
		return line.toString();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
	}

	/** A request, as it came over the wire. */
	record Request(String method, List<String> headers) {

		List<String> values(String name) {
			String start = name.toLowerCase(Locale.ROOT) + ":";
			return this.headers.stream()
				.filter((line) -> line.toLowerCase(Locale.ROOT).startsWith(start))
				.map((line) -> line.substring(start.length()).strip())
				.toList();
		}

	}

}
