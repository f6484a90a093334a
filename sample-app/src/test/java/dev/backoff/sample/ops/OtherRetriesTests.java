package dev.backoff.sample.ops;

import java.util.List;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;

import dev.backoff.sample.ShopClient;
import dev.backoff.sample.ShopTest;

import static org.assertj.core.api.Assertions.assertThat;

/** What the shop reports on other retries: clients that multiply no attempts. */
@ShopTest
class OtherRetriesTests {

	@Autowired
	private ShopClient shop;

	@Test
	void areThoseOfItsClientsWhichMultiplyNothing() {
		JsonNode shown = this.shop.get("/actuator/backoff?view=layers").getBody();
		assertThat(shown.path("layers").findValuesAsString("place")).contains("bean clientHttpRequestFactoryBuilder");
		assertThat(shown.path("layers").findValues("attempts")).isEmpty();
		List<JsonNode> methods = StreamSupport.stream(shown.path("methods").spliterator(), false).toList();
		assertThat(shown.path("methods").propertyNames()).contains("OrderService.place", "PaymentPoller.poll");
		assertThat(methods)
			.allSatisfy((method) -> assertThat(method.path("atMost")).isEqualTo(method.path("attempts")));
	}

}
