package dev.backoff;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * What the caller of an asynchronous call gets. To cancel or to complete it from outside
 * ends the call. It lets go of the call when that has ended, so that who keeps results
 * keeps no arguments. Thread-safe.
 */
final class AsyncResult<T extends @Nullable Object> extends CompletableFuture<T> {

	private volatile @Nullable AsyncCall<?, T> call;

	AsyncResult(AsyncCall<?, T> call) {
		this.call = call;
	}

	/** Complete with what the call came to, unless somebody has completed it before. */
	void settle(T value) {
		this.call = null;
		super.complete(value);
	}

	/** Fail with what the call came to, unless somebody has completed it before. */
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
