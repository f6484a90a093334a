package dev.backoff.budget;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class RetryBudgetChangeTests {

	private final VirtualTime time = new VirtualTime();

	private final List<String> told = new ArrayList<>();

	private RetryBudget budget(BudgetSettings settings) {
		return RetryBudget.of("orders", settings, this.time, new RetryBudget.Listener() {

			@Override
			public void ranDry(RetryBudget budget) {
				RetryBudgetChangeTests.this.told.add("dry");
			}

			@Override
			public void recovered(RetryBudget budget) {
				RetryBudgetChangeTests.this.told.add("recovered");
			}

		});
	}

	private static BudgetSettings settings(double tokens, double perSuccess, double perSecond) {
		return new BudgetSettings(tokens, perSuccess, perSecond);
	}

	private static int withdraw(RetryBudget budget, int most) {
		int retries = 0;
		while (retries < most && budget.tryWithdraw()) {
			retries++;
		}
		return retries;
	}

	@Nested
	class TheBalance {

		@Test
		void staysWhereTheCapacityGrows() {
			RetryBudget budget = budget(settings(10, 0, 0));
			budget.change(settings(100, 0, 0));
			assertThat(budget.balance()).isEqualTo(10);
			assertThat(withdraw(budget, 100)).isEqualTo(10);
		}

		@Test
		void isCutWhereTheCapacityShrinks() {
			RetryBudget budget = budget(settings(100, 1, 0));
			withdraw(budget, 30);
			budget.change(settings(50, 1, 0));
			assertThat(budget.balance()).isEqualTo(50);
			budget.deposit();
			assertThat(budget.balance()).isEqualTo(50);
			assertThat(withdraw(budget, 100)).isEqualTo(50);
		}

		@Test
		void thatWasCutIsNotGivenBack() {
			RetryBudget budget = budget(settings(100, 0, 0));
			budget.change(settings(5, 0, 0));
			budget.change(settings(100, 0, 0));
			assertThat(budget.balance()).isEqualTo(5);
		}

		@Test
		void staysBelowTheNewCapacity() {
			RetryBudget budget = budget(settings(100, 0, 0));
			withdraw(budget, 70);
			budget.change(settings(50, 0, 0));
			assertThat(budget.balance()).isEqualTo(30);
		}

		@Test
		void isNothingWhereTheBucketIsForNothing() {
			RetryBudget budget = budget(settings(100, 1, 1));
			budget.change(settings(0, 1, 1));
			assertThat(budget.tryWithdraw()).isFalse();
			assertThat(budget.mayPay()).isFalse();
			budget.change(settings(100, 1, 1));
			assertThat(budget.balance()).isZero();
			assertThat(budget.mayPay()).isTrue();
			RetryBudgetChangeTests.this.time.advance(Duration.ofSeconds(2));
			assertThat(withdraw(budget, 100)).isEqualTo(2);
		}

		@Test
		void isNotFilledByAClockThatSteppedBack() {
			RetryBudget budget = budget(settings(10, 0, 1));
			withdraw(budget, 10);
			RetryBudgetChangeTests.this.time.stepBack(Duration.ofSeconds(100));
			budget.change(settings(10, 1, 0));
			assertThat(budget.balance()).isZero();
			budget.deposit();
			assertThat(budget.tryWithdraw()).isTrue();
		}

	}

	@Nested
	class TheTime {

		@Test
		void untilTheChangeIsWorthWhatItWas() {
			RetryBudget budget = budget(settings(100, 0, 2));
			withdraw(budget, 100);
			RetryBudgetChangeTests.this.time.advance(Duration.ofSeconds(5));
			budget.change(settings(100, 0, 7));
			assertThat(budget.balance()).isEqualTo(10);
			RetryBudgetChangeTests.this.time.advance(Duration.ofSeconds(5));
			assertThat(budget.balance()).isEqualTo(45);
		}

		@Test
		void bringsNothingAnyMore() {
			RetryBudget budget = budget(settings(100, 0, 2));
			withdraw(budget, 100);
			RetryBudgetChangeTests.this.time.advance(Duration.ofSeconds(5));
			budget.change(settings(100, 0, 0));
			RetryBudgetChangeTests.this.time.advance(Duration.ofDays(5));
			assertThat(budget.balance()).isEqualTo(10);
		}

		@Test
		void isTakenUpWhereItBroughtNothing() {
			RetryBudget budget = budget(settings(100, 0, 0));
			withdraw(budget, 100);
			RetryBudgetChangeTests.this.time.advance(Duration.ofDays(5));
			budget.change(settings(100, 0, 1));
			assertThat(budget.balance()).isZero();
			RetryBudgetChangeTests.this.time.advance(Duration.ofSeconds(3));
			assertThat(budget.balance()).isEqualTo(3);
		}

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
			assertThat(RetryBudgetChangeTests.this.told).containsExactly("dry");
			budget.change(settings(20, 1, 0));
			assertThat(RetryBudgetChangeTests.this.told).containsExactly("dry", "recovered");
			assertThat(budget.isDry()).isFalse();
		}

		@Test
		void staysWhereItIsNotEnoughYet() {
			RetryBudget budget = budget(settings(10, 1, 0));
			withdraw(budget, 11);
			budget.change(settings(100, 1, 0));
			assertThat(budget.isDry()).isTrue();
			assertThat(RetryBudgetChangeTests.this.told).containsExactly("dry");
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
