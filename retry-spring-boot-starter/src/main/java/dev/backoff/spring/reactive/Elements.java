package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

import dev.backoff.RetryContext;
import dev.backoff.event.CallObserver;
import dev.backoff.spring.http.RetryContextAccessor;

/** Take the elements of what one attempt, or the recovery, subscribes to. */
final class Elements extends CompletableFuture<@Nullable Object> implements CoreSubscriber<Object> {

	private static final AtomicReferenceFieldUpdater<Elements, @Nullable Subscription> SUBSCRIPTION = AtomicReferenceFieldUpdater
		.newUpdater(Elements.class, Subscription.class, "subscription");

	private final FluxCall<?> call;

	private final Context context;

	private volatile @Nullable Subscription subscription;

	Elements(FluxCall<?> call, Context context) {
		this.call = call;
		this.context = context;
	}

	@Override
	public Context currentContext() {
		return this.context;
	}

	@Override
	public void onSubscribe(Subscription subscription) {
		if (Operators.setOnce(SUBSCRIPTION, this, subscription)) {
			long wanted = this.call.begin(this);
			if (wanted > 0) {
				subscription.request(wanted);
			}
		}
	}

	/* What a source does when it is asked belongs to the attempt. */
	void request(long count) {
		Subscription asked = this.subscription;
		if (asked == null) {
			return;
		}
		if (!(this.context.getOrDefault(RetryContextAccessor.KEY, null) instanceof RetryContext attempt)) {
			asked.request(count);
			return;
		}
		RetryContext.Scope scope = attempt.open();
		CallObserver.Scope observed = this.call.openObservation(this.context);
		try {
			asked.request(count);
		}
		finally {
			observed.close();
			scope.close();
		}
	}

	@Override
	public void onNext(Object element) {
		if (!this.call.emit(this, element)) {
			Operators.onDiscard(element, this.context);
		}
	}

	@Override
	public void onError(Throwable failure) {
		completeExceptionally(Exceptions.unwrap(failure));
	}

	@Override
	public void onComplete() {
		complete(null);
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
