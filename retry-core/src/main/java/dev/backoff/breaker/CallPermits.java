package dev.backoff.breaker;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Give permits for attempts, or refuse them: a circuit breaker, ours or another
 * library's, as retries see it. Implementations are thread-safe. If one throws, the
 * attempt runs without a permit.
 *
 * @since 0.1
 */
public interface CallPermits {

	/**
	 * {@return the breaker's name in logs and meters}
	 */
	String name();

	/**
	 * Take a permit for one attempt, which gives it back by exactly one of its methods.
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
	 * @return nanoseconds, zero if they are permitted now or if unknown
	 */
	long nanosToPermit(long now);

	/**
	 * {@return whether calls that are refused wait until they are permitted, at most
	 * until their deadline, instead of failing; false to fail}
	 */
	boolean isAwaited();

	/**
	 * Return the exception for a call that was refused before its first attempt.
	 * @param now the reading of the ticker
	 * @return a new exception
	 */
	CircuitOpenException rejection(long now);

	/**
	 * {@return a breaker that permits every attempt when the given one fails}
	 * @param permits the breaker
	 * @param report told what it throws
	 */
	static CallPermits safe(CallPermits permits, Consumer<Throwable> report) {
		return new SafePermits(permits, report);
	}

	/** The permission to make one attempt. */
	interface Permit {

		/** The permit of an attempt that no breaker counts. */
		Permit UNCOUNTED = new Permit() {

			@Override
			public void succeeded(long nanos, long now) {
			}

			@Override
			public void failed(long nanos, long now, @Nullable Throwable failure) {
			}

			@Override
			public void released() {
			}

		};

		/**
		 * Give it back after an attempt that the dependency answered.
		 * @param nanos how long the attempt took, in nanoseconds
		 * @param now the reading of the ticker
		 */
		void succeeded(long nanos, long now);

		/**
		 * Give it back after an attempt that failed.
		 * @param nanos how long the attempt took, in nanoseconds
		 * @param now the reading of the ticker
		 * @param failure the exception it threw, or null if its result was not good
		 * enough
		 */
		void failed(long nanos, long now, @Nullable Throwable failure);

		/**
		 * Give it back after an attempt that says nothing about the dependency: an
		 * {@link Error}, a cancellation, an interruption.
		 */
		void released();

		/**
		 * Return whether calls made within the attempt need no permit of their own,
		 * because it is a probe of that breaker. Otherwise a method that calls another
		 * method of its breaker would take all probes and refuse itself for ever.
		 * @param breaker whose permit such a call would take
		 * @return false unless overridden
		 */
		default boolean covers(CallPermits breaker) {
			return false;
		}

	}

}
