package dev.backoff.benchmarks.jcstress;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;

/** What one call takes and gives back, and how often it ends. */
final class Accounts implements CallPermits, CallPermits.Permit, CallRecorder {

	private final AtomicInteger permits = new AtomicInteger();

	private final AtomicInteger ends = new AtomicInteger();

	/** Return how many permits were taken and not given back. */
	int permits() {
		return this.permits.get();
	}

	/** Return how often a call has ended. */
	int ends() {
		return this.ends.get();
	}

	@Override
	public String name() {
		return "stress";
	}

	@Override
	public Permit tryAcquire(long now) {
		this.permits.incrementAndGet();
		return this;
	}

	@Override
	public boolean isPermitting(long now) {
		return true;
	}

	@Override
	public long nanosToPermit(long now) {
		return 0;
	}

	@Override
	public boolean isAwaited() {
		return false;
	}

	@Override
	public CircuitOpenException rejection(long now) {
		throw new UnsupportedOperationException("nothing is rejected here");
	}

	@Override
	public void succeeded(long nanos, long now) {
		this.permits.decrementAndGet();
	}

	@Override
	public void failed(long nanos, long now, @Nullable Throwable failure) {
		this.permits.decrementAndGet();
	}

	@Override
	public void released() {
		this.permits.decrementAndGet();
	}

	@Override
	public void attempt(int number, AttemptOutcome outcome, long nanos) {
	}

	@Override
	public void call(StopReason reason, long nanos) {
		this.ends.incrementAndGet();
	}

	@Override
	public void waiting(DelaySource source, long nanos) {
	}

	@Override
	public void waited() {
	}

	@Override
	public void retry(RetryCause cause) {
	}

	@Override
	public void recovered(RecoveryOutcome outcome) {
	}

}
