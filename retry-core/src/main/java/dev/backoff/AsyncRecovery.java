package dev.backoff;

import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.failure.Causes;
import dev.backoff.throttle.Throttle;

/**
 * The recovery of an asynchronous call. It goes on if the caller completes the result.
 */
final class AsyncRecovery<T extends @Nullable Object>
		implements Driving.UnderWay, BiConsumer<@Nullable T, @Nullable Throwable> {

	private final AsyncCall<?, T> call;

	private final Ending ending;

	private final RetriesStoppedException story;

	/* Null where the recovery needs none. Written before another thread can see it. */
	private Throttle.@Nullable Place turn;

	AsyncRecovery(AsyncCall<?, T> call, Ending ending, RetriesStoppedException story) {
		this.call = call;
		this.ending = ending;
		this.story = story;
	}

	/** Start the recovery, which ends the call, at once or when its turn has come. */
	<C> void start(C context, Recovery<? super C, ? extends CompletionStage<T>, ?> recovery) {
		Operation<CompletionStage<T>, Throwable> work = () -> CallStack.ofThread()
			.within(this.call.around(), () -> CallObservation.within(this.ending.observed(),
					() -> this.call.started(recovery.recover(context, this.story), "The recovery of ")));
		RecoveryTurns turns = this.call.driver().steps().recoveries();
		Throttle.Place entered = (turns != null) ? turns.enter() : null;
		if (turns == null || entered == null) {
			start(work);
			return;
		}
		this.turn = entered;
		if (entered.isGranted()) {
			start(() -> turns.within(work));
		}
		else {
			Runnable begun = () -> this.call.execute(() -> start(() -> turns.within(work)));
			entered.whenGranted(() -> CallStack.ofThread().serve(begun));
		}
	}

	private void start(Operation<CompletionStage<T>, Throwable> work) {
		CompletionStage<T> stage;
		try {
			stage = work.run();
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
		if (this.turn != null) {
			this.turn.leave();
		}
		try {
			end(value, wrapped);
		}
		catch (VirtualMachineError thrownByListener) {
			this.call.fail(thrownByListener);
		}
	}

	@SuppressWarnings("NullAway") // T says itself whether it may be null
	private void end(@Nullable T value, @Nullable Throwable wrapped) {
		CallSteps steps = this.call.driver().steps();
		if (wrapped == null) {
			steps.stopped(this.ending, this.story, RetryEvent.RecoveryOutcome.DONE, null,
					this.call.state().enclosing());
			this.call.settle(value);
			return;
		}
		Throwable failure = Causes.unwrap(wrapped);
		steps.recoveryFailed(failure, this.story);
		steps.stopped(this.ending, this.story, RetryEvent.RecoveryOutcome.FAILED, failure,
				this.call.state().enclosing());
		this.call.fail(failure);
	}

}
