package dev.backoff.spring.policy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;

/**
 * The values in effect for one method with their origins, and the policy made of them.
 *
 * @since 0.1
 */
public final class EffectivePolicy {

	private final RetryPolicy numbers;

	private final @Nullable ConfigValue classifier;

	private final boolean replayed;

	private final @Nullable Integer concurrency;

	private final @Nullable String breaker;

	private final @Nullable String budget;

	private final Map<PolicyKey, EffectiveValue> values;

	private final Set<PolicyKey> writtenForIt;

	/** Make a policy. */
	EffectivePolicy(RetryPolicy numbers, @Nullable ConfigValue classifier, boolean replayed,
			@Nullable Integer concurrency, @Nullable String breaker, @Nullable String budget,
			Map<PolicyKey, EffectiveValue> values, Set<PolicyKey> writtenForIt) {
		this.numbers = numbers;
		this.classifier = classifier;
		this.replayed = replayed;
		this.concurrency = concurrency;
		this.breaker = breaker;
		this.budget = budget;
		this.values = Collections.unmodifiableMap(values);
		this.writtenForIt = writtenForIt;
	}

	/** Return the policy's name, in the spelling of the configuration if it is there. */
	public String name() {
		return this.numbers.name();
	}

	/**
	 * Return the policy with its numbers and lists, without classifiers and conditions.
	 */
	public RetryPolicy numbers() {
		return this.numbers;
	}

	/** Return the policy complete, with classifiers in the order they are asked. */
	public RetryPolicy complete(List<? extends FailureClassifier> classifiers, @Nullable RetryCondition retryWhen,
			@Nullable RetryCondition until) {
		return this.numbers.toBuilder().classifiers(classifiers).retryWhen(retryWhen).until(until).build();
	}

	/** Return the bean name of the policy's own classifier, or null. */
	public @Nullable String classifier() {
		return (this.classifier != null) ? this.classifier.text() : null;
	}

	/** Report the policy's own classifier, at the place where it is named. */
	public Problem classifierProblem(String rule, String fix) {
		return (this.classifier != null) ? this.classifier.problem(rule, fix) : Problem.ofPlace(name(), rule, fix);
	}

	/**
	 * Return whether a stream is retried after elements have been passed on, false by
	 * default.
	 */
	public boolean isReplayed() {
		return this.replayed;
	}

	/** Return whether calls are stored. */
	public boolean isDurable() {
		return this.concurrency != null;
	}

	/**
	 * Return how many attempts of a durable policy run at once in this process, or null
	 * if it is not durable.
	 */
	public @Nullable Integer concurrency() {
		return this.concurrency;
	}

	/** Return the name of the breaker in effect, or null for none. */
	public @Nullable String breaker() {
		return this.breaker;
	}

	/** Return the name of the budget in effect, or null for none. */
	public @Nullable String budget() {
		return this.budget;
	}

	/** Return the values in effect; an immutable map, in the order of the keys. */
	public Map<PolicyKey, EffectiveValue> values() {
		return this.values;
	}

	/**
	 * Return whether a value was written for this policy alone, not by a preset or the
	 * defaults.
	 */
	public boolean isWrittenForIt(PolicyKey key) {
		return this.writtenForIt.contains(key);
	}

}
