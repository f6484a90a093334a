package dev.backoff.benchmarks.stall;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.Effect;
import dev.backoff.simulator.Scenario;
import dev.backoff.simulator.SimulatedPolicy;
import dev.backoff.time.RetryTime;

/**
 * What limits the number of retries in an experiment: attempts for each call, and a
 * budget for all of them.
 *
 * @param label how the figures call it, without a comma
 * @param maxAttempts all attempts of a call, the first included
 * @param settings the budget, or null for none
 * @param depositPerFirst whether the budget is filled by first attempts in place of
 * successes, as other libraries do it
 */
public record RetryLimit(String label, int maxAttempts, @Nullable BudgetSettings settings, boolean depositPerFirst) {

	/** Attempts of a call where there are retries: {@value}. */
	static final int ATTEMPTS = 3;

	/** First attempts only: what recovery takes at best. */
	public static final RetryLimit NO_RETRIES = new RetryLimit("no retries", 1, null, false);

	/** Retries that nothing but their number for each call limits. */
	public static final RetryLimit NO_BUDGET = new RetryLimit("no budget", ATTEMPTS, null, false);

	/** Our budget as it is unless configured. */
	public static final RetryLimit DEFAULT_BUDGET = new RetryLimit("default budget", ATTEMPTS, BudgetSettings.DEFAULTS,
			false);

	/** A budget that only successes fill. */
	public static final RetryLimit PER_SUCCESS = new RetryLimit("0.1 per success", ATTEMPTS,
			new BudgetSettings(10, 0.1, 0), false);

	/**
	 * Limit retries to a share of the first attempts, whether these succeed or not.
	 * @param share such as 0.1
	 * @return the limit
	 */
	public static RetryLimit perFirst(double share) {
		return new RetryLimit(String.format(Locale.ROOT, "%.0f %% of first attempts", share * 100), ATTEMPTS,
				new BudgetSettings(10, share, 0), true);
	}

	/**
	 * Return this limit for a server of another capacity: a bucket that is small beside
	 * what the server does in a second.
	 * @param tokens what the bucket holds
	 * @return the limit, without a change if it has no bucket
	 */
	public RetryLimit withTokens(double tokens) {
		if (this.settings == null) {
			return this;
		}
		return new RetryLimit(this.label, this.maxAttempts,
				new BudgetSettings(tokens, this.settings.perSuccess(), this.settings.perSecond()),
				this.depositPerFirst);
	}

	/**
	 * Make the budget.
	 * @param time what its seconds are
	 * @return a full budget, or null for none
	 */
	@Nullable RetryBudget budget(RetryTime time) {
		return (this.settings != null) ? RetryBudget.of(this.label, this.settings, time, RetryBudget.Listener.NONE)
				: null;
	}

	/**
	 * Simulate it.
	 * @param utilisation the share of its capacity at which the server is used
	 * @param capacity what the server does in a second
	 * @return what happens around a stall of 3 s
	 */
	public Effect simulate(double utilisation, int capacity) {
		BudgetSettings filling = this.settings;
		Scenario scenario = Scenario.stall("3s")
			.rate(utilisation * capacity)
			.with("capacity", Integer.toString(capacity))
			.with("latency", Duration.ofSeconds(1).dividedBy(capacity).toMillis() + "ms")
			.with("timeout", "1s");
		if (filling == null || !this.depositPerFirst) {
			return Effect.of(policy(filling), scenario, () -> (budget, now) -> {
			});
		}
		BudgetSettings none = new BudgetSettings(filling.tokens(), 0, 0);
		return Effect.of(policy(none), scenario, () -> (budget, now) -> {
			// only here a deposit is worth something
			budget.change(filling);
			budget.deposit();
			budget.change(none);
			// other libraries have no strikes
			while (budget.strikes() > 0) {
				budget.deposit();
			}
		});
	}

	private SimulatedPolicy policy(@Nullable BudgetSettings settings) {
		return SimulatedPolicy.of(RetryPolicy.builder(this.label).maxAttempts(this.maxAttempts), settings);
	}

}
