package dev.backoff.sample.gateway;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * An HTTP answer, after which the connection is closed.
 *
 * @param status the status code
 * @param retryAfter the value of {@code Retry-After}, or null
 * @param json the body
 */
record Reply(int status, @Nullable String retryAfter, String json) {

	static Reply ok(String json) {
		return new Reply(200, null, json);
	}

	static Reply of(int status, @Nullable String retryAfter) {
		return new Reply(status, retryAfter, Json.write(Map.of("status", status)));
	}

	static Reply refusal(int status, @Nullable String why) {
		return new Reply(status, null, Json.write(Map.of("error", String.valueOf(why))));
	}

	void write(OutputStream out) throws IOException {
		byte[] body = this.json.getBytes(StandardCharsets.UTF_8);
		String head = "HTTP/1.1 " + this.status + " -\r\nContent-Type: application/json\r\nContent-Length: "
				+ body.length + "\r\nConnection: close\r\n"
				+ ((this.retryAfter != null) ? "Retry-After: " + this.retryAfter + "\r\n" : "") + "\r\n";
		out.write(head.getBytes(StandardCharsets.US_ASCII));
		out.write(body);
		out.flush();
	}

}
