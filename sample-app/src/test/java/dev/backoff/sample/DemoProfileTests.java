package dev.backoff.sample;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for the profile with a tenth of the delays. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "shop.gateway.port=0", "shop.traffic.enabled=false" })
@ActiveProfiles("demo")
@Import(ShopClient.class)
@DirtiesContext
class DemoProfileTests {

	@Autowired
	private ShopClient shop;

	@Test
	void plansATenthOfTheDelays() {
		assertThat(this.shop.plannedDelays("order-creation")).containsExactly("100", "200", "300");
		assertThat(this.shop.plannedDelays("payment-callback")).containsExactly("100", "200", "400", "800", "1600");
		assertThat(this.shop.plannedDelays("logistics-sync")).containsExactly("500", "1000");
		assertThat(this.shop.plannedDelays("payment-polling")).startsWith("100", "100", "100", "100", "100", "500");
	}

}
