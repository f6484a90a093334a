package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.StopReason;
import dev.backoff.concurrency.Ticket;
import dev.backoff.time.RetryTime;
import dev.backoff.time.WakeSignal;

/**
 * The calls that wait for their next attempt. An operator can list and wake them. A
 * shutdown of the application wakes them all: they end as {@link StopReason#SHUTDOWN}
 * with the last real failure, and no call is retried any more. First attempts still pass.
 * Shared by the retries of one application; thread-safe.
 * <p>
 * A policy is given by its exact name; null stands for all policies. An operation of an
 * operator affects the calls that wait at that moment, and none that begin to wait later.
 * It runs no code of a call on the operator's thread, unless the executor of the call's
 * attempts does so.
 *
 * @since 0.1
 */
public final class WaitingCalls {

	/*
	 * The waiters themselves form a ring, so that another one needs no more memory. No
	 * code of the application runs under the lock. It is a monitor, which a thread leaves
	 * even where its stack overflows.
	 */

	private final Object lock = new Object();

	/* The one that has waited longest, or null. */
	private @Nullable Waiter first;

	private int count;

	private volatile boolean shutDown;

	/** Begin without waiting calls. */
	public WaitingCalls() {
	}

	/** Sleep until the wait ends. */
	void await(CallState call, long nanos) throws InterruptedException {
		RetryTime time = call.settings().time();
		if (nanos <= 0) {
			time.sleep(nanos);
			return;
		}
		Sleeper sleeper = new Sleeper(call);
		enter(sleeper, nanos);
		try {
			time.sleep(nanos, sleeper.signal);
		}
		finally {
			leave(sleeper);
		}
	}

	/**
	 * Note that a call waits for the given time. After the shutdown, or if retries were
	 * switched off meanwhile, end its wait at once.
	 */
	void enter(Waiter waiter, long nanos) {
		long due = waiter.call().now() + nanos;
		synchronized (this.lock) {
			waiter.call().attemptStart(due);
			waiter.link(this.first);
			this.first = (this.first != null) ? this.first : waiter;
			this.count++;
		}
		Ticket ticket = waiter.call().ticket();
		if (ticket != null) {
			ticket.whenGranted(waiter);
		}
		// read after the waiter can be seen, or the waiter might miss both
		if (this.shutDown) {
			waiter.wake();
		}
		else if (waiter.wantsRetry() && waiter.call().settings().retries().off() != null) {
			waiter.run();
		}
	}

	/** Note that a call waits no more. The second time does nothing. */
	void leave(Waiter waiter) {
		synchronized (this.lock) {
			Waiter after = waiter.next();
			if (waiter.unlink()) {
				this.first = (this.first != waiter) ? this.first : (after != waiter) ? after : null;
				this.count--;
			}
		}
	}

	/**
	 * {@return the calls that have waited longest for their next attempt, the first to
	 * wait first}
	 * @param policy whose calls, or null for all
	 * @param most how many at most
	 */
	public List<WaitingCall> oldest(@Nullable String policy, int most) {
		List<Seen> seen = new ArrayList<>();
		synchronized (this.lock) {
			for (Waiter waiter = this.first; waiter != null && seen.size() < most; waiter = after(waiter)) {
				if (waiter.isOf(policy)) {
					seen.add(new Seen(waiter.call().settings(), waiter.call().history().attempts(),
							waiter.call().attemptStart(), waiter.call().started()));
				}
			}
		}
		// tickers are read outside the lock
		return seen.stream().map(Seen::call).toList();
	}

	/**
	 * Wake calls: they go on as if their waits had ended. Each still asks the switches,
	 * its deadline, the breaker and, if it waited for the budget, the budget. Calls that
	 * wait for a permit are not woken: they keep their places in the queue.
	 * @param policy whose calls, or null for all
	 * @return how many calls were woken
	 */
	public int wake(@Nullable String policy) {
		return run((waiter) -> waiter.isOf(policy) && waiter.call().ticket() == null);
	}

	/**
	 * Wake the calls that end after retries were switched off. Calls that ask again for a
	 * result that is not final yet go on, and so do those before their first attempt.
	 * @param policy whose retries were switched off, or null for all
	 * @return how many calls were woken
	 */
	public int switchedOff(@Nullable String policy) {
		return run((waiter) -> waiter.isOf(policy) && waiter.wantsRetry());
	}

	private int run(Predicate<Waiter> wanted) {
		List<Waiter> woken = waiting(wanted);
		woken.forEach(Waiter::run);
		return woken.size();
	}

	/** Wake all calls, now and from now on. The second time does nothing. */
	public void shutDown() {
		this.shutDown = true;
		waiting((waiter) -> true).forEach(Waiter::wake);
	}

	/**
	 * Wake all calls, now and from now on, and return when the asynchronous ones among
	 * them have ended. Their recoveries may be slow, so they end both on the executor and
	 * on this thread.
	 * @param executor helps; what it refuses, or does not come to, is done on this thread
	 */
	public void shutDown(Executor executor) {
		this.shutDown = true;
		List<Runnable> ends = new ArrayList<>();
		for (Waiter waiter : waiting((waiter) -> true)) {
			if (waiter instanceof Sleeper) {
				waiter.wake();
			}
			else {
				ends.add(waiter::wake);
			}
		}
		new SharedTasks(ends).run(executor);
	}

	/** Let calls wait again after a shutdown, for tests that share one application. */
	public void reopen() {
		this.shutDown = false;
	}

	private List<Waiter> waiting(Predicate<Waiter> wanted) {
		synchronized (this.lock) {
			List<Waiter> waiting = new ArrayList<>();
			for (Waiter waiter = this.first; waiter != null; waiter = after(waiter)) {
				if (wanted.test(waiter)) {
					waiting.add(waiter);
				}
			}
			return waiting;
		}
	}

	private @Nullable Waiter after(Waiter waiter) {
		Waiter next = waiter.next();
		return (next != this.first) ? next : null;
	}

	/**
	 * {@return whether all waits have ended; true after {@link #shutDown()}}
	 */
	public boolean isShutDown() {
		return this.shutDown;
	}

	/**
	 * {@return how many calls wait now}
	 */
	public int count() {
		synchronized (this.lock) {
			return this.count;
		}
	}

	@Override
	public String toString() {
		return "WaitingCalls (" + count() + (this.shutDown ? ", shut down)" : ")");
	}

	/** A call as it waited, before its ticker is read. */
	private record Seen(CallSettings settings, int attempt, long due, long started) {

		WaitingCall call() {
			long now = this.settings.time().nanoTime();
			return new WaitingCall(this.settings.policy().name(), this.settings.method(), this.attempt,
					Duration.ofNanos(Math.max(0, this.due - now)), Duration.ofNanos(Math.max(0, now - this.started)));
		}

	}

	private final class Sleeper extends Waiter {

		private final CallState call;

		private final WakeSignal signal = new WakeSignal();

		Sleeper(CallState call) {
			this.call = call;
		}

		@Override
		CallState call() {
			return this.call;
		}

		@Override
		public void run() {
			wake();
		}

		@Override
		void wake() {
			this.signal.raise();
		}

	}

}
