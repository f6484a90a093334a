package dev.backoff.spring.observation;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.backoff.event.StopReason;

/**
 * The numbers of calls since the start of the application, for each policy and method.
 * They do not depend on meters, but are missing if the application records calls with a
 * factory of its own. {@link dev.backoff.CallRegistry} has the number of waiting calls.
 * <p>
 * After 1,000 pairs of policy and method, further pairs share the method {@code other}.
 * Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface CallStatistics {

	/** Return the numbers of one method, or empty if no such method is known. */
	default Optional<MethodCalls> of(String policy, String method) {
		return all().stream()
			.filter((calls) -> calls.policy().equals(policy) && calls.method().equals(method))
			.findFirst();
	}

	/** Return the numbers of each method, in no particular order. */
	List<MethodCalls> all();

	/**
	 * The numbers of one method: calls and attempts that have ended, and retries that
	 * have begun. The numbers are read one after the other while calls go on. Immutable.
	 */
	record MethodCalls(String policy, String method, Map<StopReason, Long> calls, long attempts, long retries) {
	}

}
