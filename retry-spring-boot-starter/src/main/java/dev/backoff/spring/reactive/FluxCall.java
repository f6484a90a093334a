package dev.backoff.spring.reactive;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import dev.backoff.Attempt;
import dev.backoff.RetryContext;
import dev.backoff.event.CallObserver;

/**
 * One subscription to a publisher of any number of elements. They are passed on as they
 * come, as many as the subscriber asks for.
 */
@SuppressWarnings("NullAway") // it does not see that the values may be null
final class FluxCall<C> extends ReactiveCall<C> implements Subscription {

	/*
	 * Elements that were asked for and have not been passed on are asked of each attempt
	 * anew. One lock guards which attempt's elements count and how many are wanted. No
	 * foreign code is called while it is held.
	 */

	private static final String EMITTED = "elements have been passed on already; with replay: true they come again";

	private final Object lock = new Object();

	private final CoreSubscriber<? super Object> subscriber;

	/* By the policy in effect when the call begins. */
	private final boolean replayed;

	/* The context of the subscriber's own code while it runs on the attempt's thread. */
	private final RetryContext outside = RetryContext.capture();

	private final @Nullable Object observedOutside;

	private @Nullable ManyElements current;

	/* Whether the current attempt has been asked for the wanted elements. */
	private boolean begun;

	private long wanted;

	/* Whether the current attempt has passed an element on. */
	private boolean emitted;

	FluxCall(ReactiveCalls<C> calls, C context, CoreSubscriber<? super Object> subscriber) {
		super(calls, context);
		this.subscriber = subscriber;
		this.replayed = calls.replayed().getAsBoolean();
		this.observedOutside = calls.observation();
	}

	/** Hand the subscriber its subscription, and start the call. */
	void subscribe() {
		this.subscriber.onSubscribe(this);
		start();
	}

	@Override
	ContextView subscriberContext() {
		return this.subscriber.currentContext();
	}

	@Override
	void end(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			this.subscriber.onError(failure);
		}
		else {
			this.subscriber.onComplete();
		}
	}

	@Override
	public void request(long count) {
		if (!Operators.validate(count)) {
			return;
		}
		ManyElements asked;
		synchronized (this.lock) {
			this.wanted = Operators.addCap(this.wanted, count);
			asked = this.begun ? this.current : null;
		}
		if (asked != null) {
			asked.request(count);
		}
	}

	@Override
	public @Nullable String unrepeatable(C context) {
		synchronized (this.lock) {
			this.current = null;
			return (this.emitted && (!this.replayed || this.cancelled)) ? EMITTED : null;
		}
	}

	@Override
	Elements elements(Context context) {
		ManyElements elements = new ManyElements(context);
		synchronized (this.lock) {
			this.current = elements;
			this.begun = false;
			this.emitted = false;
		}
		return elements;
	}

	private long begin(ManyElements elements) {
		synchronized (this.lock) {
			this.begun = this.begun || elements == this.current;
			return this.wanted;
		}
	}

	/** Pass an element on, or return false if its attempt does not count any more. */
	private boolean emit(ManyElements from, Object element) {
		synchronized (this.lock) {
			if (this.current != from || this.cancelled || from.isDone()) {
				return false;
			}
			this.emitted = true;
			if (this.wanted != Long.MAX_VALUE && this.wanted > 0) {
				this.wanted--;
			}
		}
		if (Attempt.isRunning()) {
			emitOutside(element);
		}
		else {
			this.subscriber.onNext(element);
		}
		return true;
	}

	/* The subscriber's code is no part of the attempt that runs on this thread. */
	@SuppressWarnings("try") // scopes are open and not used
	private void emitOutside(Object element) {
		try (RetryContext.Scope nothing = RetryContext.none().open();
				RetryContext.Scope scope = this.outside.open();
				CallObserver.Scope observed = this.calls.openObservation(this.observedOutside)) {
			this.subscriber.onNext(element);
		}
	}

	private final class ManyElements extends Elements {

		ManyElements(Context context) {
			super(context);
		}

		@Override
		long begin() {
			return FluxCall.this.begin(this);
		}

		/* The work of the source for these elements belongs to the attempt. */
		void request(long count) {
			Subscription asked = this.subscription;
			if (asked == null) {
				return;
			}
			FluxCall.this.calls.within(currentContext(), () -> {
				asked.request(count);
				return null;
			});
		}

		@Override
		public void onNext(Object element) {
			if (!emit(this, element)) {
				Operators.onDiscard(element, currentContext());
			}
		}

		@Override
		public void onComplete() {
			complete(null);
		}

	}

}
