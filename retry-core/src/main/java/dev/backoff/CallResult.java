package dev.backoff;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;

/**
 * The end of a call that did not succeed at once: how its last attempt ended, its story
 * unless it succeeded, and the observed call, if any.
 */
record CallResult(Outcome outcome, @Nullable RetriesStoppedException story,
		CallObserver.@Nullable ObservedCall observed) {
}
