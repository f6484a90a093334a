package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;

/**
 * Follow an unsuccessful stop, once, outside the retries. Its result is returned to the
 * caller; its exception is thrown, with the original failure suppressed.
 *
 * @param <C> the type of the context
 * @param <T> the type of the result
 * @param <X> the exception it throws
 * @since 0.1
 */
@FunctionalInterface
public interface Recovery<C, T extends @Nullable Object, X extends Throwable> {

	/**
	 * Return whether this recovery accepts the given stop. It is asked only for stops
	 * that are {@linkplain StopReason#isRecoverable() recoverable}, and never for an
	 * {@link Error}.
	 * @param stopped the stop report of the call
	 * @return true to recover
	 */
	default boolean accepts(RetriesStoppedException stopped) {
		return true;
	}

	/**
	 * Recover.
	 * @param context what the operation ran on
	 * @param stopped the stop report of the call, with the last failure or result
	 * @return the result of the call
	 * @throws X if there is no recovery
	 */
	T recover(C context, RetriesStoppedException stopped) throws X;

}
