package dev.backoff.spring.policy;

import java.util.List;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;

/**
 * A part of the application that depends on the configuration. It follows a change in two
 * steps, so that a problem in any part changes nothing. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface ConfigurationUser {

	/**
	 * Check what another configuration would mean here, and return the change to make if
	 * there is no problem.
	 */
	Change prepare(BackoffPolicies.Candidate candidate, List<Problem> problems);

	/** A change that has been checked and not made. */
	@FunctionalInterface
	interface Change {

		/**
		 * Make the new parts, and return what puts them into effect, quickly, and throws
		 * nothing.
		 */
		Runnable make();

	}

}
