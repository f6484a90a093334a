package dev.backoff.sample.refund;

import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for refunds, over HTTP. */
@ShopTest
class RefundTests {

	@Autowired
	private ShopClient shop;

	private String trade;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		this.trade = this.shop.trade();
	}

	@Test
	void areAcceptedAtTheThirdAttemptUnderOneKey() {
		this.shop.fault("refunds?apply-and-reset&times=2");
		ResponseEntity<JsonNode> answer = refund();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(answer.getBody().path("state").asString()).isEqualTo("ACCEPTED");
		List<JsonNode> calls = this.shop.calls("refunds", "/refunds/" + this.trade);
		assertThat(calls).hasSize(3);
		assertThat(calls.stream().map((call) -> call.path("key").asString()).distinct()).hasSize(1);
	}

	@Test
	void failAfterSixAttemptsWithTheStory() {
		this.shop.fault("refunds?answer=503&times=9");
		ResponseEntity<JsonNode> answer = refund();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(answer.getBody().path("attempts").asInt()).isEqualTo(6);
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("ATTEMPTS_EXHAUSTED");
	}

	private ResponseEntity<JsonNode> refund() {
		return this.shop.post("/payments/" + this.trade + "/refund");
	}

}
