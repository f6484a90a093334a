package dev.backoff.spring.observation;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;

/** An application whose calls are traced, and whose spans stay here. */
@SpringBootConfiguration
@EnableAutoConfiguration
class TracedShop {

	static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();

	@Bean
	SpanProcessor spans() {
		return SimpleSpanProcessor.create(SPANS);
	}

	@Bean
	Orders orders(ObservationRegistry registry, Environment environment, ObjectProvider<Orders> self,
			RestClient.Builder client, WebClient.Builder reactive) {
		return new Orders(registry, environment, self, client.build(), reactive.build());
	}

	@RestController
	static class Stock {

		@GetMapping("/stock")
		String stock() {
			return "7";
		}

	}

	/** Each method fails as often as the test wants. */
	static class Orders {

		private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();

		private final ObservationRegistry registry;

		private final Environment environment;

		private final ObjectProvider<Orders> self;

		private final RestClient client;

		private final WebClient reactive;

		Orders(ObservationRegistry registry, Environment environment, ObjectProvider<Orders> self, RestClient client,
				WebClient reactive) {
			this.registry = registry;
			this.environment = environment;
			this.self = self;
			this.client = client;
			this.reactive = reactive;
		}

		@Backoff("orders")
		String place(String order, int failures) {
			work();
			failUnless("place" + order, failures);
			return order;
		}

		@Backoff("orders")
		String sell(int failures) {
			failUnless("sell", failures);
			return "sold";
		}

		@Backoff("orders")
		String stock(int failures) {
			String stock = this.client.get().uri(stockUri()).retrieve().body(String.class);
			failUnless("stock", failures);
			return stock;
		}

		@Backoff("orders")
		CompletableFuture<String> later(int failures) {
			work();
			return CompletableFuture.supplyAsync(() -> {
				failUnless("later", failures);
				return "later";
			});
		}

		@Backoff("orders")
		Mono<String> mono(int failures) {
			return this.reactive.get().uri(stockUri()).retrieve().bodyToMono(String.class).map((stock) -> {
				failUnless("mono", failures);
				return stock;
			});
		}

		@Backoff("orders")
		Flux<String> flux(int failures) {
			return Flux.defer(() -> {
				work();
				failUnless("flux", failures);
				return Flux.just("a", "b");
			});
		}

		@Backoff("orders")
		String outer(int failures) {
			String placed = this.self.getObject().place("nested", failures);
			return placed + Attempt.current().number();
		}

		@Backoff(value = "orders", recover = "park")
		String parked(String order) {
			throw new IllegalStateException("secret of " + order);
		}

		String park(String order) {
			work();
			return "parked";
		}

		private String stockUri() {
			return "http://localhost:" + this.environment.getProperty("local.server.port") + "/stock";
		}

		private void work() {
			Observation.createNotStarted("work", this.registry).observe(() -> {
			});
		}

		private void failUnless(String work, int failures) {
			AtomicInteger made = this.attempts.computeIfAbsent(work, (key) -> new AtomicInteger());
			if (made.incrementAndGet() <= failures) {
				throw new IllegalStateException("secret of " + work);
			}
			made.set(0);
		}

	}

}
