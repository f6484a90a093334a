package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Take the elements of one attempt or recovery, and complete when they end. */
abstract class Elements extends CompletableFuture<@Nullable Object> implements CoreSubscriber<Object> {

	private static final AtomicReferenceFieldUpdater<Elements, @Nullable Subscription> SUBSCRIPTION = AtomicReferenceFieldUpdater
		.newUpdater(Elements.class, Subscription.class, "subscription");

	private final Context context;

	volatile @Nullable Subscription subscription;

	Elements(Context context) {
		this.context = context;
	}

	@Override
	public final Context currentContext() {
		return this.context;
	}

	@Override
	public final void onSubscribe(Subscription subscription) {
		if (Operators.setOnce(SUBSCRIPTION, this, subscription)) {
			long wanted = begin();
			if (wanted > 0) {
				subscription.request(wanted);
			}
		}
	}

	/** Return the number of elements to ask for at first. */
	abstract long begin();

	@Override
	public final void onError(Throwable failure) {
		completeExceptionally(Exceptions.unwrap(failure));
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		if (cancelled) {
			Operators.terminate(SUBSCRIPTION, this);
		}
		return cancelled;
	}

}
