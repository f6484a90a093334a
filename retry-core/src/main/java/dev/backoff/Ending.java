package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;

/**
 * How a call that did not succeed at once ended.
 *
 * @param outcome the last attempt's
 * @param story what happened, or null for a success
 * @param observation what watches the call, or null
 */
record Ending(Outcome outcome, @Nullable RetriesStoppedException story, @Nullable CallObservation observation) {

	/** Run what belongs to the call, though no attempt of it runs any more. */
	<R extends @Nullable Object, X extends Throwable> R within(Operation<R, X> work) throws X {
		return (this.observation != null) ? this.observation.within(work) : work.run();
	}

}
