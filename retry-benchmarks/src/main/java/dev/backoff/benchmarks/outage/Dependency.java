package dev.backoff.benchmarks.outage;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;

import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** What every contender calls: a {@link RestClient} for an {@link OutageServer}. */
final class Dependency implements AutoCloseable {

	private final Timeline timeline;

	/* Its own, so that the number of threads does not come and go with the load. */
	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	private final RestClient client;

	Dependency(int port, Timeline timeline) {
		this.timeline = timeline;
		HttpClient http = HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.connectTimeout(Duration.ofSeconds(10))
			.executor(this.threads)
			.build();
		this.client = RestClient.builder()
			.requestFactory(new JdkClientHttpRequestFactory(http, this.threads))
			.baseUrl("http://127.0.0.1:" + port)
			.build();
	}

	/** Make one attempt. */
	void call() {
		this.timeline.attempt();
		this.client.get().uri("/work").retrieve().toBodilessEntity();
	}

	/** Ask the server for something besides. */
	@Nullable String ask(String path) {
		return this.client.get().uri(path).retrieve().body(String.class);
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
