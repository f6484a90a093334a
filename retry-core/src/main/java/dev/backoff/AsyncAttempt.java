package dev.backoff;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits.Permit;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.failure.Causes;
import dev.backoff.time.RetryTime.Cancellable;

/** One attempt of an asynchronous call. */
final class AsyncAttempt<T extends @Nullable Object>
		implements CallStack.Driving.Abandonable, BiConsumer<@Nullable T, @Nullable Throwable> {

	private final AsyncCall<?, T> call;

	private final Permit permit;

	private volatile @Nullable Cancellable timer;

	/* Null until the work has returned it. */
	volatile @Nullable CompletionStage<T> stage;

	private volatile boolean unwanted;

	private volatile boolean late;

	AsyncAttempt(AsyncCall<?, T> call, Permit permit) {
		this.call = call;
		this.permit = permit;
	}

	void begun(CompletionStage<T> stage) {
		this.stage = stage;
		if (this.unwanted) {
			cancelStage();
		}
	}

	@Override
	public void accept(@Nullable T value, @Nullable Throwable failure) {
		if (!this.late && this.call.claim(this)) {
			AsyncWait.stop(this.timer);
			ended(value, failure);
		}
		else if (this.late) {
			this.call.steps.events().drop(value);
		}
	}

	/** End the attempt when its time is over, unless it has ended. */
	void endInTime() {
		if (!this.call.isUnderWay(this)) {
			return;
		}
		AttemptLimit limit = this.call.steps.limit();
		guard(limit.schedule(this::timeOut, limit.nanosLeft(this.call.state)));
	}

	/*
	 * The timer's thread only marks the attempt as late, so that its stage no longer
	 * counts. The executor ends the attempt; until then the caller can still cancel.
	 */
	private void timeOut() {
		if (this.call.isUnderWay(this)) {
			this.late = true;
			AsyncCall.execute(this::timedOut, this.call.executor, AsyncCall.DEFAULT_EXECUTOR);
			guard(this.call.guard(this::timedOut));
		}
	}

	private void guard(@Nullable Cancellable timer) {
		this.timer = timer;
		if (!this.call.isUnderWay(this)) {
			AsyncWait.stop(this.timer);
		}
	}

	private void timedOut() {
		if (this.call.claim(this)) {
			AsyncWait.stop(this.timer);
			cancelStage();
			ended(null, this.call.steps.limit().exceeded(this.call.state, null));
		}
	}

	private Outcome judge(@Nullable T value, @Nullable Throwable failure) {
		RetryDecider decider = this.call.steps.decider();
		return (failure != null) ? decider.judge(Causes.unwrap(failure), this.call.state)
				: Outcome.ofValue(decider.judge(value, this.call.context), value);
	}

	@SuppressWarnings("NullAway") // T says itself whether it may be null
	private void ended(@Nullable T value, @Nullable Throwable failure) {
		CallSteps steps = this.call.steps;
		try {
			Outcome outcome = CallStack.ofThread().within(this.call.state, () -> judge(value, failure));
			if (!this.call.state.hasHistory() && outcome.kind() == AttemptOutcome.SUCCESS) {
				steps.succeededOnFirstAttempt(this.call.state, this.permit);
				this.call.settle(value);
				return;
			}
			this.call.drive(steps.afterAttempt(refusedIfUnrepeatable(outcome), this.permit, this.call.state), this);
		}
		catch (Throwable ex) {
			this.call.crash(ex);
		}
	}

	/* Refuse a retry if the operation says that it cannot be repeated. */
	private Outcome refusedIfUnrepeatable(Outcome outcome) {
		boolean asked = outcome.kind() != AttemptOutcome.SUCCESS && outcome.refusal() == null;
		Decision.Stop refusal = asked ? this.call.unrepeatable() : null;
		return (refusal != null) ? outcome.refusedAs(refusal) : outcome;
	}

	@Override
	public void abandon(boolean cancelled) {
		AsyncWait.stop(this.timer);
		if (cancelled) {
			this.unwanted = true;
			cancelStage();
		}
		Decision.Stop stop = cancelled ? Decision.CANCELLED : Decision.COMPLETED;
		try {
			// for a caller that has received a part of the result
			Outcome outcome = (this.call.unrepeatable() != null) ? Outcome.ofValue(AttemptOutcome.SUCCESS, null)
					: Outcome.ofRefused(AttemptOutcome.CANCELLED, new CancellationException(stop.why()), stop);
			Decision unused = this.call.steps.afterAttempt(outcome, this.permit, this.call.state);
			this.call.drive(stop, this);
		}
		catch (Throwable ex) {
			this.call.crash(ex);
		}
	}

	/** Cancel the stage of the attempt, if it is known. */
	void cancelStage() {
		CompletionStage<T> cancelled = this.stage;
		if (cancelled == null) {
			return;
		}
		try {
			cancelled.toCompletableFuture().cancel(true);
		}
		catch (Throwable ex) {
			// the stage goes on, and its end is ignored
			AsyncCall.keepInterrupt(ex);
		}
	}

}
