package dev.backoff.spring.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.failure.BuiltInFailureClassifiers;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Sixteen threads against a provider with a quota, in real time: without and with a pace.
 */
@Tag("ci")
class QuotasOverSocketsTests {

	private static final int THREADS = 16;

	private static final int CALLS = 64;

	/* In a bucket, or in each second of the clock. */
	private static final int LIMIT = 20;

	/* A second. */
	private static final int REFILL = 10;

	/** What a provider tells, its hint, and whether its quota is a fixed window. */
	@SuppressWarnings("ImmutableEnumChecker")
	enum Family {

		HINT("Retry-After: 1", false, (left, now, reset) -> Map.of()),

		OPEN_AI("retry-after-ms: 100", false,
				(left, now, reset) -> Map.of("x-ratelimit-limit-requests", "20", "x-ratelimit-remaining-requests", left,
						"x-ratelimit-reset-requests", reset.toMillis() + "ms", "x-ratelimit-limit-tokens", "20000",
						"x-ratelimit-remaining-tokens", left + "000", "x-ratelimit-reset-tokens",
						reset.toMillis() + "ms")),

		ANTHROPIC("retry-after: 1", false,
				(left, now, reset) -> Map.of("anthropic-ratelimit-requests-limit", "20",
						"anthropic-ratelimit-requests-remaining", left, "anthropic-ratelimit-requests-reset",
						now.plus(reset).plusMillis(999).truncatedTo(ChronoUnit.SECONDS).toString())),

		IETF("X: Y", true,
				(left, now, reset) -> Map.of("RateLimit-Policy", "\"second\";q=20;w=1", "RateLimit",
						"\"second\";r=" + left + ";t=1")),

		GITHUB("X: Y", true, (left, now, reset) -> Map.of("X-RateLimit-Limit", "20", "X-RateLimit-Remaining", left,
				"X-RateLimit-Reset", Long.toString(now.getEpochSecond() + 1)));

		private final String hint;

		private final boolean window;

		private final Told told;

		Family(String hint, boolean window, Told told) {
			this.hint = hint;
			this.window = window;
			this.told = told;
		}

	}

	private interface Told {

		Map<String, String> headers(String left, Instant now, Duration reset);

	}

	private final RetryTime time = RetryTime.system();

	@ParameterizedTest
	@CsvSource({ "HINT,false", "HINT,true", "OPEN_AI,false", "OPEN_AI,true", "ANTHROPIC,false", "ANTHROPIC,true",
			"IETF,false", "IETF,true", "GITHUB,false", "GITHUB,true" })
	void paceAvoidsRefusals(Family family, boolean reactive) {
		Pace pace = new Pace("ai", Duration.ofMinutes(1), 1000, this.time, (held, hold) -> {
		});
		HttpClients.runner().withPropertyValues("backoff.policies.ai.pace=ai").run((context) -> {
			RestClient rest = context.getBean(RestClient.Builder.class).build();
			WebClient web = context.getBean(WebClient.Builder.class).build();
			try (Provider free = new Provider(family); Provider paced = new Provider(family)) {
				List<CompletableFuture<Integer>> lost = new ArrayList<>();
				for (Provider provider : List.of(free, paced)) {
					Retry retry = retry((provider == paced) ? pace : null);
					lost.add(CompletableFuture.supplyAsync(
							() -> lost(() -> reactive ? retry
								.callAsync(() -> web.get().uri(provider.url()).retrieve().toBodilessEntity().toFuture())
								.join()
									: retry.call(() -> rest.get().uri(provider.url()).retrieve().toBodilessEntity())),
							// the common pool may have one thread, which the JDK's client
							// needs
							(task) -> new Thread(task).start()));
				}
				int lostFree = lost.get(0).get(2, TimeUnit.MINUTES);
				int lostPaced = lost.get(1).get(2, TimeUnit.MINUTES);
				System.out.printf("sockets: %s %s: requests, 429, calls lost of %d: %s, %d; with a pace %s, %d%n",
						family, reactive ? "WebClient" : "RestClient", CALLS, free, lostFree, paced, lostPaced);
				assertThat(lostPaced).isZero();
				assertThat(paced.refused()).isLessThan(free.refused());
				assertThat(paced.refused()).isLessThanOrEqualTo((family == Family.HINT) ? THREADS + 8 : 8);
			}
		});
	}

	private Retry retry(Pace pace) {
		RetryBuilder builder = Retry
			.builder(RetryPolicy.builder("ai")
				.maxAttempts(4)
				.classifiers(
						List.of(new BuiltInFailureClassifiers(getClass().getClassLoader(), Clock.systemUTC(), true)))
				.build())
			.time(this.time);
		return ((pace != null) ? builder.pace(pace) : builder).build();
	}

	/* Run all calls, and return how many failed. */
	private static int lost(Callable<ResponseEntity<Void>> call) {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			return (int) threads.invokeAll(Collections.nCopies(CALLS, call))
				.stream()
				.filter((each) -> catchThrowable(each::get) != null)
				.count();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/** A server that allows some requests a second. */
	private static final class Provider implements AutoCloseable {

		private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

		private final AtomicInteger requests = new AtomicInteger();

		private final AtomicInteger refused = new AtomicInteger();

		private final Family family;

		private final HttpServer server;

		private double left = LIMIT;

		private Instant at = Instant.now();

		Provider(Family family) throws IOException {
			this.family = family;
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			this.server.setExecutor(this.threads);
			this.server.createContext("/", this::answer);
			this.server.start();
		}

		private void answer(HttpExchange exchange) throws IOException {
			try (exchange) {
				this.requests.incrementAndGet();
				boolean allowed = take(exchange.getResponseHeaders());
				this.refused.addAndGet(allowed ? 0 : 1);
				exchange.sendResponseHeaders(allowed ? 200 : 429, -1);
			}
		}

		private synchronized boolean take(Headers headers) {
			Instant now = Instant.now();
			if (this.family.window) {
				this.left = (now.getEpochSecond() > this.at.getEpochSecond()) ? LIMIT : this.left;
			}
			else {
				this.left = Math.min(LIMIT, this.left + REFILL * Duration.between(this.at, now).toNanos() / 1e9);
			}
			this.at = now;
			boolean allowed = this.left >= 1;
			this.left -= allowed ? 1 : 0;
			Duration reset = Duration.ofNanos((long) ((LIMIT - this.left) / REFILL * 1e9));
			this.family.told.headers(Integer.toString((int) this.left), now, reset).forEach(headers::set);
			if (!allowed) {
				String[] hint = this.family.hint.split(": ", -1);
				headers.set(hint[0], hint[1]);
			}
			return allowed;
		}

		String url() {
			return "http://localhost:" + this.server.getAddress().getPort() + "/";
		}

		int refused() {
			return this.refused.get();
		}

		@Override
		public String toString() {
			return this.requests + ", " + this.refused;
		}

		@Override
		public void close() {
			this.server.stop(0);
			this.threads.shutdownNow();
		}

	}

}
