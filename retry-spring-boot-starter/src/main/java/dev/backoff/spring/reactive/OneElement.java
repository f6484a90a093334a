package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Take the element of a publisher, or null if it has none. */
final class OneElement extends CompletableFuture<@Nullable Object> implements CoreSubscriber<Object> {

	private static final AtomicReferenceFieldUpdater<OneElement, @Nullable Subscription> SUBSCRIPTION = AtomicReferenceFieldUpdater
		.newUpdater(OneElement.class, Subscription.class, "subscription");

	private final Context context;

	@SuppressWarnings("UnusedVariable") // read and written by its updater
	private volatile @Nullable Subscription subscription;

	private @Nullable Object element;

	OneElement(Context context) {
		this.context = context;
	}

	@Override
	public Context currentContext() {
		return this.context;
	}

	@Override
	public void onSubscribe(Subscription subscription) {
		if (Operators.setOnce(SUBSCRIPTION, this, subscription)) {
			subscription.request(Long.MAX_VALUE);
		}
	}

	@Override
	public void onNext(Object element) {
		if (isDone()) {
			Operators.onDiscard(element, this.context);
		}
		else {
			this.element = element;
		}
	}

	@Override
	public void onError(Throwable failure) {
		completeExceptionally(Exceptions.unwrap(failure));
	}

	@Override
	public void onComplete() {
		Object last = this.element;
		if (!complete(last) && last != null) {
			Operators.onDiscard(last, this.context);
		}
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
