package dev.backoff.time;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one timer of the process: a daemon thread that is there while something is
 * scheduled and ends soon after. Tasks must be short, since they delay each other.
 */
final class SystemTimer {

	private static final long IDLE_SECONDS = 5;

	private static final ScheduledThreadPoolExecutor TIMER = create();

	private SystemTimer() {
	}

	private static ScheduledThreadPoolExecutor create() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, SystemTimer::thread);
		timer.setRemoveOnCancelPolicy(true);
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

	/* It serves all applications of the process, so it keeps nothing of the first one. */
	private static Thread thread(Runnable work) {
		Thread thread = new Thread(null, work, "backoff-timer", 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(null);
		return thread;
	}

	static Cancellable schedule(Runnable task, long nanos) {
		ScheduledFuture<?> scheduled = TIMER.schedule(task, nanos, TimeUnit.NANOSECONDS);
		return () -> scheduled.cancel(false);
	}

	/** Return how many tasks are scheduled. */
	static int pending() {
		return TIMER.getQueue().size();
	}

}
