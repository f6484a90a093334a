package dev.backoff.benchmarks.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.D_Result;
import org.openjdk.jcstress.infra.results.ZD_Result;
import org.openjdk.jcstress.infra.results.ZZD_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;

/** What retries cost never exceeds what the bucket held plus what was deposited. */
public final class BudgetStress {

	private BudgetStress() {
	}

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

	/** Two tokens go to two of three withdrawals. */
	@JCStressTest
	@Outcome(id = { "true, true, false", "true, false, true" }, expect = Expect.ACCEPTABLE, desc = "Two of three.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or spent twice.")
	@State
	public static class ThreeWithdrawTwo {

		private final RetryBudget budget = bucket(2);

		@Actor
		public void one(ZZZ_Result result) {
			result.r1 = this.budget.tryWithdraw();
			result.r2 = this.budget.tryWithdraw();
		}

		@Actor
		public void two(ZZZ_Result result) {
			result.r3 = this.budget.tryWithdraw();
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

	/** A success puts back the token that its retry took, beside a withdrawal. */
	@JCStressTest
	@Outcome(id = "false, true, 0.0", expect = Expect.ACCEPTABLE, desc = "The withdrawal was first.")
	@Outcome(id = "true, true, 0.0", expect = Expect.ACCEPTABLE, desc = "Put back, then withdrawn.")
	@Outcome(id = "true, false, 1.0", expect = Expect.ACCEPTABLE, desc = "Refused, then put back.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or spent twice.")
	@State
	public static class WithdrawAndRefund {

		private final RetryBudget budget = RetryBudget.of("stress", new BudgetSettings(1, 0, 0), new HandTurnedTime(),
				RetryBudget.Listener.NONE);

		@Actor
		public void call(ZZD_Result result) {
			RetryBudget.Withdrawals call = this.budget.newCall(0);
			result.r1 = call.tryWithdraw(false, false);
			if (result.r1) {
				call.ended(true);
			}
		}

		@Actor
		public void withdraw(ZZD_Result result) {
			result.r2 = this.budget.tryWithdraw();
		}

		@Arbiter
		public void balance(ZZD_Result result) {
			result.r3 = this.budget.balance();
		}

	}

	/** Two successes after a wait let one of two calls go without a token. */
	@JCStressTest
	@Outcome(id = { "true, false", "false, true" }, expect = Expect.ACCEPTABLE, desc = "One went.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Two at once, or none.")
	@State
	public static class TwoSucceedOneGoes {

		private final RetryBudget budget = bucket(0);

		private final RetryBudget.Withdrawals[] calls = new RetryBudget.Withdrawals[4];

		public TwoSucceedOneGoes() {
			for (int i = 0; i < this.calls.length; i++) {
				this.calls[i] = this.budget.newCall(0);
				this.calls[i].tryWithdraw(true, false);
			}
		}

		@Actor
		public void one(ZZ_Result result) {
			this.calls[0].ended(true);
			result.r1 = this.calls[2].tryWithdraw(true, false);
		}

		@Actor
		public void two(ZZ_Result result) {
			this.calls[1].ended(true);
			result.r2 = this.calls[3].tryWithdraw(true, false);
		}

	}

	/** One deposit pays for one of two withdrawals. */
	@JCStressTest
	@Outcome(id = { "true, false, 0.0", "false, true, 0.0" }, expect = Expect.ACCEPTABLE, desc = "One got it.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or spent twice.")
	@State
	public static class BothWithdrawOneDeposits {

		private final RetryBudget budget = emptyBucket(1);

		@Actor
		public void one(ZZD_Result result) {
			this.budget.deposit();
			result.r1 = this.budget.tryWithdraw();
		}

		@Actor
		public void two(ZZD_Result result) {
			result.r2 = this.budget.tryWithdraw();
		}

		@Arbiter
		public void balance(ZZD_Result result) {
			result.r3 = this.budget.balance();
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

	/**
	 * A reset fills the bucket, and a deposit beside it neither empties nor overfills it.
	 */
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
