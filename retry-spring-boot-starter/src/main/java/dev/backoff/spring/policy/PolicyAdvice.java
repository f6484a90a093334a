package dev.backoff.spring.policy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;
import dev.backoff.spring.policy.DelayAssembler.Delays;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** What works but is probably not meant. */
final class PolicyAdvice {

	/** More permits than this are advised against. */
	private static final int MANY_SLOTS = 1_000;

	/** More attempts than this without a deadline are advised against. */
	private static final int MANY_ATTEMPTS = 16;

	private PolicyAdvice() {
	}

	/** Look at a policy. */
	static List<String> of(RetryPolicy policy, Delays delays, PolicyValues values) {
		List<String> advice = new ArrayList<>();
		BackoffRule rule = policy.rule();
		if (delays.name() == ShapeName.EXPONENTIAL && !rule.jitter().replacesShape()) {
			adviseGrowth(rule, advice);
		}
		adviseShape(rule, values, advice);
		boolean limited = policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		if (policy.maxAttempts() > MANY_ATTEMPTS && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("more than " + MANY_ATTEMPTS + " attempts without a deadline: set a deadline");
		}
		if (policy.concurrency() > MANY_SLOTS && policy.concurrency() != RetryPolicy.UNLIMITED_CONCURRENCY) {
			advice.add("a concurrency of " + policy.concurrency()
					+ " hardly limits anything: write what the dependency bears at once, or none");
		}
		// the default of durable policies is a bound for attempts that hang
		boolean timeoutSet = values.strength(PolicyKey.ATTEMPT_TIMEOUT) > 0;
		if (policy.attemptTimeoutNanos() != Nanos.UNLIMITED && timeoutSet) {
			adviseTimeout(policy, advice);
		}
		if (limited && policy.maxAttempts() > 1 && policy.deadlineNanos() != Nanos.UNLIMITED) {
			adviseRoom(policy, policy.shortestAttemptNanos(), "by the delays before jitter", delays, values, advice);
			if (policy.attemptTimeoutNanos() < policy.deadlineNanos() && timeoutSet) {
				adviseRoom(policy, policy.attemptTimeoutNanos(),
						"each as long as the attempt-timeout of " + DurationText.exact(policy.attemptTimeoutNanos()),
						delays, values, advice);
			}
		}
		if (values.isWrittenForIt(PolicyKey.CAP) && limited && policy.maxAttempts() > 1) {
			adviseCap(rule, policy.maxAttempts() - 1, advice);
		}
		return advice;
	}

	/** Advise against attempts of the given time that cannot all be made in time. */
	private static void adviseRoom(RetryPolicy policy, long attempt, String how, Delays delays, PolicyValues values,
			List<String> advice) {
		int fitting = 0;
		for (long end = attempt; fitting < policy.maxAttempts() && end <= policy.deadlineNanos();) {
			fitting++;
			end = Nanos.plus(end, Nanos.plus(policy.rule().capped(fitting), attempt));
		}
		if (fitting == policy.maxAttempts()) {
			return;
		}
		long base = largestBase(policy, attempt, delays, values);
		advice.add("the deadline of " + DurationText.exact(policy.deadlineNanos()) + " has room for " + fitting + " of "
				+ policy.maxAttempts() + " attempts, " + how + ": raise it, "
				+ ((base > 0) ? "make fewer attempts, or lower the base to " + DurationText.exact(base)
						: "or make fewer attempts"));
	}

	/**
	 * Return the base with which all attempts fit, cut to three digits, or 0 for none.
	 */
	private static long largestBase(RetryPolicy policy, long attempt, Delays delays, PolicyValues values) {
		boolean exponential = delays.name() == ShapeName.EXPONENTIAL;
		if (policy.rule().jitter().replacesShape() || (!exponential && delays.name() != ShapeName.FIXED)) {
			return 0;
		}
		double multiplier = exponential ? values.strongest(PolicyKey.MULTIPLIER) : 1;
		long base = DelayPlan
			.largestBase(Duration.ofNanos(policy.deadlineNanos()), policy.maxAttempts() - 1, multiplier,
					delays.capSet() ? delays.cap() : null, Duration.ofNanos(attempt), 1)
			.toNanos();
		return new BigDecimal(base).round(new MathContext(3, RoundingMode.DOWN)).longValue();
	}

	private static void adviseShape(BackoffRule rule, PolicyValues values, List<String> advice) {
		boolean multiplier = values.isWrittenForIt(PolicyKey.MULTIPLIER);
		if ((multiplier || values.isWrittenForIt(PolicyKey.SHAPE)) && rule.shape().rungs() == 0
				&& rule.shape().nanos(2) > rule.baseNanos() && rule.baseNanos() == rule.capNanos()) {
			advice.add("the " + (multiplier ? "multiplier" : "shape") + " changes no delay, because the cap of "
					+ DurationText.exact(rule.capNanos()) + " is the base: raise the cap");
		}
	}

	/** Advise against a budget that never pays: retries do not wait for it. */
	static void adviseBudget(RetryPolicy policy, BudgetEntry budget, List<String> advice) {
		if (!policy.isEnabled() || policy.maxAttempts() == 1) {
			return;
		}
		BudgetSettings settings = budget.settings();
		String withoutEffect = "when-empty: wait has no effect, because the budget " + budget.name() + " ";
		if (settings.tokens() == 0) {
			advice.add(withoutEffect + "never pays: its tokens are 0 (" + origins(budget, BudgetKey.TOKENS) + ")");
		}
		else if (settings.perSecond() == 0 && settings.perSuccess() == 0) {
			advice.add(withoutEffect + "is never filled again: its per-second and per-success are 0 ("
					+ origins(budget, BudgetKey.PER_SECOND, BudgetKey.PER_SUCCESS) + ")");
		}
		else if (settings.perSecond() == 0 && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("a call waits for the budget " + budget.name()
					+ " as long as none succeeds, for its per-second is 0: set a deadline");
		}
	}

	private static String origins(BudgetEntry budget, BudgetKey... keys) {
		return Stream.of(keys)
			.map(budget.values()::get)
			.map(EffectivePolicy.Value::origin)
			.distinct()
			.collect(Collectors.joining(", "));
	}

	private static void adviseTimeout(RetryPolicy policy, List<String> advice) {
		if (policy.deadlineNanos() <= policy.attemptTimeoutNanos()) {
			advice.add(
					"an attempt that uses up the attempt-timeout of " + DurationText.exact(policy.attemptTimeoutNanos())
							+ " leaves no time for a retry before the deadline of "
							+ DurationText.exact(policy.deadlineNanos()));
		}
		if (!policy.retryOn().isEmpty() && policy.retryOn()
			.stream()
			.noneMatch((type) -> type.isAssignableFrom(AttemptTimeoutException.class))) {
			advice.add("attempts that take longer than the attempt-timeout are not retried: retry-on does not name "
					+ AttemptTimeoutException.class.getName());
		}
	}

	private static void adviseCap(BackoffRule rule, int retries, List<String> advice) {
		long longest = rule.jitter().replacesShape() ? rule.capNanos() : rule.capped(retries);
		if (longest < rule.capNanos()) {
			advice.add("the cap of " + DurationText.exact(rule.capNanos()) + " is never reached: the last wait is "
					+ DurationText.story(longest) + " before jitter");
		}
	}

	private static void adviseGrowth(BackoffRule rule, List<String> advice) {
		double growth = (rule.baseNanos() == 0) ? 1 : (double) rule.shape().nanos(2) / rule.baseNanos();
		if (growth != 1 && (growth < 1.5 || growth > 4)) {
			advice.add("the multiplier "
					+ new BigDecimal(growth, new MathContext(3)).stripTrailingZeros().toPlainString()
					+ " is outside 1.5 to 4: it grows "
					+ ((growth < 1.5) ? "too slowly to relieve a server" : "so fast that late retries hardly happen"));
		}
	}

}
