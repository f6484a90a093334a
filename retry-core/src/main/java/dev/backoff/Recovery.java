package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;

/**
 * Work that follows an unsuccessful stop. It is not retried; in a durable call, it runs
 * again if it was interrupted. Its result is returned to the caller. If it throws, the
 * caller gets its exception, with the original failure as a suppressed exception.
 *
 * @param <C> the type of the context
 * @param <T> the type of the result
 * @param <X> the exception it throws
 * @since 0.1
 */
@FunctionalInterface
public interface Recovery<C, T extends @Nullable Object, X extends Throwable> {

	/**
	 * Return whether this recovery accepts the given stop. It is called only for stops
	 * that are {@linkplain StopReason#isRecoverable() recoverable}, and never for an
	 * {@link Error}.
	 * @param stopped the stop report of the call
	 * @return true to recover
	 */
	default boolean accepts(RetriesStoppedException stopped) {
		return true;
	}

	/**
	 * Run the recovery.
	 * @param context what the operation ran on
	 * @param stopped the stop report of the call, with the last failure or result
	 * @return the result of the call
	 * @throws X if the recovery fails
	 */
	T recover(C context, RetriesStoppedException stopped) throws X;

}
