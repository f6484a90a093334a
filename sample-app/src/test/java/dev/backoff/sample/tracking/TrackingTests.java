package dev.backoff.sample.tracking;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for tracking, over HTTP. */
@ShopTest
class TrackingTests {

	@Autowired
	private ShopClient shop;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
	}

	@Test
	void answersAtTheThirdAttempt() {
		long before = count();
		this.shop.fault("tracking?reset&times=2");
		ResponseEntity<JsonNode> answer = this.shop.get("/orders/7/tracking");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(answer.getBody().path("place").asString()).isEqualTo("on its way");
		assertThat(count()).isEqualTo(before + 3);
	}

	@Test
	void failsAfterFourAttemptsWithTheStory() {
		this.shop.fault("tracking?answer=503&times=9");
		ResponseEntity<JsonNode> answer = this.shop.get("/orders/7/tracking");
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(answer.getBody().path("attempts").asInt()).isEqualTo(4);
		assertThat(answer.getBody().path("stop").asString()).isEqualTo("ATTEMPTS_EXHAUSTED");
	}

	@Test
	void passesOnWhatDeservesNoRetry() {
		this.shop.fault("tracking?answer=404");
		assertThat(this.shop.get("/orders/7/tracking").getStatusCode()).isEqualTo(HttpStatus.BAD_GATEWAY);
	}

	private long count() {
		return this.shop.page("tracking").path("count").asLong();
	}

}
