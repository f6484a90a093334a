package com.acme.shop;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.live.LiveConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The platform's starter has the rules that its page shows. */
class TeamTests {

	@Test
	void refusesTheTeamsFileInOneReportWithAllOtherProblems() {
		InvalidBackoffException refused = catchThrowableOfType(InvalidBackoffException.class, () -> start("unruly"));

		assertThat(refused.getMessage().lines()).containsExactlyInAnyOrder(
				"Invalid backoff.policies.prices.base (2 parsecs) at application-unruly.yml:12: must be a duration. "
						+ "Write a number and a unit, such as 250ms, 2s or 5m.",
				"Invalid max-attempts of policy orders (9) at application-unruly.yml:4: must not be above 6. "
						+ "Write at most 6.",
				"Invalid deadline of policy orders (none, built in): must be set where a call holds its thread. "
						+ "Write 30s, for instance.",
				"Invalid max-attempts of policy ledger (unlimited) at application-unruly.yml:10: must not be above 6. "
						+ "Write at most 6.");
	}

	@ParameterizedTest
	@CsvSource({
			"orders, max-attempts, 7, Invalid max-attempts of policy orders (7) at live override: must not be above 6.",
			"prices, max-attempts, unlimited, Invalid max-attempts of policy prices (unlimited) at live override: must "
					+ "not be above 6." })
	void refusesAChange(String policy, String key, String value, String message) {
		try (ConfigurableApplicationContext context = start("ruly")) {
			LiveConfiguration live = context.getBean(LiveConfiguration.class);

			assertThatExceptionOfType(InvalidBackoffException.class)
				.isThrownBy(() -> live.override(policy, Map.of(key, value), null))
				.satisfies((ex) -> assertThat(ex.problems()).singleElement()
					.satisfies((problem) -> assertThat(problem.message()).isEqualTo(message)));
			assertThat(live.override(policy, Map.of(key, "6"), null)).isNotEmpty();
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void warnsOnceAndStarts(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("ruly")) {
			context.getBean(LiveConfiguration.class).refresh("a test");

			assertThat(output.getOut().split("Invalid budget of policy orders", -1)).hasSize(2);
			assertThat(output).containsPattern(
					" WARN .*Invalid budget of policy orders \\(none\\) at application-ruly.yml:5: must not be none from "
							+ "July on. Name a budget, or remove the key.");
		}
	}

	private static ConfigurableApplicationContext start(String profile) {
		return new SpringApplicationBuilder(Shop.class).profiles(profile).run();
	}

	@SpringBootApplication
	@Import({ Orders.class })
	static class Shop {

	}

	static class Orders {

		@Backoff("orders")
		public void place() {
		}

		@Backoff("prices")
		public CompletableFuture<Integer> price() {
			return CompletableFuture.completedFuture(1);
		}

	}

}
