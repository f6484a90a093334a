package dev.backoff.sample;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import dev.backoff.annotation.Backoff;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Waits and plans over HTTP: what a partner receives, and what the endpoint and a refused
 * start say.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "backoff.policies.cart.base=10s", "backoff.policies.cart2.base=50ms",
				"backoff.policies.crowded.base=1s", "backoff.policies.crowded.max-attempts=12",
				"backoff.policies.crowded.deadline=5s", "backoff.policies.slow.max-attempts=6",
				"backoff.policies.slow.attempt-timeout=2s", "backoff.policies.slow.deadline=10s",
				"backoff.policies.status.ladder=100ms,5s", "backoff.policies.status.deadline=2s",
				"backoff.policies.delivery.preset=message", "backoff.policies.delivery.cap=100ms",
				"backoff.policies.delivery.deadline=1m", "backoff.breakers.delivery.on-open=wait",
				"backoff.breakers.delivery.minimum-calls=2", "backoff.breakers.delivery.open-for=200ms",
				"backoff.breakers.delivery.probes=1", "backoff.policies.transfer.idempotent=false",
				"backoff.policies.transfer.base=1ms",
				"management.endpoint.health.group.dependencies.include=backoffBreakers",
				"management.endpoint.health.group.dependencies.show-details=always" })
@ActiveProfiles("test")
@Import({ ShopClient.class, WaitsAndPlansTests.Calls.class })
@ExtendWith(OutputCaptureExtension.class)
@DirtiesContext
class WaitsAndPlansTests {

	private static final StubPartner PARTNER = new StubPartner();

	@Autowired
	private ShopClient shop;

	@Autowired
	private Partner partner;

	@Autowired
	private Catalogue catalogue;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@DynamicPropertySource
	static void reachThePartner(DynamicPropertyRegistry properties) {
		properties.add("spring.http.serviceclient.partner.base-url", PARTNER::url);
	}

	@AfterAll
	static void close() {
		PARTNER.close();
	}

	@Test
	void aBaseOfTenSecondsIsDoubled() {
		assertThat(greatest(this.shop.get("/actuator/backoff/cart"))).containsExactly("10000", "20000", "40000");
		assertThat(greatest(this.shop.get("/actuator/backoff/cart2/preview?base=10s&multiplier=2")))
			.containsExactly("10000", "20000", "40000");
	}

	@Test
	void namesThatDifferInDigitsAreDifferentPolicies() {
		assertThat(greatest(this.shop.get("/actuator/backoff/cart2"))).containsExactly("50", "100", "200");
	}

	@Test
	void plansThatCannotHappenAreAdvisedAgainst() {
		assertThat(advice("crowded", "Partner.crowd")).anySatisfy(
				(advice) -> assertThat(advice).startsWith("the deadline of 5s has room for 3 of 12 attempts, by the ")
					.endsWith("or lower the base to 2380us"));
		assertThat(advice("slow", "Partner.wade")).anyMatch((advice) -> advice.startsWith(
				"the deadline of 10s has room for 4 of 6 attempts, each as long " + "as the attempt-timeout of 2s"));
	}

	@Test
	void pollingAsksAFinalPollBeforeTheDeadline() {
		PARTNER.answer("/status", 200, "PENDING");
		assertThat(this.partner.status()).isEqualTo("PENDING");
		assertThat(PARTNER.count("/status")).isEqualTo(3);
		JsonNode stopped = this.shop.get("/actuator/backoff/status").getBody().path("activity").path("stopped").path(0);
		assertThat(stopped.path("stop").asString()).isEqualTo("deadline");
		assertThat(stopped.path("attempts").asInt()).isEqualTo(3);
		// from the middle of the time that is left to its end
		assertThat(stopped.path("waitsMs").path(1).asInt()).isBetween(400, 1900);
	}

	@Test
	void messagesWaitUntilTheBreakerPermits() {
		// two that open the breaker and four failed probes
		this.faults.of("delivery").answers(503).times(6).passes();
		List<CompletableFuture<String>> messages = IntStream.range(0, 6)
			.mapToObj((message) -> CompletableFuture.supplyAsync(this.partner::deliver))
			.toList();
		assertThat(messages)
			.allSatisfy((message) -> assertThat(message).succeedsWithin(Duration.ofSeconds(60)).isEqualTo("well"));
		assertThat(this.calls.of("delivery")).calls(6).allSucceeded();
	}

	@Test
	void workBehindARedirectIsNotRepeated() {
		PARTNER.redirectToNothing("/transfer");
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(this.partner::transfer);
		assertThat(PARTNER.count("/transfer")).isEqualTo(1);
	}

	@Test
	void anInterfaceOfHttpExchangesIsRetried() {
		PARTNER.answer("/catalogue/tea", 503, "ill");
		assertThatThrownBy(() -> this.catalogue.find("tea")).hasMessageContaining("503");
		assertThat(PARTNER.count("/catalogue/tea")).isEqualTo(3);
		assertThat(this.catalogue.find("pot")).isEqualTo("well");
	}

	@Test
	void breakersAreShownWhereDetailsAre() {
		assertThat(this.shop.get("/actuator/health/backoffBreakers").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
		assertThat(this.shop.get("/actuator/health/dependencies")
			.getBody()
			.at("/components/backoffBreakers/details/delivery/state")
			.asString()).isNotEmpty();
	}

	@Test
	void bareNumbersAndEmptyRungsAreRefused(CapturedOutput output) {
		assertThatThrownBy(
				() -> SpringApplication.run(ShopApplication.class, "--server.port=0", "--shop.gateway.port=0",
						"--backoff.policies.refund.base=10", "--backoff.policies.logistics-sync.ladder=1s,,3s"))
			.isInstanceOf(RuntimeException.class);
		assertThat(output).contains("Retries cannot work as configured",
				"Invalid backoff.policies.refund.base (10) at ", ": must have a unit.", "Write 10ms or 10s.",
				"Invalid backoff.policies.logistics-sync.ladder (1s, , 3s) at ", ": has an empty rung.");
	}

	private static List<String> greatest(ResponseEntity<JsonNode> policy) {
		return policy.getBody()
			.path("methods")
			.values()
			.stream()
			.flatMap((method) -> method.path("delays").values().stream())
			.map((delay) -> String.valueOf(Math.round(delay.path("greatestMs").asDouble())))
			.toList();
	}

	private List<String> advice(String policy, String method) {
		return this.shop.get("/actuator/backoff/" + policy)
			.getBody()
			.path("methods")
			.path(method)
			.path("advice")
			.values()
			.stream()
			.map(JsonNode::asString)
			.toList();
	}

	@TestConfiguration(proxyBeanMethods = false)
	@ImportHttpServices(group = "partner", types = Catalogue.class)
	static class Calls {

		@Bean
		Partner partner(RestClient.Builder http) {
			return new Partner(http.baseUrl(PARTNER.url()).build());
		}

	}

	interface Catalogue {

		@Backoff(base = "1ms", maxAttempts = "3")
		@GetExchange("/catalogue/{sku}")
		String find(@PathVariable String sku);

	}

	static class Partner {

		private final RestClient http;

		Partner(RestClient http) {
			this.http = http;
		}

		String get(String path) {
			return this.http.get().uri(path).retrieve().body(String.class);
		}

		@Backoff("cart")
		String cart() {
			return get("/cart");
		}

		@Backoff("cart2")
		String otherCart() {
			return get("/cart2");
		}

		@Backoff("crowded")
		String crowd() {
			return get("/crowd");
		}

		@Backoff("slow")
		String wade() {
			return get("/wade");
		}

		@Backoff(value = "status", until = "#result != 'PENDING'")
		String status() {
			return get("/status");
		}

		@Backoff("delivery")
		String deliver() {
			return get("/delivery");
		}

		@Backoff("transfer")
		void transfer() {
			this.http.post().uri("/transfer").body("5 EUR").retrieve().toBodilessEntity();
		}

	}

}
