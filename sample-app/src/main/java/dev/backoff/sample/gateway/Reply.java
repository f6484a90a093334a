package dev.backoff.sample.gateway;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * An HTTP answer, after which the connection is closed.
 *
 * @param status the status code
 * @param headers its headers, but those of HTTP itself
 * @param json the body
 */
record Reply(int status, Map<String, String> headers, String json) {

	static Reply ok(String json) {
		return new Reply(200, Map.of(), json);
	}

	static Reply of(int status, @Nullable String retryAfter) {
		return new Reply(status, (retryAfter != null) ? Map.of("Retry-After", retryAfter) : Map.of(),
				Json.write(Map.of("status", status)));
	}

	static Reply refusal(int status, @Nullable String why) {
		return new Reply(status, Map.of(), Json.write(Map.of("error", String.valueOf(why))));
	}

	Reply with(Map<String, String> more) {
		Map<String, String> all = new TreeMap<>(this.headers);
		all.putAll(more);
		return new Reply(this.status, all, this.json);
	}

	void write(OutputStream out) throws IOException {
		byte[] body = this.json.getBytes(StandardCharsets.UTF_8);
		StringBuilder head = new StringBuilder("HTTP/1.1 " + this.status + " -\r\nContent-Type: application/json\r\n"
				+ "Content-Length: " + body.length + "\r\nConnection: close\r\n");
		this.headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
		out.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
		out.write(body);
		out.flush();
	}

}
