package dev.backoff.simulator;

import java.util.PriorityQueue;

import org.jspecify.annotations.Nullable;

import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/** Time that moves from event to event. Not thread-safe. */
final class EventQueue implements RetryTime {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long now;

	private long scheduled;

	@Override
	public long nanoTime() {
		return this.now;
	}

	@Override
	public void sleep(long nanos) {
		throw new UnsupportedOperationException("a simulation schedules, it does not sleep");
	}

	@Override
	public Cancellable schedule(Runnable task, long nanos) {
		Event event = new Event(Nanos.plus(this.now, Math.max(0, nanos)), this.scheduled++, task);
		this.events.add(event);
		return event;
	}

	/** Run what is due before the given time; of one moment, in the order scheduled. */
	void runUntil(long end) {
		for (Event next = this.events.peek(); next != null && next.at < end; next = this.events.peek()) {
			this.events.remove();
			this.now = next.at;
			next.run();
		}
	}

	private static final class Event implements Comparable<Event>, Cancellable {

		private final long at;

		private final long order;

		private @Nullable Runnable task;

		Event(long at, long order, Runnable task) {
			this.at = at;
			this.order = order;
			this.task = task;
		}

		void run() {
			if (this.task != null) {
				this.task.run();
			}
		}

		@Override
		public void cancel() {
			this.task = null;
		}

		@Override
		public int compareTo(Event other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.order, other.order);
		}

	}

}
