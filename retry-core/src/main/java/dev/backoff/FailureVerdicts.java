package dev.backoff;

import java.util.List;
import java.util.function.Function;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreaker.Verdict;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryPolicy;

/**
 * Judge a dependency by its exceptions, by the same rules as retries: an exception that
 * is not worth a retry counts as an answer. It is meant for breakers that are
 * {@linkplain CircuitBreaker#call used by hand}. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class FailureVerdicts implements Function<Throwable, Verdict> {

	private final FailureRules rules;

	/**
	 * Create verdicts by the given classifiers.
	 * @param classifiers in the order in which they are asked
	 */
	public FailureVerdicts(List<? extends FailureClassifier> classifiers) {
		this.rules = new FailureRules(
				RetryPolicy.builder("verdicts").classifiers(classifiers).nestedMultiply(true).build());
	}

	@Override
	public Verdict apply(Throwable failure) {
		return this.rules.judge(failure, new CallState(null)).verdict();
	}

}
