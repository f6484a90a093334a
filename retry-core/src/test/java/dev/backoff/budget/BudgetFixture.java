package dev.backoff.budget;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Budgets in virtual time, and what they tell. */
abstract class BudgetFixture {

	final VirtualTime time = new VirtualTime();

	private final List<String> told = new ArrayList<>();

	RetryBudget budget(BudgetSettings settings) {
		return RetryBudget.of("orders", settings, this.time, new RetryBudget.Listener() {

			@Override
			public void ranDry(RetryBudget budget) {
				BudgetFixture.this.told.add("dry " + budget.name());
			}

			@Override
			public void recovered(RetryBudget budget) {
				BudgetFixture.this.told.add("recovered " + budget.name());
			}

		});
	}

	static BudgetSettings settings(double tokens, double perSuccess, double perSecond) {
		return new BudgetSettings(tokens, perSuccess, perSecond);
	}

	void pass(Duration time) {
		this.time.advance(time);
	}

	void assertTold(String... told) {
		assertThat(this.told).containsExactly(told);
	}

	static int drain(RetryBudget budget) {
		return withdraw(budget, Integer.MAX_VALUE);
	}

	static int withdraw(RetryBudget budget, int most) {
		int retries = 0;
		while (retries < most && budget.tryWithdraw()) {
			retries++;
		}
		return retries;
	}

}
