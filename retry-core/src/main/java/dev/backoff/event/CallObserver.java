package dev.backoff.event;

import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Watch calls from beginning to end, with one object for each call and one for each
 * attempt, as tracing needs it. A {@link CallRecorder} receives numbers, and a
 * {@link RetryListener} events.
 * <p>
 * A call or an attempt is <em>opened</em> on a thread while its work runs there. An
 * attempt is open while its work runs or is started, and while its end is recorded. A
 * call is open while its recorder, its listeners and its recovery run. Each scope is
 * closed on the thread that opened it, before the scope around it.
 * <p>
 * An asynchronous call moves from thread to thread, but never runs on two at once. Only
 * the scope of an attempt may still be open on the thread that started the attempt when
 * the attempt ends on another thread. An observer that throws never fails a call.
 * Implementations are thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface CallObserver {

	/**
	 * Watch a call that begins on this thread.
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @return the observer of this call, or null not to watch it
	 */
	@Nullable ObservedCall callBegins(String policy, String method);

	/**
	 * Watch a call that is stored while it waits, such as in a database. This is called
	 * when the call has been stored, and again when each of its attempts is due, on any
	 * thread and in any process.
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param key the same each time, and different for every other call
	 * @param attempt the attempt that is due, or 0 when the call has been stored
	 * @return the observer of this call, or null (the default) not to watch it
	 */
	default @Nullable ObservedCall callStored(String policy, String method, String key, int attempt) {
		return null;
	}

	/**
	 * {@return one observer that calls all of them and never fails a call, or null if
	 * there are none}
	 * @param observers called in their order; the scopes of each are open inside those of
	 * the previous observer
	 * @param report receives what they throw
	 */
	static @Nullable CallObserver safe(List<CallObserver> observers, Consumer<Throwable> report) {
		return observers.isEmpty() ? null : new SafeObserver(List.copyOf(observers), report);
	}

	/**
	 * Tell a call about the call around it, once for each observer of the outer call.
	 * @param told the inner call
	 * @param around the outer call
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
		 * Make work on this thread belong to this call or attempt until the scope is
		 * closed.
		 * @return the scope, which is closed on this thread
		 */
		Scope open();

	}

	/** One call. */
	interface ObservedCall extends Observed {

		/**
		 * Another observed call is around this call: this call was made within an attempt
		 * of the other call, or with the {@code RetryContext} of that attempt, on any
		 * thread. This is called before the first attempt, from the innermost call
		 * outwards.
		 * @param around the other call, once for each of its observers; an observer
		 * ignores objects that it has not returned itself
		 */
		default void isInside(ObservedCall around) {
		}

		/**
		 * The attempts of this call are asynchronous: an attempt may end after the method
		 * that started it has returned. This is called before the first attempt.
		 */
		default void isAsynchronous() {
		}

		/**
		 * Watch an attempt that begins on this thread. The previous attempt has ended.
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
		 * @param attempts how many attempts were made, 0 if the first was not permitted
		 * @param recovery what the recovery did
		 * @param thrown what the caller gets thrown, or null if it gets a result
		 */
		void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery, @Nullable Throwable thrown);

	}

	/** One attempt. */
	interface ObservedAttempt extends Observed {

		/**
		 * The attempt has ended.
		 * @param outcome how it ended
		 * @param failure what it failed with, or null if it returned
		 */
		void ends(AttemptOutcome outcome, @Nullable Throwable failure);

	}

	/** A call or an attempt that is open on a thread. */
	@FunctionalInterface
	interface Scope extends AutoCloseable {

		/** Close the scope, on the thread that opened it. */
		@Override
		void close();

	}

}
