package dev.backoff.test;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.CallObserver;
import dev.backoff.time.Cancellable;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.WakeSignal;

/**
 * Time that stands while work runs and jumps while all calls wait, so that tests with the
 * policies of production take milliseconds.
 * <p>
 * A call is <em>busy</em> from its beginning to its end, except while it waits for its
 * next attempt, while it encloses another call that has not ended, and while its attempt
 * is in {@link #sleep(Duration)}. When no call is busy and at least one waits or sleeps,
 * the clock jumps to the next moment at which something is due. What is due at one moment
 * happens in the order in which it was scheduled.
 * <p>
 * The clock never jumps for the timeout of an attempt, the end of an override or a
 * scheduled job. These happen when the clock passes their time. A timeout also happens
 * after that much real time, but not before the patience ends, if a call is busy for so
 * long.
 * <p>
 * A call that waits for a call on another thread seems busy, if that thread does not know
 * where its work comes from. The clock then stands for the
 * {@linkplain #patience(Duration) patience} and goes on.
 * <p>
 * Calls tell this time through {@link BackoffCalls} what they do. Thread-safe.
 *
 * @since 0.1
 */
public final class VirtualTime implements RetryTime {

	/*
	 * One thread moves the clock and runs what is due. It is there while something is
	 * scheduled, and ends soon after. What runs there may itself wait, for instance an
	 * attempt whose executor runs tasks where they are handed over: it then moves the
	 * clock while it waits.
	 */

	/* Neither zero nor round, so that a reading mistaken for a duration shows. */
	private static final long ORIGIN = 7_000_000_000_123L;

	private static final long IDLE = 1_000_000_000L;

	private static final Logger LOG = System.getLogger(VirtualTime.class.getName());

	private final Instant start = Instant.now();

	private final long realStart = System.nanoTime();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final BusyCalls calls = new BusyCalls(this::locked, this::isWorking);

	private final Agenda agenda = new Agenda();

	private final Agenda jobs = new Agenda();

	private final Set<Held> holds = new HashSet<>();

	private final Set<Thread> sleepers = new HashSet<>();

	private volatile long now = ORIGIN;

	private volatile long testBegan = ORIGIN;

	private long patience = 200_000_000L;

	private @Nullable Thread thread;

	private boolean advancing;

	/* Where advancing ends. */
	private long end;

	private int runningJobs;

	private boolean happening;

	private boolean informed;

	/** Begin at zero. */
	public VirtualTime() {
	}

	/**
	 * {@return how much time has passed since the test began, or without Spring since
	 * this was made}
	 */
	public Duration elapsed() {
		return Duration.ofNanos(this.now - this.testBegan);
	}

	/**
	 * {@return a clock that started with the system's, in the system's time zone, and
	 * goes with this time}
	 */
	public Clock clock() {
		InstantSource source = () -> this.start.plusNanos(this.now - ORIGIN);
		return source.withZone(ZoneId.systemDefault());
	}

	/**
	 * Let the work on this thread take time, for instance in a stub. An attempt that runs
	 * here is not busy meanwhile.
	 * @param duration how long, zero or more
	 * @throws InterruptedException if the thread is interrupted before or while sleeping;
	 * the interrupt flag is then clear
	 * @throws IllegalArgumentException if the duration is negative
	 */
	public void sleep(Duration duration) throws InterruptedException {
		sleep(Nanos.notNegative("duration", duration));
	}

	/**
	 * Let time pass, with all that is due within it. The clock moves on when no call is
	 * busy, whether it is {@linkplain #hold() held} or not. Scheduled jobs run on this
	 * thread. A job that takes time makes the whole take longer.
	 * @param duration how much time, zero or more
	 * @throws IllegalArgumentException if the duration is negative
	 * @throws IllegalStateException if the thread is interrupted; the flag stays set
	 */
	public void advance(Duration duration) {
		long nanos = Nanos.notNegative("duration", duration);
		this.lock.lock();
		BusyCalls.Call around = this.calls.open();
		this.calls.pause(around);
		try {
			await(() -> !this.advancing);
			long last = later(nanos);
			for (Runnable job = advanceTo(last); job != null; job = advanceTo(last)) {
				this.runningJobs++;
				unlocked(job);
				this.runningJobs--;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while time advanced by " + DurationText.exact(nanos) + ".",
					ex);
		}
		finally {
			this.calls.resume(around);
			this.lock.unlock();
		}
	}

	/** Go on to the given time or to a job before; return the job, or null. */
	private @Nullable Runnable advanceTo(long end) throws InterruptedException {
		this.end = end;
		this.advancing = true;
		try {
			startThread();
			this.changed.signalAll();
			await(() -> this.now >= stop() && isSettled());
		}
		finally {
			this.advancing = false;
			this.changed.signalAll();
		}
		Agenda.Entry job = this.jobs.first();
		return (job != null && job.due() <= end && this.jobs.remove(job)) ? job.task() : null;
	}

	/* Where the clock stops while it advances. */
	private long stop() {
		Agenda.Entry job = this.jobs.first();
		return (job != null) ? Math.min(job.due(), this.end) : this.end;
	}

	/**
	 * Let the clock stand, for instance until all calls of a test have begun. A call that
	 * waits on this thread meanwhile fails, since it would never end.
	 * @return the hold, which any thread may close
	 */
	public Hold hold() {
		Held held = new Held();
		locked(() -> this.holds.add(held));
		return held;
	}

	/**
	 * Set for how long the clock stands for a busy call that begins, waits for and ends
	 * nothing: 200 ms unless set.
	 * @param patience of real time, above zero
	 * @return this
	 * @throws IllegalArgumentException if it is not above zero
	 */
	public VirtualTime patience(Duration patience) {
		long nanos = Nanos.aboveZero("patience", patience);
		locked(() -> this.patience = nanos);
		return this;
	}

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public void sleep(long nanos) throws InterruptedException {
		sleep(nanos, new WakeSignal());
	}

	@Override
	public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (nanos <= 0) {
			return;
		}
		CountDownLatch woken = new CountDownLatch(1);
		Agenda.Entry entry = add(woken::countDown, nanos, true);
		try {
			// the thread that raises it takes the entry out, before the clock can jump
			signal.sleeper(() -> {
				cancel(entry);
				woken.countDown();
			});
			if (!signal.isRaised()) {
				await(woken);
			}
		}
		finally {
			signal.sleeper(null);
			locked(() -> {
				remove(entry);
				this.sleepers.remove(Thread.currentThread());
			});
		}
	}

	private void await(CountDownLatch woken) throws InterruptedException {
		if (Thread.currentThread() != this.thread) {
			woken.await();
			if (Thread.interrupted()) {
				// before it was woken, as what happens at one moment has an order
				throw new InterruptedException();
			}
			return;
		}
		this.lock.lock();
		try {
			await(() -> woken.getCount() == 0);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Agenda.Entry entry = add(task, nanos, false);
		return () -> cancel(entry);
	}

	@SuppressWarnings("ReferenceEquality") // an entry is itself only
	private Agenda.Entry add(Runnable task, long nanos, boolean sleeping) {
		this.lock.lock();
		try {
			if (sleeping) {
				refuseIfHeldHere();
			}
			BusyCalls.Call waiting = this.calls.waiting(nanos);
			BusyCalls.Call call = (waiting != null) ? waiting : sleeping ? this.calls.open() : this.calls.attempting();
			// not sooner: loading classes takes time too
			long realDue = Nanos.plus(realTime(), Math.max(nanos, this.patience));
			boolean awaited = sleeping || waiting != null;
			Agenda.Entry entry = this.agenda.add(later(nanos), realDue, call, awaited, task);
			if (awaited) {
				this.calls.pause(call);
			}
			if (sleeping) {
				this.sleepers.add(Thread.currentThread());
			}
			if (sleeping && !this.happening && entry == this.agenda.first() && busyFor() <= 0 && mayJumpTo(entry)) {
				// without the clock's thread, which takes longer
				jump(entry.due());
				happen(entry);
			}
			else {
				startThread();
			}
			this.changed.signalAll();
			return entry;
		}
		finally {
			this.lock.unlock();
		}
	}

	private long later(long nanos) {
		return Nanos.plus(this.now, Math.max(0, nanos));
	}

	private void refuseIfHeldHere() {
		if (!flows() && !this.advancing
				&& this.holds.stream().anyMatch((held) -> held.thread == Thread.currentThread())) {
			throw new IllegalStateException("This thread holds the clock, so that its wait would never end: "
					+ "close the hold before, or call on another thread.");
		}
	}

	private long realTime() {
		return System.nanoTime() - this.realStart;
	}

	private void cancel(Agenda.Entry entry) {
		locked(() -> remove(entry));
	}

	private void remove(Agenda.Entry entry) {
		if (this.agenda.remove(entry) && entry.awaited()) {
			this.calls.resume(entry.call());
		}
	}

	/**
	 * Run a job on a thread that {@linkplain #advance(Duration) advances} this time.
	 * @param job throws nothing
	 * @param delay after which it is due, zero or less for now
	 */
	void scheduleJob(Runnable job, Duration delay) {
		locked(() -> this.jobs.add(later(Nanos.of(delay)), 0, null, false, job));
	}

	/** Return what tells this time of the beginnings, waits and ends of calls. */
	CallObserver observer() {
		return this.calls;
	}

	/** Begin another test: no time has elapsed, and nothing holds the clock. */
	void reset() {
		locked(() -> {
			this.testBegan = this.now;
			this.informed = false;
			this.holds.clear();
		});
	}

	private void locked(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void unlocked(Runnable task) {
		this.lock.unlock();
		try {
			task.run();
		}
		catch (Throwable ex) {
			LOG.log(Level.WARNING, "A scheduled task has failed", ex);
		}
		finally {
			this.lock.lock();
		}
	}

	private void startThread() {
		if (this.thread == null) {
			Thread started = new Thread(null, this::run, "backoff-virtual-time", 0, false);
			started.setDaemon(true);
			started.start();
			this.thread = started;
		}
	}

	private void run() {
		this.lock.lock();
		try {
			boolean more = true;
			while (more) {
				try {
					more = turn();
				}
				catch (InterruptedException ex) {
					// a task has left the flag behind
				}
			}
		}
		finally {
			this.thread = null;
			this.lock.unlock();
		}
	}

	private void await(BooleanSupplier condition) throws InterruptedException {
		while (!condition.getAsBoolean()) {
			if (Thread.currentThread() == this.thread) {
				boolean unused = turn();
			}
			else {
				this.changed.await();
			}
		}
	}

	/**
	 * Let an entry happen, or move the clock, or wait for a change; return false if there
	 * has been nothing to do for a while.
	 */
	@SuppressWarnings("WaitNotInLoop") // the callers loop
	private boolean turn() throws InterruptedException {
		Agenda.Entry next = this.agenda.first();
		if (next != null && next.due() <= this.now) {
			happen(next);
			return true;
		}
		long busyFor = busyFor();
		long timeoutIn = timeoutIn();
		if (next != null && timeoutIn <= 0) {
			this.now = next.due();
			return true;
		}
		if (busyFor <= 0 && next != null && mayJumpTo(next)) {
			return jump(next.due());
		}
		if (busyFor <= 0 && this.advancing && this.now < stop()) {
			return jump(stop());
		}
		long left = this.changed.awaitNanos(Math.min(timeoutIn, (busyFor > 0) ? busyFor : IDLE));
		if (left <= 0) {
			// a call that was busy may no longer count
			this.changed.signalAll();
		}
		return left > 0 || busyFor > 0 || this.agenda.first() != null || this.advancing;
	}

	/* For how long calls hold the clock, in real time, unless one goes on. */
	private long busyFor() {
		return this.calls.busyFor(this.patience);
	}

	/* When a timeout is due in real time: the clock stands while work runs. */
	private long timeoutIn() {
		return (flows() && this.calls.anyBusy() != null) ? this.agenda.firstTimeout() - realTime() : Long.MAX_VALUE;
	}

	private boolean mayJumpTo(Agenda.Entry next) {
		return this.advancing ? next.due() <= stop() : flows() && this.agenda.isAwaited();
	}

	private boolean flows() {
		return this.holds.isEmpty() || this.runningJobs > 0;
	}

	private boolean isSettled() {
		Agenda.Entry next = this.agenda.first();
		return busyFor() <= 0 && (next == null || next.due() > this.now)
				&& (!this.happening || Thread.currentThread() == this.thread);
	}

	/* One that has to wait for the lock is about to tell something. */
	private boolean isWorking(Thread thread) {
		boolean waits = thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
		return !this.sleepers.contains(thread) && (!waits || this.lock.hasQueuedThread(thread));
	}

	private boolean jump(long reading) {
		BusyCalls.Call call = this.calls.anyBusy();
		if (call != null && !this.informed) {
			this.informed = true;
			LOG.log(Level.INFO,
					"Virtual time goes on without {0}, which has begun, waited for and ended nothing for "
							+ "{1}. It may wait for a call on a thread that does not know where its work comes from.",
					call, DurationText.story(this.patience));
		}
		this.now = reading;
		this.changed.signalAll();
		return true;
	}

	private void happen(Agenda.Entry entry) {
		remove(entry);
		if (!entry.awaited()) {
			this.calls.disturbed(entry.call());
		}
		else if (entry.call() == null) {
			this.calls.otherWork();
		}
		this.happening = true;
		unlocked(entry.task());
		this.happening = false;
		this.changed.signalAll();
	}

	/** Lets the clock stand until it is closed. To close it again does nothing. */
	@FunctionalInterface
	public interface Hold extends AutoCloseable {

		/** Let the clock go on, unless there is another hold. */
		@Override
		void close();

	}

	private final class Held implements Hold {

		private final Thread thread = Thread.currentThread();

		@Override
		public void close() {
			locked(() -> VirtualTime.this.holds.remove(this));
		}

	}

}
