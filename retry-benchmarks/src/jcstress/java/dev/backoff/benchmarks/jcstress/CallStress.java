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
import org.openjdk.jcstress.infra.results.ZI_Result;

import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

/**
 * However the ends of an attempt and of a wait meet, a call ends once, gives back each
 * permit once and waits no more. A result is what came of it, then what is left over of
 * permits and waits, and how often the call has ended.
 */
public final class CallStress {

	private static final CompletableFuture<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	/** A call that waits for an hour after a failure. */
	abstract static class OneCall extends StressedCalls {

		OneCall(RetryTime time) {
			super(RetryPolicy.builder("stress")
				.maxAttempts(2)
				.base(Duration.ofHours(1))
				.cap(Duration.ofHours(1))
				.retryOn(IllegalStateException.class), time, null);
		}

	}

	/** An asynchronous call that has made its first attempt, or waits after it. */
	abstract static class AsyncCall extends OneCall {

		final HandTurnedTime time;

		final CompletableFuture<String> stage = new CompletableFuture<>();

		final CompletableFuture<String> result;

		AsyncCall(boolean waits) {
			this(waits, new HandTurnedTime());
		}

		private AsyncCall(boolean waits, HandTurnedTime time) {
			super(time);
			this.time = time;
			this.result = this.retry.<String, String>callAsyncOn("stress",
					(context, number) -> (waits && number == 1) ? FAILED : this.stage, null);
		}

	}

	/** An attempt ends while its time is over. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "late, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither.")
	@State
	public static class TimeoutAndFinish extends AsyncCall {

		public TimeoutAndFinish() {
			super(true);
			this.time.turn();
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

	/** An attempt ends while the caller cancels the call. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "cancelled, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither.")
	@State
	public static class CancelAndFinish extends AsyncCall {

		public CancelAndFinish() {
			super(false);
		}

		@Actor
		public void finish() {
			this.stage.complete("done");
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

	/** A wait ends while the caller cancels the call. */
	@JCStressTest
	@Outcome(id = "cancelled, 0, 1", expect = Expect.ACCEPTABLE, desc = "The attempt is cancelled or never made.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It goes on.")
	@State
	public static class CancelAndGoOn extends AsyncCall {

		public CancelAndGoOn() {
			super(true);
		}

		@Actor
		public void goOn() {
			this.time.turn();
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

	/** A wait ends while the application shuts down. */
	@JCStressTest
	@Outcome(id = { "done, 0, 1", "failed, 0, 1" }, expect = Expect.ACCEPTABLE, desc = "One of both.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "Both, or neither.")
	@State
	public static class ShutDownAndGoOn extends AsyncCall {

		public ShutDownAndGoOn() {
			super(true);
			this.stage.complete("done");
		}

		@Actor
		public void goOn() {
			this.time.turn();
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

	/** A call starts and fails while the application shuts down. */
	@JCStressTest
	@Outcome(id = "failed, 0, 1", expect = Expect.ACCEPTABLE, desc = "It waits for nothing.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It waits, or ends twice.")
	@State
	public static class ShutDownAndStart extends OneCall {

		private @Nullable CompletableFuture<String> result;

		public ShutDownAndStart() {
			super(new HandTurnedTime());
		}

		@Actor
		public void start() {
			this.result = this.retry.callAsync(() -> FAILED);
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

	/** A blocking call fails and goes to sleep while the application shuts down. */
	@JCStressTest
	@Outcome(id = "nothing, 0, 1", expect = Expect.ACCEPTABLE, desc = "It is woken.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "It sleeps, or ends twice.")
	@State
	public static class ShutDownAndSleep extends OneCall {

		public ShutDownAndSleep() {
			super(RetryTime.system());
		}

		@Actor
		public void sleep() {
			try {
				this.retry.call(() -> {
					throw new IllegalStateException("down");
				});
			}
			catch (IllegalStateException ex) {
				// after an hour, or now
			}
		}

		@Actor
		public void close() {
			shutDown();
		}

		@Arbiter
		public void accounts(LII_Result result) {
			tell(result, null);
		}

	}

	/** The work of a blocking attempt ends while it is interrupted for being late. */
	@JCStressTest
	@Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "No interrupt is left over.")
	@Outcome(expect = Expect.FORBIDDEN, desc = "What the thread does next is interrupted.")
	@State
	public static class InterruptAndReturn extends OneCall {

		private final HandTurnedTime time;

		public InterruptAndReturn() {
			this(new HandTurnedTime());
		}

		private InterruptAndReturn(HandTurnedTime time) {
			super(time);
			this.time = time;
		}

		@Actor
		public void work(ZI_Result result) {
			String done = this.retry.<String, RuntimeException>call(() -> "done");
			result.r1 = Thread.interrupted() || done.isEmpty();
		}

		@Actor
		public void timeOut() {
			this.time.turn();
		}

		@Arbiter
		public void accounts(ZI_Result result) {
			result.r2 = left();
		}

	}

}
