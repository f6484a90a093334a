package dev.backoff.sample;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The shop as it is shipped: its own traffic and delays. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "shop.gateway.port=0", "shop.traffic.every=10ms", "shop.traffic.fault-percent=50" })
@AutoConfigureMetrics
@Import(ShopClient.class)
@DirtiesContext
class ShippedConfigurationTests {

	@Autowired
	private ShopClient shop;

	@Test
	void movesTheMetersOfQuotesAndOfNothingElse() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.shop.meter("backoff_attempts_seconds_count", "attempt=\"2\"",
					"outcome=\"success\"", "policy=\"QuoteService.quote\""))
				.isPositive());
		assertThat(this.shop.page("payments").path("count").asInt()).isZero();
		assertThat(this.shop.page("notifications").path("count").asInt()).isZero();
	}

	@Test
	void plansTheDelaysOfTheServices() {
		assertThat(this.shop.plannedDelays("order-creation")).containsExactly("100", "200", "300");
		assertThat(this.shop.plannedDelays("payment-callback")).containsExactly("1000", "2000", "4000", "8000",
				"16000");
		assertThat(this.shop.plannedDelays("logistics-sync")).containsExactly("5000", "10000");
		assertThat(this.shop.plannedDelays("payment-polling")).startsWith("1000", "1000", "1000", "1000", "1000",
				"5000");
	}

}
