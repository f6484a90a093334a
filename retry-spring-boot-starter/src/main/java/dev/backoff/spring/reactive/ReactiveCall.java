package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import dev.backoff.AsyncOperation;
import dev.backoff.Recovery;
import dev.backoff.event.RetriesStoppedException;

/** A subscription to ours. Each attempt subscribes to one of the method's. */
@SuppressWarnings("NullAway") // it does not see that the values may be null
abstract class ReactiveCall<C> implements AsyncOperation.OnContext<C, @Nullable Object>,
		Recovery<C, CompletionStage<@Nullable Object>, Throwable> {

	final ReactiveCalls<C> calls;

	private final C context;

	private volatile @Nullable CompletableFuture<@Nullable Object> result;

	private volatile @Nullable Elements last;

	volatile boolean cancelled;

	ReactiveCall(ReactiveCalls<C> calls, C context) {
		this.calls = calls;
		this.context = context;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the subscriber sees the end
	final void start() {
		if (this.cancelled) {
			return;
		}
		this.calls.start(this.context, this, subscriberContext()).whenComplete((value, failure) -> {
			if (!this.cancelled) {
				end(value, failure);
			}
		});
	}

	/* Before the first attempt, in which the subscriber may cancel already. */
	@Override
	public final void begins(CompletableFuture<@Nullable Object> result) {
		this.result = result;
		if (this.cancelled) {
			result.cancel(true);
		}
	}

	/** End the call, and the recovery, which does not end with the call. */
	public final void cancel() {
		this.cancelled = true;
		CompletableFuture<@Nullable Object> result = this.result;
		if (result != null) {
			result.cancel(true);
		}
		Elements last = this.last;
		if (last != null) {
			last.cancel(true);
		}
	}

	@Override
	public final CompletionStage<@Nullable Object> run(C context, int number) throws Throwable {
		return subscribe(this.calls.invoke(context, number));
	}

	@Override
	public final boolean accepts(RetriesStoppedException stopped) {
		return this.calls.recovery().accepts(stopped);
	}

	@Override
	public final CompletionStage<@Nullable Object> recover(C context, RetriesStoppedException stopped)
			throws Throwable {
		return subscribe(this.calls.recover(context, stopped));
	}

	/*
	 * A subscriber that lets operators go on after an error must not hide errors from us.
	 */
	private Elements subscribe(Publisher<?> publisher) {
		Elements elements = elements(this.calls.withAttempt(subscriberContext()));
		this.last = elements;
		Flux.from(publisher).onErrorStop().subscribe(elements);
		if (this.cancelled) {
			// the call first, which else takes the end of the elements for a failure
			cancel();
		}
		return elements;
	}

	abstract ContextView subscriberContext();

	/** Make the subscriber of an attempt, which has the given context. */
	abstract Elements elements(Context context);

	abstract void end(@Nullable Object value, @Nullable Throwable failure);

}
