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

	@Test
	void putsBackWhatASuccessTookOnce() {
		Interleavings.run(() -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			AtomicInteger paid = new AtomicInteger();
			Interleavings.inParallel(() -> {
				RetryBudget.Withdrawals call = budget.newCall(0);
				if (call.tryWithdraw(false, false)) {
					paid.incrementAndGet();
					call.ended(true);
				}
			}, () -> {
				withdraw(budget, paid);
				withdraw(budget, paid);
			});
			withdraw(budget, paid);
			withdraw(budget, paid);
			Interleavings.check(paid.get() == 2 || paid.get() == 3);
		});
	}

	@Test
	void letsOneRetryAtATimeGoWithoutAToken() {
		Interleavings.run(() -> {
			RetryBudget budget = budget(1, 0, new HandTurnedTime());
			budget.tryWithdraw();
			RetryBudget.Withdrawals first = waiting(budget);
			RetryBudget.Withdrawals second = waiting(budget);
			RetryBudget.Withdrawals third = waiting(budget);
			RetryBudget.Withdrawals fourth = waiting(budget);
			AtomicInteger free = new AtomicInteger();
			Interleavings.inParallel(() -> {
				first.ended(true);
				free.addAndGet(third.tryWithdraw(true, false) ? 1 : 0);
			}, () -> {
				second.ended(true);
				free.addAndGet(fourth.tryWithdraw(true, false) ? 1 : 0);
			});
			Interleavings.check(free.get() == 1);
		});
	}

	@Test
	void countsEachStrikeAndEachSuccess() {
		Interleavings.run(() -> {
			RetryBudget budget = budget(2, 0, new HandTurnedTime());
			strike(budget);
			Interleavings.inParallel(() -> strike(budget), () -> {
				budget.deposit();
				budget.newCall(0).isBarred(false);
			});
			Interleavings.check(budget.strikes() == 79 / 40.0);
		});
	}

	@Test
	void takesAwayWhatTimeAndASuccessDo() {
		Interleavings.run(() -> {
			HandTurnedTime time = new HandTurnedTime();
			RetryBudget budget = budget(2, 0, time);
			strike(budget);
			strike(budget);
			Interleavings.inParallel(budget::deposit, () -> {
				time.pass(Duration.ofMinutes(10));
				budget.newCall(0).isBarred(false);
			});
			Interleavings.check(budget.strikes() == 39 / 40.0);
		});
	}

	private static void strike(RetryBudget budget) {
		budget.newCall(0).timedOut(true);
	}

	private static RetryBudget.Withdrawals waiting(RetryBudget budget) {
		RetryBudget.Withdrawals waiting = budget.newCall(0);
		Interleavings.check(!waiting.tryWithdraw(true, false));
		return waiting;
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
