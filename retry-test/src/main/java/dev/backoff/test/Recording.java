package dev.backoff.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.Attempt;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.RetryTime;

/**
 * One call and its attempt: what it has done, and whether it is busy. Changed under the
 * lock of the clock.
 */
final class Recording implements CallObserver.ObservedCall, CallObserver.ObservedAttempt {

	final String policy;

	/* The name under which it is kept elsewhere, or null. */
	final @Nullable String key;

	final @Nullable Recording enclosing;

	int pauses;

	/* What it was, once it has ended. */
	@Nullable RecordedCall ended;

	/* When it went on last, by the real time that counts for patience. */
	long since;

	/* Where its work runs. */
	volatile @Nullable Thread thread;

	private final String method;

	private final BusyCalls calls;

	private final RetryTime time;

	private final long began;

	private final List<RecordedAttempt> attempts = new ArrayList<>();

	private final List<RecordedCall.Wait> waits = new ArrayList<>();

	private final List<String> keys = new ArrayList<>();

	/* Whether it has told of a wait that has not begun. */
	private boolean waiting;

	/* Whether it waits for a permit, whatever wakes it meanwhile. */
	private boolean inQueue;

	/* Whether it has told of an attempt whose work has not begun. */
	private volatile boolean starting;

	private volatile @Nullable Attempt attempt;

	Recording(String policy, String method, @Nullable String key, @Nullable Recording enclosing, BusyCalls calls,
			RetryTime time) {
		this.policy = policy;
		this.method = method;
		this.key = key;
		this.enclosing = enclosing;
		this.calls = calls;
		this.time = time;
		this.began = time.nanoTime();
	}

	/** Note that its keeper has stored it or makes an attempt. */
	void kept() {
		goesOn(() -> {
		});
	}

	/** Return what is recorded. */
	RecordedCall call() {
		RecordedCall[] call = new RecordedCall[1];
		this.calls.clock.locked(() -> call[0] = call(null, RecoveryOutcome.NONE, null));
		return call[0];
	}

	private RecordedCall call(@Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		return (this.ended != null) ? this.ended : new RecordedCall(this.policy, this.method, this.attempts, this.waits,
				this.keys, stop, recovery, thrown, elapsed());
	}

	private Duration elapsed() {
		return Duration.ofNanos(this.time.nanoTime() - this.began);
	}

	boolean isInQueue() {
		return this.inQueue;
	}

	/* How long that wait is, is known at its end. */
	private void leaveQueue() {
		if (this.inQueue) {
			RecordedCall.Wait wait = this.waits.remove(this.waits.size() - 1);
			this.waits.add(new RecordedCall.Wait(wait.attempt(), wait.began(), elapsed().minus(wait.began()),
					DelaySource.CONCURRENCY));
			this.inQueue = false;
		}
	}

	boolean isBusy() {
		return this.pauses == 0 && this.ended == null && (this.key == null || this.thread != null);
	}

	boolean isWithin(Recording call) {
		return this == call || (this.enclosing != null && this.enclosing.isWithin(call));
	}

	/** Note that its keeper has removed it. */
	void forgotten() {
		goesOn(() -> this.ended = call(null, RecoveryOutcome.NONE, null));
	}

	/** Return whether its wait begins now, of which it has told. */
	boolean waits() {
		boolean waits = this.waiting;
		this.waiting = false;
		return waits;
	}

	/* In its first scope, that of its work, the attempt is that of the thread. */
	@Override
	public CallObserver.Scope open() {
		Recording around = this.calls.open.get();
		this.attempt = this.starting ? Attempt.current() : this.attempt;
		this.starting = false;
		this.calls.open.set(this);
		this.thread = Thread.currentThread();
		return () -> {
			this.calls.open.set(around);
			// the timeout of an attempt may come after calls inside
			this.calls.latest.set(this);
			this.thread = null;
		};
	}

	@Override
	public CallObserver.ObservedAttempt attemptBegins(int number) {
		this.calls.latest.set(this);
		goesOn(() -> {
			leaveQueue();
			this.attempts.add(new RecordedAttempt(null, null, elapsed(), Duration.ZERO));
			this.starting = true;
			this.waiting = false;
		});
		return this;
	}

	@Override
	public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
		goesOn(() -> {
			int last = this.attempts.size() - 1;
			Duration started = this.attempts.get(last).started();
			this.attempts.set(last, new RecordedAttempt(outcome, failure, started, elapsed().minus(started)));
			this.starting = false;
			Attempt attempt = this.attempt;
			String key = (attempt != null) ? attempt.usedIdempotencyKey() : null;
			if (key != null) {
				this.keys.add(key);
			}
			this.attempt = null;
		});
	}

	@Override
	public void waitBegins(DelaySource source, long nanos) {
		this.calls.latest.set(this);
		goesOn(() -> {
			boolean stays = this.inQueue && source == DelaySource.CONCURRENCY;
			if (!stays) {
				leaveQueue();
				this.waits.add(new RecordedCall.Wait(this.attempts.size(), elapsed(), Duration.ofNanos(nanos), source));
			}
			this.inQueue = source == DelaySource.CONCURRENCY;
			this.waiting = this.key == null && (nanos > 0 || source == DelaySource.CONCURRENCY);
		});
	}

	@Override
	public void ends(StopReason reason, int attempts, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		goesOn(() -> {
			leaveQueue();
			this.ended = call(reason, recovery, thrown);
			this.waiting = false;
			this.calls.goesOn(this.enclosing, -1);
		});
	}

	private void goesOn(Runnable change) {
		this.calls.clock.locked(() -> {
			change.run();
			this.calls.goesOn(this, 0);
		});
	}

	@Override
	public String toString() {
		return this.method + " (policy " + this.policy + ")";
	}

}
