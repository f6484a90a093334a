package dev.backoff.event;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Watch calls from beginning to end, with one object for each call and one for each
 * attempt, as tracing needs it. A {@link CallRecorder} takes numbers, a
 * {@link RetryListener} events.
 * <p>
 * A call or an attempt is <em>opened</em> on a thread while work that belongs to it runs
 * there: an attempt while its work runs or is started and while its end is recorded, a
 * call while its recorder, its listeners and its recovery run. Each scope is closed on
 * the thread that opened it, before the scope around it.
 * <p>
 * An asynchronous call goes from thread to thread, never on two at once. Only a scope of
 * an attempt may still be open on the thread that started the attempt when it ends on
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
	 * @return the observer of this call, or null to leave it alone
	 */
	@Nullable ObservedCall callBegins(String policy, String method);

	/**
	 * Watch a call that is kept elsewhere while it waits, such as in a database: when it
	 * has been stored, and again when each of its attempts is due, on whatever thread and
	 * in whatever process that is.
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param key the same each time, and no other call's
	 * @param attempt the attempt that is due, or 0 when the call has been stored
	 * @return the observer of this call, or null to leave it alone, as by default
	 */
	default @Nullable ObservedCall callKept(String policy, String method, String key, int attempt) {
		return null;
	}

	/**
	 * {@return one observer for all of them, which leaves a call alone when it fails, or
	 * null if there is none}
	 * @param observers called in their order; the scopes of each are open inside those of
	 * the one before
	 * @param report told what they throw
	 */
	static @Nullable CallObserver safe(List<CallObserver> observers, Consumer<Throwable> report) {
		return observers.isEmpty() ? null : new SafeObserver(List.copyOf(observers), report);
	}

	/**
	 * Tell a call of one around it, as each observer of that one knows it.
	 * @param told the call
	 * @param around the one around it
	 */
	static void tellAround(ObservedCall told, ObservedCall around) {
		if (around instanceof SafeObserver.SafeCall several) {
			several.calls().forEach(told::isInside);
		}
		else {
			told.isInside(around);
		}
	}

	/** A call or an attempt, which can be opened on a thread. */
	@FunctionalInterface
	interface Observed {

		/**
		 * Let the work on this thread belong to this call or attempt, until closed.
		 * @return the scope, which is closed on this thread
		 */
		Scope open();

	}

	/** One call. */
	interface ObservedCall extends Observed {

		/**
		 * Another observed call is around this one: this call was made within its
		 * attempt, or with the {@code RetryContext} of its attempt, on whatever thread.
		 * Told before the first attempt, from the innermost call outwards.
		 * @param around that call, once for each observer of it: an observer ignores what
		 * it has not returned itself
		 */
		default void isInside(ObservedCall around) {
		}

		/**
		 * The attempts of this call are asynchronous: what is started may end after its
		 * start has returned. Told before the first attempt.
		 */
		default void isAsynchronous() {
		}

		/**
		 * Watch an attempt that begins on this thread. The attempt before has ended.
		 * @param number the attempt, counted from 1
		 * @return the observer of this attempt
		 */
		ObservedAttempt attemptBegins(int number);

		/**
		 * The call begins to wait.
		 * @param source where the delay comes from
		 * @param nanos the delay, in nanoseconds
		 */
		void waitBegins(DelaySource source, long nanos);

		/**
		 * The call has ended, its recovery included.
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
		 * The attempt has ended.
		 * @param outcome how
		 * @param failure what it failed with, or null if it returned
		 */
		void ends(AttemptOutcome outcome, @Nullable Throwable failure);

	}

	/** A call or an attempt that is open on a thread. */
	@FunctionalInterface
	interface Scope extends AutoCloseable {

		/** Close it, on the thread that opened it. */
		@Override
		void close();

	}

}
