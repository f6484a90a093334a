package dev.backoff.throttle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * The slots of one policy: how many attempts run at once in this process, and how many
 * calls may wait for a slot. A slot that becomes free goes to the call that has waited
 * longest, never to one that arrives later. Thread-safe.
 *
 * @since 0.1
 */
public final class Throttle {

	/** The number of slots, or of waiting calls, that means no limit. */
	public static final int UNLIMITED = Integer.MAX_VALUE;

	/*
	 * The state is the number of slots taken, which threads change by compare-and-set
	 * while no call waits. While calls wait it is the complement of that number and
	 * changes only under the lock, together with the queue. So handing a slot over,
	 * leaving the queue and changing the limits are one step each: with count and queue
	 * as two atomics, a call could be forgotten beside a free slot.
	 *
	 * The queue is a ring of places with a head that is none. No foreign code runs under
	 * the lock, a monitor, which a thread leaves even where its stack overflows.
	 */

	private static final AtomicIntegerFieldUpdater<Throttle> STATE = AtomicIntegerFieldUpdater
		.newUpdater(Throttle.class, "state");

	private final String policy;

	private final Object lock = new Object();

	private final Place head = new Place(Standing.LEFT);

	private volatile int slots;

	private volatile int maxWaiting;

	private volatile int state;

	/* How many places are in the queue, under the lock. */
	private int waiting;

	/**
	 * Make a throttle with all its slots free.
	 * @param policy the policy's name, for messages
	 * @param slots how many attempts may run at once, 1 or more
	 * @param maxWaiting how many calls may wait for a slot, 0 or more
	 * @throws IllegalArgumentException if a number is too small
	 */
	public Throttle(String policy, int slots, int maxWaiting) {
		this.policy = policy;
		change(slots, maxWaiting);
	}

	/**
	 * Change the limits. More slots serve the calls that have waited longest at once;
	 * with fewer slots, running attempts end as they would have. Calls that wait go on
	 * waiting.
	 * @param slots how many attempts may run at once, 1 or more
	 * @param maxWaiting how many calls may wait for a slot, 0 or more
	 * @throws IllegalArgumentException if a number is too small
	 */
	public void change(int slots, int maxWaiting) {
		if (slots < 1) {
			throw new IllegalArgumentException("Invalid slots (" + slots + "): must be 1 or more.");
		}
		if (maxWaiting < 0) {
			throw new IllegalArgumentException("Invalid maxWaiting (" + maxWaiting + "): must not be negative.");
		}
		this.slots = slots;
		this.maxWaiting = maxWaiting;
		handOver(0);
	}

	/**
	 * Take a free slot if no call waits for one. The caller {@linkplain #release() gives
	 * it back} once.
	 * @return whether the caller has a slot now
	 */
	public boolean tryAcquire() {
		int seen = this.state;
		while (seen >= 0 && seen < this.slots) {
			if (STATE.compareAndSet(this, seen, seen + 1)) {
				return true;
			}
			seen = this.state;
		}
		return false;
	}

	/**
	 * Take a free slot, or else a place in the queue.
	 * @return the place, which may have its slot already, or has been refused because the
	 * queue is full
	 */
	public Place enter() {
		synchronized (this.lock) {
			while (this.state >= 0) {
				if (tryAcquire()) {
					return new Place(Standing.GRANTED);
				}
				int seen = this.state;
				if (seen >= this.slots && (this.maxWaiting == 0 || STATE.compareAndSet(this, seen, ~seen))) {
					break;
				}
			}
			if (this.waiting >= this.maxWaiting) {
				return new Place(Standing.REFUSED);
			}
			Place place = new Place(Standing.WAITING);
			place.linkBefore(this.head);
			this.waiting++;
			return place;
		}
	}

	/** Give a slot back, which goes to the call that has waited longest. */
	public void release() {
		for (int seen = this.state; seen > 0; seen = this.state) {
			if (STATE.compareAndSet(this, seen, seen - 1)) {
				return;
			}
		}
		handOver(1);
	}

	private void handOver(int freed) {
		List<Runnable> served = new ArrayList<>();
		synchronized (this.lock) {
			if (this.state >= 0) {
				// no call waits any more
				int unused = STATE.updateAndGet(this, (seen) -> Math.max(0, seen - freed));
				return;
			}
			int taken = ~this.state - freed;
			while (this.waiting > 0 && taken < this.slots) {
				Place next = this.head.next;
				leaveQueue(next, Standing.GRANTED);
				taken++;
				if (next.waiter != null) {
					served.add(next.waiter);
				}
			}
			this.state = (this.waiting > 0) ? ~taken : taken;
		}
		served.forEach(Runnable::run);
	}

	private void leaveQueue(Place place, Standing standing) {
		place.unlink();
		place.standing = standing;
		this.waiting--;
	}

	/**
	 * {@return how many attempts may run at once, 1 or more}
	 */
	public int slots() {
		return this.slots;
	}

	/**
	 * {@return how many calls may wait for a slot, 0 or more}
	 */
	public int maxWaiting() {
		return this.maxWaiting;
	}

	/**
	 * {@return how many slots are taken; above {@link #slots()} only after a change}
	 */
	public int active() {
		int seen = this.state;
		return (seen >= 0) ? seen : ~seen;
	}

	/**
	 * {@return how many calls wait for a slot}
	 */
	public int waiting() {
		synchronized (this.lock) {
			return this.waiting;
		}
	}

	/**
	 * {@return the exception for a call that got no slot before its first attempt}
	 */
	public ConcurrencyExceededException rejection() {
		return new ConcurrencyExceededException(this.policy, this.slots, waiting());
	}

	@Override
	public String toString() {
		return "Throttle " + this.policy + " (" + active() + " of " + this.slots + " slots taken, " + waiting() + " of "
				+ this.maxWaiting + " waiting)";
	}

	private enum Standing {

		WAITING, GRANTED, REFUSED, LEFT

	}

	/**
	 * What a call has that got no slot at once. Thread-safe.
	 */
	public final class Place {

		private Place previous = this;

		private Place next = this;

		private @Nullable Runnable waiter;

		private volatile Standing standing;

		private Place(Standing standing) {
			this.standing = standing;
		}

		private void linkBefore(Place place) {
			this.previous = place.previous;
			this.next = place;
			this.previous.next = this;
			place.previous = this;
		}

		private void unlink() {
			this.previous.next = this.next;
			this.next.previous = this.previous;
			this.previous = this;
			this.next = this;
		}

		/**
		 * {@return whether this has its slot}
		 */
		public boolean isGranted() {
			return this.standing == Standing.GRANTED;
		}

		/**
		 * {@return whether the queue was full}
		 */
		public boolean isRefused() {
			return this.standing == Standing.REFUSED;
		}

		/**
		 * {@return the throttle that gave this}
		 */
		public Throttle throttle() {
			return Throttle.this;
		}

		/**
		 * Run something once when this has its slot: now, or on the thread that gives a
		 * slot back.
		 * @param waiter what to run, which should be quick and throws nothing; it takes
		 * the place of one that has not run
		 */
		public void whenGranted(Runnable waiter) {
			boolean granted;
			synchronized (Throttle.this.lock) {
				this.waiter = waiter;
				granted = isGranted();
			}
			if (granted) {
				waiter.run();
			}
		}

		/**
		 * Keep the slot that was granted. The caller {@linkplain Throttle#release() gives
		 * it back} from now on, and {@link #leave()} does nothing.
		 */
		public void keep() {
			this.standing = Standing.LEFT;
		}

		/**
		 * Leave the queue, or give back the slot that was granted. The second time does
		 * nothing.
		 */
		public void leave() {
			boolean granted;
			synchronized (Throttle.this.lock) {
				granted = this.standing == Standing.GRANTED;
				if (this.standing == Standing.WAITING) {
					leaveQueue(this, Standing.LEFT);
					if (Throttle.this.waiting == 0) {
						Throttle.this.state = ~Throttle.this.state;
					}
				}
				this.standing = Standing.LEFT;
			}
			if (granted) {
				release();
			}
		}

	}

}
