package dev.backoff;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.failure.Causes;

/**
 * The recovery of an asynchronous call. It goes on if the caller completes the result.
 */
record AsyncRecovery<T extends @Nullable Object>(AsyncCall<?, T> call, CallResult result,
		RetriesStoppedException report)
		implements
			CallStack.Driving.UnderWay,
			BiConsumer<@Nullable T, @Nullable Throwable> {

	/** Start the recovery, which ends the call. */
	<C> void start(C context, Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		CompletionStage<T> stage;
		try {
			stage = CallStack.ofThread()
				.within(this.call.around(), () -> CallEvents.within(this.result.observed(),
						() -> this.call.started(recovery.recover(context, this.report), "The recovery of ")));
		}
		catch (Throwable failure) {
			AsyncCall.keepInterrupt(failure);
			accept(null, failure);
			return;
		}
		AsyncCall.whenComplete(stage, this);
	}

	@Override
	public void accept(@Nullable T value, @Nullable Throwable wrapped) {
		if (!this.call.claim(this)) {
			return;
		}
		Throwable failure = (wrapped != null) ? Causes.unwrap(wrapped) : null;
		boolean cancelled = failure instanceof CancellationException && this.call.result.isCancelled();
		CallResult ended = (failure == null || (cancelled && this.call.unrepeatable() != null))
				? this.result.recovered(value)
				: cancelled ? this.result.given(failure) : this.result.recoveryFailed(failure);
		this.call.inContext(() -> {
			try {
				this.call.end(ended);
			}
			catch (Throwable ex) {
				this.call.fail(ex);
			}
		});
	}

}
