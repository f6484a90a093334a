package dev.backoff.budget;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.fixture.Crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class RetryBudgetChangeTests extends BudgetFixture {

	/* A step withdraws tokens, changes the numbers, deposits, or lets seconds pass. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			stays where the capacity grows        | 10 0 0  | change 100 0 0                           | 10
			is cut where the capacity shrinks     | 100 1 0 | withdraw 30, change 50 1 0, deposit      | 50
			that was cut is not given back        | 100 0 0 | change 5 0 0, change 100 0 0             | 5
			stays below the new capacity          | 100 0 0 | withdraw 70, change 50 0 0               | 30
			is not filled by a clock stepped back | 10 0 1  | withdraw 10, pass -100, change 10 1 0    | 0
			gets the deposits after such a change | 10 0 1  | withdraw 10, pass -100, change 10 1 0, deposit | 1
			has what came before the change       | 100 0 2 | withdraw 100, pass 5, change 100 0 7     | 10
			gets the new rate from then on        | 100 0 2 | withdraw 100, pass 5, change 100 0 7, pass 5 | 45
			gets nothing any more                 | 100 0 2 | withdraw 100, pass 5, change 100 0 0, pass 432000 | 10
			gets nothing for the time before      | 100 0 0 | withdraw 100, pass 432000, change 100 0 1 | 0
			gets tokens for the time after it     | 100 0 0 | withdraw 100, pass 432000, change 100 0 1, pass 3 | 3
			""")
	void theBalance(String does, String settings, String steps, double balance) {
		RetryBudget budget = budget(numbers(settings));
		for (String step : steps.split(", ", -1)) {
			String[] words = step.split(" ", 2);
			switch (words[0]) {
				case "withdraw" -> withdraw(budget, Integer.parseInt(words[1]));
				case "change" -> budget.change(numbers(words[1]));
				case "pass" -> pass(Duration.ofSeconds(Integer.parseInt(words[1])));
				default -> budget.deposit();
			}
		}
		assertThat(budget.balance()).as(does).isEqualTo(balance);
		assertThat(withdraw(budget, 1_000)).as(does).isEqualTo((int) balance);
	}

	private static BudgetSettings numbers(String text) {
		double[] numbers = Stream.of(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
		return settings(numbers[0], numbers[1], numbers[2]);
	}

	@Test
	void theBalanceIsNothingWhereTheBucketIsForNothing() {
		RetryBudget budget = budget(settings(100, 1, 1));
		budget.change(settings(0, 1, 1));
		assertThat(budget.tryWithdraw()).isFalse();
		assertThat(budget.mayPay()).isFalse();
		budget.change(settings(100, 1, 1));
		assertThat(budget.balance()).isZero();
		assertThat(budget.mayPay()).isTrue();
		pass(Duration.ofSeconds(2));
		assertThat(withdraw(budget, 100)).isEqualTo(2);
	}

	@Nested
	class Numbers {

		@Test
		void takeEffectAtOnce() {
			RetryBudget budget = budget(settings(100, 1, 0));
			withdraw(budget, 50);
			budget.change(settings(80, 2, 0));
			budget.tryWithdraw();
			assertThat(budget.balance()).isEqualTo(49);
			budget.deposit();
			assertThat(budget.balance()).isEqualTo(51);
			assertThat(budget.recoveredAt()).isEqualTo(40);
			assertThat(budget.settings()).isEqualTo(settings(80, 2, 0));
			assertThat(budget).hasToString("RetryBudget orders (51.0 of 80.0 tokens)");
		}

		@Test
		void thatAreEqualChangeNothing() {
			RetryBudget budget = budget(settings(100, 0, 1));
			BudgetSettings before = budget.settings();
			withdraw(budget, 50);
			budget.change(settings(100, 0, 1));
			assertThat(budget.settings()).isSameAs(before);
			assertThat(budget.balance()).isEqualTo(50);
		}

		@Test
		void leaveACountOfRefusalsAndAFilledBucketFull() {
			RetryBudget budget = budget(settings(1, 0, 0));
			withdraw(budget, 2);
			budget.change(settings(2, 0, 0));
			assertThat(budget.refused()).isEqualTo(1);
			budget.reset();
			assertThat(budget.balance()).isEqualTo(2);
		}

	}

	@Nested
	class Drought {

		@Test
		void isOverWhereLessIsEnough() {
			RetryBudget budget = budget(settings(100, 1, 0));
			withdraw(budget, 101);
			for (int i = 0; i < 10; i++) {
				budget.deposit();
			}
			assertTold("dry orders");
			budget.change(settings(20, 1, 0));
			assertTold("dry orders", "recovered orders");
			assertThat(budget.isDry()).isFalse();
		}

		@Test
		void staysWhereItIsNotEnoughYet() {
			RetryBudget budget = budget(settings(10, 1, 0));
			withdraw(budget, 11);
			budget.change(settings(100, 1, 0));
			assertThat(budget.isDry()).isTrue();
			assertTold("dry orders");
		}

	}

	@Nested
	class UnderManyThreads {

		private static final int THREADS = 16;

		private static final int ROUNDS = 20_000;

		@Test
		void losesAndMakesNothingWhereNothingOverflows() {
			RetryBudget budget = budget(settings(500_000, 0.1, 0));
			withdraw(budget, 250_000);
			AtomicLong withdrawn = new AtomicLong();
			AtomicLong deposited = new AtomicLong();
			AtomicInteger running = new AtomicInteger(THREADS);
			Crowd.of(THREADS + 1, (number) -> {
				if (number == THREADS) {
					for (int i = 0; running.get() > 0; i++) {
						budget.change(settings(500_000 + i % 2, 0.1, 0));
					}
					return;
				}
				for (int round = 0; round < ROUNDS; round++) {
					if (number % 2 == 0) {
						budget.deposit();
						deposited.incrementAndGet();
					}
					else if (budget.tryWithdraw()) {
						withdrawn.incrementAndGet();
					}
				}
				running.decrementAndGet();
			});
			assertThat(budget.balance()).isEqualTo(250_000 - withdrawn.get() + deposited.get() * 0.1, within(1e-6));
		}

		@Test
		void neverSpendsMoreThanItHeldAndGotAndNeverHoldsMoreThanItCan() {
			RetryBudget budget = budget(settings(100, 0.3, 0));
			AtomicLong withdrawn = new AtomicLong();
			AtomicInteger running = new AtomicInteger(THREADS);
			Crowd.of(THREADS + 1, (number) -> {
				if (number == THREADS) {
					for (int i = 0; running.get() > 0; i++) {
						budget.change(settings((i % 2 == 0) ? 10 : 100, 0.3, 0));
					}
					budget.change(settings(7, 0.3, 0));
					return;
				}
				for (int round = 0; round < ROUNDS; round++) {
					if (round % 2 == 0) {
						budget.deposit();
					}
					else if (budget.tryWithdraw()) {
						withdrawn.incrementAndGet();
					}
				}
				running.decrementAndGet();
			});
			double most = 100 + THREADS * (ROUNDS / 2.0) * 0.3;
			assertThat(withdrawn.get() + budget.balance()).isLessThanOrEqualTo(most + 1e-6);
			assertThat(budget.balance()).isLessThanOrEqualTo(7);
			assertThat(withdrawn.get() + budget.refused()).isEqualTo((long) THREADS * ROUNDS / 2);
		}

		@Test
		void takesUpTheLastOfManyChanges() {
			RetryBudget budget = budget(settings(100, 0, 0));
			Crowd.of(8, (number) -> {
				for (int i = 1; i <= 500; i++) {
					budget.change(settings(100 + number * 1_000 + i, 0, 0));
					budget.reset();
				}
			});
			double tokens = budget.settings().tokens();
			assertThat(tokens % 1_000).isEqualTo(600);
			budget.reset();
			assertThat(budget.balance()).isEqualTo(tokens);
		}

	}

}
