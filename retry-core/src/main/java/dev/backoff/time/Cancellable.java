package dev.backoff.time;

/**
 * A scheduled action that can be cancelled.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Cancellable {

	/**
	 * Cancel the action and keep no reference to it. This does nothing if the action has
	 * run already or was cancelled before.
	 */
	void cancel();

}
