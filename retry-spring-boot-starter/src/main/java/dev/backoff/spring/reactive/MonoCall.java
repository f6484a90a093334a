package dev.backoff.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

import dev.backoff.event.RetriesStoppedException;

/**
 * One subscription to a publisher of one element at most: an element is judged before it
 * is passed on.
 */
@SuppressWarnings("NullAway") // it does not see that the values may be null
final class MonoCall<C> implements ReactiveCalls.Call<C> {

	private final ReactiveCalls<C> calls;

	private final C context;

	private final MonoSink<Object> sink;

	private volatile @Nullable CompletableFuture<@Nullable Object> result;

	private volatile @Nullable OneElement recovering;

	private volatile boolean cancelled;

	MonoCall(ReactiveCalls<C> calls, C context, MonoSink<Object> sink) {
		this.calls = calls;
		this.context = context;
		this.sink = sink;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the end is told to the subscriber
	void start() {
		this.sink.onCancel(this::cancel);
		if (this.cancelled) {
			return;
		}
		CompletableFuture<@Nullable Object> result = this.calls.start(this.context, this, this.sink.contextView());
		this.result = result;
		if (this.cancelled) {
			result.cancel(true);
		}
		result.whenComplete(this::end);
	}

	private void cancel() {
		this.cancelled = true;
		CompletableFuture<@Nullable Object> cancelled = this.result;
		if (cancelled != null) {
			cancelled.cancel(true);
		}
		OneElement recovering = this.recovering;
		if (recovering != null) {
			recovering.cancel(true);
		}
	}

	private void end(@Nullable Object value, @Nullable Throwable failure) {
		if (this.cancelled) {
			return;
		}
		if (failure != null) {
			this.sink.error(failure);
		}
		else {
			this.sink.success(value);
		}
	}

	@Override
	public CompletionStage<@Nullable Object> run(C context, int number) throws Throwable {
		OneElement element = new OneElement(this.calls.withAttempt(this.sink.contextView()));
		subscribe(this.calls.invoke(context), element);
		return element;
	}

	@Override
	public boolean accepts(RetriesStoppedException stopped) {
		return this.calls.accepts(stopped);
	}

	@Override
	public CompletionStage<@Nullable Object> recover(C context, RetriesStoppedException stopped) throws Throwable {
		OneElement recovering = new OneElement(this.calls.withAttempt(this.sink.contextView()));
		this.recovering = recovering;
		subscribe(this.calls.recover(context, stopped), recovering);
		if (this.cancelled) {
			recovering.cancel(true);
		}
		return recovering;
	}

	/*
	 * A subscriber further down that wants operators to go on after an error must not
	 * keep errors from us.
	 */
	private static void subscribe(Publisher<?> publisher, OneElement element) {
		Mono.from(publisher).onErrorStop().subscribe(element);
	}

}
