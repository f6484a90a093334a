package dev.backoff.sample.traffic;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TrafficGenerator}.
 */
@ShopTest
@DirtiesContext
@TestPropertySource(
		properties = { "shop.traffic.enabled=true", "shop.traffic.every=10ms", "shop.traffic.fault-percent=50" })
class TrafficGeneratorTests {

	@Autowired
	private ShopClient shop;

	@Test
	void movesTheMetersOfQuotesAndOfNothingElse() {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.shop.meter("backoff_attempts_seconds_count", "attempt=\"2\"",
					"outcome=\"success\"", "policy=\"QuoteService.quote\""))
				.isPositive());
		assertThat(this.shop.page("payments").path("count").asInt()).isZero();
		assertThat(this.shop.page("notifications").path("count").asInt()).isZero();
	}

}
