package dev.backoff;

import org.jspecify.annotations.Nullable;

/** The story of a call as a mark on the failure that the caller gets. */
final class StopMark {

	private StopMark() {
	}

	/** Return the mark a failure carries, or null. */
	static @Nullable RetriesStoppedException of(Throwable failure) {
		for (Throwable suppressed : failure.getSuppressed()) {
			if (suppressed instanceof RetriesStoppedException mark) {
				return mark;
			}
		}
		return null;
	}

	/**
	 * Mark a failure, unless it carries a mark already: an inner call's, or another
	 * call's on an instance that is thrown again and again. A failure without suppression
	 * stays unmarked.
	 */
	static void attach(Throwable failure, RetriesStoppedException mark) {
		synchronized (failure) {
			if (of(failure) == null) {
				failure.addSuppressed(mark);
			}
		}
	}

}
