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
				? " No call at all was recorded. One is recorded once it has begun, if it passes the proxy of a bean that is "
						+ "no mock, or a Retry with this observer."
				: " Nearest first, there are: " + Names.nearestFirst(names, name) + "."));
	}

}
