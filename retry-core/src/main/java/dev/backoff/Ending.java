package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;

/**
 * The end of a call that did not succeed at once.
 *
 * @param outcome how the last attempt ended
 * @param story what happened, or null for a success
 * @param observation of the call, or null if it is not observed
 */
record Ending(Outcome outcome, @Nullable RetriesStoppedException story, @Nullable CallObservation observation) {

	/** Run work that belongs to the call, after its last attempt. */
	<R extends @Nullable Object, X extends Throwable> R within(Operation<R, X> work) throws X {
		return (this.observation != null) ? this.observation.within(work) : work.run();
	}

}
