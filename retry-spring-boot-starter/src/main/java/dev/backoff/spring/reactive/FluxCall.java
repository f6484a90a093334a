package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.ContextView;

import dev.backoff.Attempt;
import dev.backoff.RetryContext;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;

/**
 * One subscription to a publisher of any number of elements, which are passed on as they
 * come, as far as they are asked for.
 */
@SuppressWarnings("NullAway") // it does not see that the values may be null
final class FluxCall<C> implements ReactiveCalls.Call<C>, Subscription {

	/*
	 * What was asked for and has not been passed on is asked of each attempt anew. One
	 * lock holds together whose elements count and how many are wanted; nothing is called
	 * that was handed in while it is held.
	 */

	private static final String EMITTED = "elements have been passed on already; with replay: true they come again";

	private final Lock lock = new ReentrantLock();

	private final ReactiveCalls<C> calls;

	private final C context;

	private final CoreSubscriber<? super Object> subscriber;

	/* As its policy says when the call begins. */
	private final boolean replayed;

	/* What the subscriber's own code sees, as long as it runs on our threads. */
	private final RetryContext outside = RetryContext.capture();

	private final @Nullable Object observedOutside;

	private volatile @Nullable CompletableFuture<@Nullable Object> result;

	private volatile boolean cancelled;

	private @Nullable Elements current;

	/* Whether the current one has been asked for what is wanted. */
	private boolean begun;

	private long wanted;

	private boolean emitted;

	FluxCall(ReactiveCalls<C> calls, C context, CoreSubscriber<? super Object> subscriber) {
		this.calls = calls;
		this.context = context;
		this.subscriber = subscriber;
		this.replayed = calls.isReplayed();
		this.observedOutside = calls.observation();
	}

	/** Let what runs here belong to what is observed according to a context. */
	CallObserver.Scope openObservation(ContextView context) {
		return this.calls.openObservation(context);
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the end is told to the subscriber
	void start() {
		this.subscriber.onSubscribe(this);
		if (this.cancelled) {
			return;
		}
		CompletableFuture<@Nullable Object> result = this.calls.start(this.context, this,
				this.subscriber.currentContext());
		this.result = result;
		if (this.cancelled) {
			result.cancel(true);
		}
		result.whenComplete((nothing, failure) -> end(failure));
	}

	private void end(@Nullable Throwable failure) {
		if (this.cancelled) {
			return;
		}
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
		Elements asked;
		this.lock.lock();
		try {
			this.wanted = Operators.addCap(this.wanted, count);
			asked = this.begun ? this.current : null;
		}
		finally {
			this.lock.unlock();
		}
		if (asked != null) {
			asked.request(count);
		}
	}

	@Override
	public void cancel() {
		this.cancelled = true;
		CompletableFuture<@Nullable Object> cancelled = this.result;
		if (cancelled != null) {
			cancelled.cancel(true);
		}
		// a recovery has no other end
		Elements last;
		this.lock.lock();
		try {
			last = this.current;
		}
		finally {
			this.lock.unlock();
		}
		if (last != null) {
			last.cancel(true);
		}
	}

	@Override
	public CompletionStage<@Nullable Object> run(C context, int number) throws Throwable {
		return subscribe(this.calls.invoke(context));
	}

	@Override
	public @Nullable String unrepeatable(C context) {
		this.lock.lock();
		try {
			this.current = null;
			return (this.emitted && !this.replayed) ? EMITTED : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public boolean accepts(RetriesStoppedException stopped) {
		return this.calls.accepts(stopped);
	}

	@Override
	public CompletionStage<@Nullable Object> recover(C context, RetriesStoppedException stopped) throws Throwable {
		return subscribe(this.calls.recover(context, stopped));
	}

	/*
	 * A subscriber further down that wants operators to go on after an error must not
	 * keep errors from us.
	 */
	private Elements subscribe(Publisher<?> publisher) {
		Elements elements = new Elements(this, this.calls.withAttempt(this.subscriber.currentContext()));
		this.lock.lock();
		try {
			this.current = elements;
			this.begun = false;
		}
		finally {
			this.lock.unlock();
		}
		Flux.from(publisher).onErrorStop().subscribe(elements);
		if (this.cancelled) {
			elements.cancel(true);
		}
		return elements;
	}

	/** Note that elements can be asked for; return how many are wanted now. */
	long begin(Elements elements) {
		this.lock.lock();
		try {
			this.begun = this.begun || elements == this.current;
			return this.wanted;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Pass an element on. */
	boolean emit(Elements from, Object element) {
		this.lock.lock();
		try {
			if (this.current != from || this.cancelled || from.isDone()) {
				return false;
			}
			this.emitted = true;
			if (this.wanted != Long.MAX_VALUE && this.wanted > 0) {
				this.wanted--;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (Attempt.isRunning()) {
			emitOutside(element);
		}
		else {
			this.subscriber.onNext(element);
		}
		return true;
	}

	/* What the subscriber calls is no part of the attempt that happens to run here. */
	private void emitOutside(Object element) {
		RetryContext.Scope nothing = RetryContext.none().open();
		try {
			RetryContext.Scope scope = this.outside.open();
			CallObserver.Scope observed = this.calls.openObservation(this.observedOutside);
			try {
				this.subscriber.onNext(element);
			}
			finally {
				observed.close();
				scope.close();
			}
		}
		finally {
			nothing.close();
		}
	}

}
