package dev.backoff.lincheck;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;

/** What a budget pays never exceeds what it held and got. */
class BudgetLincheckTests {

	@Test
	void countsTimeOnceAtItsRim() {
		// a token at the start, one by time, and less than one by the success
		Interleavings.run(() -> {
			HandTurnedTime time = new HandTurnedTime();
			RetryBudget budget = budget(1, 1, time);
			AtomicInteger paid = new AtomicInteger();
			Interleavings.inParallel(() -> withdraw(budget, paid), () -> {
				withdraw(budget, paid);
				time.pass(Duration.ofSeconds(1));
				budget.deposit();
				withdraw(budget, paid);
			});
			withdraw(budget, paid);
			Interleavings.check(paid.get() <= 2);
		});
	}

	@Test
	void paysNoRetryTwice() {
		Interleavings.run(() -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			AtomicInteger paid = new AtomicInteger();
			Interleavings.inParallel(() -> {
				withdraw(budget, paid);
				withdraw(budget, paid);
			}, () -> {
				withdraw(budget, paid);
				budget.deposit();
			});
			withdraw(budget, paid);
			Interleavings.check(paid.get() == 2);
		});
	}

	@Test
	void losesAndMakesNothingWhileItsSettingsChange() {
		Interleavings.run(() -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			AtomicInteger paid = new AtomicInteger();
			Interleavings.inParallel(() -> withdraw(budget, paid), () -> budget.change(settings(3, 0)));
			withdraw(budget, paid);
			withdraw(budget, paid);
			Interleavings.check(paid.get() == 2);
		});
	}

	private static RetryBudget budget(int tokens, int perSecond, HandTurnedTime time) {
		return RetryBudget.of("gateway", settings(tokens, perSecond), time, RetryBudget.Listener.NONE);
	}

	private static BudgetSettings settings(int tokens, int perSecond) {
		return new BudgetSettings(tokens, 0.1, perSecond);
	}

	private static void withdraw(RetryBudget budget, AtomicInteger paid) {
		if (budget.tryWithdraw()) {
			paid.incrementAndGet();
		}
	}

}
