package dev.backoff;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Cancellable;

/**
 * One wait of an asynchronous call: for the timer, then for the executor. An object of
 * its own, so that who comes late for one wait does not end the next one.
 */
final class AsyncWait extends Waiter implements Driving.UnderWay {

	private final AsyncCall<?, ?> call;

	private volatile @Nullable Cancellable timer;

	AsyncWait(AsyncCall<?, ?> call) {
		this.call = call;
	}

	/** Wait for the given time, unless the wait has ended already. */
	void begin(long nanos) {
		if (hasEnded()) {
			// who ended it may have been too early to take it out
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
				ended();
				this.call.drive(Decision.notRetryable("the wait failed", failure), this);
			}
			return;
		}
		if (hasEnded()) {
			stopTimer();
		}
	}

	private boolean hasEnded() {
		return this.call.underWay() != this;
	}

	/* On the timer's thread, which runs nothing that was handed in. */
	@Override
	public void run() {
		handOver(AsyncDriver.DEFAULT_EXECUTOR);
	}

	private void handOver(Executor otherwise) {
		try {
			this.call.executor().execute(this::wake);
		}
		catch (Throwable failure) {
			if (this.call.claim(this)) {
				refused(failure, otherwise);
			}
		}
	}

	private void refused(Throwable failure, Executor otherwise) {
		AsyncCall.executeElsewhere(() -> {
			ended();
			this.call.drive(Decision.rejected(failure), this);
		}, otherwise);
	}

	/** Go on, after the wait or because of the shutdown, whichever is first. */
	@Override
	void wake() {
		if (this.call.claim(this)) {
			ended();
			this.call.drive(this.call.driver().steps().afterWait(this.call.state()), this);
		}
		else if (this.call.underWay() instanceof Stopping stopping && stopping.of() == this
				&& this.call.claim(stopping)) {
			ended();
			this.call.drive(Decision.STOPPED, this);
		}
	}

	@Override
	boolean stop() {
		boolean won = this.call.exchange(this, new Stopping(this));
		if (won) {
			this.call.execute(this::wake, AsyncDriver.DEFAULT_EXECUTOR);
		}
		return won;
	}

	@Override
	RetryCall call() {
		return this.call.state();
	}

	@Override
	public void abandon(boolean cancelled) {
		ended();
		this.call.drive(cancelled ? Decision.CANCELLED : Decision.COMPLETED, this);
	}

	private void ended() {
		stopTimer();
		this.call.driver().waiting().leave(this);
		this.call.driver().steps().waited();
	}

	private void stopTimer() {
		Cancellable scheduled = this.timer;
		if (scheduled != null) {
			scheduled.cancel();
		}
	}

	/**
	 * The end of a wait that an operator has ended, until the executor comes to it.
	 *
	 * @param of still among those that wait, for the shutdown to find
	 */
	private record Stopping(Waiter of) implements Driving.UnderWay {

		@Override
		public boolean isAbandonable() {
			return false;
		}

		@Override
		public void abandon(boolean cancelled) {
			throw new IllegalStateException("It ends anyway");
		}

	}

}
