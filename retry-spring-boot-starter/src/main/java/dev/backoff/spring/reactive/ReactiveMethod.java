package dev.backoff.spring.reactive;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

import dev.backoff.Recovery;

/**
 * A method that returns a publisher.
 *
 * @param invocation invokes it
 * @param recovery what follows an unsuccessful stop and returns the same kind of
 * publisher, or null
 * @param adapter knows the kind of publisher, or null if it is Reactor's own
 * @param severalResults whether there may be more elements than one
 * @param replayed tells whether calls that begin now are retried though elements have
 * been passed on
 * @param <C> what it is invoked with
 * @since 0.1
 */
public record ReactiveMethod<C>(Invocation<C> invocation,
		@Nullable Recovery<? super C, ? extends @Nullable Object, ?> recovery, @Nullable ReactiveAdapter adapter,
		boolean severalResults, BooleanSupplier replayed) {

	/**
	 * Invoke a method.
	 *
	 * @param <C> what it is invoked with
	 */
	@FunctionalInterface
	public interface Invocation<C> {

		/**
		 * Invoke the method for one attempt.
		 * @param context what it is invoked with
		 * @return the publisher, of any kind
		 * @throws Throwable if the attempt fails at once
		 */
		@Nullable Object invoke(C context) throws Throwable;

	}

}
