package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.BaseStream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyKey;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/** Describe what in a method's plan works but is probably not meant. Thread-safe. */
final class PlanAdvice {

	private static final long LONG_WAIT = 10_000_000_000L;

	private static final long HOUR = 3_600_000_000_000L;

	private static final List<String> OTHER_RETRIES = List.of("org.springframework.resilience.annotation.Retryable",
			"org.springframework.retry.annotation.Retryable", "io.github.resilience4j.retry.annotation.Retry");

	private static final String OTHER_LIMIT = "org.springframework.resilience.annotation.ConcurrencyLimit";

	private final BackoffPolicies policies;

	private final ConfigurableListableBeanFactory beanFactory;

	private final @Nullable Weaving weaving;

	private final SelfCalls selfCalls = new SelfCalls();

	PlanAdvice(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory, @Nullable Weaving weaving) {
		this.policies = policies;
		this.beanFactory = beanFactory;
		this.weaving = weaving;
	}

	List<String> of(MethodPlan plan) {
		List<String> advice = new ArrayList<>(plan.policy().advice());
		RetryPolicy policy = plan.policy().numbers();
		long waits = waits(policy);
		if (waits > LONG_WAIT && plan.manner().holdsThread()) {
			boolean scheduled = has(plan, "org.springframework.scheduling.annotation.Scheduled");
			advice.add(((waits == Nanos.UNLIMITED) ? "waits of any length"
					: "waits of up to " + DurationText.story(waits) + " in all") + " hold the calling thread"
					+ (scheduled ? ", and the next run of the schedule with it" : ""));
		}
		if (plan.manner().holdsThread() && policy.deadlineNanos() != Nanos.UNLIMITED
				&& policy.attemptTimeoutNanos() == Nanos.UNLIMITED && !hasClientTimeout()) {
			advice.add("a call that hangs is not cut: the deadline of " + DurationText.exact(policy.deadlineNanos())
					+ " is checked between attempts; set attempt-timeout, or timeouts of the client");
		}
		if (plan.policy().isDurable() && policy.attemptTimeoutNanos() == Nanos.UNLIMITED) {
			advice.add("an attempt that hangs keeps one of the policy's " + plan.policy().concurrency()
					+ " threads for ever: set attempt-timeout");
		}
		Class<?> type = plan.method().method().getReturnType();
		if (BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)) {
			advice.add("only the call is retried: what the " + type.getSimpleName()
					+ " it returns fails with later is not");
		}
		if (plan.manner().holdsThread() && policy.attemptTimeoutNanos() != Nanos.UNLIMITED
				&& isPoolOnVirtualThreads()) {
			advice.add("attempt-timeout interrupts, which closes sockets and JDBC connections on virtual threads: "
					+ "set shorter timeouts in the client or the pool");
		}
		advice.addAll(warnings(plan));
		return List.copyOf(advice);
	}

	/* Spring Boot gives it to the HTTP clients that it builds. */
	private boolean hasClientTimeout() {
		return this.beanFactory.getBean(Environment.class).containsProperty("spring.http.clients.read-timeout");
	}

	private boolean isPoolOnVirtualThreads() {
		return this.beanFactory.getBean(Environment.class)
			.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
				&& this.beanFactory.getBeanNamesForType(DataSource.class, true, false).length > 0;
	}

	private List<String> warnings(MethodPlan plan) {
		List<String> warnings = new ArrayList<>();
		OTHER_RETRIES.stream()
			.filter((annotation) -> has(plan, annotation))
			.findFirst()
			.ifPresent((other) -> warnings
				.add("@" + other + " is on the method too: the attempts multiply; remove one of the two"));
		if (plan.policy().numbers().concurrency() != RetryPolicy.UNLIMITED_CONCURRENCY && has(plan, OTHER_LIMIT)) {
			warnings.add("@" + OTHER_LIMIT + " is on the method too: attempts that have a permit wait for its permit, "
					+ "without a deadline; remove it");
		}
		String breaker = plan.policy().breaker();
		if (breaker != null && this.policies.configuration().breaker(breaker).settings().awaited()
				&& plan.policy().numbers().deadlineNanos() == Nanos.UNLIMITED && plan.manner().holdsThread()) {
			warnings.add("a call holds its thread as long as the breaker " + breaker
					+ " stays open (on-open: wait): set a deadline");
		}
		if (this.weaving != null) {
			warnings.addAll(this.weaving.advice(plan.method(), this.beanFactory));
			return warnings;
		}
		Collection<String> places = this.selfCalls.of(plan.method());
		if (!places.isEmpty()) {
			warnings.add("calls by the bean itself pass no proxy and are not retried: " + String.join(", ", places)
					+ "; call an injected ObjectProvider<" + plan.method().type().getSimpleName()
					+ "> there, or a retry of BackoffMethods, or set backoff.mode to aspectj");
		}
		return warnings;
	}

	/**
	 * Return whether the advice is worth a warning: attempts multiply or share one
	 * transaction or lock, calls are not retried, a timeout can never be reached, or a
	 * call can last for hours and no preset says so.
	 */
	boolean isWarned(MethodPlan plan) {
		RetryPolicy policy = plan.policy().numbers();
		boolean unlimited = policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		EffectivePolicy.Value attempts = plan.policy().values().get(PolicyKey.MAX_ATTEMPTS);
		boolean meant = unlimited && attempts != null && attempts.origin().startsWith("preset ");
		boolean endless = (unlimited && policy.deadlineNanos() == Nanos.UNLIMITED)
				|| (plan.manner().holdsThread() && waits(policy) > HOUR);
		boolean unreachable = policy.attemptTimeoutNanos() != Nanos.UNLIMITED
				&& policy.attemptTimeoutNanos() > policy.deadlineNanos();
		return !warnings(plan).isEmpty() || unreachable || (endless && !meant);
	}

	private static long waits(RetryPolicy policy) {
		long limit = policy.deadlineNanos();
		if (policy.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) {
			return limit;
		}
		return Math.min(limit, DelayPlan.of(policy.rule(), policy.maxAttempts() - 1).totalGreatest());
	}

	private static boolean has(MethodPlan plan, String annotation) {
		return Arrays.stream(plan.method().method().getAnnotations())
			.anyMatch((present) -> present.annotationType().getName().equals(annotation));
	}

}
