package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.Problem;

/**
 * A part of the application that depends on the configuration. A change has two steps, so
 * that a problem in any part leaves all parts unchanged. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface ConfigurationUser {

	/**
	 * Check another configuration for this part, and add problems to the list. Return the
	 * change to make if there is no problem.
	 */
	Change prepare(PolicyResolver candidate, List<Problem> problems);

	/** A change that has been checked but not yet made. */
	@FunctionalInterface
	interface Change {

		/** Create the new parts; return what puts them into effect and never throws. */
		Runnable make();

	}

}
