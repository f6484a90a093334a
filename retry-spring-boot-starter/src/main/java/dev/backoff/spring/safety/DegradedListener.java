package dev.backoff.spring.safety;

import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Told when the delays of a policy are raised and when they are as before: a bean type. A
 * listener that throws is logged and fails no call. Implementations are thread-safe and
 * quick: they run within a call.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface DegradedListener {

	/**
	 * The delays have changed.
	 * @param policy the policy's name
	 * @param degraded whether they are raised from now on
	 * @param counts the attempts of the window that decided
	 */
	void changed(String policy, boolean degraded, Counts counts);

}
