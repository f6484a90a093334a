package dev.backoff.simulator;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.simulator.PlanGateTests.Shop;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** The test that the page on planning shows. */
@SpringBootTest(classes = Shop.class)
class PlanGateTests {

	@Test
	void aStallOfThePartnerDoesNotBecomeAnOutage(@Autowired BackoffPlans plans) {
		Scenario scenario = Scenario.stall("3s").callers(4).rate(100);
		assertThat(plans.storm("payment-callback", scenario).findings()).isEmpty();
	}

	@Test
	void withFewerCallsTheFindingsSayWhatToSet(@Autowired BackoffPlans plans) {
		Scenario scenario = Scenario.stall("3s").callers(4).rate(25);
		assertThat(plans.storm("payment-callback", scenario).findings().toString())
			.contains("With `backoff.instances: 4` it is ");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class,
			SimulatorAutoConfiguration.class })
	@Import(Payments.class)
	static class Shop {

	}

	static class Payments {

		@Backoff(value = "payment-callback", base = "100ms")
		void send() throws IOException {
			throw new IOException("down");
		}

	}

}
