package dev.backoff.policy;

import org.jspecify.annotations.Nullable;

/**
 * Judge a result. Whether a match means "failure" or "final" is the policy's:
 * {@link RetryPolicyBuilder#retryWhen} or {@link RetryPolicyBuilder#until}.
 * <p>
 * A condition that throws judges nothing: the result is returned as it is, and listeners
 * are told. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface RetryCondition {

	/**
	 * Judge one result.
	 * @param result what the attempt returned
	 * @param context what the operation ran on: an invocation, or the operation itself
	 * @return whether the condition is met
	 */
	boolean test(@Nullable Object result, @Nullable Object context);

}
