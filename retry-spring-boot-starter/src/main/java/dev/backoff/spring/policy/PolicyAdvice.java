package dev.backoff.spring.policy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.spring.configuration.BudgetKey;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Advice on a policy by itself: it names values that work but are probably a mistake.
 *
 * @since 0.1
 */
public final class PolicyAdvice {

	/** More attempts than this without a deadline are advised against. */
	private static final int MANY_ATTEMPTS = 16;

	/* A kind of failure, then its types: a listed supertype does not retry them. */
	private static final List<List<String>> UNREACHED = List.of(
			List.of("parse errors", "tools.jackson.core.JacksonException"),
			List.of("programming errors", "java.lang.NullPointerException"),
			List.of("4xx", "org.springframework.web.client.HttpClientErrorException$BadRequest",
					"org.springframework.web.reactive.function.client.WebClientResponseException$BadRequest",
					"feign.FeignException$BadRequest"),
			List.of("constraint violations", "org.springframework.dao.NonTransientDataAccessException"));

	private PolicyAdvice() {
	}

	/** Return the advice on a policy, as sentences. */
	public static List<String> of(EffectivePolicy effective, BackoffConfiguration configuration) {
		List<String> advice = new ArrayList<>();
		RetryPolicy policy = effective.numbers();
		boolean limited = policy.maxAttempts() > 1 && policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
		if (policy.maxAttempts() > MANY_ATTEMPTS && policy.deadlineNanos() == Nanos.UNLIMITED) {
			advice.add("more than " + MANY_ATTEMPTS + " attempts without a deadline: set a deadline");
		}
		boolean timeoutSet = effective.isSet(PolicyKey.ATTEMPT_TIMEOUT);
		if (policy.attemptTimeoutNanos() != Nanos.UNLIMITED && timeoutSet) {
			adviseTimeout(policy, advice);
		}
		if (!policy.isJudgedByLists()) {
			adviseReach(policy.retryOn(), advice);
		}
		if (limited && policy.deadlineNanos() != Nanos.UNLIMITED) {
			adviseRoom(policy, policy.shortestAttemptNanos(), "by the delays before jitter", effective, advice);
			if (policy.attemptTimeoutNanos() < policy.deadlineNanos() && timeoutSet) {
				adviseRoom(policy, policy.attemptTimeoutNanos(),
						"each as long as the attempt-timeout of " + DurationText.exact(policy.attemptTimeoutNanos()),
						effective, advice);
			}
		}
		if (effective.budget() != null && policy.isEnabled() && policy.maxAttempts() > 1) {
			adviseBudget(policy, configuration.budget(effective.budget()), advice);
		}
		return List.copyOf(advice);
	}

	private static String text(EffectivePolicy policy, Key<?> key) {
		return policy.values().getOrDefault(key, EffectiveValue.builtIn("")).value();
	}

	/** Advise against attempts of the given time that cannot all be made in time. */
	private static void adviseRoom(RetryPolicy policy, long attempt, String how, EffectivePolicy effective,
			List<String> advice) {
		int fitting = 0;
		for (long end = attempt; fitting < policy.maxAttempts() && end <= policy.deadlineNanos();) {
			fitting++;
			end = Nanos.plus(end, Nanos.plus(policy.rule().capped(fitting), attempt));
		}
		if (fitting == policy.maxAttempts()) {
			return;
		}
		long base = largestBase(policy, attempt, effective);
		advice.add("the deadline of " + DurationText.exact(policy.deadlineNanos()) + " has room for " + fitting + " of "
				+ policy.maxAttempts() + " attempts, " + how + ": raise it, "
				+ ((base > 0) ? "make fewer attempts, or lower the base to " + DurationText.exact(base)
						: "or make fewer attempts"));
	}

	/** Return the base, cut to three digits, with which all attempts fit, or 0. */
	private static long largestBase(RetryPolicy policy, long attempt, EffectivePolicy effective) {
		String shape = text(effective, PolicyKey.SHAPE);
		boolean exponential = shape.equals("exponential");
		if (policy.rule().jitter().replacesShape() || (!exponential && !shape.equals("fixed"))) {
			return 0;
		}
		double multiplier = exponential ? Double.parseDouble(text(effective, PolicyKey.MULTIPLIER)) : 1;
		long base = DelayPlan
			.largestBase(Duration.ofNanos(policy.deadlineNanos()), policy.maxAttempts() - 1, multiplier,
					effective.isSet(PolicyKey.CAP) ? Duration.ofNanos(policy.rule().capNanos()) : null,
					Duration.ofNanos(attempt), 1)
			.toNanos();
		return new BigDecimal(base).round(new MathContext(3, RoundingMode.DOWN)).longValue();
	}

	/** Advise against a budget that cannot pay for a single call. */
	private static void adviseBudget(RetryPolicy policy, NamedSettings<BudgetSettings> budget, List<String> advice) {
		BudgetSettings settings = budget.settings();
		// 0 tokens switch retries off on purpose
		if (settings.tokens() > 0 && settings.tokens() < policy.maxAttempts() - 1
				&& policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS) {
			advice.add("the budget " + budget.name() + " of " + EffectiveValue.number(settings.tokens())
					+ " tokens cannot pay the " + (policy.maxAttempts() - 1) + " retries of a single call ("
					+ Objects.requireNonNull(budget.values().get(BudgetKey.TOKENS)).origin()
					+ "): raise its tokens, or make fewer attempts");
		}
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

	private static void adviseReach(List<Class<? extends Throwable>> retryOn, List<String> advice) {
		for (Class<?> listed : retryOn) {
			String unreached = UNREACHED.stream()
				.filter((group) -> group.stream().skip(1).anyMatch((name) -> isBelow(listed, name, retryOn)))
				.map((group) -> group.get(0))
				.collect(Collectors.joining(", "));
			if (!unreached.isEmpty()) {
				advice.add("retry-on: " + listed.getName() + " does not retry " + unreached + ": name them");
			}
		}
	}

	private static boolean isBelow(Class<?> listed, String name, List<Class<? extends Throwable>> retryOn) {
		ClassLoader classLoader = PolicyAdvice.class.getClassLoader();
		Class<?> type = ClassUtils.isPresent(name, classLoader) ? ClassUtils.resolveClassName(name, classLoader) : null;
		return type != null && listed.isAssignableFrom(type) && retryOn.stream().noneMatch(type::isAssignableFrom);
	}

}
