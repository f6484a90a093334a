package dev.backoff;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of work that ends later. It is started once per attempt, the first time on
 * the calling thread. Its stage completes with the attempt's result or failure. An
 * operation that throws or returns null has failed.
 *
 * @param <T> the type of the result
 * @since 0.1
 */
@FunctionalInterface
public interface AsyncOperation<T extends @Nullable Object> {

	/**
	 * Start one attempt.
	 * @return the stage that completes when the attempt ends, a new one each time
	 * @throws Throwable if the attempt fails at once
	 */
	CompletionStage<T> run() throws Throwable;

	/** An executor of later attempts that carries the context of the caller. */
	interface CarryingExecutor extends Executor {

		/**
		 * Run a task on this thread with the context of the caller.
		 * @param task handles the end of an attempt on another thread
		 */
		void runHere(Runnable task);

	}

	/**
	 * One attempt of work on a context.
	 *
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	interface OnContext<C, T extends @Nullable Object> {

		/**
		 * Start one attempt.
		 * @param context what to work on
		 * @param number the attempt, counted from 1
		 * @return the stage that completes when the attempt ends, a new one each time
		 * @throws Throwable if the attempt fails at once
		 */
		CompletionStage<T> run(C context, int number) throws Throwable;

		/**
		 * Return why the attempt that has ended without success must not be repeated,
		 * whatever the policy says: because the caller has received a part of its result.
		 * If the caller has cancelled such an attempt, the attempt counts as a success.
		 * After this call the attempt must not affect the caller.
		 * @param context the context of the attempt
		 * @return the reason in words, or null if the attempt may be repeated
		 */
		default @Nullable String unrepeatable(C context) {
			return null;
		}

		/**
		 * Receive the future of the call before the first attempt.
		 * @param result ends the call when it is cancelled
		 */
		default void begins(CompletableFuture<T> result) {
			// most callers get it early enough
		}

	}

}
