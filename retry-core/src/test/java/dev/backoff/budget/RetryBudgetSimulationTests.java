package dev.backoff.budget;

import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What a budget comes to over many calls. Everything is seeded. */
class RetryBudgetSimulationTests {

	private static final BudgetSettings TEN_TOKENS = new BudgetSettings(10, 0.1, 0);

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

		@Test
		void aQuietHourGrantsNoMoreThanTheBucketHolds() {
			RetryBudget budget = budget(BudgetSettings.DEFAULTS);
			assertThat(attempts(budget, 1, 4, 1_000) - 1_000).isEqualTo(50);
			RetryBudgetSimulationTests.this.time.advance(Duration.ofHours(1));
			assertThat(attempts(budget, 1, 4, 1_000) - 1_000).isEqualTo(50);
		}

		@Test
		void withoutTimeTheBucketIsAll() {
			assertThat(attempts(budget(TEN_TOKENS), 1, 4, 1_000)).isEqualTo(1_010);
		}

	}

	/* Ten tokens, a tenth for each success, four attempts: 200 clients of 1,000 calls. */
	@ParameterizedTest
	@CsvSource({ "0.01, 1.000, 1.010", "0.05, 1.000, 1.053", "0.10, 0.990, 1.100", "0.30, 0.758, 1.085",
			"1.00, 0.000, 1.010" })
	void clientsSucceedAndLoadTheServerAsMeasuredElsewhere(double failing, double success, double load) {
		Tally tally = new Tally();
		for (int client = 0; client < 200; client++) {
			RetryBudget budget = budget(TEN_TOKENS);
			for (int call = 0; call < 1_000; call++) {
				tally.add(call(budget, failing, 4));
			}
		}
		assertThat(tally.success()).isCloseTo(success, within(0.004));
		assertThat(tally.load()).isCloseTo(load, within(0.006));
	}

	@Test
	void fewFailuresAreAllHidden() {
		RetryBudget budget = budget(TEN_TOKENS);
		Tally tally = new Tally();
		for (int call = 0; call < 100_000; call++) {
			tally.add(call(budget, 0.05, 4));
		}
		assertThat(tally.success()).isGreaterThanOrEqualTo(0.999);
		assertThat(tally.load()).isCloseTo(1.053, within(0.005));
	}

	private RetryBudget budget(BudgetSettings settings) {
		return RetryBudget.of("orders", settings, this.time, RetryBudget.Listener.NONE);
	}

	private long attempts(RetryBudget budget, double failing, int maxAttempts, int calls) {
		long attempts = 0;
		for (int call = 0; call < calls; call++) {
			attempts += Math.abs(call(budget, failing, maxAttempts));
		}
		return attempts;
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

	private static final class Tally {

		private long calls;

		private long successes;

		private long attempts;

		void add(int call) {
			this.calls++;
			this.successes += (call < 0) ? 1 : 0;
			this.attempts += Math.abs(call);
		}

		double success() {
			return this.successes / (double) this.calls;
		}

		double load() {
			return this.attempts / (double) this.calls;
		}

	}

}
