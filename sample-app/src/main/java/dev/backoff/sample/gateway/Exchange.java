package dev.backoff.sample.gateway;

import java.io.IOException;
import java.net.Socket;

/** One call of a partner, and the possible answers. */
final class Exchange {

	private final Socket socket;

	private final Route route;

	private final Request request;

	private final Partners partners;

	Exchange(Socket socket, Route route, Request request, Partners partners) {
		this.socket = socket;
		this.route = route;
		this.request = request;
		this.partners = partners;
	}

	/** Do the work of the call, once per idempotency key. */
	Reply work() {
		return this.partners.work(this.route, this.request);
	}

	void answer(Reply reply) throws IOException {
		reply.write(this.socket.getOutputStream());
	}

	/** End the connection with a TCP reset, which the client sees as an I/O error. */
	void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

}
