package dev.backoff.budget;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** What a budget comes to over many calls. Everything is seeded. */
class RetryBudgetSimulationTests {

	private final VirtualTime time = new VirtualTime();

	private final Random random = new Random(7);

	@Nested
	class WhileEverythingFails {

		/* calls a second */
		@ParameterizedTest
		@ValueSource(ints = { 1, 10, 200, 5_000 })
		void theDefaultsGrantFiftyRetriesAndThenSixAMinuteWhateverTheTraffic(int rate) {
			RetryBudget budget = budget(BudgetSettings.DEFAULTS);
			Duration gap = Duration.ofSeconds(1).dividedBy(rate);
			int seconds = 600;
			long retries = 0;
			double most = 0;
			for (int call = 0; call <= rate * seconds; call++) {
				retries += call(budget, 1, 4) - 1;
				most = Math.max(most, retries - (50 + 0.1 * call / rate));
				RetryBudgetSimulationTests.this.time.advance(gap);
			}
			assertThat(most).as("retries above 50 + 0.1 x seconds").isLessThan(1e-9);
			assertThat(retries).isEqualTo(50 + seconds / 10);
		}

	}

	private RetryBudget budget(BudgetSettings settings) {
		return RetryBudget.of("orders", settings, this.time, RetryBudget.Listener.NONE);
	}

	/* Return the attempts made, negative if the last one succeeded. */
	private int call(RetryBudget budget, double failing, int maxAttempts) {
		int attempt = 1;
		while (this.random.nextDouble() < failing) {
			if (attempt == maxAttempts || !budget.tryWithdraw()) {
				return attempt;
			}
			attempt++;
		}
		budget.deposit();
		return -attempt;
	}

}
