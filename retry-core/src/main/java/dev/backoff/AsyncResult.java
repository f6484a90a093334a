package dev.backoff;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The future that the caller of an asynchronous call gets. Cancelling or completing it
 * from outside ends the call. When the call has ended, the future drops its reference to
 * the call, so that a caller that keeps results keeps no arguments. Thread-safe.
 */
final class AsyncResult<T extends @Nullable Object> extends CompletableFuture<T> {

	private volatile @Nullable AsyncCall<?, T> call;

	AsyncResult(AsyncCall<?, T> call) {
		this.call = call;
	}

	void settle(T value) {
		this.call = null;
		super.complete(value);
	}

	void fail(Throwable failure) {
		this.call = null;
		super.completeExceptionally(failure);
	}

	@Override
	public boolean complete(T value) {
		return super.complete(value) && abandon(false);
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		return super.completeExceptionally(failure) && abandon(false);
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		return super.cancel(mayInterruptIfRunning) && abandon(true);
	}

	private boolean abandon(boolean cancelled) {
		AsyncCall<?, T> abandoned = this.call;
		if (abandoned != null) {
			abandoned.abandon(cancelled);
		}
		return true;
	}

}
