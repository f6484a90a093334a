package dev.backoff.event;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.RetryCause;

/**
 * An event of a call, for a {@link RetryListener}. Immutable.
 *
 * @since 0.1
 */
public sealed interface RetryEvent {

	/**
	 * {@return the policy's name}
	 */
	String policy();

	/**
	 * {@return the method, or the label of a programmatic call; for instance {@code
	 * OrderService.place}}
	 */
	String method();

	/**
	 * Another attempt follows after a delay.
	 *
	 * @param policy the policy's name
	 * @param method the method
	 * @param attempt the attempt that was not good enough, counted from 1
	 * @param delay how long the wait is; zero for {@link DelaySource#CONCURRENCY}
	 * @param source where the delay comes from
	 * @param cause what made the retry necessary
	 * @param failure what the attempt threw, or null if it returned
	 */
	record Scheduled(String policy, String method, int attempt, Duration delay, DelaySource source, RetryCause cause,
			@Nullable Throwable failure) implements RetryEvent {
	}

	/**
	 * A call succeeded after at least one retry.
	 *
	 * @param policy the policy's name
	 * @param method the method
	 * @param attempts how many attempts it took, 2 or more
	 * @param elapsed how long the call took
	 */
	record Succeeded(String policy, String method, int attempts, Duration elapsed) implements RetryEvent {
	}

	/**
	 * A call stopped without success.
	 *
	 * @param policy the policy's name
	 * @param method the method
	 * @param report what happened
	 * @param recovery what the recovery did
	 * @param thrown what the caller gets thrown, or null if it gets a result
	 * @param isUnmeant whether the stop was probably not meant: nothing tells whether the
	 * HTTP request may be repeated, or a type in retryOn does not reach the failure
	 * @param outcome how the last attempt ended
	 */
	record Stopped(String policy, String method, RetriesStoppedException report, RecoveryOutcome recovery,
			@Nullable Throwable thrown, boolean isUnmeant, AttemptOutcome outcome) implements RetryEvent {
	}

	/**
	 * An object that the application gave to the library threw an exception.
	 *
	 * @param policy the policy's name
	 * @param method the method
	 * @param hook the object, for instance {@code "until condition"}
	 * @param failure what it threw
	 */
	record HookFailed(String policy, String method, String hook, Throwable failure) implements RetryEvent {
	}

	/** What a recovery did. */
	enum RecoveryOutcome {

		/** There was no recovery, or it did not accept the stop. */
		NONE,

		/** The recovery returned. */
		DONE,

		/** The recovery threw a failure of its own. */
		FAILED,

		/** The recovery threw what it was given, or an exception caused by it. */
		RETHROWN

	}

}
