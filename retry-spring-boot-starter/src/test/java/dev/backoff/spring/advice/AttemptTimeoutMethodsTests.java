package dev.backoff.spring.advice;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods that call a server over sockets which does not answer the first requests. In
 * real time, but a machine that is slow only makes more attempts.
 */
class AttemptTimeoutMethodsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.gateway.base=1ms", "backoff.policies.gateway.cap=1ms",
				"backoff.policies.gateway.attempt-timeout=250ms",
				// which would bar retries after three timeouts
				"backoff.policies.gateway.budget=none");

	private final AtomicInteger attempts = new AtomicInteger();

	private final AtomicInteger hanging = new AtomicInteger(2);

	private final CountDownLatch ended = new CountDownLatch(1);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.threads);
		this.server.createContext("/", (exchange) -> {
			try (exchange) {
				if (Integer.parseInt(exchange.getRequestURI().getPath().substring(1)) <= this.hanging.get()) {
					this.ended.await();
				}
				exchange.sendResponseHeaders(204, -1);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.ended.countDown();
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	private Gateway gateway() {
		return new Gateway(URI.create("http://127.0.0.1:" + this.server.getAddress().getPort() + "/"), this.attempts);
	}

	@Test
	void areCalledAgain() {
		this.runner.withBean(Gateway.class, this::gateway)
			.withPropertyValues("backoff.policies.gateway.max-attempts=100")
			.run((context) -> assertThat(context.getBean(Gateway.class).ask()).isEqualTo(204));
		assertThat(this.attempts).hasValueGreaterThanOrEqualTo(3);
	}

	@Test
	void areCalledAgainThoughNoThreadWaitsForThem() {
		this.runner.withBean(Gateway.class, this::gateway)
			.withPropertyValues("backoff.policies.gateway.max-attempts=100")
			.run((context) -> assertThat(context.getBean(Gateway.class).askLater().get()).isEqualTo(204));
		assertThat(this.attempts).hasValueGreaterThanOrEqualTo(3);
	}

	/** A client whose requests hang. */
	public static class Gateway {

		private final HttpClient client = HttpClient.newHttpClient();

		private final URI uri;

		private final AtomicInteger attempts;

		Gateway(URI uri, AtomicInteger attempts) {
			this.uri = uri;
			this.attempts = attempts;
		}

		@Backoff("gateway")
		public int ask() throws IOException, InterruptedException {
			return this.client.send(request(), HttpResponse.BodyHandlers.discarding()).statusCode();
		}

		@Backoff("gateway")
		public CompletableFuture<Integer> askLater() {
			return this.client.sendAsync(request(), HttpResponse.BodyHandlers.discarding())
				.thenApply(HttpResponse::statusCode);
		}

		private HttpRequest request() {
			return HttpRequest.newBuilder(this.uri.resolve("/" + this.attempts.incrementAndGet())).build();
		}

	}

}
