package dev.backoff.failure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Methods that walk a failure and its causes. A walk looks at no more than
 * {@value #LIMIT} of them, so that a cycle or an endless chain never holds a thread.
 *
 * @since 0.1
 */
public final class Causes {

	/** The greatest number of failures that a walk looks at: {@value}. */
	public static final int LIMIT = 32;

	private Causes() {
	}

	/**
	 * Return the failure and its causes.
	 * @param failure where to start
	 * @return the failure first, then its cause, and so on; in a cycle, some repeatedly
	 */
	public static List<Throwable> of(Throwable failure) {
		List<Throwable> chain = new ArrayList<>(4);
		Throwable next = failure;
		while (next != null && chain.size() < LIMIT) {
			chain.add(next);
			next = cause(next);
		}
		return chain;
	}

	/**
	 * Return the first of the failure and its causes that is of the given type.
	 * @param failure where to start
	 * @param type what to look for
	 * @param <T> the type
	 * @return the first match, or null
	 */
	public static <T> @Nullable T find(Throwable failure, Class<T> type) {
		Throwable found = find(failure, type::isInstance);
		return (found != null) ? type.cast(found) : null;
	}

	/**
	 * Return the first of the failure and its causes that matches.
	 * @param failure where to start
	 * @param condition what to look for
	 * @return the first match, or null
	 */
	public static @Nullable Throwable find(Throwable failure, Predicate<? super Throwable> condition) {
		Throwable candidate = failure;
		for (int i = 0; candidate != null && i < LIMIT; i++) {
			if (condition.test(candidate)) {
				return candidate;
			}
			candidate = cause(candidate);
		}
		return null;
	}

	/**
	 * Return the last cause.
	 * @param failure where to start
	 * @return the root cause, or the failure itself if it has none
	 */
	public static Throwable root(Throwable failure) {
		List<Throwable> chain = of(failure);
		return chain.get(chain.size() - 1);
	}

	/**
	 * Return the failure that a future or stage was completed with, without the
	 * {@link CompletionException}s and {@link ExecutionException}s around it.
	 * @param failure what the stage reports
	 * @return the first failure in the chain that is not such a wrapper
	 */
	public static Throwable unwrap(Throwable failure) {
		return unwrap(failure, Causes::isOfFuture);
	}

	/**
	 * Return the failure as this thread received it, without the wrappers of reflection
	 * and proxies.
	 * @param failure what a method threw
	 * @return the first failure in the chain that is not an
	 * {@link InvocationTargetException} or {@link UndeclaredThrowableException}
	 */
	public static Throwable unreflected(Throwable failure) {
		return unwrap(failure, Causes::isOfReflection);
	}

	/**
	 * Return the failure that was thrown first, on this thread or another one, without
	 * the wrappers of futures, reflection and proxies.
	 * @param failure what a method threw or a stage reports
	 * @return the first failure in the chain that is not such a wrapper
	 */
	public static Throwable thrown(Throwable failure) {
		return unwrap(failure, (wrapper) -> isOfFuture(wrapper) || isOfReflection(wrapper));
	}

	private static boolean isOfFuture(Throwable failure) {
		return failure instanceof CompletionException || failure instanceof ExecutionException;
	}

	private static boolean isOfReflection(Throwable failure) {
		return failure instanceof InvocationTargetException || failure instanceof UndeclaredThrowableException;
	}

	private static Throwable unwrap(Throwable failure, Predicate<Throwable> isWrapper) {
		Throwable unwrapped = failure;
		for (int i = 0; i < LIMIT; i++) {
			Throwable cause = isWrapper.test(unwrapped) ? cause(unwrapped) : null;
			if (cause == null) {
				return unwrapped;
			}
			unwrapped = cause;
		}
		return unwrapped;
	}

	/**
	 * Return the direct cause, also of a failure whose methods throw.
	 * @param failure any failure
	 * @return its cause, or null if it has none or {@code getCause()} throws
	 */
	public static @Nullable Throwable cause(Throwable failure) {
		try {
			return failure.getCause();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * Return the message, also of a failure whose methods throw.
	 * @param failure any failure
	 * @return its message, or null if it has none or {@code getMessage()} throws
	 */
	public static @Nullable String message(Throwable failure) {
		try {
			return failure.getMessage();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * Return whether an attempt timed out, so that the server may still be at work. A
	 * failure is a timeout if it is classified as one, or if the class name of the
	 * failure or of a cause contains <em>Timeout</em> or <em>TimedOut</em>. A connection
	 * that was never made is not a timeout.
	 * @param failure what the attempt threw, or null
	 * @param known the classification of the failure, or null
	 * @return whether it is a timeout
	 */
	public static boolean isTimeout(@Nullable Throwable failure, @Nullable FailureClassification known) {
		if (failure == null || (known != null
				&& (known.isUnapplied() || known.cause() == RetryCause.CONNECT || known.cause() == RetryCause.POOL))) {
			return false;
		}
		return (known != null && known.cause() == RetryCause.TIMEOUT) || find(failure, (cause) -> {
			String name = cause.getClass().getSimpleName();
			return (name.contains("Timeout") || name.contains("TimedOut")) && !name.contains("Connect");
		}) != null;
	}

}
