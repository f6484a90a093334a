package dev.backoff.spring.policy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.RetryPolicy;
import dev.backoff.delay.BackoffRule;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** What works but is probably not meant. */
final class PolicyAdvice {

	/** More attempts than this without a deadline are advised against. */
	private static final int MANY_ATTEMPTS = 16;

	private PolicyAdvice() {
	}

	/**
	 * Look at a policy.
	 * @param policy what is in effect
	 * @param shape how its delays grow
	 * @param capWritten whether somebody wrote the cap, as opposed to a preset or us
	 */
	static List<String> of(RetryPolicy policy, ShapeName shape, boolean capWritten) {
		List<String> advice = new ArrayList<>();
		BackoffRule rule = policy.rule();
		if (shape == ShapeName.EXPONENTIAL && !rule.jitter().replacesShape()) {
			adviseGrowth(rule, advice);
		}
		boolean limited = policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		if (policy.maxAttempts() > MANY_ATTEMPTS && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("more than " + MANY_ATTEMPTS + " attempts without a deadline: set a deadline");
		}
		if (capWritten && limited && policy.maxAttempts() > 1) {
			adviseCap(rule, policy.maxAttempts() - 1, advice);
		}
		return advice;
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
