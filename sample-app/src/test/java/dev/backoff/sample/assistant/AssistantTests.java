package dev.backoff.sample.assistant;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the assistant, over HTTP. */
@ShopTest
class AssistantTests {

	@Autowired
	private ShopClient shop;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
	}

	@Test
	void comesBackWhenTheProviderSays() {
		long before = this.shop.page("answers").path("count").asLong();
		this.shop.fault("answers?answer=429&retry-after=20");
		ResponseEntity<JsonNode> answer = this.shop.post("/answers?question=tea");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(answer.getBody().path("text").asString()).contains("three minutes");
		assertThat(this.shop.page("answers").path("count").asLong()).isEqualTo(before + 2);
		assertThat(this.shop.meter("backoff_pace_holds_total", "pace=\"assistant\"")).isPositive();
	}

}
