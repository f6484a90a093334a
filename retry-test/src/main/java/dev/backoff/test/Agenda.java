package dev.backoff.test;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.RetryContext;
import dev.backoff.pace.Pace;

/**
 * What the clock stands for, what is to happen, and which call waits for it. Used under
 * the lock of the clock.
 */
final class Agenda {

	/*
	 * A call works from its beginning to its end, except while an entry of its own stands
	 * here (a delay, a place in a queue, a sleep of its attempt) and while a call inside
	 * its attempt has not ended. An asynchronous attempt also works until its start has
	 * returned, unless the thread that starts it waits in virtual time. A call whose
	 * timeout has been taken out works until it goes on. A stored call works within its
	 * attempts only; the durable module tells the rest.
	 *
	 * A task that is due works until it has returned, except while it makes an attempt or
	 * waits in virtual time.
	 */

	private static final Comparator<Entry> ORDER = Comparator.comparingLong((Entry entry) -> entry.due)
		.thenComparingLong((entry) -> entry.number);

	/* Where the numbers of stops begin, so that they come last at their moment. */
	private static final long STOPS = Long.MAX_VALUE / 2;

	@SuppressWarnings("ThreadLocalUsage") // each clock has its own calls
	private final ThreadLocal<Here> heres = ThreadLocal.withInitial(Here::new);

	final VirtualTime clock;

	private final TreeSet<Entry> entries = new TreeSet<>(ORDER);

	/* What threads that advance are to run. */
	private final TreeSet<Entry> jobs = new TreeSet<>(ORDER);

	private long added;

	/* Those that have not ended. */
	final Set<Recording> calls = new LinkedHashSet<>();

	/* Those that are due and have not returned. */
	final Set<Work> tasks = new LinkedHashSet<>();

	final Work keeper = new Work("The keeper of stored calls");

	/* How many calls have begun that are not inside others. */
	int begun;

	Agenda(VirtualTime clock) {
		this.clock = clock;
	}

	Here here() {
		return this.heres.get();
	}

	/** Return the call whose work runs on this thread, or null. */
	private @Nullable Recording workingHere() {
		Here here = here();
		if (here.open != null) {
			return here.open;
		}
		Recording probe = new Recording("", "", null, this, this.clock);
		RetryContext.tellAround(probe);
		return probe.enclosing;
	}

	Work taskBegins() {
		Work task = new Work("A task that is due");
		task.busy(1);
		this.tasks.add(task);
		return task;
	}

	boolean isTaskAtWork() {
		return this.tasks.stream().anyMatch(Work::holdsTheClock);
	}

	/**
	 * Return whether a call works, or a sleep is about to end, though nothing tells so.
	 */
	boolean isCallAtWork() {
		return this.keeper.holdsTheClock() || this.calls.stream().anyMatch(Work::holdsTheClock)
				|| this.entries.stream().anyMatch(Entry::isInterrupted);
	}

	/** Return a call that has not ended and is busy, whether it is waited for or not. */
	@Nullable Recording busy() {
		return this.calls.stream().filter(Work::isBusy).findFirst().orElse(null);
	}

	/** Count real time, and return what has worked for too long, now passed over. */
	List<Work> passOver(long nanos, long patience) {
		return Stream.of(this.calls.stream(), this.tasks.stream(), Stream.of(this.keeper))
			.<Work>flatMap((works) -> works)
			.filter((work) -> work.passesOver(nanos, patience))
			.toList();
	}

	/**
	 * Add what the current thread waits for, without a task, or else what a call waits
	 * for that has told so on this thread, or the timeout of its attempt. The timer of a
	 * pace is that of all its calls.
	 */
	Entry add(long due, long nanos, @Nullable Runnable task) {
		if (task != null && task.getClass().getPackageName().equals(Pace.class.getPackageName())) {
			return add(new Entry(due, this.added++, nanos, null, false, null, task));
		}
		boolean sleeping = task == null;
		Here here = here();
		Recording latest = here.latest;
		boolean waiting = latest != null && latest.waits();
		Recording call = (sleeping && !waiting) ? workingHere() : isTimeoutOf(latest, here) ? latest : null;
		return add(new Entry(due, this.added++, nanos, call, sleeping || waiting, sleeping ? here : null, task));
	}

	/** Add the stop of a thread that advances: at the given time, or at a job before. */
	Entry addStop(long last) {
		long due = this.jobs.isEmpty() ? last : Math.min(last, this.jobs.first().due);
		return add(new Entry(due, STOPS + this.added++, 0, workingHere(), true, here(), null));
	}

	private Entry add(Entry entry) {
		this.entries.add(entry);
		if (entry.awaited) {
			waits(entry, 1);
		}
		return entry;
	}

	/* The durable module schedules too, outside attempts. */
	private static boolean isTimeoutOf(@Nullable Recording latest, Here here) {
		return latest != null && latest.ended == null && (latest.key == null || latest == here.open);
	}

	private void waits(Entry entry, int times) {
		if (entry.call != null) {
			entry.call.pauses(entry.turn, times);
		}
		if (entry.sleeper != null) {
			entry.sleeper.waits(times);
		}
	}

	/** Add a job, for which threads that advance to a later moment stop. */
	void addJob(long due, Runnable job) {
		this.jobs.add(new Entry(due, this.added++, 0, null, false, null, job));
		List.copyOf(this.entries).stream().filter((entry) -> entry.isStop() && entry.due > due).forEach(this::remove);
	}

	/** Take the first job that is due by then, or null. */
	@Nullable Runnable takeJob(long reading) {
		boolean due = !this.jobs.isEmpty() && this.jobs.first().due <= reading;
		return due ? this.jobs.pollFirst().task : null;
	}

	/** Remove an entry, so that its call works. */
	void remove(Entry entry) {
		if (this.entries.remove(entry)) {
			entry.taken = true;
			if (entry.sleeper != null) {
				LockSupport.unpark(entry.sleeper.thread);
			}
			if (entry.awaited) {
				waits(entry, -1);
			}
		}
	}

	/**
	 * Remove the first entry that is due, while calls work of those that are no waits.
	 * The call of a timeout then works until it goes on.
	 */
	@Nullable Entry takeDue(long reading, boolean waits) {
		for (Entry entry : this.entries) {
			if (entry.due > reading) {
				break;
			}
			if (waits || !entry.awaited) {
				remove(entry);
				if (!entry.awaited && entry.call != null) {
					entry.call.timedOut(entry.turn);
				}
				return entry;
			}
		}
		return null;
	}

	/** Wake the threads that sleep, and return whether there were any. */
	boolean wake() {
		List<Entry> sleeping = this.entries.stream()
			.filter((entry) -> entry.sleeper != null && !entry.isStop())
			.toList();
		sleeping.forEach(this::remove);
		return !sleeping.isEmpty();
	}

	/** Forget all calls and jobs: the clock neither stands for them nor stops. */
	void reset() {
		this.calls.clear();
		this.jobs.clear();
	}

	/** Return whether real time counts: something waits, or an attempt has a timeout. */
	boolean needsTicks() {
		return this.entries.stream().anyMatch((entry) -> entry.awaited || entry.call != null);
	}

	long nextDue() {
		return this.entries.first().due;
	}

	/** Return whether a thread advances the clock. */
	boolean isAdvancing() {
		return this.entries.stream().anyMatch(Entry::isStop);
	}

	/** Return whether the clock moves by itself, to waits and to overdue timeouts. */
	boolean isMoving() {
		return this.entries.stream().anyMatch((entry) -> entry.awaited || entry.overdue);
	}

	/** Count real time for the timeouts of attempts that work, up to the first stop. */
	void timeOut(long nanos, long least) {
		for (Entry entry : List.copyOf(this.entries)) {
			if (entry.isStop()) {
				break;
			}
			if (entry.awaited || entry.call == null) {
				continue;
			}
			List<Recording> busy = this.calls.stream()
				.filter((call) -> call.isBusy() && call.isWithin(entry.call))
				.toList();
			entry.worked += busy.isEmpty() ? 0 : nanos;
			if (entry.worked >= Math.max(entry.nanos, least)) {
				entry.overdue = true;
				busy.forEach((call) -> call.overdue = true);
			}
		}
	}

	/** What happens at one moment. */
	static final class Entry {

		final long due;

		/* Decides at equal times. */
		private final long number;

		private final long nanos;

		final @Nullable Recording call;

		private final int turn;

		/* Whether a call or a thread waits for it. */
		private final boolean awaited;

		/* The thread that sleeps, or null. */
		private final @Nullable Here sleeper;

		final @Nullable Runnable task;

		private volatile boolean taken;

		private volatile boolean interrupted;

		/* How long the attempt has worked, and whether that is more than its timeout. */
		private long worked;

		private boolean overdue;

		Entry(long due, long number, long nanos, @Nullable Recording call, boolean awaited, @Nullable Here sleeper,
				@Nullable Runnable task) {
			this.due = due;
			this.number = number;
			this.nanos = nanos;
			this.call = call;
			this.turn = (call != null) ? call.turn : 0;
			this.awaited = awaited;
			this.sleeper = sleeper;
			this.task = task;
		}

		/**
		 * Sleep until it is taken out, but no longer in real time. An interrupt, whose
		 * flag stays, ends the sleep of a call, but no stop.
		 */
		void sleep(long atMost) {
			Thread thread = Thread.currentThread();
			long began = System.nanoTime();
			boolean interrupted = false;
			while (!this.taken && (isStop() || !interrupted) && System.nanoTime() - began < atMost) {
				LockSupport.parkNanos(this, atMost);
				interrupted |= isStop() ? Thread.interrupted() : thread.isInterrupted();
			}
			// a thread that waits for a lock has no flag for a while
			this.interrupted = !this.taken;
			if (interrupted) {
				thread.interrupt();
			}
		}

		private boolean isStop() {
			return this.number >= STOPS;
		}

		private boolean isInterrupted() {
			return this.sleeper != null && !isStop() && (this.interrupted || this.sleeper.thread.isInterrupted());
		}

	}

	/** What a thread does. */
	static final class Here {

		final Thread thread = Thread.currentThread();

		/* The innermost call whose work runs here. */
		@Nullable Recording open;

		/* The call that has told last here that an attempt or a wait begins. */
		@Nullable Recording latest;

		@Nullable Work task;

		/* How often it waits in virtual time. */
		int waits;

		/** Note that the task here makes an attempt or waits, or has done with it. */
		void leaves(int times) {
			if (this.task != null) {
				this.task.busy(-times);
			}
		}

		private void waits(int times) {
			this.waits += times;
			leaves(times);
		}

	}

}
