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
		super(message + (names.isEmpty() ? " There are no names."
				: " Nearest first, there are: " + Names.nearestFirst(names, name) + "."));
	}

}
