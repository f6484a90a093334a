package dev.backoff.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.D_Result;
import org.openjdk.jcstress.infra.results.ZD_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;

/** What retries cost never exceeds what the bucket held plus what was deposited. */
public final class BudgetStress {

	/* One token for each success, none for time. */
	private static RetryBudget bucket(int tokens) {
		return RetryBudget.of("stress", new BudgetSettings(tokens, 1, 0), new HandTurnedTime(),
				RetryBudget.Listener.NONE);
	}

	private static RetryBudget emptyBucket(int tokens) {
		RetryBudget budget = bucket(tokens);
		for (int i = 0; i < tokens; i++) {
			budget.tryWithdraw();
		}
		return budget;
	}

	/** The last token goes to one of two. */
	@JCStressTest
	@Outcome(id = { "true, false", "false, true" }, expect = Expect.ACCEPTABLE, desc = "One got it.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or spent twice.")
	@State
	public static class TwoWithdrawOne {

		private final RetryBudget budget = bucket(1);

		@Actor
		public void one(ZZ_Result result) {
			result.r1 = this.budget.tryWithdraw();
		}

		@Actor
		public void two(ZZ_Result result) {
			result.r2 = this.budget.tryWithdraw();
		}

	}

	/** A deposit into an empty bucket is spent or still there. */
	@JCStressTest
	@Outcome(id = "true, 0.0", expect = Expect.ACCEPTABLE, desc = "Deposited, then withdrawn.")
	@Outcome(id = "false, 1.0", expect = Expect.ACCEPTABLE, desc = "Refused, then deposited.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or made from nothing.")
	@State
	public static class WithdrawAndDeposit {

		private final RetryBudget budget = emptyBucket(1);

		@Actor
		public void withdraw(ZD_Result result) {
			result.r1 = this.budget.tryWithdraw();
		}

		@Actor
		public void deposit() {
			this.budget.deposit();
		}

		@Arbiter
		public void balance(ZD_Result result) {
			result.r2 = this.budget.balance();
		}

	}

	/** A deposit into a full bucket flows over, unless something was taken before. */
	@JCStressTest
	@Outcome(id = "true, 0.0", expect = Expect.ACCEPTABLE, desc = "Deposited over the rim, then withdrawn.")
	@Outcome(id = "true, 1.0", expect = Expect.ACCEPTABLE, desc = "Withdrawn, then deposited.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Refused though full, or more than the bucket holds.")
	@State
	public static class WithdrawAndDepositWhenFull {

		private final RetryBudget budget = bucket(1);

		@Actor
		public void withdraw(ZD_Result result) {
			result.r1 = this.budget.tryWithdraw();
		}

		@Actor
		public void deposit() {
			this.budget.deposit();
		}

		@Arbiter
		public void balance(ZD_Result result) {
			result.r2 = this.budget.balance();
		}

	}

	/** Two deposits both count. */
	@JCStressTest
	@Outcome(id = "2.0", expect = Expect.ACCEPTABLE, desc = "Both counted.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "One was lost.")
	@State
	public static class TwoDeposit {

		private final RetryBudget budget = emptyBucket(3);

		@Actor
		public void one() {
			this.budget.deposit();
		}

		@Actor
		public void two() {
			this.budget.deposit();
		}

		@Arbiter
		public void balance(D_Result result) {
			result.r1 = this.budget.balance();
		}

	}

	/** A deposit beside a reset neither empties nor overfills the bucket. */
	@JCStressTest
	@Outcome(id = "3.0", expect = Expect.ACCEPTABLE, desc = "Full.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "The reset was undone.")
	@State
	public static class DepositAndReset {

		private final RetryBudget budget = emptyBucket(3);

		@Actor
		public void deposit() {
			this.budget.deposit();
		}

		@Actor
		public void reset() {
			this.budget.reset();
		}

		@Arbiter
		public void balance(D_Result result) {
			result.r1 = this.budget.balance();
		}

	}

	/** A withdrawal comes before a reset or after it. */
	@JCStressTest
	@Outcome(id = "false, 1.0", expect = Expect.ACCEPTABLE, desc = "Refused, then reset.")
	@Outcome(id = "true, 0.0", expect = Expect.ACCEPTABLE, desc = "Reset, then withdrawn.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or made from nothing.")
	@State
	public static class WithdrawAndReset {

		private final RetryBudget budget = emptyBucket(1);

		@Actor
		public void withdraw(ZD_Result result) {
			result.r1 = this.budget.tryWithdraw();
		}

		@Actor
		public void reset() {
			this.budget.reset();
		}

		@Arbiter
		public void balance(ZD_Result result) {
			result.r2 = this.budget.balance();
		}

	}

}
