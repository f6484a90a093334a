package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

import dev.backoff.Operation;
import dev.backoff.Recovery;
import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.spring.http.RetryContextAccessor;

/**
 * The calls of one method that returns a publisher. Nothing happens before a
 * subscription, and two subscriptions are two calls. Thread-safe.
 * <p>
 * Each attempt gets the subscriber's Reactor context with the attempt added. Inner calls
 * find the attempt there, on whatever thread they are subscribed to. If the subscriber's
 * context has no attempt, the attempt of the subscribing thread counts.
 *
 * @param retry the method's retry
 * @param invocation invokes the method for one attempt and returns a publisher
 * @param recovery follows an unsuccessful stop and returns a publisher, or null
 * @param adapter adapts the method's kind of publisher, or null if it suspends
 * @param severalResults whether there may be more elements than one
 * @param replayed tells whether calls that begin now are retried after elements were
 * passed on
 * @param observations carries observations, or null if nothing is observed
 * @param <C> the context that the method is invoked with
 * @since 0.1
 */
public record ReactiveCalls<C>(Retry retry, Operation.OnContext<C, @Nullable Object, Throwable> invocation,
		@Nullable Recovery<? super C, ? extends @Nullable Object, ?> recovery, @Nullable ReactiveAdapter adapter,
		boolean severalResults, BooleanSupplier replayed, @Nullable ObservationCarrier observations) {

	private static final CallObserver.Scope NOTHING = () -> {
	};

	/** Return the publisher that the caller subscribes to, of the method's kind. */
	public Object publisher(C context) {
		Publisher<Object> publisher = this.severalResults ? several(context)
				: Mono.create((sink) -> new MonoCall<>(this, context, sink).start());
		return (this.adapter != null) ? this.adapter.fromPublisher(publisher) : publisher;
	}

	/* An attempt that was given up may pass an element on beside the next signal. */
	private Flux<Object> several(C context) {
		return Flux.from((subscriber) -> new FluxCall<>(this, context,
				Operators.serialize(Operators.toCoreSubscriber(subscriber)))
			.subscribe());
	}

	/** Start a call whose subscriber has the given context. */
	@SuppressWarnings("NullAway") // it does not see that the values may be null
	CompletableFuture<@Nullable Object> start(C context, ReactiveCall<C> call, ContextView around) {
		ReactiveCall<C> recovery = (this.recovery != null) ? call : null;
		return within(around, () -> this.retry.callAsyncOn(context, call, recovery));
	}

	/** Run an action within the attempt and the observation that a context carries. */
	@SuppressWarnings("try") // scopes are open and not used
	<T extends @Nullable Object> T within(ContextView context, Supplier<T> action) {
		Object carried = (this.observations != null) ? context.getOrDefault(this.observations.key(), null) : null;
		try (CallObserver.Scope observed = (carried != null) ? openObservation(carried) : NOTHING;
				RetryContext.Scope scope = (context.getOrDefault(RetryContextAccessor.KEY,
						null) instanceof RetryContext attempt) ? attempt.open() : () -> {
						}) {
			return action.get();
		}
	}

	/** Add this thread's attempt and observation to a subscriber's context. */
	Context withAttempt(ContextView around) {
		RetryContext attempt = RetryContext.capture();
		Context context = Context.of(around).putNonNull(RetryContextAccessor.KEY, attempt.isEmpty() ? null : attempt);
		return (this.observations != null) ? context.putNonNull(this.observations.key(), this.observations.current())
				: context;
	}

	@Nullable Object observation() {
		return (this.observations != null) ? this.observations.current() : null;
	}

	/** Open an observation, or close all if it is null. */
	CallObserver.Scope openObservation(@Nullable Object observation) {
		return (this.observations != null) ? this.observations.open(observation) : NOTHING;
	}

	Publisher<?> invoke(C context, int number) throws Throwable {
		return adapt(this.invocation.run(context, number), "");
	}

	@SuppressWarnings("NullAway") // only what there is is asked to recover
	Publisher<?> recover(C context, RetriesStoppedException stopped) throws Throwable {
		return adapt(this.recovery.recover(context, stopped), "The recovery of ");
	}

	/* Advice behind ours may give the value of a function that suspends at once. */
	private Publisher<?> adapt(@Nullable Object returned, String what) {
		if (this.adapter == null) {
			return (returned instanceof Publisher<?> publisher) ? publisher : Mono.justOrEmpty(returned);
		}
		if (returned == null) {
			throw new NullPointerException(what + this.retry.method() + " returned null instead of a publisher");
		}
		return this.adapter.toPublisher(returned);
	}

}
