package dev.backoff.spring.reactive;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;

/**
 * Carry what is observed in a Reactor context, where other instrumentation looks for it.
 * A {@link CallObserver} that is one of these too is asked for it. Nothing in here
 * throws. Thread-safe.
 *
 * @since 0.1
 */
public interface ObservationCarrier {

	/**
	 * {@return what it is called in a Reactor context}
	 */
	Object key();

	/**
	 * {@return what is open on this thread; what a context carries, or null if nothing is
	 * open}
	 */
	@Nullable Object current();

	/**
	 * Open what a context carries on this thread.
	 * @param carried what was {@linkplain #current() current} elsewhere, or null to let
	 * nothing be open
	 * @return the scope to close on this thread
	 */
	CallObserver.Scope open(@Nullable Object carried);

}
