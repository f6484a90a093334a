package dev.backoff;

/** What the end of an attempt says about the dependency. */
enum AttemptVerdict {

	/** It answered, whatever it said. */
	ANSWERED,

	/** It failed. */
	FAILED,

	/** Nothing. */
	IGNORED

}
