package dev.backoff.sample.gateway;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The payment, logistics and merchant systems behind one port, on the loopback interface
 * only. {@code POST /faults/<route>?…} plans a {@linkplain Fault fault} and its
 * {@linkplain FaultPlan calls}, {@code ?clear} ends it, {@code GET /calls} shows the
 * calls.
 * <p>
 * It uses raw sockets, because an HTTP server cannot reset a connection.
 */
public final class Gateway implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Gateway.class);

	private static final int CLIENT_TIMEOUT_MILLIS = 10_000;

	private final ServerSocket listener;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Faults faults = new Faults();

	private final CallBook calls = new CallBook();

	private final Partners partners = new Partners(this.calls);

	private Gateway(ServerSocket listener) {
		this.listener = listener;
	}

	/**
	 * Start a gateway.
	 * @param port the port, 0 for any that is free
	 * @return a gateway that answers
	 * @throws IOException if the port is not free
	 */
	public static Gateway start(int port) throws IOException {
		Gateway gateway = new Gateway(listen(port));
		gateway.threads.execute(gateway::accept);
		return gateway;
	}

	private static ServerSocket listen(int port) throws IOException {
		try {
			return new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
		}
		catch (BindException ex) {
			throw new IOException("Port " + port + " of the gateway is in use: end what listens there, or set "
					+ "shop.gateway.port to another one, or to 0 for any", ex);
		}
	}

	/**
	 * {@return the address of the gateway, such as {@code http://127.0.0.1:8090}}
	 */
	public URI url() {
		return URI.create("http://127.0.0.1:" + this.listener.getLocalPort());
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		this.threads.shutdownNow();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket socket = this.listener.accept();
				this.threads.execute(() -> serve(socket));
			}
			catch (IOException ex) {
				logger.debug("No connection accepted", ex);
			}
		}
	}

	private void serve(Socket socket) {
		try (socket) {
			socket.setSoTimeout(CLIENT_TIMEOUT_MILLIS);
			Request request = Request.read(socket.getInputStream());
			Route route = Route.of(request);
			if (route != null) {
				call(new Exchange(socket, route, request, this.partners), route, request);
			}
			else {
				control(request).write(socket.getOutputStream());
			}
		}
		catch (IOException ex) {
			logger.debug("The client left", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void call(Exchange exchange, Route route, Request request) throws IOException, InterruptedException {
		Fault fault = this.faults.next(route);
		this.calls.called(route,
				new CallBook.Call(Instant.now(), request.path(), request.idempotencyKey(), fault != null));
		if (fault != null) {
			fault.happen(exchange);
		}
		else {
			exchange.answer(exchange.work());
		}
	}

	private Reply control(Request request) {
		try {
			if (request.method().equals("POST") && request.path().startsWith("/faults/")) {
				this.faults.plan(Route.named(request.path().substring("/faults/".length())), request.query());
				return Reply.of(200, null);
			}
			if (request.method().equals("GET") && request.path().equals("/calls")) {
				return Reply.ok(Json.write(this.calls.pages()));
			}
			return Reply.refusal(404, request.path());
		}
		catch (IllegalArgumentException ex) {
			return Reply.refusal(400, ex.getMessage());
		}
	}

}
