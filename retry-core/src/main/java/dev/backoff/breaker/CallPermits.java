package dev.backoff.breaker;

import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker as retries see it: it gives permits for attempts, or refuses them.
 * Implementations are thread-safe and throw nothing.
 *
 * @since 0.1
 */
public interface CallPermits {

	/**
	 * {@return the breaker's name in logs and meters}
	 */
	String name();

	/**
	 * Take a permit for one attempt, and give it back by exactly one of its methods.
	 * @param now the reading of the ticker
	 * @return the permit, or null if the attempt must not be made
	 */
	@Nullable Permit tryAcquire(long now);

	/**
	 * Return whether an attempt would get a permit, without taking it.
	 * @param now the reading of the ticker
	 * @return true unless calls are refused now
	 */
	boolean isPermitting(long now);

	/**
	 * Return the time until calls may be permitted again.
	 * @param now the reading of the ticker
	 * @return nanoseconds; zero if calls are permitted now, or if the time is unknown
	 */
	long nanosToPermit(long now);

	/**
	 * {@return whether refused calls wait until they are permitted, at most until their
	 * deadline; false if they fail}
	 */
	boolean isAwaited();

	/**
	 * Return the exception for a call that was refused before its first attempt.
	 * @param now the reading of the ticker
	 * @return a new exception
	 */
	CircuitOpenException rejection(long now);

	/** The permission to make one attempt. Unless overridden, its methods do nothing. */
	interface Permit {

		/** The permit of an attempt that no breaker counts. */
		Permit UNCOUNTED = new Permit() {
		};

		/**
		 * Give the permit back after an attempt that the dependency answered.
		 * @param nanos how long the attempt took, in nanoseconds
		 * @param now the reading of the ticker
		 */
		default void succeeded(long nanos, long now) {
		}

		/**
		 * Give the permit back after an attempt that failed.
		 * @param nanos how long the attempt took, in nanoseconds
		 * @param now the reading of the ticker
		 * @param failure the exception it threw, or null if its result counts as a
		 * failure
		 */
		default void failed(long nanos, long now, @Nullable Throwable failure) {
		}

		/**
		 * Give the permit back after an attempt that says nothing about the dependency:
		 * an {@link Error}, a cancellation, an interruption.
		 */
		default void released() {
		}

		/**
		 * Return whether calls within the attempt need no permit of their own, because it
		 * is a probe of the given breaker. Otherwise a method that calls another method
		 * with this breaker would take all probes and be refused for ever.
		 * @param breaker the breaker whose permit such a call would take
		 * @return false unless overridden
		 */
		default boolean covers(CallPermits breaker) {
			return false;
		}

	}

}
