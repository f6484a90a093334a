package dev.backoff.test;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.WakeSignal;

/**
 * Time that stands while calls work and jumps when all of them wait, so that tests with
 * the policies of production take milliseconds.
 * <p>
 * A call <em>works</em> from its beginning to its end, except while it waits for its next
 * attempt, for a turn or for a permit, while its attempt is in {@link #sleep(Duration)},
 * and while a call inside its attempt has not ended. When no call works and at least one
 * waits or sleeps, the clock jumps to the next moment at which something is due.
 * Timeouts, ends of overrides, jobs and stored calls happen when the clock passes their
 * time. Events that are due at one moment happen one by one, in the order of their
 * scheduling.
 * <p>
 * In real time, the clock waits for a call for at most the
 * {@linkplain #patience(Duration) patience}. An attempt that works in real time for as
 * long as its timeout also times out, but not before two seconds, or the patience if that
 * is less. {@link BackoffCalls} tells this time what calls do. Thread-safe.
 *
 * @since 0.1
 */
public final class VirtualTime implements RetryTime {

	/*
	 * One lock guards the clock, what is to happen and the calls. At each change, on the
	 * thread that makes it, the clock moves if it can: a thread that sleeps is woken, a
	 * task that is due goes to a thread of its own. A ticker counts real time while
	 * something is scheduled. Longer than most files, because all of it is one rule.
	 */

	/* Neither zero nor round, so that a reading mistaken for a duration shows. */
	private static final long ORIGIN = 7_000_000_000_123L;

	private static final long TICK = 50_000_000L;

	/* A tick that comes later counts for nothing: the process was stopped or starved. */
	private static final long LATE = 100_000_000L;

	private static final long LEAST_TIMEOUT = 2_000_000_000L;

	private static final int FRAMES = 5;

	private static final Logger LOG = System.getLogger(VirtualTime.class.getName());

	private static final ExecutorService THREADS = Executors.newCachedThreadPool(VirtualTime::thread);

	private final Instant start = Instant.now().truncatedTo(ChronoUnit.MICROS);

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	final Agenda agenda = new Agenda(this);

	private final Set<Hold> holds = new HashSet<>();

	private volatile long now = ORIGIN;

	private volatile long testBegan = ORIGIN;

	private long patience = 10_000_000_000L;

	private boolean ticking;

	/* For how long holds have kept all calls waiting, in real time. */
	private long held;

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(null, task, "backoff-virtual-time", 0, false);
		thread.setDaemon(true);
		return thread;
	}

	/** Return the time since the test began, or, without Spring, since this was made. */
	public Duration elapsed() {
		return Duration.ofNanos(this.now - this.testBegan);
	}

	/** Return a clock that shows this time. It began at the system's time of day. */
	public Clock clock() {
		return ((InstantSource) this::instant).withZone(ZoneId.systemDefault());
	}

	@Override
	public Instant instant() {
		return this.start.plusNanos(this.now - ORIGIN);
	}

	/**
	 * Let the work on this thread take time, for instance in a stub. An attempt on this
	 * thread does not count as working meanwhile.
	 * @param duration how long, zero or more
	 * @throws InterruptedException if the thread is interrupted before or while sleeping
	 */
	public void sleep(Duration duration) throws InterruptedException {
		sleep(Nanos.notNegative("duration", duration));
	}

	/**
	 * Let time pass, run all that is due in it, and return when no call works. The clock
	 * moves even if it is {@linkplain #hold() held}. Scheduled jobs run on this thread. A
	 * job that takes time may move the clock further.
	 * @param duration how much time, zero or more
	 */
	public void advance(Duration duration) {
		long nanos = Nanos.notNegative("duration", duration);
		long last = get(() -> later(nanos));
		boolean ran = true;
		while (ran || this.now < last) {
			Agenda.Entry stop = get(() -> this.agenda.addStop(last));
			stop.sleep(Long.MAX_VALUE);
			ran = get(() -> runJob(stop));
		}
	}

	/* A job that was added meanwhile ends the wait before its time. */
	private boolean runJob(Agenda.Entry stop) {
		Runnable job = (stop.due <= this.now) ? this.agenda.takeJob(stop.due) : null;
		if (job != null) {
			run(this.agenda.taskBegins(), job);
		}
		return job != null;
	}

	/** Wait until no call works, and return one that still does after the given time. */
	@Nullable Recording settle(Duration atMost) {
		Agenda.Entry stop = get(() -> this.agenda.addStop(this.now));
		stop.sleep(atMost.toNanos());
		return get(() -> {
			this.agenda.remove(stop);
			return this.agenda.busy();
		});
	}

	/**
	 * Stop the clock, for instance until all calls of a test have begun. A call that
	 * waits on this thread meanwhile fails, because its wait would never end. <pre>
	 * try (VirtualTime.Hold hold = time.hold()) {
	 *     threads.forEach(Thread::start);
	 *     hold.untilBegun(threads.size());
	 * }
	 * </pre>
	 * @return the hold, which any thread may close
	 */
	public Hold hold() {
		return get(() -> {
			Hold hold = new Hold();
			this.holds.add(hold);
			return hold;
		});
	}

	/**
	 * Set how long, in real time, the clock waits for a call that works while others
	 * wait: 10 s unless set. Then the clock goes on without that call, until it ends.
	 * @param patience of real time, above zero
	 * @return this
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
		Agenda.Entry entry = get(() -> {
			if (!this.agenda.isAdvancing()
					&& this.holds.stream().anyMatch((hold) -> hold.thread == Thread.currentThread())) {
				throw new IllegalStateException("This thread holds the clock, so that its wait would never end: close "
						+ "the hold before, or call on another thread.");
			}
			Agenda.Entry added = this.agenda.add(later(nanos), nanos, null);
			// the thread that raises it takes the entry out, before the clock can jump
			signal.sleeper(() -> locked(() -> this.agenda.remove(added)));
			if (signal.isRaised()) {
				this.agenda.remove(added);
			}
			return added;
		});
		entry.sleep(Long.MAX_VALUE);
		signal.sleeper(null);
		locked(() -> this.agenda.remove(entry));
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Agenda.Entry entry = get(() -> this.agenda.add(later(nanos), nanos, task));
		return () -> locked(() -> this.agenda.remove(entry));
	}

	@Override
	public void workBegins() {
		locked(() -> this.agenda.keeper.busy(1));
	}

	@Override
	public void workEnds() {
		locked(() -> this.agenda.keeper.busy(-1));
	}

	private long later(long nanos) {
		return Nanos.plus(this.now, Math.max(0, nanos));
	}

	/** Run a job after the delay, on a thread that advances. */
	void scheduleJob(Runnable job, Duration delay) {
		locked(() -> this.agenda.addJob(later(Nanos.of(delay)), job));
	}

	/**
	 * Begin another test: no time has elapsed, nothing holds the clock, no job is due.
	 */
	void reset() {
		locked(() -> {
			this.testBegan = this.now;
			this.holds.clear();
			this.agenda.reset();
		});
	}

	void locked(Runnable change) {
		Object unused = get(() -> {
			change.run();
			return this;
		});
	}

	/** Change something under the lock, and let happen what follows. */
	<T extends @Nullable Object> T get(Supplier<T> change) {
		this.lock.lock();
		try {
			T result = change.get();
			if (this.lock.getHoldCount() == 1) {
				proceed();
				this.changed.signalAll();
			}
			return result;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Let happen what is due, and move the clock, until something works. */
	private void proceed() {
		while (!this.agenda.isTaskAtWork()) {
			boolean works = this.agenda.isCallAtWork();
			Agenda.Entry due = this.agenda.takeDue(this.now, !works);
			if (due == null) {
				if (works || isHeld() || !this.agenda.isMoving()) {
					break;
				}
				this.now = Math.max(this.now, this.agenda.nextDue());
			}
			else if (due.task != null) {
				happen(due, due.task);
			}
		}
		tickWhileNeeded();
	}

	private boolean isHeld() {
		return !this.holds.isEmpty() && !this.agenda.isAdvancing();
	}

	private void happen(Agenda.Entry due, Runnable work) {
		Work task = this.agenda.taskBegins();
		THREADS.execute(() -> locked(() -> {
			// what it schedules for the call is told on this thread
			this.agenda.here().latest = due.call;
			run(task, work);
		}));
	}

	/** Run a task outside the lock, inside the one that runs here. */
	private void run(Work task, Runnable work) {
		Agenda.Here here = this.agenda.here();
		Work around = here.task;
		here.task = task;
		task.thread = here.thread;
		this.lock.unlock();
		try {
			work.run();
		}
		catch (Throwable ex) {
			LOG.log(Level.WARNING, "A scheduled task has failed", ex);
		}
		finally {
			Thread.interrupted();
			this.lock.lock();
			here.task = around;
			this.agenda.tasks.remove(task);
		}
	}

	private void tickWhileNeeded() {
		if (!this.ticking && this.agenda.needsTicks()) {
			this.ticking = true;
			long began = System.nanoTime();
			Cancellable unused = RetryTime.system().schedule(() -> locked(() -> {
				this.ticking = false;
				count(System.nanoTime() - began);
			}), Math.min(TICK, this.patience));
		}
	}

	/** Count a tick of real time. */
	void count(long tick) {
		long nanos = (tick > LATE) ? 0 : Math.min(tick, TICK);
		if (this.holds.isEmpty()) {
			this.agenda.timeOut(nanos, Math.min(LEAST_TIMEOUT, this.patience));
		}
		if (this.agenda.isMoving() && !isHeld()) {
			this.agenda.passOver(nanos, this.patience).forEach(this::warn);
		}
		this.held = (this.agenda.isMoving() && isHeld() && !this.agenda.isCallAtWork()) ? this.held + nanos : 0;
		if (this.held >= this.patience && this.held - nanos < this.patience) {
			LOG.log(Level.WARNING, "Virtual time has stood for {0} of real time: it is held, and all calls wait. Close "
					+ "the hold before you wait for them.", DurationText.rounded(this.patience));
		}
	}

	private void warn(Work work) {
		Thread thread = work.thread;
		LOG.log(Level.WARNING,
				"{0} has worked for {1} of real time while others wait, so virtual time goes on without it until it "
						+ "ends. If it waits for a call on an executor of its own, carry RetryContext there. If it "
						+ "really takes so long, hold or advance the time around it, or set another "
						+ "VirtualTime.patience. {2}",
				work, DurationText.rounded(this.patience),
				(thread == null) ? "No thread is known to work for it." : "Its thread " + thread.getName() + " is at "
						+ Arrays.stream(thread.getStackTrace()).limit(FRAMES).toList() + ".");
	}

	/** Stops the clock until this hold is closed. A second close does nothing. */
	public final class Hold implements AutoCloseable {

		private final Thread thread = Thread.currentThread();

		private final int begunBefore = VirtualTime.this.agenda.begun;

		private Hold() {
		}

		/**
		 * Wait until the given number of calls have begun since the hold began. Calls
		 * inside other calls do not count.
		 * @param calls how many
		 * @throws IllegalStateException if they have not begun after the
		 * {@linkplain VirtualTime#patience(Duration) patience}, in real time
		 */
		public void untilBegun(int calls) throws InterruptedException {
			VirtualTime.this.lock.lock();
			try {
				long longest = VirtualTime.this.patience;
				for (long left = longest; begun() < calls; left = VirtualTime.this.changed.awaitNanos(left)) {
					if (left <= 0) {
						throw new IllegalStateException("Invalid number of calls (" + calls + "): " + begun()
								+ " have begun in this hold after " + DurationText.rounded(longest)
								+ ". Give each call a thread of its own, since one that waits keeps its thread.");
					}
				}
			}
			finally {
				VirtualTime.this.lock.unlock();
			}
		}

		private int begun() {
			return VirtualTime.this.agenda.begun - this.begunBefore;
		}

		/** Let the clock go on, unless there is another hold. */
		@Override
		public void close() {
			locked(() -> VirtualTime.this.holds.remove(this));
		}

	}

}
