package dev.backoff;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * One wait of an asynchronous call: for the timer, then for the executor. Each wait is an
 * object of its own, so that a late event of one wait does not end the next one.
 */
final class AsyncWait extends CallRegistry.Waiter implements CallStack.Driving.Abandonable {

	private static final AtomicReferenceFieldUpdater<AsyncWait, @Nullable Cancellable> SCHEDULED = AtomicReferenceFieldUpdater
		.newUpdater(AsyncWait.class, Cancellable.class, "scheduled");

	private final AsyncCall<?, ?> call;

	/* The timer, then the hand-over; one field, since very many calls may wait. */
	private volatile @Nullable Cancellable scheduled;

	AsyncWait(AsyncCall<?, ?> call) {
		this.call = call;
	}

	/** Wait for the given time, unless the wait has ended already. */
	void begin(long nanos) {
		if (hasEnded()) {
			// it may have ended before it was entered
			this.call.steps.registry().leave(this);
			return;
		}
		if (nanos <= 0) {
			handOver(Runnable::run);
			return;
		}
		Cancellable timer;
		try {
			timer = this.call.steps.settings().time().schedule(this, nanos);
		}
		catch (Throwable failure) {
			if (this.call.claim(this)) {
				end(Decision.notRetryable("the wait failed", failure));
			}
			return;
		}
		// the wait may have been handed over before its timer is known here
		if (!SCHEDULED.compareAndSet(this, null, timer) || hasEnded()) {
			stop(timer);
		}
	}

	private boolean hasEnded() {
		return !this.call.isUnderWay(this);
	}

	/* The timer's thread runs no code of the application. */
	@Override
	public void run() {
		if (this.call.state.ticket == null) {
			handOver(AsyncCall.DEFAULT_EXECUTOR);
		}
		else {
			CallStack.ofThread().serve(() -> handOver(AsyncCall.DEFAULT_EXECUTOR));
		}
	}

	private void handOver(Executor otherwise) {
		HandOver handOver;
		try {
			handOver = new HandOver(this);
		}
		catch (Throwable ex) {
			if (this.call.claim(this)) {
				this.call.steps.registry().leave(this);
				this.call.crash(ex);
			}
			return;
		}
		Cancellable timer;
		do {
			timer = this.scheduled;
			if (timer instanceof HandOver) {
				// an operator wakes it although its time has come
				return;
			}
		}
		while (!SCHEDULED.compareAndSet(this, timer, handOver));
		stop(timer);
		try {
			this.call.executor.execute(handOver);
		}
		catch (Throwable failure) {
			AsyncCall.execute(() -> {
				if (this.call.claim(this)) {
					end(Decision.rejected(failure));
				}
			}, otherwise);
			return;
		}
		handOver.guard();
	}

	/** Go on because of the shutdown. */
	@Override
	void shutDown() {
		goOn(this.call.state.now(), false);
	}

	/** Go on after the wait, or because the executor has not done so in time. */
	private void goOn(long since, boolean overdue) {
		if (this.call.claim(this)) {
			try {
				ended();
				this.call.drive(next(since, overdue), this);
			}
			catch (Throwable ex) {
				this.call.crash(ex);
			}
		}
	}

	private Decision next(long since, boolean overdue) {
		CallState state = this.call.state;
		CallSteps steps = this.call.steps;
		Decision next = steps.afterWait(state);
		if (next instanceof Decision.Proceed proceed) {
			state.attemptStart = since;
			boolean timedOut = overdue && state.attemptTimeLeft() <= 0;
			if (overdue) {
				String what = "an attempt was not begun within " + DurationText.rounded(state.now() - since)
						+ (timedOut ? " and has timed out" : " and is made on the default executor");
				steps.events().hookFailed("executor", new TimeoutException(what));
			}
			return timedOut ? steps.timedOutUnbegun(proceed, state) : next;
		}
		return (overdue && next.equals(Decision.OVERSLEPT)) ? Decision.UNBEGUN : next;
	}

	@Override
	CallState call() {
		return this.call.state;
	}

	@Override
	public void abandon(boolean cancelled) {
		end(cancelled ? Decision.CANCELLED : Decision.COMPLETED);
	}

	private void end(Decision.Stop stop) {
		ended();
		this.call.drive(stop, this);
	}

	void ended() {
		stop(this.scheduled);
		this.call.steps.registry().leave(this);
		this.call.steps.waited(this.call.state);
	}

	static void stop(@Nullable Cancellable scheduled) {
		if (scheduled != null) {
			scheduled.cancel();
		}
	}

	/**
	 * The end of a wait, on the executor or elsewhere if that does not begin it in time.
	 * The attempt's time runs from here on.
	 */
	private static final class HandOver implements Runnable, Cancellable {

		private final AsyncWait wait;

		private final long since;

		private volatile @Nullable Cancellable guard;

		HandOver(AsyncWait wait) {
			this.wait = wait;
			this.since = wait.call.state.now();
		}

		@Override
		public void run() {
			this.wait.goOn(this.since, false);
		}

		void guard() {
			if (!this.wait.hasEnded()) {
				this.guard = this.wait.call.guard(() -> this.wait.goOn(this.since, true));
				if (this.wait.hasEnded()) {
					cancel();
				}
			}
		}

		@Override
		public void cancel() {
			stop(this.guard);
		}

	}

}
