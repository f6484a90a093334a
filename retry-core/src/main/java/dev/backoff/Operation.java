package dev.backoff;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of the work. It runs once per attempt, on the calling thread.
 *
 * @param <T> the type of the result
 * @param <X> the checked exception it throws, inferred; {@code RuntimeException} if none
 * @since 0.1
 */
@FunctionalInterface
public interface Operation<T extends @Nullable Object, X extends Throwable> {

	/**
	 * Make one attempt.
	 * @return the result
	 * @throws X if the attempt fails
	 */
	T run() throws X;

	/**
	 * One attempt of work without a result.
	 *
	 * @param <X> the checked exception it throws, inferred
	 */
	@FunctionalInterface
	interface WithoutResult<X extends Throwable> {

		/**
		 * Make one attempt.
		 * @throws X if the attempt fails
		 */
		void run() throws X;

	}

	/**
	 * One attempt of work on a context. One instance without state serves all calls, so
	 * that a call allocates nothing for it.
	 *
	 * @param <C> the type of the context
	 * @param <T> the type of the result
	 * @param <X> the exception it throws
	 */
	@FunctionalInterface
	interface OnContext<C, T extends @Nullable Object, X extends Throwable> {

		/**
		 * Make one attempt.
		 * @param context what to work on
		 * @param number the attempt, counted from 1
		 * @return the result
		 * @throws X if the attempt fails
		 */
		T run(C context, int number) throws X;

	}

}
