package dev.backoff.simulator;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.Retry;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.RandomSource;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetryListener;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyAdvice;

/**
 * A policy with the numbers of its budget and its breaker. Immutable and thread-safe.
 * <p>
 * In a simulation every failure can be retried, whatever the lists and classifiers of the
 * policy say: an attempt fails by its result, or is throttled. A breaker of another
 * library is left out.
 *
 * @param policy the policy, for which a result of {@code false} is a failure
 * @param budget the numbers of each caller's budget, or null for none
 * @param breaker the numbers of each caller's breaker, or null for none
 * @param retried whether retries are made at all
 * @param stored whether calls are stored, so that a call that waits holds no thread
 * @param advice sentences on what works but is probably not meant
 * @since 0.1
 */
public record SimulatedPolicy(RetryPolicy policy, @Nullable BudgetSettings budget, @Nullable BreakerSettings breaker,
		boolean retried, boolean stored, List<String> advice) {

	/**
	 * Simulate a policy of the core.
	 * @param builder the policy, whose lists, classifiers and conditions are replaced
	 * @param budget the numbers of its budget, or null for none
	 * @return the policy, without a breaker
	 */
	public static SimulatedPolicy of(RetryPolicyBuilder builder, @Nullable BudgetSettings budget) {
		return of(builder, budget, null, false, List.of());
	}

	/**
	 * Simulate a policy of an application.
	 * @param policy the values in effect
	 * @param configuration the configuration of its budget and its breaker
	 * @return the policy
	 */
	public static SimulatedPolicy of(EffectivePolicy policy, BackoffConfiguration configuration) {
		BudgetSettings budget = (policy.budget() != null) ? configuration.budget(policy.budget()).settings() : null;
		BreakerSettings breaker = (policy.breaker() != null) ? configuration.breaker(policy.breaker()).settings()
				: null;
		return of(policy.numbers().toBuilder(), budget, breaker, policy.isDurable(),
				PolicyAdvice.of(policy, configuration));
	}

	private static SimulatedPolicy of(RetryPolicyBuilder builder, @Nullable BudgetSettings budget,
			@Nullable BreakerSettings breaker, boolean stored, List<String> advice) {
		RetryPolicy policy = builder.retryOn(List.of())
			.classifiers(List.of(ThrottledException::classify))
			.retryWhen((result, context) -> Boolean.FALSE.equals(result))
			.until(null)
			.build();
		return new SimulatedPolicy(policy, budget, breaker, true, stored, advice);
	}

	SimulatedPolicy withoutProtection() {
		return new SimulatedPolicy(this.policy, null, null, this.retried, this.stored, this.advice);
	}

	SimulatedPolicy withoutBreaker() {
		return new SimulatedPolicy(this.policy, this.budget, null, this.retried, this.stored, this.advice);
	}

	SimulatedPolicy withoutRetries() {
		return new SimulatedPolicy(this.policy, null, null, false, this.stored, this.advice);
	}

	SimulatedPolicy withAdvice(String more) {
		return new SimulatedPolicy(this.policy, this.budget, this.breaker, this.retried, this.stored,
				Stream.concat(this.advice.stream(), Stream.of(more)).toList());
	}

	/** Return the same with another policy. */
	SimulatedPolicy with(UnaryOperator<RetryPolicyBuilder> change) {
		return new SimulatedPolicy(change.apply(this.policy.toBuilder()).build(), this.budget, this.breaker,
				this.retried, this.stored, this.advice);
	}

	/** Return the same with a longer base, and the built-in cap if it has that. */
	SimulatedPolicy withBase(Duration base) {
		BackoffRule rule = this.policy.rule();
		Shape shape = rule.shape().withBaseAtLeast(base);
		return with((builder) -> builder.shape(shape)
			.cap(Duration.ofNanos(hasBuiltInCap() ? BackoffRule.builtInCap(shape) : rule.capNanos())));
	}

	boolean hasBuiltInCap() {
		return this.policy.rule().capNanos() == BackoffRule.builtInCap(this.policy.rule().shape());
	}

	SimulatedPolicy withBudget(BudgetSettings budget) {
		return new SimulatedPolicy(this.policy, budget, this.breaker, this.retried, this.stored, this.advice);
	}

	@Nullable RetryBudget newBudget(EventQueue time) {
		return (this.budget != null) ? RetryBudget.of("simulated", this.budget, time, RetryBudget.Listener.NONE) : null;
	}

	/** Make a caller, with a breaker of its own. */
	Retry caller(EventQueue time, RandomSource random, RetryListener listener, @Nullable RetryBudget budget) {
		return Retry.builder(this.policy)
			.time(time)
			.random(random)
			.executor(Runnable::run)
			.listener(listener)
			.enabledWhen(this::retried)
			.budget(budget)
			.breaker((this.breaker != null)
					? CircuitBreaker.builder("simulated").settings(this.breaker).time(time).random(random).build()
					: null)
			.build();
	}

}
