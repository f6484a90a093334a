package dev.backoff.sample.gateway;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The parts of an HTTP/1.1 request that the gateway needs.
 *
 * @param method such as {@code POST}
 * @param path without the query
 * @param query the query's parameters, decoded
 * @param headers by their names in lower case
 */
record Request(String method, String path, Map<String, String> query, Map<String, String> headers) {

	static Request read(InputStream in) throws IOException {
		String[] start = line(in).split(" ", 3);
		if (start.length != 3) {
			throw new IOException("not an HTTP request");
		}
		String[] target = start[1].split("\\?", 2);
		Request request = new Request(start[0], target[0], query((target.length > 1) ? target[1] : ""), headers(in));
		request.skipBody(in);
		return request;
	}

	/** Return the key without the quotes that make it a structured string (RFC 9651). */
	@Nullable String idempotencyKey() {
		String header = this.headers.get("idempotency-key");
		return (header == null) ? null : header.replace("\"", "");
	}

	/* Unread bytes would turn the close of the socket into a reset. */
	private void skipBody(InputStream in) throws IOException {
		if ("chunked".equals(this.headers.get("transfer-encoding"))) {
			int size = Integer.parseInt(line(in), 16);
			while (size > 0) {
				in.skipNBytes(size);
				line(in);
				size = Integer.parseInt(line(in), 16);
			}
			line(in);
		}
		else {
			in.skipNBytes(Long.parseLong(this.headers.getOrDefault("content-length", "0")));
		}
	}

	private static Map<String, String> query(String text) {
		Map<String, String> query = new HashMap<>();
		for (String parameter : text.split("&", -1)) {
			String[] pair = parameter.split("=", 2);
			if (!pair[0].isEmpty()) {
				query.put(pair[0], (pair.length > 1) ? URLDecoder.decode(pair[1], StandardCharsets.UTF_8) : "");
			}
		}
		return query;
	}

	private static Map<String, String> headers(InputStream in) throws IOException {
		Map<String, String> headers = new HashMap<>();
		for (String line = line(in); !line.isEmpty(); line = line(in)) {
			String[] header = line.split(":", 2);
			headers.put(header[0].toLowerCase(Locale.ROOT), (header.length > 1) ? header[1].strip() : "");
		}
		return headers;
	}

	private static String line(InputStream in) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = in.read(); next != '\n'; next = in.read()) {
			if (next < 0) {
				throw new EOFException("the client left");
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.UTF_8);
	}

}
