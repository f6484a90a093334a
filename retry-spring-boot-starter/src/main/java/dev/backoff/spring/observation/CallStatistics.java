package dev.backoff.spring.observation;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.backoff.event.StopReason;

/**
 * What calls have come to since the start of the application, by policy and method. It is
 * counted whether or not there are meters, and is there unless an application records
 * calls with a factory of its own. How many calls wait is said by
 * {@link dev.backoff.WaitingCalls#counts()}.
 * <p>
 * Of very many methods the last ones share one called {@code other}. Implementations are
 * thread-safe.
 *
 * @since 0.1
 */
public interface CallStatistics {

	/**
	 * Return what the calls of one method have come to.
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @return the numbers, or empty if no such method is known
	 */
	Optional<MethodCalls> of(String policy, String method);

	/**
	 * {@return what all calls have come to; the numbers of each method, in no order}
	 */
	List<MethodCalls> all();

	/**
	 * What the calls of one method have come to. Numbers of calls that are under way are
	 * of different moments. Immutable and thread-safe.
	 *
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param calls calls that have ended, by why; a reason that never came up is left out
	 * @param attempts attempts that have ended
	 * @param retries attempts after the first that have begun
	 */
	record MethodCalls(String policy, String method, Map<StopReason, Long> calls, long attempts, long retries) {

		/**
		 * Copy the calls.
		 * @param policy the policy's name
		 * @param method the method, or the label of a programmatic call
		 * @param calls calls that have ended, by why
		 * @param attempts attempts that have ended
		 * @param retries attempts after the first that have begun
		 */
		public MethodCalls {
			Map<StopReason, Long> copy = new EnumMap<>(StopReason.class);
			copy.putAll(calls);
			calls = Collections.unmodifiableMap(copy);
		}

	}

}
