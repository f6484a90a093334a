package dev.backoff.sample.order;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import dev.backoff.event.DelaySource;
import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for orders, over HTTP. */
@ShopTest
@ExtendWith(OutputCaptureExtension.class)
class OrderTests {

	private static final String[] THIRD_ATTEMPT_SUCCEEDED = { "backoff_attempts_seconds_count", "attempt=\"3\"",
			"outcome=\"success\"", "policy=\"order-creation\"" };

	@Autowired
	private ShopClient shop;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private VirtualTime time;

	private int stock;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		this.stock = this.shop.stock("pot");
	}

	@Test
	void succeedsAtOnce() {
		ResponseEntity<JsonNode> order = this.shop.order("pot");
		assertThat(order.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(order.getBody().path("status").asString()).isEqualTo("AUTHORISED");
		assertThat(this.shop.get("/orders/" + order.getBody().path("id").asLong()).getBody())
			.isEqualTo(order.getBody());
		assertThat(callsFor(order)).hasSize(1);
		assertStockHasFallenBy(1);
	}

	@Test
	void succeedsAfterTwoRetriesAndCountsThem(CapturedOutput output) {
		double before = this.shop.meter(THIRD_ATTEMPT_SUCCEEDED);
		this.shop.fault("payments?answer=500&times=2");
		ResponseEntity<JsonNode> order = this.shop.order("pot");
		assertThat(order.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(callsFor(order)).hasSize(3);
		assertThat(callsFor(order).stream().map((call) -> call.path("key").asString()).distinct()).hasSize(1);
		assertStockHasFallenBy(1);
		assertThat(this.shop.meter(THIRD_ATTEMPT_SUCCEEDED)).isEqualTo(before + 1);
		assertThat(stops(output)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "reset", "hang=20s", "answer=503", "answer=429&retry-after=0" })
	void survivesEachPassingFault(String fault) {
		this.shop.fault("payments?" + fault);
		ResponseEntity<JsonNode> order = this.shop.order("pot");
		assertThat(order.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(callsFor(order)).hasSize(2);
		assertStockHasFallenBy(1);
	}

	@Test
	void reservesOnceWhenTheAnswerIsLost() {
		long applied = this.shop.page("payments").path("applied").asLong();
		this.shop.fault("payments?apply-and-reset");
		ResponseEntity<JsonNode> order = this.shop.order("pot");
		assertThat(order.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(callsFor(order)).hasSize(2);
		assertThat(this.shop.page("payments").path("applied").asLong()).isEqualTo(applied + 1);
		assertStockHasFallenBy(1);
	}

	@Test
	void waitsAsLongAsTheServerAsks() {
		this.shop.fault("payments?answer=503&retry-after=1");
		ResponseEntity<JsonNode> order = this.shop.order("pot");
		assertThat(order.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(this.calls.of("order-creation")).attempts(2)
			.waitSource(1, DelaySource.HINT)
			.waitedBetween("1s", "2s");
	}

	@Test
	void triesABadRequestOnce(CapturedOutput output) {
		long before = this.shop.page("payments").path("count").asLong();
		this.shop.fault("payments?answer=400&times=9");
		ResponseEntity<JsonNode> answer = this.shop.order("pot");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_GATEWAY);
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("NOT_RETRYABLE");
		assertThat(this.shop.page("payments").path("count").asLong()).isEqualTo(before + 1);
		assertStockHasFallenBy(0);
		assertThat(stops(output)).isEmpty();
	}

	@Test
	void givesUpAfterThreeRetriesAndFreesTheStock(CapturedOutput output) {
		long before = this.shop.page("payments").path("count").asLong();
		this.shop.fault("payments?answer=503&times=9");
		ResponseEntity<JsonNode> answer = this.shop.order("pot");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("5");
		assertThat(answer.getBody().path("attempts").asInt()).isEqualTo(4);
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("ATTEMPTS_EXHAUSTED");
		assertThat(this.shop.page("payments").path("count").asLong()).isEqualTo(before + 4);
		assertStockHasFallenBy(0);
		assertThat(stops(output)).singleElement()
			.asString()
			.contains("Stopped after 4 of 4 attempts", "ATTEMPTS_EXHAUSTED (policy order-creation;");
	}

	@Test
	void aBreakerSparesAGatewayThatIsDownUntilAProbeSucceeds() {
		this.shop.fault("payments?answer=503&percent=100");
		assertBreakerIs("closed", true);
		IntStream.range(0, 3).forEach((order) -> this.shop.order("pot"));
		assertBreakerIs("open", false);
		long before = this.shop.page("payments").path("count").asLong();
		ResponseEntity<JsonNode> answer = this.shop.order("pot");
		assertThat(Integer.parseInt(answer.getHeaders().getFirst("Retry-After"))).isBetween(1, 11);
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("BREAKER_OPEN");
		assertThat(this.shop.page("payments").path("count").asLong()).isEqualTo(before);
		assertStockHasFallenBy(0);
		this.shop.clearFaults();
		this.time.advance(Duration.ofSeconds(10));
		assertBreakerIs("half_open", true);
		assertThat(this.shop.order("pot").getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertBreakerIs("closed", true);
	}

	private void assertBreakerIs(String state, boolean open) {
		assertThat(this.shop.get("/checkout").getBody())
			.hasToString("{\"open\":" + open + ",\"paymentGateway\":\"" + state.toUpperCase(Locale.ROOT) + "\"}");
		assertThat(this.shop.get("/actuator/backoff/breakers/payment-gateway").getBody().path("state").asString())
			.isEqualTo(state);
		assertThat(this.shop.meter("backoff_breaker_state", "breaker=\"payment-gateway\"", "state=\"" + state + "\""))
			.isEqualTo(1);
	}

	@Test
	void passesOnHowLongToWait() {
		this.shop.fault("payments?answer=503&retry-after=3600");
		ResponseEntity<JsonNode> answer = this.shop.order("pot");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("3600");
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("HINT");
	}

	@Test
	void doesNotRetryAnEmptyShelf() {
		long before = this.shop.page("payments").path("count").asLong();
		ResponseEntity<JsonNode> answer = this.shop.order("pot", 1_000);
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThat(answer.getBody().path("detail").asString()).isEqualTo("Fewer than 1000 of pot in stock");
		assertThat(this.shop.page("payments").path("count").asLong()).isEqualTo(before);
		assertStockHasFallenBy(0);
	}

	@Test
	void refusesNonsense() {
		assertThat(this.shop.order("pot", 0).getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
		assertThat(this.shop.get("/orders/999999").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
	}

	@Test
	void countsStockRightUnderConcurrentFaults() {
		this.shop.fault("payments?apply-and-reset&percent=40&seed=3");
		List<CompletableFuture<ResponseEntity<JsonNode>>> orders = IntStream.range(0, 10)
			.mapToObj((n) -> CompletableFuture.supplyAsync(() -> this.shop.order("pot")))
			.toList();
		long placed = orders.stream().filter((order) -> order.join().getStatusCode().is2xxSuccessful()).count();
		assertStockHasFallenBy((int) placed);
	}

	private List<JsonNode> callsFor(ResponseEntity<JsonNode> order) {
		return this.shop.calls("payments", "/payments/" + order.getBody().path("trade").asString());
	}

	private void assertStockHasFallenBy(int quantity) {
		assertThat(this.shop.stock("pot")).isEqualTo(this.stock - quantity);
	}

	private static Stream<String> stops(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("StopLogger"));
	}

}
