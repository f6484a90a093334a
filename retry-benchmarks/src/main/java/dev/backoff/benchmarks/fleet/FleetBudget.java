package dev.backoff.benchmarks.fleet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.BudgetFeed;
import dev.backoff.simulator.Effect;
import dev.backoff.simulator.Scenario;
import dev.backoff.simulator.SimulatedPolicy;

/** Ways to size the bucket of each of many processes, simulated. */
public enum FleetBudget {

	/** A bucket of 50 in each process. */
	DEFAULT("50 tokens (default)", 50),

	/** The default divided by 200 processes, but for 5 tokens. */
	INSTANCES("5 tokens (`backoff.instances: 200`)", 5) {

		@Override
		BudgetSettings settings() {
			return BudgetSettings.DEFAULTS.share(200);
		}

	},

	/** 20 % of the first calls of the last 10 s, from 5 to 50. */
	RECENT("20 % of the first calls in 10 s; from 5 to 50", 50) {

		@Override
		BudgetFeed feed() {
			Deque<Long> recent = new ArrayDeque<>();
			return (budget, now) -> {
				recent.add(now);
				while (now - recent.element() > RECENT_NANOS) {
					recent.remove();
				}
				budget.change(settings(Math.max(5, Math.min(50, 0.2 * recent.size()))));
			};
		}

	},

	/** What the success of a small caller needs. */
	MIDDLE("25 tokens", 25);

	private static final long RECENT_NANOS = 10_000_000_000L;

	private final String label;

	private final double tokens;

	FleetBudget(String label, double tokens) {
		this.label = label;
		this.tokens = tokens;
	}

	/**
	 * {@return how the figures call it}
	 */
	public String label() {
		return this.label;
	}

	BudgetFeed feed() {
		return (budget, now) -> {
		};
	}

	BudgetSettings settings() {
		return settings(this.tokens);
	}

	static BudgetSettings settings(double tokens) {
		BudgetSettings defaults = BudgetSettings.DEFAULTS;
		return new BudgetSettings(tokens, defaults.perSuccess(), defaults.perSecond());
	}

	/**
	 * Simulate 200 callers of one call a second in an outage.
	 * @param seconds how long it lasts
	 * @return attempts for each first attempt while it lasts
	 */
	public double loadInOutage(int seconds) {
		return simulate(Scenario.outage(seconds + "s").callers(200).rate(1)).loadInFault();
	}

	/**
	 * Simulate a caller of one call a second, of whose attempts 30 % fail.
	 * @param seconds for how long
	 * @return the share of its calls that succeed
	 */
	public double successAmongFailures(int seconds) {
		return 1 - simulate(Scenario.stall("1s")
			.with("fault", "errors 30%")
			.with("horizon", seconds + "s")
			.callers(50)
			.rate(1)
			.with("capacity", "10000")).failed();
	}

	/**
	 * Simulate a caller of one call a minute in an outage of ten minutes.
	 * @return attempts for each first attempt while it lasts; 4 with all its retries
	 */
	public double attemptsOfRareCalls() {
		return simulate(Scenario.outage("10m").callers(50).rate(1 / 60.0)).loadInFault();
	}

	private Effect simulate(Scenario scenario) {
		SimulatedPolicy policy = SimulatedPolicy.of(RetryPolicy.builder("fleet"), settings());
		Supplier<BudgetFeed> feeds = this::feed;
		return Effect.of(policy, scenario, feeds);
	}

}
