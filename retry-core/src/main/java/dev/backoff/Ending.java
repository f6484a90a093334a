package dev.backoff;

import org.jspecify.annotations.Nullable;

/**
 * How a call that did not succeed at once ended.
 *
 * @param outcome the last attempt's
 * @param story what happened, or null for a success
 */
record Ending(Outcome outcome, @Nullable RetriesStoppedException story) {

}
