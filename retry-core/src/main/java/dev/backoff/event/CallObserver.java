package dev.backoff.event;

import org.jspecify.annotations.Nullable;

/**
 * Watch calls from their beginning to their end, with one object for each call and one
 * for each attempt: what tracing needs. Whoever wants numbers takes a
 * {@link CallRecorder}, whoever wants events a {@link RetryListener}.
 * <p>
 * What is watched may be <em>opened</em> on a thread, so that what runs there meanwhile
 * belongs to it: an attempt while its work runs or is started and while its end is
 * recorded, a call while its recorder, its listeners and its recovery are told of its
 * waits and its end. Each scope is closed on the thread that opened it, before what was
 * opened around it.
 * <p>
 * An asynchronous call goes from thread to thread, never on two at once; only a scope of
 * an attempt may still be open on the thread that started it when the attempt ends on
 * another. An observer that throws never fails a call. Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface CallObserver {

	/**
	 * Watch a call that begins on this thread.
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @return what watches it, or null to leave this call alone
	 */
	@Nullable ObservedCall callBegins(String policy, String method);

	/** What can be opened on a thread. */
	@FunctionalInterface
	interface Observed {

		/**
		 * Let what runs on this thread belong to this, until closed.
		 * @return the scope, which is closed on this thread
		 */
		Scope open();

	}

	/** One call. */
	interface ObservedCall extends Observed {

		/**
		 * Watch an attempt that begins on this thread. The one before has ended.
		 * @param number the attempt, counted from 1
		 * @return what watches it
		 */
		ObservedAttempt attemptBegins(int number);

		/**
		 * Be told that the call begins to wait.
		 * @param source who chose the delay
		 * @param nanos the delay, in nanoseconds
		 */
		void waitBegins(DelaySource source, long nanos);

		/**
		 * Be told that the call has ended, its recovery included.
		 * @param reason why
		 * @param attempts how many attempts were made, none if a breaker refused the
		 * first
		 * @param recovery what the recovery did
		 * @param thrown what the caller gets thrown, or null if it gets a result
		 */
		void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery, @Nullable Throwable thrown);

	}

	/** One attempt. */
	interface ObservedAttempt extends Observed {

		/**
		 * Be told that the attempt has ended.
		 * @param outcome how
		 * @param failure what it failed with, or null if it returned
		 */
		void ends(AttemptOutcome outcome, @Nullable Throwable failure);

	}

	/** What is open on a thread. */
	@FunctionalInterface
	interface Scope {

		/** Close it, on the thread that opened it. */
		void close();

	}

}
