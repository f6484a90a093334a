package dev.backoff;

/**
 * What an asynchronous call has under way: an attempt, a wait or a recovery. It ends
 * once, whoever ends it.
 */
interface UnderWay {

	/** Return whether it ends when the caller wants no result any more. */
	default boolean isAbandonable() {
		return true;
	}

	/** End it; to be called by who has taken it out of the call. */
	void abandon(boolean cancelled);

}
