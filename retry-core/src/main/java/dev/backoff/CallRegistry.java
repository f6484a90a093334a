package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.Ticket;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.TimerEntry;
import dev.backoff.time.RetryTime.WakeSignal;

/**
 * The retried calls of one application: which calls wait for their next attempt, and how
 * many calls run. An operator can list and wake the waiting calls. A shutdown wakes all
 * of them: they end as {@link StopReason#SHUTDOWN} with their last failure, and from then
 * on no call is retried. First attempts are still made. Thread-safe.
 * <p>
 * A call runs from its start to the end of its recovery; a call inside another call is
 * counted as well. Running calls are counted only for retries that
 * {@linkplain RetryBuilder#counted(boolean) count them}. If the policy of such a retry
 * has a deadline or an attempt timeout, its running attempts are listed.
 * <p>
 * Policies are given by their exact names. No code of a call runs under a lock, or on the
 * thread of an operator unless the executor of the call's attempts runs it there. This
 * file is long because each waiting call is also a link of the list of waiting calls.
 *
 * @since 0.1
 */
public final class CallRegistry {

	private final Object lock = new Object();

	/* The waiters form a ring with this one, which is none. */
	private final Waiter ring = new Sleeper(new CallState(null));

	private int waiting;

	private volatile boolean shutDown;

	private final AtomicLong running = new AtomicLong();

	private final AtomicReference<@Nullable Runnable> whenNoneRuns = new AtomicReference<>();

	/* What may run an attempt that an operator can list; null while it runs none. */
	final Set<Supplier<@Nullable RunningAttempt>> attempts = ConcurrentHashMap.newKeySet();

	/** Create a registry without calls. */
	public CallRegistry() {
	}

	/** Sleep until the wait ends. */
	void await(CallState call, long nanos) throws InterruptedException {
		RetryTime time = call.settings().time();
		if (nanos <= 0) {
			time.sleep(nanos);
			return;
		}
		Sleeper sleeper = new Sleeper(call);
		enter(sleeper);
		try {
			time.sleep(nanos, sleeper.signal);
		}
		finally {
			leave(sleeper);
		}
	}

	/** Enter a waiting call; after the shutdown or the switch-off its wait ends. */
	void enter(Waiter waiter) {
		synchronized (this.lock) {
			waiter.link(this.ring);
			this.waiting++;
		}
		Ticket ticket = waiter.call().ticket;
		if (ticket != null) {
			ticket.whenGranted(waiter);
		}
		// read after the waiter can be seen, or the waiter might miss both
		if (this.shutDown) {
			waiter.shutDown();
		}
		else if (waiter.wantsRetry() && waiter.call().settings().retries().off() != null) {
			waiter.run();
		}
	}

	/** Note that a call waits no more. The second time does nothing. */
	void leave(Waiter waiter) {
		synchronized (this.lock) {
			this.waiting -= waiter.unlink() ? 1 : 0;
		}
	}

	/**
	 * {@return the calls that have waited longest for their next attempt, the longest
	 * wait first}
	 * @param most the greatest number to return
	 */
	public List<WaitingCall> oldestWaiting(int most) {
		List<Seen> seen = new ArrayList<>();
		synchronized (this.lock) {
			for (Waiter waiter = this.ring.next; waiter != this.ring && seen.size() < most; waiter = waiter.next) {
				CallState call = waiter.call();
				seen.add(new Seen(call.settings(), call.history().attempts, call.attemptStart, call.started()));
			}
		}
		// tickers are read outside the lock
		return seen.stream().map(Seen::call).toList();
	}

	/**
	 * Wake waiting calls: they go on as if their waits had ended. Switches, deadline and
	 * breaker still apply; the budget applies to calls that waited for it. Calls that
	 * wait for a permit or a turn are not woken: they keep their places in the queue.
	 * @param policy the policy of the calls, or null for all policies
	 * @return how many calls were woken
	 */
	public int wake(@Nullable String policy) {
		return run((waiter) -> waiter.isOf(policy) && waiter.call().ticket == null);
	}

	/**
	 * Wake the calls that end because retries were switched off. Calls that poll for a
	 * final result go on waiting, and so do calls before their first attempt.
	 * @param policy the policy whose retries were switched off, or null for all policies
	 * @return how many calls were woken
	 */
	public int retriesAreOff(@Nullable String policy) {
		return run((waiter) -> waiter.isOf(policy) && waiter.wantsRetry());
	}

	private int run(Predicate<Waiter> wanted) {
		List<Waiter> woken = waiters(wanted);
		woken.forEach(Waiter::run);
		return woken.size();
	}

	/** End the waits of all calls, now and from now on. A second call has no effect. */
	public void shutDown() {
		shutDown((ends) -> ends.forEach(Runnable::run));
	}

	/**
	 * End the waits of all calls, now and from now on. A second call has no effect.
	 * @param runner runs the tasks that end the asynchronous calls, because their
	 * recoveries may be slow
	 */
	public void shutDown(Consumer<List<Runnable>> runner) {
		this.shutDown = true;
		List<Runnable> ends = new ArrayList<>();
		for (Waiter waiter : waiters((waiter) -> true)) {
			if (waiter instanceof Sleeper) {
				waiter.shutDown();
			}
			else {
				ends.add(waiter::shutDown);
			}
		}
		runner.accept(ends);
	}

	/** Let calls wait again after a shutdown, for tests that share one application. */
	public void reopen() {
		this.shutDown = false;
	}

	private List<Waiter> waiters(Predicate<Waiter> wanted) {
		synchronized (this.lock) {
			List<Waiter> waiters = new ArrayList<>();
			for (Waiter waiter = this.ring.next; waiter != this.ring; waiter = waiter.next) {
				if (wanted.test(waiter)) {
					waiters.add(waiter);
				}
			}
			return waiters;
		}
	}

	/**
	 * {@return whether calls no longer wait; true after {@link #shutDown()}}
	 */
	public boolean isShutDown() {
		return this.shutDown;
	}

	/**
	 * {@return how many calls wait now}
	 */
	public int waiting() {
		synchronized (this.lock) {
			return this.waiting;
		}
	}

	void begins() {
		this.running.incrementAndGet();
	}

	void ends() {
		if (this.running.decrementAndGet() == 0) {
			noneRuns();
		}
	}

	/**
	 * {@return how many calls run; zero or more}
	 */
	public long running() {
		return this.running.get();
	}

	/**
	 * Run an action once when no call runs: at once, or on the thread of the call that
	 * ends last. Other calls may begin meanwhile.
	 * @param action a quick action that throws nothing; it replaces an earlier action
	 * that has not run yet
	 */
	public void whenNoneRuns(Runnable action) {
		this.whenNoneRuns.set(action);
		// read after the action can be seen, or the last call might miss it
		if (this.running.get() == 0) {
			noneRuns();
		}
	}

	private void noneRuns() {
		Runnable action = this.whenNoneRuns.getAndSet(null);
		if (action != null) {
			action.run();
		}
	}

	/** List an attempt on this thread, until it is taken out. */
	Supplier<@Nullable RunningAttempt> add(CallState call) {
		// as it begins, since a call is read on its own thread only
		CallSettings settings = call.settings();
		int number = call.attempt;
		long began = call.attemptStart;
		Thread thread = Thread.currentThread();
		Supplier<@Nullable RunningAttempt> attempt = () -> RunningAttempt.of(settings, number, began, thread.getName());
		this.attempts.add(attempt);
		return attempt;
	}

	/**
	 * {@return the running attempts, the oldest first; only attempts of policies with a
	 * deadline or an attempt timeout}
	 */
	public List<RunningAttempt> oldestRunning() {
		return this.attempts.stream()
			.flatMap((attempt) -> Stream.ofNullable(attempt.get()))
			.sorted(Comparator.comparing(RunningAttempt::elapsed).reversed())
			.toList();
	}

	@Override
	public String toString() {
		return "CallRegistry (" + waiting() + " waiting, " + running() + " running"
				+ (this.shutDown ? ", shut down)" : ")");
	}

	/**
	 * A call that waits. Very many calls may wait at once: to save memory, a waiter is
	 * also its own entry of the timer and its own link in the ring of waiters.
	 */
	abstract static class Waiter extends TimerEntry {

		/* In the ring, under its lock; itself outside. */
		private Waiter previous = this;

		private Waiter next = this;

		/** Return the call, whose state does not change while it waits. */
		abstract CallState call();

		/** End the wait here, if it goes on, because of the shutdown; throw nothing. */
		void shutDown() {
			run();
		}

		/**
		 * End the wait as if its time had come; throw nothing, and run no code of the
		 * call on this thread. If the wait has ended, do nothing.
		 */
		@Override
		public abstract void run();

		/* Whether the call ends after retries were switched off. */
		private boolean wantsRetry() {
			Outcome last = call().lastOutcome();
			return last != null && last.kind() != AttemptOutcome.PENDING;
		}

		private boolean isOf(@Nullable String policy) {
			return policy == null || call().settings().policy().name().equals(policy);
		}

		private void link(Waiter ring) {
			this.previous = ring.previous;
			this.next = ring;
			this.previous.next = this;
			ring.previous = this;
		}

		private boolean unlink() {
			boolean linked = this.next != this;
			this.previous.next = this.next;
			this.next.previous = this.previous;
			this.previous = this;
			this.next = this;
			return linked;
		}

	}

	private static final class Sleeper extends Waiter {

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
			this.signal.raise();
		}

	}

	/** A call as it waited, before its ticker is read. */
	private record Seen(CallSettings settings, int attempt, long due, long started) {

		WaitingCall call() {
			long now = this.settings.time().nanoTime();
			return new WaitingCall(this.settings.policy().name(), this.settings.method(), this.attempt,
					Duration.ofNanos(Math.max(0, this.due - now)), Duration.ofNanos(Math.max(0, now - this.started)));
		}

	}

	/**
	 * A snapshot of a call that waits for its next attempt. Immutable and thread-safe.
	 *
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param attempt the last attempt that has ended, counted from 1; 0 if the first is
	 * still to come, because it had no permit
	 * @param dueIn how long the call still waits, zero or more; the longest that it may
	 * wait if it waits for a permit
	 * @param elapsed how long ago the call began
	 * @since 0.1
	 */
	public record WaitingCall(String policy, String method, int attempt, Duration dueIn, Duration elapsed) {
	}

	/**
	 * A snapshot of an attempt that runs. Immutable and thread-safe.
	 *
	 * @param policy the policy's name
	 * @param method the method, or the label of a programmatic call
	 * @param attempt the attempt, counted from 1
	 * @param elapsed how long ago the attempt began
	 * @param thread the name of the thread on which it runs, or null for an asynchronous
	 * one
	 * @since 0.1
	 */
	public record RunningAttempt(String policy, String method, int attempt, Duration elapsed, @Nullable String thread) {

		static RunningAttempt of(CallSettings settings, int attempt, long began, @Nullable String thread) {
			Duration elapsed = Duration.ofNanos(Math.max(0, settings.time().nanoTime() - began));
			return new RunningAttempt(settings.policy().name(), settings.method(), attempt, elapsed, thread);
		}

	}

}
