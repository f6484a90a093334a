package dev.backoff.benchmarks.jcstress;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

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

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.concurrency.Ticket;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * A permit goes to one call, and comes back once. A result of calls is what came of the
 * one in the queue, then what is left over of permits, places and waits, and how often a
 * call has ended.
 */
public final class ConcurrencyStress {

	private static final int MOST_WAITING = 2;

	private static ConcurrencyLimit full() {
		ConcurrencyLimit limit = new ConcurrencyLimit("stress", 1, MOST_WAITING);
		if (!limit.tryAcquire()) {
			throw new IllegalStateException("a new limit has its permit");
		}
		return limit;
	}

	/** The only permit goes to one of two. */
	@JCStressTest
	@Outcome(id = { "true, false", "false, true" }, expect = Expect.ACCEPTABLE, desc = "One got it.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or taken twice.")
	@State
	public static class TwoTakeOne {

		private final ConcurrencyLimit limit = new ConcurrencyLimit("stress", 1, MOST_WAITING);

		@Actor
		public void one(ZZ_Result result) {
			result.r1 = this.limit.tryAcquire();
		}

		@Actor
		public void two(ZZ_Result result) {
			result.r2 = this.limit.enter(false).isGranted();
		}

	}

	/** A call comes while a permit is added. */
	@JCStressTest
	@Outcome(id = "true, 2, 0", expect = Expect.ACCEPTABLE, desc = "It has the new permit.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It is forgotten beside it.")
	@State
	public static class EnterAndChange {

		private final ConcurrencyLimit limit = full();

		private @Nullable Ticket place;

		@Actor
		public void enter() {
			this.place = this.limit.enter(false);
		}

		@Actor
		public void change() {
			this.limit.change(2, MOST_WAITING);
		}

		@Arbiter
		public void accounts(ZII_Result result) {
			result.r1 = this.place != null && this.place.isGranted();
			result.r2 = this.limit.active();
			result.r3 = this.limit.waiting();
		}

	}

	/** Calls of one permit. */
	abstract static class Calls extends StressedCalls {

		final ConcurrencyLimit limit;

		Calls(RetryTime time) {
			this(time, new ConcurrencyLimit("stress", 1, MOST_WAITING));
		}

		private Calls(RetryTime time, ConcurrencyLimit limit) {
			super(RetryPolicy.builder("stress").maxAttempts(1).deadline(Duration.ofHours(1)), time, limit);
			this.limit = limit;
		}

		CompletableFuture<String> call() {
			return this.retry.callAsync(() -> CompletableFuture.completedFuture("done"));
		}

		/* As something else would. */
		void takePermit() {
			if (!this.limit.tryAcquire()) {
				throw new IllegalStateException("a new limit has its permit");
			}
		}

	}

	/** A call in the queue, behind a permit that something else has. */
	abstract static class QueuedCall extends Calls {

		final HandTurnedTime time;

		final CompletableFuture<String> result;

		QueuedCall() {
			this(new HandTurnedTime());
		}

		private QueuedCall(HandTurnedTime time) {
			super(time);
			this.time = time;
			takePermit();
			this.result = call();
		}

	}

	/** The permit is handed over while the caller cancels the call. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "cancelled, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the permit is lost.")
	@State
	public static class HandOverAndCancel extends QueuedCall {

		@Actor
		public void handOver() {
			this.limit.release();
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

	/** The permit is handed over while the deadline ends the wait. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the permit is lost.")
	@State
	public static class HandOverAndDeadline extends QueuedCall {

		@Actor
		public void handOver() {
			this.limit.release();
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

	/** The permit is handed over while the application shuts down. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "refused, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither, or the permit is lost.")
	@State
	public static class HandOverAndShutDown extends QueuedCall {

		@Actor
		public void handOver() {
			this.limit.release();
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

	/** The attempt that has the permit ends while its time is over. */
	@JCStressTest
	@Outcome(id = "done, 0, 2", expect = Expect.ACCEPTABLE, desc = "The next call gets the permit, once.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "The permit is lost or given back twice.")
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
			takePermit();
			CompletableFuture<String> unused = this.retry.callAsync(() -> this.stage);
			this.result = call();
			this.limit.release();
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

	/** A blocking call parks in the queue while the permit is handed over. */
	@JCStressTest
	@Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "It is woken.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It sleeps on.")
	@State
	public static class HandOverAndPark extends Calls {

		public HandOverAndPark() {
			super(RetryTime.system());
			takePermit();
		}

		@Actor
		public void park(ZI_Result result) {
			String done = this.retry.<String, RuntimeException>call(() -> "done");
			result.r1 = done.equals("done");
		}

		@Actor
		public void handOver() {
			this.limit.release();
		}

		@Arbiter
		public void accounts(ZI_Result result) {
			result.r2 = left();
		}

	}

}
