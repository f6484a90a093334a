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

	private final RetryTime time;

	private final CallObserver.@Nullable ObservedCall clock;

	private final long began;

	private final List<Attempted> attempts = new ArrayList<>();

	private final List<RecordedCall.Wait> waits = new ArrayList<>();

	/* Without attempts and waits. */
	private RecordedCall outline;

	Recording(String policy, String method, RetryTime time, CallObserver.@Nullable ObservedCall clock) {
		this.time = time;
		this.clock = clock;
		this.began = time.nanoTime();
		this.outline = new RecordedCall(policy, method, List.of(), List.of(), null, RecoveryOutcome.NONE, null,
				Duration.ZERO);
	}

	synchronized RecordedCall call() {
		return outline(this.outline.stop(), this.outline.recovery(), this.outline.thrown(),
				(this.outline.stop() != null) ? this.outline.elapsed() : elapsed());
	}

	private RecordedCall outline(@Nullable StopReason stop, RecoveryOutcome recovery, @Nullable Throwable thrown,
			Duration elapsed) {
		return new RecordedCall(this.outline.policy(), this.outline.method(),
				this.attempts.stream().map((attempt) -> attempt.record).toList(), this.waits, stop, recovery, thrown,
				elapsed);
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
			this.outline = outline(reason, recovery, thrown, elapsed());
		}
		if (this.clock != null) {
			this.clock.ends(reason, attempts, recovery, thrown);
		}
	}

	/** One attempt. */
	private final class Attempted implements CallObserver.ObservedAttempt {

		private final CallObserver.@Nullable ObservedAttempt clock;

		private final Duration started = elapsed();

		private volatile RecordedAttempt record = new RecordedAttempt(null, null, this.started, Duration.ZERO, null);

		private boolean opened;

		private @Nullable String key;

		Attempted(CallObserver.@Nullable ObservedAttempt clock) {
			this.clock = clock;
		}

		/* In its first scope, that of its work, it is the attempt of the thread. */
		@Override
		public CallObserver.Scope open() {
			CallObserver.Scope scope = Recording.open(this.clock);
			if (this.opened) {
				return scope;
			}
			this.opened = true;
			return () -> {
				this.key = Attempt.isRunning() ? Attempt.current().usedIdempotencyKey() : null;
				scope.close();
			};
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.record = new RecordedAttempt(outcome, failure, this.started, elapsed().minus(this.started), this.key);
			if (this.clock != null) {
				this.clock.ends(outcome, failure);
			}
		}

	}

}
