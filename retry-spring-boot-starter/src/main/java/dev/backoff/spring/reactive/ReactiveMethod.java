package dev.backoff.spring.reactive;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

import dev.backoff.Operation;
import dev.backoff.Recovery;

/**
 * A method that returns a publisher.
 *
 * @param invocation invokes the method for one attempt and returns a publisher of any
 * kind
 * @param recovery follows an unsuccessful stop and returns the same kind of publisher, or
 * null
 * @param adapter adapts the kind of publisher, or null for Reactor's own
 * @param severalResults whether there may be more elements than one
 * @param replayed tells whether calls that begin now are retried after elements were
 * passed on
 * @param <C> the context that the method is invoked with
 * @since 0.1
 */
public record ReactiveMethod<C>(Operation.OnContext<C, @Nullable Object, Throwable> invocation,
		@Nullable Recovery<? super C, ? extends @Nullable Object, ?> recovery, @Nullable ReactiveAdapter adapter,
		boolean severalResults, BooleanSupplier replayed) {
}
