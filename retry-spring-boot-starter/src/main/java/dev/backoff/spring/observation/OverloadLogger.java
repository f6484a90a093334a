package dev.backoff.spring.observation;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Log the events of budgets and breakers: one line per event, none per call, with these
 * key-values. <pre>
 * backoff.budget               the budget that ran dry, bars retries, or has recovered
 * backoff.breaker              the breaker that changed its state
 * backoff.from, backoff.to     the states before and after
 * </pre> WARN for a budget that runs dry or bars retries, and a breaker that opens; INFO
 * for all else. Thread-safe.
 */
final class OverloadLogger implements RetryBudget.Listener, CircuitBreaker.Listener {

	private static final Logger logger = LoggerFactory.getLogger(OverloadLogger.class);

	private static final String BUDGET = "backoff.budget";

	@Override
	public void ranDry(RetryBudget budget) {
		log(Level.WARN, budget, "ran dry (" + number(budget.balance()) + " of " + exact(budget.settings().tokens())
				+ " tokens): " + consequence(budget));
	}

	private static void log(Level level, RetryBudget budget, String event) {
		logger.atLevel(level).addKeyValue(BUDGET, budget.name()).log("Budget " + budget.name() + " " + event);
	}

	private static String consequence(RetryBudget budget) {
		BudgetSettings settings = budget.settings();
		if (!budget.mayPay()) {
			return "nothing is ever put back, so all retries are refused";
		}
		return "retries are refused, or wait, while it is empty; "
				+ ((settings.perSuccess() > 0)
						? "a success puts back " + exact(settings.perSuccess()) + " and what its retries took, " : "")
				+ ((settings.perSecond() > 0) ? "a second puts back " + exact(settings.perSecond()) + ", " : "")
				+ "recovered at " + number(budget.recoveredAt())
				+ ". For a job set when-empty: wait; for a caller that "
				+ "waits, a recover, or more tokens if most first attempts succeed";
	}

	@Override
	public void recovered(RetryBudget budget) {
		log(Level.INFO, budget, "has recovered: it held " + number(budget.recoveredAt()) + " of "
				+ exact(budget.settings().tokens()) + " tokens again");
	}

	@Override
	public void barring(RetryBudget budget, boolean barring) {
		log(barring ? Level.WARN : Level.INFO, budget,
				!barring ? "allows retries after timeouts again"
						: "bars retries after timeouts, since they timed out too (" + number(budget.balance()) + " of "
								+ exact(budget.settings().tokens())
								+ " tokens): until up to 40 calls have succeeded, or for ten "
								+ "minutes; other retries, and calls that wait, go on");
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		logger.atLevel((to == BreakerState.OPEN || to == BreakerState.FORCED_OPEN) ? Level.WARN : Level.INFO)
			.addKeyValue("backoff.breaker", breaker.name())
			.addKeyValue("backoff.from", from.tag())
			.addKeyValue("backoff.to", to.tag())
			.log(((breaker.keys() == null) ? "A key of breaker " : "Breaker ") + breaker.name() + " went from "
					+ from.tag().replace('_', '-') + " to " + to.tag().replace('_', '-')
					+ ((to == BreakerState.OPEN) ? opening(breaker) : ""));
	}

	/* Another thread may have changed the state meanwhile; the counts are then empty. */
	private static String opening(CircuitBreaker breaker) {
		Counts counts = breaker.counts();
		Duration left = breaker.timeToProbe();
		return ((counts.total() > 0) ? ": " + rates(counts) : "")
				+ ((left != null) ? "; open for " + DurationText.rounded(Nanos.of(left)) : "");
	}

	private static String rates(Counts counts) {
		return "of " + counts.total() + ((counts.total() == 1) ? " attempt " : " attempts ")
				+ percent(counts.failureRate(), 1) + " failed, " + percent(counts.slowRate(), 1) + " were slow";
	}

	static String percent(double part, double whole) {
		return number((part > 0) ? part / whole * 100 : 0) + " %";
	}

	/** Return a number with at most one decimal. */
	private static String number(double value) {
		return exact(Math.round(value * 10) / 10.0);
	}

	private static String exact(double value) {
		return (value == Math.rint(value)) ? Long.toString((long) value) : Double.toString(value);
	}

}
