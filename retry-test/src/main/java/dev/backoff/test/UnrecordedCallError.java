package dev.backoff.test;

import java.util.Collection;

/**
 * Thrown for a name that nothing has, and where a call was expected and none was
 * recorded. The message lists the names there are, the nearest first.
 *
 * @since 0.1
 */
public final class UnrecordedCallError extends AssertionError {

	private static final long serialVersionUID = 1L;

	UnrecordedCallError(String message, String name, Collection<String> names) {
		super(message + (names.isEmpty()
				? " No call of any name was: only calls through the bean are, not those on this or on a new object."
				: " Nearest first, there are: " + Names.nearestFirst(names, name) + "."));
	}

}
