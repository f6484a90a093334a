package dev.backoff.test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;
import org.springframework.scheduling.support.TaskUtils;

/**
 * Run scheduled jobs on the thread that {@linkplain VirtualTime#advance(Duration)
 * advances} time, and only then. Times at which jobs start are those of the system's
 * clock, as Spring gives them, and count from now. Thread-safe.
 */
final class VirtualTaskScheduler implements TaskScheduler {

	private final VirtualTime time;

	private final Collection<Job> jobs = new ConcurrentLinkedQueue<>();

	VirtualTaskScheduler(VirtualTime time) {
		this.time = time;
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		Job job = new Job(task, trigger);
		this.jobs.add(job);
		return job;
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		Instant start = this.time.clock().instant().plus(until(startTime));
		return schedule(task, (context) -> (context.lastCompletion() == null) ? start : null);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		return periodically(task, startTime, period, true);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		return periodically(task, Instant.now(), period, true);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		return periodically(task, startTime, delay, false);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		return periodically(task, Instant.now(), delay, false);
	}

	private ScheduledFuture<?> periodically(Runnable task, Instant start, Duration period, boolean fixedRate) {
		PeriodicTrigger trigger = new PeriodicTrigger(period);
		trigger.setFixedRate(fixedRate);
		trigger.setInitialDelay(until(start));
		return schedule(task, trigger);
	}

	/* Up to a millisecond has passed since the start was chosen. */
	private static Duration until(Instant start) {
		Duration delay = Duration.between(Instant.now(), start).plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
		return delay.isNegative() ? Duration.ZERO : delay;
	}

	/** Begin the jobs anew that have not ended, in a time that has been reset. */
	void reset() {
		this.jobs.removeIf(Job::isDone);
		this.jobs.forEach(Job::begin);
	}

	/**
	 * One job, which is scheduled anew after each run. Once cancelled, it runs no more.
	 */
	private final class Job extends FutureTask<@Nullable Object> implements ScheduledFuture<@Nullable Object> {

		private final Trigger trigger;

		private SimpleTriggerContext context = new SimpleTriggerContext();

		private volatile Instant due = Instant.MIN;

		Job(Runnable task, Trigger trigger) {
			super(TaskUtils.decorateTaskWithErrorHandler(task, null, true), null);
			this.trigger = trigger;
			begin();
		}

		private void begin() {
			this.context = new SimpleTriggerContext(VirtualTaskScheduler.this.time.clock());
			schedule();
		}

		private void schedule() {
			Instant next = this.trigger.nextExecution(this.context);
			if (next == null) {
				set(null);
			}
			else {
				this.due = next;
				VirtualTaskScheduler.this.time.scheduleJob(this, untilDue());
			}
		}

		@Override
		public void run() {
			SimpleTriggerContext context = this.context;
			Instant began = context.getClock().instant();
			// it may have begun anew meanwhile
			if (runAndReset() && context == this.context) {
				context.update(this.due, began, context.getClock().instant());
				schedule();
			}
		}

		private Duration untilDue() {
			return Duration.between(this.context.getClock().instant(), this.due);
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(untilDue());
		}

		@Override
		public int compareTo(Delayed other) {
			return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
		}

	}

}
