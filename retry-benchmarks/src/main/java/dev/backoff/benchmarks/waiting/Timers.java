package dev.backoff.benchmarks.waiting;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;
import dev.backoff.time.RetryTime.TimerEntry;

/**
 * A timer alone: entries due at any time between one hour and two, then cancelled in an
 * order of chance.
 *
 * @param timer which
 * @param entries how many are scheduled at once
 * @param bytes what one costs
 * @param insertNanos what it takes to schedule one
 * @param cancelNanos what it takes to cancel one
 */
public record Timers(String timer, int entries, double bytes, long insertNanos, long cancelNanos) {

	private static final long HOUR = TimeUnit.HOURS.toNanos(1);

	private static final int WARM_UP = 50_000;

	/**
	 * Measure ours.
	 * @param entries how many are scheduled at once
	 * @return what they cost
	 */
	public static Timers ours(int entries) {
		return measure("ours", entries, (nanos) -> RetryTime.system().schedule(new Entry(), nanos));
	}

	/**
	 * Measure that of the JDK, set to forget what is cancelled.
	 * @param entries how many are scheduled at once
	 * @return what they cost
	 */
	public static Timers ofTheJdk(int entries) {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
		timer.setRemoveOnCancelPolicy(true);
		try {
			return measure("`ScheduledThreadPoolExecutor`", entries, (nanos) -> {
				ScheduledFuture<?> scheduled = timer.schedule(() -> {
				}, nanos, TimeUnit.NANOSECONDS);
				return () -> scheduled.cancel(false);
			});
		}
		finally {
			timer.shutdownNow();
		}
	}

	private static Timers measure(String name, int entries, Scheduling scheduling) {
		for (int i = 0; i < 2; i++) {
			schedule(scheduling, WARM_UP).forEach(Cancellable::cancel);
		}
		long before = Heap.used();
		long started = System.nanoTime();
		List<Cancellable> scheduled = schedule(scheduling, entries);
		long insertNanos = (System.nanoTime() - started) / entries;
		long during = Heap.used();
		Collections.shuffle(scheduled, new Random(entries));
		long cancelled = System.nanoTime();
		scheduled.forEach(Cancellable::cancel);
		return new Timers(name, entries, (during - before - 4L * entries) / (double) entries, insertNanos,
				(System.nanoTime() - cancelled) / entries);
	}

	private static List<Cancellable> schedule(Scheduling scheduling, int entries) {
		Random random = new Random(entries);
		List<Cancellable> scheduled = new ArrayList<>(entries);
		for (int i = 0; i < entries; i++) {
			scheduled.add(scheduling.schedule(HOUR + (long) (random.nextDouble() * HOUR)));
		}
		return scheduled;
	}

	/** What schedules something that never happens. */
	private interface Scheduling {

		Cancellable schedule(long nanos);

	}

	private static final class Entry extends TimerEntry {

		@Override
		public void run() {
		}

	}

}
