package dev.backoff.test;

import java.time.Duration;
import java.time.Instant;
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

	VirtualTaskScheduler(VirtualTime time) {
		this.time = time;
	}

	@Override
	public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		Job job = new Job(TaskUtils.decorateTaskWithErrorHandler(task, null, true), trigger);
		return job.schedule() ? job : null;
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		Instant start = this.time.clock().instant().plus(until(startTime));
		return scheduled(new Job(TaskUtils.decorateTaskWithErrorHandler(task, null, false),
				(context) -> (context.lastCompletion() == null) ? start : null));
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		return scheduled(task, period, true, until(startTime));
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		return scheduled(task, period, true, Duration.ZERO);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		return scheduled(task, delay, false, until(startTime));
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		return scheduled(task, delay, false, Duration.ZERO);
	}

	private ScheduledFuture<?> scheduled(Runnable task, Duration period, boolean fixedRate, Duration initialDelay) {
		PeriodicTrigger trigger = new PeriodicTrigger(period);
		trigger.setFixedRate(fixedRate);
		trigger.setInitialDelay(initialDelay);
		return scheduled(new Job(TaskUtils.decorateTaskWithErrorHandler(task, null, true), trigger));
	}

	private static Job scheduled(Job job) {
		boolean unused = job.schedule();
		return job;
	}

	private static Duration until(Instant start) {
		Duration delay = Duration.between(Instant.now(), start);
		return delay.isNegative() ? Duration.ZERO : delay;
	}

	/**
	 * One job, which is scheduled anew after each run. Once cancelled, it runs no more.
	 */
	private final class Job extends FutureTask<@Nullable Object> implements ScheduledFuture<@Nullable Object> {

		private final Trigger trigger;

		private final SimpleTriggerContext context = new SimpleTriggerContext(VirtualTaskScheduler.this.time.clock());

		private volatile Instant due = Instant.MIN;

		Job(Runnable task, Trigger trigger) {
			super(task, null);
			this.trigger = trigger;
		}

		/** Return false if there is no next run. */
		boolean schedule() {
			Instant next = this.trigger.nextExecution(this.context);
			if (next != null) {
				this.due = next;
				VirtualTaskScheduler.this.time.scheduleJob(this, untilDue());
			}
			return next != null;
		}

		@Override
		public void run() {
			Instant began = this.context.getClock().instant();
			if (runAndReset()) {
				this.context.update(this.due, began, this.context.getClock().instant());
				if (!schedule()) {
					set(null);
				}
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
