package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LII_Result;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * A turn comes to a call that waits for it, or something else ends its wait. A result is
 * what came of the call, then what is left over of places and waits, and how often the
 * call has ended.
 */
public final class PaceStress {

	private PaceStress() {
	}

	/** Time in which all that is due happens when a test says so. */
	private static final class Timers implements RetryTime {

		private final Map<Runnable, Long> scheduled = new ConcurrentHashMap<>();

		private final AtomicLong now = new AtomicLong();

		@Override
		public long nanoTime() {
			return this.now.get();
		}

		@Override
		public void sleep(long nanos) {
			throw new UnsupportedOperationException("nothing sleeps here");
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			Runnable own = () -> task.run();
			this.scheduled.put(own, this.now.get() + nanos);
			return () -> this.scheduled.remove(own);
		}

		void turn(Duration time) {
			long until = this.now.accumulateAndGet(time.toNanos(), Math::max);
			while (this.scheduled.values().stream().anyMatch((due) -> due <= until)) {
				this.scheduled.forEach((task, due) -> {
					if (due <= until && this.scheduled.remove(task) != null) {
						task.run();
					}
				});
			}
		}

	}

	/** A call in the queue of a pace whose hold is over after an hour. */
	abstract static class WaitingCall extends StressedCalls {

		final Timers time;

		final Pace pace;

		final CompletableFuture<String> result;

		WaitingCall() {
			this(new Timers());
		}

		private WaitingCall(Timers time) {
			this(time, new Pace("stress", Duration.ofHours(3), 2, time, (held, hold) -> {
			}));
		}

		private WaitingCall(Timers time, Pace pace) {
			super(RetryPolicy.builder("stress").maxAttempts(1).deadline(Duration.ofHours(10)), time,
					new ConcurrencyLimit("stress", 1, 2), pace);
			this.time = time;
			this.pace = pace;
			hold(Duration.ofHours(1));
			this.result = this.retry.callAsync(() -> CompletableFuture.completedFuture("done"));
		}

		void hold(Duration hint) {
			this.pace.throttled(0, hint.toNanos(), this.time.nanoTime());
		}

		void comes() {
			this.time.turn(Duration.ofHours(1));
		}

		void tellAll(LII_Result result) {
			this.time.turn(Duration.ofHours(6));
			tell(result, this.result);
			result.r2 += this.pace.status().waiting();
		}

	}

	/** The turn comes while the caller cancels the call. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "cancelled, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or a place is lost.")
	@State
	public static class TurnAndCancel extends WaitingCall {

		@Actor
		public void turn() {
			comes();
		}

		@Actor
		public void cancel() {
			this.result.cancel(true);
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tellAll(result);
		}

	}

	/** The turn comes while the deadline ends the wait. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or a place is lost.")
	@State
	public static class TurnAndDeadline extends WaitingCall {

		@Actor
		public void turn() {
			comes();
		}

		@Actor
		public void beLate() {
			this.time.turn(Duration.ofHours(11));
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tellAll(result);
		}

	}

	/** The turn comes while the application shuts down. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or a place is lost.")
	@State
	public static class TurnAndShutDown extends WaitingCall {

		@Actor
		public void turn() {
			comes();
		}

		@Actor
		public void close() {
			shutDown();
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tellAll(result);
		}

	}

	/** The turn comes while a longer hint prolongs the hold. */
	@JCStressTest
	@Outcome(id = "done, 0, 1", expect = Expect.ACCEPTABLE, desc = "It has its turn, now or later.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Its turn never comes.")
	@State
	public static class TurnAndLongerHold extends WaitingCall {

		@Actor
		public void turn() {
			comes();
		}

		@Actor
		public void prolong() {
			hold(Duration.ofMinutes(90));
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tellAll(result);
		}

	}

}
