package dev.backoff.time;

/**
 * What is going to happen later, unless it is taken back.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Cancellable {

	/**
	 * Take it back and keep nothing of it. Once it has happened, or the second time, this
	 * does nothing.
	 */
	void cancel();

}
