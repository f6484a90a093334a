package dev.backoff.spring.policy;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;

/**
 * The values in effect for one method with their origins, and the policy made of them.
 *
 * @param numbers the policy with its numbers and lists, without classifiers and
 * conditions
 * @param ownClassifier the value that names the policy's own classifier, or null
 * @param replayed whether a stream is retried after elements have been passed on
 * @param concurrency how many attempts of a durable policy run at once in this process,
 * or null if it is not durable
 * @param breaker the name of the breaker in effect, or null for none
 * @param budget the name of the budget in effect, or null for none
 * @param pace the name of the pace in effect, or null for none
 * @param values the values in effect, in the order of the keys
 * @since 0.1
 */
public record EffectivePolicy(RetryPolicy numbers, @Nullable ConfigValue ownClassifier, boolean replayed,
		@Nullable Integer concurrency, @Nullable String breaker, @Nullable String budget, @Nullable String pace,
		Map<Key<?>, EffectiveValue> values) {

	/** Return the policy's name, with the configuration's spelling if there is one. */
	public String name() {
		return this.numbers.name();
	}

	/** Return the policy with conditions, and with classifiers in their order. */
	public RetryPolicy complete(List<? extends FailureClassifier> classifiers, @Nullable RetryCondition retryWhen,
			@Nullable RetryCondition until) {
		// attempts of stored calls have threads of their own
		int most = isDurable() ? RetryPolicy.UNLIMITED_CONCURRENCY : this.numbers.concurrency();
		RetryPolicyBuilder complete = this.numbers.toBuilder().classifiers(classifiers).concurrency(most);
		return complete.retryWhen(retryWhen).until(until).build();
	}

	/** Return the bean name of the policy's own classifier, or null. */
	public @Nullable String classifier() {
		return (this.ownClassifier != null) ? this.ownClassifier.text() : null;
	}

	/** Return whether calls are stored. */
	public boolean isDurable() {
		return this.concurrency != null;
	}

	/** Return whether a value is neither built in nor the default of durable policies. */
	public boolean isSet(Key<?> key) {
		EffectiveValue value = this.values.get(key);
		return value != null && value.wasSet();
	}

}
