package dev.backoff.policy;

import org.jspecify.annotations.Nullable;

/**
 * Judge a result. A match means a failure in {@link RetryPolicyBuilder#retryWhen} and a
 * final result in {@link RetryPolicyBuilder#until}.
 * <p>
 * If a condition throws, the result is returned as it is, and listeners are told.
 * Implementations are thread-safe.
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
