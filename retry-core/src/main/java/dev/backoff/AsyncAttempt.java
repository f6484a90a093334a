package dev.backoff;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.failure.Causes;
import dev.backoff.time.Cancellable;

/**
 * One attempt of an asynchronous call.
 */
final class AsyncAttempt<T extends @Nullable Object>
		implements Driving.UnderWay, BiConsumer<@Nullable T, @Nullable Throwable> {

	private final AsyncCall<?, T> call;

	private final Permit permit;

	private volatile @Nullable Cancellable timer;

	private volatile @Nullable CompletionStage<T> stage;

	private volatile boolean unwanted;

	private volatile boolean late;

	AsyncAttempt(AsyncCall<?, T> call, Permit permit) {
		this.call = call;
		this.permit = permit;
	}

	/** Note what carries the attempt out. */
	void of(CompletionStage<T> stage) {
		this.stage = stage;
		if (this.unwanted) {
			cancelStage();
		}
	}

	@Override
	public void accept(@Nullable T value, @Nullable Throwable failure) {
		if (!this.late && this.call.claim(this)) {
			stopTimer();
			ended(CallStack.ofThread()
				.within(this.call.state(), () -> (failure != null) ? judge(failure) : judgeValue(value)), value);
		}
	}

	/** End the attempt when it has had the given time. */
	void endAfter(long nanos) {
		if (this.call.underWay() != this) {
			return;
		}
		AttemptLimit limit = this.call.driver().limit();
		this.timer = limit.schedule(() -> timeOut(nanos), limit.nanosLeft(this.call.state()));
		if (this.call.underWay() != this) {
			stopTimer();
		}
	}

	/*
	 * On the timer's thread, which does no more than to decide that the stage comes too
	 * late. The caller does not, should the executor never come to it.
	 */
	private void timeOut(long nanos) {
		if (this.call.underWay() == this) {
			this.late = true;
			this.call.execute(() -> timedOut(nanos), AsyncDriver.DEFAULT_EXECUTOR);
		}
	}

	private void timedOut(long nanos) {
		if (!this.call.claim(this)) {
			return;
		}
		cancelStage();
		ended(judge(this.call.driver().limit().exceeded(this.call.state(), nanos, null)), null);
	}

	private void stopTimer() {
		Cancellable scheduled = this.timer;
		if (scheduled != null) {
			scheduled.cancel();
		}
	}

	private Outcome judge(Throwable failure) {
		return this.call.driver().decider().judge(Causes.unwrap(failure), this.call.state());
	}

	private Outcome judgeValue(@Nullable T value) {
		return Outcome.ofValue(this.call.driver().decider().judge(value, this.call.context()), value);
	}

	@SuppressWarnings("NullAway") // the value is a T, which says itself whether it
									// may be null
	private void ended(Outcome outcome, @Nullable T value) {
		CallSteps steps = this.call.driver().steps();
		if (!this.call.state().hasStory() && outcome.kind() == AttemptOutcome.SUCCESS) {
			steps.succeededAtOnce(this.call.state(), this.permit);
			this.call.settle(value);
			return;
		}
		this.call.drive(steps.attemptEnded(unlessRepeatable(outcome), this.permit, this.call.state()), this);
	}

	/* An outcome that is worth another attempt is the last one where none can be made. */
	private Outcome unlessRepeatable(Outcome outcome) {
		if (outcome.kind() == AttemptOutcome.SUCCESS || outcome.refusal() != null) {
			return outcome;
		}
		try {
			String why = this.call.unrepeatable();
			return (why != null) ? outcome.refusedAs(Decision.notRetryable(why)) : outcome;
		}
		catch (Throwable ex) {
			this.call.driver().listeners().hookFailed("operation", ex);
			return outcome.refusedAs(Decision.notRetryable("whether the attempt may be repeated failed", ex));
		}
	}

	@Override
	public void abandon(boolean cancelled) {
		stopTimer();
		if (cancelled) {
			this.unwanted = true;
			cancelStage();
		}
		Decision.Stop stop = cancelled ? Decision.CANCELLED : Decision.COMPLETED;
		ended(Outcome.ofRefused(AttemptOutcome.CANCELLED, new CancellationException(stop.why()), stop), null);
	}

	/** Cancel what carries the attempt out, as far as that is known. */
	void cancelStage() {
		CompletionStage<T> cancelled = this.stage;
		if (cancelled == null) {
			return;
		}
		try {
			cancelled.toCompletableFuture().cancel(true);
		}
		catch (Throwable ex) {
			// it goes on, and nobody hears of its end
			AsyncCall.keepInterrupt(ex);
		}
	}

}
