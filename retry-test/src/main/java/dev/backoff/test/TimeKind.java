package dev.backoff.test;

/** The time of a Spring test. @since 0.1 */
public enum TimeKind {

	/** {@link VirtualTime}: no test waits. */
	VIRTUAL,

	/** The system's time: waits are as long as they are. */
	REAL

}
