package dev.backoff.spring.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import org.jspecify.annotations.Nullable;

/** A client for an application on this machine. */
record LocalClient(String root) {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	static LocalClient on(int port) {
		return new LocalClient("http://localhost:" + port);
	}

	HttpResponse<String> send(String method, String path, String json) throws IOException, InterruptedException {
		return send(method, path, json, "application/json");
	}

	HttpResponse<String> send(String method, String path, String body, @Nullable String contentType)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.root + path))
			.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
		if (contentType != null) {
			request.header("Content-Type", contentType);
		}
		return CLIENT.send(request.build(), BodyHandlers.ofString());
	}

}
