package dev.backoff;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Cancellable;

/**
 * One wait of an asynchronous call: for the timer, then for the executor. Each wait is an
 * object of its own, so that a late event of one wait does not end the next one.
 */
final class AsyncWait extends Waiter implements Driving.Abandonable {

	private final AsyncCall<?, ?> call;

	private volatile @Nullable Cancellable timer;

	private volatile boolean handedOver;

	AsyncWait(AsyncCall<?, ?> call) {
		this.call = call;
	}

	/** Wait for the given time, unless the wait has ended already. */
	void begin(long nanos) {
		if (hasEnded()) {
			// it may have ended before it was entered
			this.call.driver().waiting().leave(this);
			return;
		}
		if (nanos <= 0) {
			handOver(Runnable::run);
			return;
		}
		try {
			this.timer = this.call.driver().time().schedule(this, nanos);
		}
		catch (Throwable failure) {
			if (this.call.claim(this)) {
				end(Decision.notRetryable("the wait failed", failure));
			}
			return;
		}
		if (hasEnded()) {
			stopTimer();
		}
	}

	private boolean hasEnded() {
		return this.call.underWay() != this && !isStopping();
	}

	private boolean isStopping() {
		return this.call.underWay() instanceof Stopping stopping && stopping.of() == this;
	}

	/* The timer's thread runs no code of the application. */
	@Override
	public void run() {
		if (this.call.state().place() == null) {
			handOver(AsyncDriver.DEFAULT_EXECUTOR);
		}
		else {
			CallStack.ofThread().serve(() -> handOver(AsyncDriver.DEFAULT_EXECUTOR));
		}
	}

	/* The attempt's time runs from here on, whether the executor begins it or not. */
	private void handOver(Executor otherwise) {
		if (this.handedOver) {
			// an operator wakes it although its time has come
			return;
		}
		this.handedOver = true;
		long since = this.call.state().now();
		try {
			this.call.executor().execute(() -> goOn(since, false));
		}
		catch (Throwable failure) {
			if (this.call.claim(this)) {
				AsyncCall.executeElsewhere(() -> end(Decision.rejected(failure)), otherwise);
			}
			return;
		}
		guard(since);
	}

	private void guard(long since) {
		if (!hasEnded()) {
			stopTimer();
			this.timer = this.call.guard(() -> goOn(since, true));
			if (hasEnded()) {
				stopTimer();
			}
		}
	}

	/** Go on because of the shutdown. */
	@Override
	void wake() {
		goOn(this.call.state().now(), false);
	}

	/** Go on after the wait, or because the executor has not done so in time. */
	private void goOn(long since, boolean overdue) {
		if (this.call.claim(this)) {
			try {
				ended();
				this.call.drive(next(since, overdue), this);
			}
			catch (Throwable ex) {
				this.call.fail(ex);
			}
		}
		else if (this.call.underWay() instanceof Stopping stopping && stopping.of() == this
				&& this.call.claim(stopping)) {
			end(Decision.STOPPED);
		}
	}

	private Turn next(long since, boolean overdue) {
		RetryCall state = this.call.state();
		CallSteps steps = this.call.driver().steps();
		Turn next = steps.afterWait(state);
		AttemptLimit limit = this.call.driver().limit();
		if (next instanceof Turn.Permitted permitted) {
			state.turn(since);
			if (overdue && limit.isSet()) {
				return steps.timedOutUnbegun(permitted, limit.unbegun(state), state);
			}
			return next;
		}
		return (overdue && next == Decision.OVERSLEPT) ? Decision.UNBEGUN : next;
	}

	@Override
	boolean stop() {
		boolean won = this.call.exchange(this, new Stopping(this));
		if (won) {
			this.call.execute(this::wake);
			guard(this.call.state().now());
		}
		return won;
	}

	@Override
	RetryCall call() {
		return this.call.state();
	}

	@Override
	public void abandon(boolean cancelled) {
		end(cancelled ? Decision.CANCELLED : Decision.COMPLETED);
	}

	private void end(Decision.Stop stop) {
		ended();
		this.call.drive(stop, this);
	}

	private void ended() {
		stopTimer();
		this.call.driver().waiting().leave(this);
		this.call.driver().steps().waited(this.call.state());
	}

	private void stopTimer() {
		Cancellable scheduled = this.timer;
		if (scheduled != null) {
			scheduled.cancel();
		}
	}

	/**
	 * A wait that an operator has ended, until the executor or a shutdown ends the call.
	 */
	private record Stopping(Waiter of) implements Driving.UnderWay {
	}

}
