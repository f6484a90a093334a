package dev.backoff.spring.reactive;

import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** Call a method at each subscription, and pass on the elements of its attempts. */
final class RetriedFlux<C> extends Flux<Object> {

	private final ReactiveCalls<C> calls;

	private final C context;

	RetriedFlux(ReactiveCalls<C> calls, C context) {
		this.calls = calls;
		this.context = context;
	}

	/*
	 * An attempt that was given up may be about to pass an element on, while the next
	 * signal comes from elsewhere.
	 */
	@Override
	public void subscribe(CoreSubscriber<? super Object> subscriber) {
		new FluxCall<>(this.calls, this.context, Operators.serialize(subscriber)).start();
	}

}
