package dev.backoff.test;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

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
 * the clock jumps to the next moment at which something is due. It never jumps for the
 * timeout of an attempt, the end of an override, a scheduled job or a stored call: these
 * happen when it passes their time. What is due at one moment happens in the order in
 * which it was scheduled. A call that waits for a permit waits for the one that has it, for
 * up to fifty times the patience.
 * <p>
 * The timeout of an attempt also happens after that much real time if its call is busy
 * for so long, but not before the {@linkplain #patience(Duration) patience} ends. Calls
 * tell this time through {@link BackoffCalls} what they do. Thread-safe.
 *
 * @since 0.1
 */
public final class VirtualTime implements RetryTime {

	/*
	 * One thread moves the clock and runs what is due. It is there while something is
	 * scheduled, and ends soon after. Where what it runs waits itself, such as an attempt
	 * whose executor runs tasks where they are handed over, another thread takes its
	 * place. A call that sleeps while all others wait for longer moves the clock itself,
	 * which takes a third of the time. One lock guards all of it, what is to happen and
	 * the calls too.
	 */

	/* Neither zero nor round, so that a reading mistaken for a duration shows. */
	private static final long ORIGIN = 7_000_000_000_123L;

	private static final long IDLE = 1_000_000_000L;

	private static final int PATIENCES = 50;

	private static final Duration LONGEST = Duration.ofDays(36500);

	private static final Logger LOG = System.getLogger(VirtualTime.class.getName());

	private final Instant start = Instant.now().truncatedTo(ChronoUnit.MICROS);

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/* What observes the calls of this time. */
	final BusyCalls calls = new BusyCalls(this, this);

	private final Agenda agenda = new Agenda(this.calls);

	private final Agenda jobs = new Agenda(this.calls);

	private final Set<Holding> holds = new HashSet<>();

	private volatile long now = ORIGIN;

	private volatile long testBegan = ORIGIN;

	private long patience = 200_000_000L;

	private @Nullable Thread thread;

	/* Whether the thread runs what is due. */
	private boolean happening;

	private @Nullable Thread advancing;

	/* Where advancing ends. */
	private long end;

	/* What the log has told of this test. */
	private final Set<String> told = new HashSet<>();

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
		return ((InstantSource) this::instant).withZone(ZoneId.systemDefault());
	}

	@Override
	public Instant instant() {
		return this.start.plusNanos(this.now - ORIGIN);
	}

	/**
	 * Let the work on this thread take time, for instance in a stub. An attempt that runs
	 * here is not busy meanwhile.
	 * @param duration how long, from zero to 100 years
	 * @throws InterruptedException if the thread is interrupted before or while sleeping;
	 * the interrupt flag is then clear
	 * @throws IllegalArgumentException if the duration is out of range
	 */
	public void sleep(Duration duration) throws InterruptedException {
		sleep(nanos(duration));
	}

	/**
	 * Let time pass, with all that is due within it. The clock moves on when no call is
	 * busy, whether it is {@linkplain #hold() held} or not. Scheduled jobs run on this
	 * thread. A job that takes time makes the whole take longer.
	 * @param duration how much time, from zero to 100 years
	 * @throws IllegalArgumentException if the duration is out of range
	 */
	public void advance(Duration duration) {
		long nanos = nanos(duration);
		locked(() -> {
			Recording around = this.calls.open.get();
			this.calls.goesOn(around, 1);
			leaveTheClock();
			long last = later(nanos);
			for (Agenda.Entry job = advanceTo(last); job != null; job = advanceTo(last)) {
				happen(job, around);
			}
			this.calls.goesOn(around, -1);
		});
	}

	/** Return a time within which nothing saturates. */
	static long nanos(Duration duration) {
		if (duration.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"Invalid duration (" + duration + "): must be at most 36500 days. Choose a shorter one.");
		}
		return Nanos.notNegative("duration", duration);
	}

	/* The flag of an interrupt belongs to the job, or to the test. */
	private void happen(Agenda.Entry job, @Nullable Recording around) {
		boolean interrupted = Thread.interrupted();
		unlocked(job.task());
		if (around == null) {
			Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		// what a sleep on this thread may have started has ended
		this.calls.goesOn(null, 0);
	}

	/** Go on to the given time or to a job before; return the job, or null. */
	private Agenda.@Nullable Entry advanceTo(long last) {
		settle(last);
		return this.jobs.takeDue(last);
	}

	private void settle(long last) {
		await(() -> this.advancing == null);
		this.end = last;
		this.advancing = Thread.currentThread();
		startThread();
		this.changed.signalAll();
		await(() -> this.now >= stop() && isSettled());
		this.advancing = null;
		this.changed.signalAll();
	}

	/** Wait until no call is busy, and return one that has been for too long, or null. */
	@Nullable Recording settle() {
		this.lock.lock();
		try {
			settle(this.now);
			return this.calls.anyBusy();
		}
		finally {
			this.lock.unlock();
		}
	}

	/* Where the clock stops while it advances. */
	private long stop() {
		return Math.min(this.jobs.nextDue(), this.end);
	}

	private boolean isSettled() {
		return !this.happening && standsFor() <= 0 && this.agenda.nextDue() > this.now;
	}

	private void await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			this.changed.awaitUninterruptibly();
		}
	}

	/**
	 * Let the clock stand, for instance until all calls of a test have begun. A call that
	 * waits on this thread meanwhile fails, since it would never end, and so does the end
	 * of the hold. <pre>
	 * try (VirtualTime.Hold hold = time.hold()) {
	 *     threads.forEach(Thread::start);
	 *     hold.untilBegun(threads.size());
	 * }
	 * </pre>
	 * @return the hold, which any thread may close
	 */
	public Hold hold() {
		this.lock.lock();
		try {
			Holding hold = new Holding();
			this.holds.add(hold);
			return hold;
		}
		finally {
			this.lock.unlock();
		}
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
				locked(() -> this.agenda.remove(entry));
				woken.countDown();
			});
			if (!signal.isRaised()) {
				woken.await();
			}
			if (Thread.interrupted()) {
				// before it was woken, as what happens at one moment has an order
				throw new InterruptedException();
			}
		}
		finally {
			signal.sleeper(null);
			locked(() -> this.agenda.remove(entry));
		}
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Agenda.Entry entry = add(task, nanos, false);
		return () -> locked(() -> this.agenda.remove(entry));
	}

	@Override
	public Cancellable attend(BooleanSupplier atWork) {
		locked(() -> this.calls.keepers.add(atWork));
		return () -> locked(() -> this.calls.keepers.remove(atWork));
	}

	private Agenda.Entry add(Runnable task, long nanos, boolean sleeping) {
		this.lock.lock();
		try {
			if (sleeping) {
				checkHolds();
				leaveTheClock();
			}
			Agenda.Entry entry = this.agenda.add(later(nanos), nanos, sleeping, task);
			if (sleeping && entry.call() != null && isNext(entry)) {
				// no other thread has to move the clock
				jump(entry.due());
				this.agenda.remove(entry);
				task.run();
				return entry;
			}
			startThread();
			this.changed.signalAll();
			return entry;
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isNext(Agenda.Entry entry) {
		return !this.happening && this.agenda.isFirst(entry) && standsFor() <= 0 && target() == entry.due();
	}

	private void checkHolds() {
		for (Holding hold : this.holds) {
			if (this.advancing == null && hold.thread == Thread.currentThread()) {
				hold.refused = new IllegalStateException("This thread holds the clock, so that its wait would never "
						+ "end: close the hold before, or call on another thread.");
				throw hold.refused;
			}
		}
	}

	private long later(long nanos) {
		return Nanos.plus(this.now, Math.max(0, nanos));
	}

	/**
	 * Run a job on a thread that {@linkplain #advance(Duration) advances} this time.
	 * @param job throws nothing
	 * @param delay after which it is due, zero or less for now
	 */
	void scheduleJob(Runnable job, Duration delay) {
		locked(() -> this.jobs.addJob(later(Nanos.of(delay)), job));
	}

	/** Wake the threads that sleep, and return whether there were any. */
	boolean wake() {
		this.lock.lock();
		try {
			List<Agenda.Entry> sleeping = this.agenda.removeSleeping();
			sleeping.forEach((entry) -> entry.task().run());
			return !sleeping.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Begin another test: no time has elapsed, nothing holds the clock, no job is due.
	 */
	void reset() {
		locked(() -> {
			this.testBegan = this.now;
			this.told.clear();
			this.holds.clear();
			this.jobs.clear();
			this.calls.clear();
		});
	}

	/** Forget what is to happen, when the application has ended. */
	void close() {
		locked(() -> {
			reset();
			wake();
			this.agenda.clear();
		});
	}

	void locked(Runnable change) {
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
			this.thread = new Thread(null, () -> locked(this::run), "backoff-virtual-time", 0, false);
			this.thread.setDaemon(true);
			this.thread.start();
		}
	}

	private boolean isTheClock() {
		return this.thread == Thread.currentThread();
	}

	private void leaveTheClock() {
		if (isTheClock()) {
			this.thread = null;
			this.happening = false;
		}
	}

	private void run() {
		while (isTheClock()) {
			try {
				turn();
			}
			catch (InterruptedException ex) {
				// a task has left the flag behind
			}
		}
	}

	/**
	 * Let an entry happen, move the clock, wait for a change, or end for want of work.
	 */
	@SuppressWarnings("WaitNotInLoop") // the caller loops
	private void turn() throws InterruptedException {
		Agenda.Entry due = this.agenda.takeDue(this.now);
		if (due != null) {
			happen(due);
			return;
		}
		long standsFor = standsFor();
		boolean within = this.holds.isEmpty() && (this.advancing == null || this.agenda.nextDue() <= stop());
		long timeoutIn = within ? this.agenda.timeoutIn(this.patience) : Long.MAX_VALUE;
		long look = (standsFor > 0) ? Math.min(standsFor, BusyCalls.LONGEST_LOOK) : IDLE;
		if (timeoutIn <= 0) {
			this.now = this.agenda.nextDue();
		}
		else if (standsFor <= 0 && target() > this.now) {
			jump(target());
		}
		else if (this.changed.awaitNanos(Math.min(timeoutIn, look)) <= 0) {
			// a call that was busy may no longer count
			this.changed.signalAll();
			if (standsFor <= 0 && this.advancing == null) {
				idle();
			}
		}
	}

	/**
	 * Return for how long the clock stands for calls, in nanoseconds of real time: until
	 * they wait, or if others come and go, or wait for a permit, or a timeout is next,
	 * until it has stood for fifty times the patience.
	 */
	private long standsFor() {
		boolean moves = this.advancing != null || target() > this.now;
		long busyFor = this.calls.busyFor(this.patience);
		if (busyFor <= 0 && moves && this.advancing == null && this.agenda.passesWork(target())) {
			busyFor = IDLE;
		}
		long longest = Nanos.times(this.patience, PATIENCES);
		long left = longest - this.calls.stood(busyFor > 0, busyFor > 0 && moves);
		if (left <= 0) {
			Recording call = this.calls.anyBusy();
			tell(Level.WARNING,
					"Virtual time has stood for {0} of real time for calls that work, and now goes on beside them. "
							+ "One is {1}. Pause what makes such calls, or set a longer VirtualTime.patience.",
					DurationText.story(longest), (call != null) ? call : "stored, and its attempt is under way");
		}
		return Math.min(busyFor, left);
	}

	private void idle() {
		if (this.agenda.isEmpty()) {
			leaveTheClock();
		}
		else if (this.holds.stream().anyMatch((hold) -> isParked(hold.thread)) && this.agenda.isAnyAwaited()) {
			tell(Level.WARNING, "Virtual time stands: a thread holds the clock and waits, and all calls wait for "
					+ "the clock. Close the hold before you wait for them.");
		}
	}

	/* Where the clock jumps to when no call is busy, or where it is. */
	private long target() {
		long next = this.agenda.nextDue();
		if (this.advancing != null) {
			return Math.min(next, stop());
		}
		return (this.holds.isEmpty() && this.agenda.isAnyAwaited()) ? next : this.now;
	}

	/* One that is interrupted or has to wait for the lock is about to tell something. */
	boolean isWorking(Thread thread) {
		return thread != this.advancing && thread != Thread.currentThread()
				&& (!isParked(thread) || thread.isInterrupted() || this.lock.hasQueuedThread(thread));
	}

	private static boolean isParked(Thread thread) {
		Thread.State state = thread.getState();
		return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
	}

	/* Once a test. */
	private void tell(Level level, String text, Object... values) {
		if (this.told.add(text)) {
			LOG.log(level, text, values);
		}
	}

	private void jump(long reading) {
		Recording call = this.calls.anyBusy();
		if (call != null) {
			tell(Level.INFO, "Virtual time goes on without {0}, which has begun, waited for and ended nothing for "
					+ "{1}. If its work takes so long, set a longer VirtualTime.patience. It may also wait for a call on "
					+ "a thread that does not know where its work comes from.", call,
					DurationText.story(this.patience));
		}
		this.now = reading;
		this.changed.signalAll();
	}

	private void happen(Agenda.Entry entry) {
		Recording call = entry.call();
		// nothing announces what a task starts, or a thread that works for no call
		if ((call != null) ? !entry.awaited() && call.ended == null : entry.awaited() || !this.calls.isEmpty()) {
			this.calls.disturb();
		}
		this.calls.latest.set(call);
		this.happening = true;
		unlocked(entry.task());
		if (isTheClock()) {
			Thread.interrupted();
			this.happening = false;
		}
		this.changed.signalAll();
	}

	/** Lets the clock stand until it is closed. To close it again does nothing. */
	public interface Hold extends AutoCloseable {

		/**
		 * Wait until so many calls have begun since the hold began, not counting calls
		 * inside others.
		 * @param calls how many, zero or more
		 * @throws IllegalArgumentException if the number is negative
		 * @throws IllegalStateException if they have not begun after fifty times the
		 * {@linkplain VirtualTime#patience(Duration) patience}, in real time
		 * @throws InterruptedException if the thread is interrupted
		 */
		void untilBegun(int calls) throws InterruptedException;

		/**
		 * Let the clock go on, unless there is another hold.
		 * @throws IllegalStateException if a call had to wait on the thread that holds
		 */
		@Override
		void close();

	}

	private final class Holding implements Hold {

		private final Thread thread = Thread.currentThread();

		private final int begunBefore = VirtualTime.this.calls.begun;

		private @Nullable IllegalStateException refused;

		@Override
		public void untilBegun(int calls) throws InterruptedException {
			if (calls < 0) {
				throw new IllegalArgumentException("Invalid calls (" + calls + "): must be 0 or more.");
			}
			VirtualTime.this.lock.lock();
			try {
				long longest = Nanos.times(VirtualTime.this.patience, PATIENCES);
				for (long left = longest; begun() < calls; left = VirtualTime.this.changed.awaitNanos(left)) {
					if (left <= 0) {
						throw new IllegalStateException("Invalid number of calls (" + calls + "): " + begun()
								+ " have begun in this hold after " + DurationText.story(longest)
								+ ". Give each call a thread of its own, since one that waits keeps its thread.");
					}
				}
			}
			finally {
				VirtualTime.this.lock.unlock();
			}
		}

		private int begun() {
			return VirtualTime.this.calls.begun - this.begunBefore;
		}

		@Override
		public void close() {
			locked(() -> VirtualTime.this.holds.remove(this));
			IllegalStateException refused = this.refused;
			this.refused = null;
			if (refused != null) {
				// another one, since the body may end with the first
				throw new IllegalStateException(refused.getMessage(), refused);
			}
		}

	}

}
