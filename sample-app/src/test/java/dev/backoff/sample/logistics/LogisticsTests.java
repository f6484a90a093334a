package dev.backoff.sample.logistics;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the logistics sync, over HTTP. */
@ShopTest
class LogisticsTests {

	@Autowired
	private ShopClient shop;

	private long order;

	@BeforeEach
	void startAfresh() {
		this.shop.clearFaults();
		this.order = this.shop.order("cup").getBody().path("id").asLong();
	}

	@Test
	void announcesEachOrderOnce() {
		assertThat(sync().getBody().path("orders")).extracting(JsonNode::asLong).contains(this.order);
		assertThat(sync().getBody().path("orders")).isEmpty();
		assertThat(status()).isEqualTo("SHIPPED");
	}

	@Test
	void triesThreeTimes() {
		long before = count();
		this.shop.fault("logistics?reset&times=2");
		assertThat(sync().getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(count()).isEqualTo(before + 3);
		assertThat(status()).isEqualTo("SHIPPED");
	}

	@Test
	void leavesTheOrdersForTheNextSyncAfterThreeFailures() {
		long before = count();
		this.shop.fault("logistics?answer=500&times=9");
		assertThat(sync().getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(count()).isEqualTo(before + 3);
		assertThat(status()).isEqualTo("AUTHORISED");
	}

	private ResponseEntity<JsonNode> sync() {
		return this.shop.post("/logistics/sync");
	}

	private String status() {
		return this.shop.get("/orders/" + this.order).getBody().path("status").asString();
	}

	private long count() {
		return this.shop.page("logistics").path("count").asLong();
	}

}
