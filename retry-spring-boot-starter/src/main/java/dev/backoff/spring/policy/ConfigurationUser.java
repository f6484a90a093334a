package dev.backoff.spring.policy;

import java.util.List;

/**
 * What goes by the configuration and follows when it changes: in two steps, so that a
 * configuration that anybody objects to changes nothing. Implementations are thread-safe.
 *
 * @since 0.1
 */
public interface ConfigurationUser {

	/**
	 * Check what another configuration would mean here.
	 * @param candidate resolves policies by it
	 * @param problems gets what is wrong
	 * @return what is to be done if nobody finds a problem
	 */
	Change prepare(BackoffPolicies.Candidate candidate, List<Problem> problems);

	/** What is to be done, and has not been. */
	@FunctionalInterface
	interface Change {

		/**
		 * Make all that is new; nothing of it is in effect yet.
		 * @return puts it into effect, quickly, and throws nothing
		 * @throws InvalidBackoffException if something cannot be made after all
		 */
		Runnable make();

	}

}
