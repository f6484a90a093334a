package dev.backoff.test;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;

/**
 * The calls for which a clock stands. All but the methods of an observer are called under
 * the lock of the clock.
 */
final class BusyCalls implements CallObserver {

	/*
	 * A call is busy while it has no pause: one for its wait, one for each thread on
	 * which its attempt sleeps, one for each call inside that has not ended. A thread may
	 * go on after it has started an asynchronous call inside. Nothing tells when it
	 * begins to wait for that call, so its state is looked at from time to time.
	 *
	 * An interrupt or a task for an executor starts work that nothing announces. The call
	 * that it concerns then counts as busy in spite of its pauses, until it goes on. If
	 * that call is not known, a call that stands for all others does, until any goes on.
	 */

	private static final long LOOK_AGAIN = 50_000L;

	/* Makes a change under the lock of the clock. */
	private final Consumer<Runnable> locked;

	private final Predicate<Thread> working;

	private final Set<Call> busy = new LinkedHashSet<>();

	/* Those with calls inside. */
	private final Set<Call> enclosing = new HashSet<>();

	private final Call other = new Call("", null);

	private int unended;

	/* The innermost call whose work runs on the thread. */
	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	private final ThreadLocal<@Nullable Call> open = new ThreadLocal<>();

	/* The call of which the thread has told last that an attempt or a wait begins. */
	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	private final ThreadLocal<@Nullable Call> latest = new ThreadLocal<>();

	BusyCalls(Consumer<Runnable> locked, Predicate<Thread> working) {
		this.locked = locked;
		this.working = working;
	}

	@Override
	public ObservedCall callBegins(String policy, String method) {
		Call call = new Call(method + " (policy " + policy + ")", this.open.get());
		this.locked.accept(() -> {
			this.unended++;
			if (call.enclosing != null) {
				this.enclosing.add(call.enclosing);
				pause(call.enclosing);
			}
			goesOn(call);
		});
		return call;
	}

	/** Return the call whose wait of the given length begins on this thread, or null. */
	@Nullable Call waiting(long nanos) {
		Call call = this.latest.get();
		if (call == null || call.wait != nanos) {
			return null;
		}
		call.wait = Call.NONE;
		return call;
	}

	/** Return the call whose attempt began last on this thread and runs, or null. */
	@Nullable Call attempting() {
		Call call = this.latest.get();
		return (call != null && call.attempting) ? call : null;
	}

	/** Return the innermost call whose work runs on this thread, or null. */
	@Nullable Call open() {
		return this.open.get();
	}

	void pause(@Nullable Call call) {
		this.busy.remove(this.other);
		if (call != null) {
			call.pauses++;
			goesOn(call);
		}
	}

	void resume(@Nullable Call call) {
		if (call != null) {
			call.pauses--;
			goesOn(call);
		}
	}

	private void goesOn(Call call) {
		this.busy.remove(this.other);
		this.busy.remove(call);
		call.since = System.nanoTime();
		if (!call.ended && call.pauses == 0) {
			this.busy.add(call);
		}
		if (call.ended || call.pauses == 0) {
			this.enclosing.remove(call);
		}
	}

	private void isBusy(Call call) {
		call.since = System.nanoTime();
		this.busy.add(call);
	}

	/** Note that something happens to a call, or to unknown ones if it is null. */
	void disturbed(@Nullable Call call) {
		if (this.unended > 0) {
			isBusy((call != null && !call.ended) ? call : this.other);
		}
	}

	/** Note that a thread goes on which works for no call. */
	void otherWork() {
		isBusy(this.other);
	}

	/**
	 * Return for how long calls still hold the clock if none goes on, in nanoseconds of
	 * real time; zero or less if none holds it.
	 */
	long busyFor(long patience) {
		long now = System.nanoTime();
		long busy = this.busy.stream().mapToLong((call) -> patience - (now - call.since)).max().orElse(0);
		return this.enclosing.stream()
			.filter((call) -> call.thread != null && this.working.test(call.thread))
			.mapToLong((call) -> Math.min(LOOK_AGAIN, patience - (now - call.since)))
			.reduce(busy, Math::max);
	}

	/** Return a known call that is busy, or null. */
	@Nullable Call anyBusy() {
		return this.busy.stream().filter((call) -> call != this.other).findFirst().orElse(null);
	}

	/** One call. */
	final class Call implements ObservedCall {

		private static final long NONE = -1;

		private final String name;

		private final @Nullable Call enclosing;

		private int pauses;

		private boolean attempting;

		private boolean ended;

		/* What it is about to wait for, in nanoseconds. */
		private long wait = NONE;

		private long since;

		/* Where its work runs. */
		private volatile @Nullable Thread thread;

		private Call(String name, @Nullable Call enclosing) {
			this.name = name;
			this.enclosing = enclosing;
		}

		@Override
		public Scope open() {
			Call around = BusyCalls.this.open.get();
			BusyCalls.this.open.set(this);
			this.thread = Thread.currentThread();
			return () -> {
				BusyCalls.this.open.set(around);
				this.thread = null;
			};
		}

		@Override
		public ObservedAttempt attemptBegins(int number) {
			begins(true, NONE);
			return new Attempt(this);
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			begins(false, nanos);
		}

		private void begins(boolean attempting, long wait) {
			BusyCalls.this.latest.set(this);
			goesOn(attempting, wait);
		}

		private void goesOn(boolean attempting, long wait) {
			BusyCalls.this.locked.accept(() -> {
				this.attempting = attempting;
				this.wait = wait;
				BusyCalls.this.goesOn(this);
			});
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
			BusyCalls.this.locked.accept(() -> {
				this.ended = true;
				BusyCalls.this.unended--;
				BusyCalls.this.goesOn(this);
				resume(this.enclosing);
			});
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	private record Attempt(Call call) implements ObservedAttempt {

		@Override
		public Scope open() {
			return this.call.open();
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.call.goesOn(false, Call.NONE);
		}

	}

}
