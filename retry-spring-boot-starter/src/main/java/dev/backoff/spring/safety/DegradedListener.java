package dev.backoff.spring.safety;

import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Notified when the delays of a policy are raised and when they are back to normal: a
 * bean type. A failure of the listener is logged and does not affect the call. Listeners
 * run within a call, so implementations are thread-safe and quick.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface DegradedListener {

	/**
	 * The delays of a policy have changed.
	 * @param policy the policy's name
	 * @param degraded whether they are raised from now on
	 * @param counts the attempts in the window
	 */
	void changed(String policy, boolean degraded, Counts counts);

}
