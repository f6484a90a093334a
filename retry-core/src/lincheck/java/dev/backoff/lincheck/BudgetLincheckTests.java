package dev.backoff.lincheck;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;

import static org.assertj.core.api.Assertions.assertThat;

/** What a budget pays never exceeds what it held and got. */
class BudgetLincheckTests {

	private static final int INVOCATIONS = 5_000;

	@Test
	void countsTimeOnceAtItsRim() {
		// a token at the start, one by time, and less than one by the success
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
			HandTurnedTime time = new HandTurnedTime();
			RetryBudget budget = budget(1, 1, time);
			AtomicInteger paid = new AtomicInteger();
			inParallel(() -> withdraw(budget, paid), () -> {
				withdraw(budget, paid);
				time.pass(Duration.ofSeconds(1));
				budget.deposit();
				withdraw(budget, paid);
			});
			withdraw(budget, paid);
			assertThat(paid.get()).isLessThanOrEqualTo(2);
		});
	}

	@Test
	void paysNoRetryTwice() {
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			AtomicInteger paid = new AtomicInteger();
			inParallel(() -> {
				withdraw(budget, paid);
				withdraw(budget, paid);
			}, () -> {
				withdraw(budget, paid);
				budget.deposit();
			});
			withdraw(budget, paid);
			assertThat(paid.get()).isEqualTo(2);
		});
	}

	@Test
	void losesAndMakesNothingWhileItsSettingsChange() {
		Lincheck.runConcurrentTest(INVOCATIONS, () -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			AtomicInteger paid = new AtomicInteger();
			inParallel(() -> withdraw(budget, paid), () -> budget.change(settings(3, 0)));
			withdraw(budget, paid);
			withdraw(budget, paid);
			assertThat(paid.get()).isEqualTo(2);
		});
	}

	private static RetryBudget budget(int tokens, int perSecond, HandTurnedTime time) {
		return RetryBudget.of("gateway", settings(tokens, perSecond), time, RetryBudget.Listener.NONE);
	}

	private static BudgetSettings settings(int tokens, int perSecond) {
		return new BudgetSettings(tokens, 0.1, perSecond, 1, 1, false);
	}

	private static void withdraw(RetryBudget budget, AtomicInteger paid) {
		if (budget.tryWithdraw(RetryBudget.Cost.TRANSIENT)) {
			paid.incrementAndGet();
		}
	}

	private static void inParallel(Runnable one, Runnable other) {
		Thread thread = new Thread(one);
		thread.start();
		other.run();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
