package dev.backoff.spring.policy;

/** A key below a name of a {@link Section}, or below the defaults. */
interface SectionKey {

	/** Return the key below the name, for instance {@code max-attempts}. */
	String key();

}
