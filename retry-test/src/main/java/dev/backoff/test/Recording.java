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
 * Record one call, and tell the clock after that, since it may then move. Thread-safe.
 */
final class Recording implements CallObserver.ObservedCall {

	private final String policy;

	private final String method;

	private final RetryTime time;

	private final CallObserver.@Nullable ObservedCall clock;

	private final long began;

	private final List<Attempted> attempts = new ArrayList<>();

	private final List<RecordedCall.Wait> waits = new ArrayList<>();

	private @Nullable String key;

	/* As it is at its end, or null while it runs. */
	private @Nullable RecordedCall ended;

	Recording(String policy, String method, RetryTime time, CallObserver.@Nullable ObservedCall clock) {
		this.policy = policy;
		this.method = method;
		this.time = time;
		this.clock = clock;
		this.began = time.nanoTime();
	}

	synchronized RecordedCall call() {
		return (this.ended != null) ? this.ended : call(null, RecoveryOutcome.NONE, null);
	}

	private RecordedCall call(@Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		return new RecordedCall(this.policy, this.method,
				this.attempts.stream().map((attempt) -> attempt.recorded).toList(), this.waits, this.key, stop,
				recovery, thrown, elapsed());
	}

	private Duration elapsed() {
		return Duration.ofNanos(this.time.nanoTime() - this.began);
	}

	@Override
	public CallObserver.Scope open() {
		return open(this.clock);
	}

	private static CallObserver.Scope open(CallObserver.@Nullable Observed observed) {
		return (observed != null) ? observed.open() : () -> {
		};
	}

	@Override
	public synchronized CallObserver.ObservedAttempt attemptBegins(int number) {
		Attempted attempt = new Attempted((this.clock != null) ? this.clock.attemptBegins(number) : null);
		this.attempts.add(attempt);
		return attempt;
	}

	@Override
	public void waitBegins(DelaySource source, long nanos) {
		synchronized (this) {
			this.waits.add(new RecordedCall.Wait(this.attempts.size(), elapsed(), Duration.ofNanos(nanos), source));
		}
		if (this.clock != null) {
			this.clock.waitBegins(source, nanos);
		}
	}

	@Override
	public void ends(StopReason reason, int attempts, RecoveryOutcome recovery, @Nullable Throwable thrown) {
		synchronized (this) {
			this.ended = call(reason, recovery, thrown);
		}
		if (this.clock != null) {
			this.clock.ends(reason, attempts, recovery, thrown);
		}
	}

	private synchronized void noteKey() {
		String used = Attempt.isRunning() ? Attempt.current().usedIdempotencyKey() : null;
		this.key = (used != null) ? used : this.key;
	}

	/** One attempt. */
	private final class Attempted implements CallObserver.ObservedAttempt {

		private final CallObserver.@Nullable ObservedAttempt clock;

		private final Duration started = elapsed();

		private volatile RecordedAttempt recorded = new RecordedAttempt(null, null, this.started, Duration.ZERO);

		private boolean opened;

		Attempted(CallObserver.@Nullable ObservedAttempt clock) {
			this.clock = clock;
		}

		/* In its first scope, that of its work, it is the attempt of the thread. */
		@Override
		public CallObserver.Scope open() {
			CallObserver.Scope scope = Recording.open(this.clock);
			boolean works = !this.opened;
			this.opened = true;
			return works ? () -> {
				noteKey();
				scope.close();
			} : scope;
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.recorded = new RecordedAttempt(outcome, failure, this.started, elapsed().minus(this.started));
			if (this.clock != null) {
				this.clock.ends(outcome, failure);
			}
		}

	}

}
