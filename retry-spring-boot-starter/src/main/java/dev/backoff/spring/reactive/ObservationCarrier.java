package dev.backoff.spring.reactive;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;

/**
 * Carry an observation in a Reactor context, where other instrumentation looks for it. At
 * most one bean implements this interface, usually a {@link CallObserver}. Its methods
 * throw nothing. Thread-safe.
 *
 * @since 0.1
 */
public interface ObservationCarrier {

	/** Return the key of the observation in a Reactor context. */
	Object key();

	/** Return the observation of this thread, or null if there is none. */
	@Nullable Object current();

	/**
	 * Open an observation that was {@linkplain #current() current} on another thread. For
	 * null, open a scope without any observation.
	 */
	CallObserver.Scope open(@Nullable Object carried);

}
