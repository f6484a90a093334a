package dev.backoff.concurrency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import dev.backoff.concurrency.Ticket.Standing;

/**
 * The permits of one policy: how many attempts run at once in this process, and how many
 * calls may wait for a permit. A permit that becomes free goes to the call that has
 * waited longest, never to one that arrives later. Thread-safe.
 *
 * @since 0.1
 */
public final class ConcurrencyLimit {

	/** The number of permits, or of waiting calls, that means no limit. */
	public static final int UNLIMITED = Integer.MAX_VALUE;

	/*
	 * The state is the number of permits taken, which threads change by compare-and-set
	 * while no call waits. While calls wait it is the complement of that number and
	 * changes only under the lock, together with the queue. So handing a permit over,
	 * leaving the queue and changing the limits are one step each: with count and queue
	 * as two atomics, a call could be forgotten beside a free permit.
	 *
	 * No foreign code runs under the lock. What is changed together is changed without a
	 * call of a method in between, since the stack may overflow at each call.
	 */

	private static final AtomicIntegerFieldUpdater<ConcurrencyLimit> STATE = AtomicIntegerFieldUpdater
		.newUpdater(ConcurrencyLimit.class, "state");

	private final String policy;

	private final Object lock = new Object();

	private final TicketQueue queue = new TicketQueue(this);

	/* Whether nothing gives a permit back that a ticket has. */
	private boolean ofTurns;

	private volatile int permits;

	private volatile int maxWaiting;

	private volatile int state;

	/**
	 * Make a limit with all its permits free.
	 * @param policy the policy's name, for messages
	 * @param permits how many attempts may run at once, 1 or more
	 * @param maxWaiting how many calls may wait for a permit, 0 or more
	 * @throws IllegalArgumentException if a number is too small
	 */
	public ConcurrencyLimit(String policy, int permits, int maxWaiting) {
		this.policy = policy;
		change(permits, maxWaiting);
	}

	/**
	 * {@return a queue for turns} Its only permit stays taken. {@link #release()} gives a
	 * turn to the call at the front, and a ticket that leaves does not give it back.
	 * @param pace the name, for messages
	 */
	public static ConcurrencyLimit ofTurns(String pace) {
		ConcurrencyLimit turns = new ConcurrencyLimit(pace, 1, 0);
		turns.state = 1;
		turns.ofTurns = true;
		return turns;
	}

	/**
	 * Change the limits. If there are more permits, the calls that have waited longest
	 * get them at once. If there are fewer, running attempts go on to their end. Other
	 * calls go on waiting.
	 * @param permits how many attempts may run at once, 1 or more
	 * @param maxWaiting how many calls may wait for a permit, 0 or more
	 * @throws IllegalArgumentException if a number is too small
	 */
	public void change(int permits, int maxWaiting) {
		if (permits < 1) {
			throw new IllegalArgumentException("Invalid permits (" + permits + "): must be 1 or more.");
		}
		if (maxWaiting < 0) {
			throw new IllegalArgumentException("Invalid maxWaiting (" + maxWaiting + "): must not be negative.");
		}
		this.permits = permits;
		this.maxWaiting = maxWaiting;
		handOver(0);
	}

	/**
	 * Take a free permit if no call waits for one. The caller {@linkplain #release()
	 * gives it back} once.
	 * @return whether the caller has a permit now
	 */
	public boolean tryAcquire() {
		int seen = this.state;
		while (seen >= 0 && seen < this.permits) {
			if (STATE.compareAndSet(this, seen, seen + 1)) {
				return true;
			}
			seen = this.state;
		}
		return false;
	}

	/**
	 * Take a free permit, or else a place in the queue.
	 * @param first whether to go to its front
	 * @return the ticket, which has a permit, or waits in the queue, or has been refused
	 * because the queue is full
	 */
	public Ticket enter(boolean first) {
		Ticket ticket = new Ticket(this, Standing.WAITING);
		synchronized (this.lock) {
			while (this.state >= 0) {
				if (tryAcquire()) {
					ticket.standing = Standing.GRANTED;
					return ticket;
				}
				int seen = this.state;
				if (seen >= this.permits && (this.maxWaiting == 0 || STATE.compareAndSet(this, seen, ~seen))) {
					break;
				}
			}
			if (this.queue.size >= this.maxWaiting) {
				ticket.standing = Standing.REFUSED;
			}
			else {
				this.queue.add(ticket, first);
			}
			return ticket;
		}
	}

	/** Give a permit back. It goes to the call that has waited longest. */
	public void release() {
		for (int seen = this.state; seen > 0; seen = this.state) {
			if (this.ofTurns || STATE.compareAndSet(this, seen, seen - 1)) {
				return;
			}
		}
		handOver(1);
	}

	private void handOver(int freed) {
		// a call that has its permit, but is not woken, would sleep on
		int unused = reserveStack(200);
		List<Runnable> served = new ArrayList<>();
		synchronized (this.lock) {
			if (this.state >= 0) {
				// no call waits any more
				int seen = this.state;
				while (seen > 0 && !this.ofTurns && !STATE.compareAndSet(this, seen, seen - freed)) {
					seen = this.state;
				}
				return;
			}
			int taken = ~this.state - freed;
			while (this.queue.size > 0 && taken < this.permits) {
				Ticket first = this.queue.head.next;
				if (first.waiter != null) {
					served.add(first.waiter);
				}
				this.queue.remove(first);
				first.standing = Standing.GRANTED;
				taken++;
			}
			this.state = (this.queue.size > 0) ? ~taken : taken;
		}
		try {
			// a lambda would take more stack than is left
			for (Runnable waiter : served) {
				waiter.run();
			}
		}
		catch (StackOverflowError ex) {
			// the permit is given back all the same
		}
	}

	/** Let the stack overflow here, where nothing has changed yet. */
	private static int reserveStack(int frames) {
		return (frames > 0) ? reserveStack(frames - 1) + 1 : 0;
	}

	/** Note what waits for the ticket's permit; return whether it has it already. */
	boolean await(Ticket ticket, Runnable waiter) {
		synchronized (this.lock) {
			ticket.waiter = waiter;
			return ticket.isGranted();
		}
	}

	void leave(Ticket ticket) {
		boolean granted;
		synchronized (this.lock) {
			granted = ticket.standing == Standing.GRANTED && !this.ofTurns;
			if (ticket.standing == Standing.WAITING) {
				this.queue.remove(ticket);
				if (this.queue.size == 0) {
					this.state = ~this.state;
				}
			}
			if (ticket.standing != Standing.REFUSED) {
				ticket.standing = Standing.OVER;
			}
		}
		if (granted) {
			boolean released = false;
			try {
				release();
				released = true;
			}
			finally {
				if (!released) {
					ticket.standing = Standing.GRANTED;
				}
			}
		}
	}

	/**
	 * {@return how many attempts may run at once, 1 or more}
	 */
	public int permits() {
		return this.permits;
	}

	/**
	 * {@return how many calls may wait for a permit, 0 or more}
	 */
	public int maxWaiting() {
		return this.maxWaiting;
	}

	/**
	 * {@return how many permits are taken; above {@link #permits()} only after a change}
	 */
	public int active() {
		int seen = this.state;
		return (seen >= 0) ? seen : ~seen;
	}

	/**
	 * {@return how many calls wait for a permit}
	 */
	public int waiting() {
		if (this.state >= 0) {
			return 0;
		}
		synchronized (this.lock) {
			return this.queue.size;
		}
	}

	/**
	 * {@return the exception for a call that got no permit before its first attempt}
	 */
	public ConcurrencyExceededException rejection() {
		return new ConcurrencyExceededException(this.policy, this.permits, waiting());
	}

	@Override
	public String toString() {
		return "ConcurrencyLimit " + this.policy + " (" + active() + " of " + this.permits + " permits taken, "
				+ waiting() + " of " + this.maxWaiting + " waiting)";
	}

}
