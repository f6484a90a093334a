package dev.backoff.policy;

import org.jspecify.annotations.Nullable;

/**
 * Judge a result. A match means a failure in {@link RetryPolicyBuilder#retryWhen} and a
 * final result in {@link RetryPolicyBuilder#until}.
 * <p>
 * A condition that throws accepts the result, and its exception is published to the
 * listeners. Implementations are thread-safe.
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
