package dev.backoff.spring.observation;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;

/** Describe a failure without its message, or by its message in one short line. */
final class FailureText {

	/** The greatest length of a message. */
	static final int LONGEST_MESSAGE = 200;

	private FailureText() {
	}

	/** Return the class of a failure, and that of its root if it is another exception. */
	static String classes(Throwable failure) {
		String root = rootClass(failure);
		return failure.getClass().getName() + ((root != null) ? " caused by " + root : "");
	}

	/** Return the class of a failure's root, or null if the failure has no cause. */
	static @Nullable String rootClass(Throwable failure) {
		Throwable root = Causes.root(failure);
		return (root != failure) ? root.getClass().getName() : null;
	}

	/** Return the message of a failure in one line of bounded length, or null. */
	static @Nullable String message(Throwable failure) {
		String message = Causes.message(failure);
		return (message != null) ? line(message) : null;
	}

	private static String line(String message) {
		int end = Math.min(message.length(), LONGEST_MESSAGE);
		boolean torn = end < message.length() && Character.isHighSurrogate(message.charAt(end - 1));
		return message.substring(0, torn ? end - 1 : end).replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
	}

}
