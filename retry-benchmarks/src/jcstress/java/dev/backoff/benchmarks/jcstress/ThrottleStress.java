package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LII_Result;
import org.openjdk.jcstress.infra.results.ZII_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.Retry;
import dev.backoff.WaitingCalls;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.throttle.ConcurrencyExceededException;
import dev.backoff.throttle.Throttle;
import dev.backoff.time.RetryTime;

/**
 * A slot goes to one call, and comes back once. A result of calls is what came of the one
 * in the queue, then what is left over of slots, places and waits, and how often a call
 * has ended.
 */
public final class ThrottleStress {

	private static final int MOST_WAITING = 2;

	private ThrottleStress() {
	}

	private static Throttle full() {
		Throttle throttle = new Throttle("stress", 1, MOST_WAITING);
		if (!throttle.tryAcquire()) {
			throw new IllegalStateException("a new throttle has its slot");
		}
		return throttle;
	}

	/** The only slot goes to one of two. */
	@JCStressTest
	@Outcome(id = { "true, false", "false, true" }, expect = Expect.ACCEPTABLE, desc = "One got it.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or taken twice.")
	@State
	public static class TwoTakeOne {

		private final Throttle throttle = new Throttle("stress", 1, MOST_WAITING);

		@Actor
		public void one(ZZ_Result result) {
			result.r1 = this.throttle.tryAcquire();
		}

		@Actor
		public void two(ZZ_Result result) {
			result.r2 = this.throttle.enter().isGranted();
		}

	}

	/** A call comes while the slot is given back. */
	@JCStressTest
	@Outcome(id = "true, 1, 0", expect = Expect.ACCEPTABLE, desc = "It has the slot.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It is forgotten beside a free slot.")
	@State
	public static class ReleaseAndEnter {

		private final Throttle throttle = full();

		private Throttle.@Nullable Place place;

		@Actor
		public void release() {
			this.throttle.release();
		}

		@Actor
		public void enter() {
			this.place = this.throttle.enter();
		}

		@Arbiter
		public void accounts(ZII_Result result) {
			result.r1 = this.place != null && this.place.isGranted();
			result.r2 = this.throttle.active();
			result.r3 = this.throttle.waiting();
		}

	}

	/** The first in the queue leaves while the slot is given back. */
	@JCStressTest
	@Outcome(id = "true, 1, 0", expect = Expect.ACCEPTABLE, desc = "The second has the slot.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It is lost with the first.")
	@State
	public static class ReleaseAndLeave {

		private final Throttle throttle = full();

		private final Throttle.Place first = this.throttle.enter();

		private final Throttle.Place second = this.throttle.enter();

		@Actor
		public void release() {
			this.throttle.release();
		}

		@Actor
		public void leave() {
			this.first.leave();
		}

		@Arbiter
		public void accounts(ZII_Result result) {
			result.r1 = this.second.isGranted();
			result.r2 = this.throttle.active();
			result.r3 = this.throttle.waiting();
		}

	}

	/** A slot is added while another one is given back. */
	@JCStressTest
	@Outcome(id = "true, 2, 0", expect = Expect.ACCEPTABLE, desc = "Both in the queue have one.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "One of them is forgotten.")
	@State
	public static class ReleaseAndChange {

		private final Throttle throttle = full();

		private final Throttle.Place first = this.throttle.enter();

		private final Throttle.Place second = this.throttle.enter();

		@Actor
		public void release() {
			this.throttle.release();
		}

		@Actor
		public void change() {
			this.throttle.change(2, MOST_WAITING);
		}

		@Arbiter
		public void accounts(ZII_Result result) {
			result.r1 = this.first.isGranted() && this.second.isGranted();
			result.r2 = this.throttle.active();
			result.r3 = this.throttle.waiting();
		}

	}

	/** A call comes while a slot is added. */
	@JCStressTest
	@Outcome(id = "true, 2, 0", expect = Expect.ACCEPTABLE, desc = "It has the new slot.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It is forgotten beside it.")
	@State
	public static class EnterAndChange {

		private final Throttle throttle = full();

		private Throttle.@Nullable Place place;

		@Actor
		public void enter() {
			this.place = this.throttle.enter();
		}

		@Actor
		public void change() {
			this.throttle.change(2, MOST_WAITING);
		}

		@Arbiter
		public void accounts(ZII_Result result) {
			result.r1 = this.place != null && this.place.isGranted();
			result.r2 = this.throttle.active();
			result.r3 = this.throttle.waiting();
		}

	}

	/** Calls of one slot. */
	abstract static class Calls {

		final Throttle throttle = new Throttle("stress", 1, MOST_WAITING);

		private final Accounts accounts = new Accounts();

		private final WaitingCalls waiting = new WaitingCalls();

		final Retry retry;

		Calls(RetryTime time) {
			this.retry = Retry
				.builder(RetryPolicy.builder("stress")
					.maxAttempts(1)
					.attemptTimeout(Duration.ofSeconds(1))
					.deadline(Duration.ofHours(1))
					.build())
				.time(time)
				.executor(Runnable::run)
				.throttle(this.throttle)
				.recorder(this.accounts)
				.waitingCalls(this.waiting)
				.build();
		}

		CompletableFuture<String> call() {
			return this.retry.callAsync(() -> CompletableFuture.completedFuture("done"));
		}

		void shutDown() {
			this.waiting.shutDown();
		}

		int left() {
			return this.throttle.active() + this.throttle.waiting() + this.waiting.count();
		}

		void tell(LII_Result result, CompletableFuture<String> future) {
			result.r1 = outcome(future);
			result.r2 = left();
			result.r3 = this.accounts.ends();
		}

		private static String outcome(CompletableFuture<String> future) {
			if (future.isCancelled()) {
				return "cancelled";
			}
			try {
				return future.getNow("pending");
			}
			catch (CompletionException ex) {
				return (ex.getCause() instanceof ConcurrencyExceededException) ? "refused"
						: (ex.getCause() instanceof AttemptTimeoutException) ? "late" : "failed";
			}
		}

	}

	/** A call in the queue, behind a slot that something else has. */
	abstract static class QueuedCall extends Calls {

		final HandTurnedTime time;

		final CompletableFuture<String> result;

		QueuedCall() {
			this(new HandTurnedTime());
		}

		private QueuedCall(HandTurnedTime time) {
			super(time);
			this.time = time;
			if (!this.throttle.tryAcquire()) {
				throw new IllegalStateException("a new throttle has its slot");
			}
			this.result = call();
		}

	}

	/** The slot is handed over while the caller cancels the call. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "cancelled, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the slot is lost.")
	@State
	public static class HandOverAndCancel extends QueuedCall {

		@Actor
		public void handOver() {
			this.throttle.release();
		}

		@Actor
		public void cancel() {
			this.result.cancel(true);
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tell(result, this.result);
		}

	}

	/** The slot is handed over while the deadline ends the wait. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the slot is lost.")
	@State
	public static class HandOverAndDeadline extends QueuedCall {

		@Actor
		public void handOver() {
			this.throttle.release();
		}

		@Actor
		public void beLate() {
			this.time.turn(Duration.ofHours(2));
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tell(result, this.result);
		}

	}

	/** The slot is handed over while the application shuts down. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the slot is lost.")
	@State
	public static class HandOverAndShutDown extends QueuedCall {

		@Actor
		public void handOver() {
			this.throttle.release();
		}

		@Actor
		public void close() {
			shutDown();
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tell(result, this.result);
		}

	}

	/** The attempt that has the slot ends while its time is over. */
	@JCStressTest
	@Outcome(id = "done, 0, 2", expect = Expect.ACCEPTABLE, desc = "The next call gets the slot, once.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "The slot is lost or given back twice.")
	@State
	public static class TimeoutAndFinish extends Calls {

		private final HandTurnedTime time;

		private final CompletableFuture<String> stage = new CompletableFuture<>();

		private final CompletableFuture<String> result;

		public TimeoutAndFinish() {
			this(new HandTurnedTime());
		}

		private TimeoutAndFinish(HandTurnedTime time) {
			super(time);
			this.time = time;
			// behind the wait of the other call, which it takes from the time
			boolean taken = this.throttle.tryAcquire();
			CompletableFuture<String> unused = this.retry.callAsync(() -> this.stage);
			this.result = call();
			if (taken) {
				this.throttle.release();
			}
		}

		@Actor
		public void finish() {
			this.stage.complete("done");
		}

		@Actor
		public void timeOut() {
			this.time.turn();
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tell(result, this.result);
		}

	}

	/** A blocking call parks in the queue while the slot is handed over. */
	@JCStressTest
	@Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "It is woken.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It sleeps on.")
	@State
	public static class HandOverAndPark extends Calls {

		public HandOverAndPark() {
			super(RetryTime.system());
			if (!this.throttle.tryAcquire()) {
				throw new IllegalStateException("a new throttle has its slot");
			}
		}

		@Actor
		public void park(ZI_Result result) {
			String done = this.retry.<String, RuntimeException>call(() -> "done");
			result.r1 = done.equals("done");
		}

		@Actor
		public void handOver() {
			this.throttle.release();
		}

		@Arbiter
		public void accounts(ZI_Result result) {
			result.r2 = left();
		}

	}

}
