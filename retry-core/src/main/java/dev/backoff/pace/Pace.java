package dev.backoff.pace;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.concurrency.Ticket;
import dev.backoff.key.KeyTable;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * One queue for all attempts against one quota of a server. Each begins with a turn,
 * which is not given back. The hint of a refusal holds the queue. From the first refusal
 * on, turns come at a rate that is learned; after a {@linkplain QuotaReading reading} of
 * a quota, at what remains ÷ the time to its reset. The slowest applies, but one attempt
 * begins in {@code maxHold}. Before anything is told, none waits. Thread-safe.
 *
 * @since 0.1
 */
public final class Pace {

	/* Or rounding could keep a processor busy. */
	private static final long LEAST_AHEAD = 100_000;

	/* So that a timer that is late costs no attempts, and no pause ends in a burst. */
	private static final long MOST_LATE = 10_000_000;

	private final String name;

	private final RetryTime time;

	private final BiConsumer<Pace, Duration> listener;

	private final ConcurrencyLimit queue;

	private final @Nullable KeyTable<Pace> keys;

	/* Under it no clock is read, nothing is scheduled and no waiter runs. */
	private final Object lock = new Object();

	private LearnedRate rate;

	private Quotas quotas;

	private volatile long maxHold;

	private volatile long heldUntil;

	private volatile boolean armed;

	private long armedFor;

	private volatile @Nullable Cancellable timer;

	/**
	 * Make a pace that was told nothing.
	 * @param name the name in logs and meters
	 * @param maxHold how long one hint may hold the queue, above zero
	 * @param maxWaiting how many calls may wait for a turn, 0 or more
	 * @param time the time of all its calls, whose readings it is given
	 * @param listener told when a hold begins, and how long it is; it throws nothing
	 */
	public Pace(String name, Duration maxHold, int maxWaiting, RetryTime time, BiConsumer<Pace, Duration> listener) {
		this(name, maxHold, maxWaiting, time, listener, true);
	}

	private Pace(String name, Duration maxHold, int maxWaiting, RetryTime time, BiConsumer<Pace, Duration> listener,
			boolean divided) {
		this.name = name;
		this.time = time;
		this.listener = listener;
		this.queue = ConcurrencyLimit.ofTurns(name);
		Supplier<Pace> maker = () -> new Pace(name, Duration.ofNanos(this.maxHold), this.queue.maxWaiting(), time,
				listener, false);
		this.keys = !divided ? null : new KeyTable<>(time, maker,
				(pace, idle) -> pace.queue.waiting() > 0 || pace.nanosHeld(time.nanoTime()) > 0);
		reset();
		change(maxHold, maxWaiting);
	}

	/**
	 * {@return the paces by key, which follow changes, or null if this is one of a key}
	 */
	public @Nullable KeyTable<Pace> keys() {
		return this.keys;
	}

	/**
	 * {@return the pace of a key, or this one if there is no room for another key}
	 * @param key with {@code equals} and {@code hashCode}
	 */
	public Pace ofKey(Object key) {
		Pace own = (this.keys != null) ? this.keys.get(key) : null;
		return (own != null) ? own : this;
	}

	/**
	 * Change the limits. A hold in force is cut to the new longest.
	 * @param maxHold how long one hint may hold the queue, above zero
	 * @param maxWaiting how many calls may wait for a turn, 0 or more
	 */
	public void change(Duration maxHold, int maxWaiting) {
		this.maxHold = Nanos.aboveZero("maxHold", maxHold);
		this.queue.change(1, maxWaiting);
		cutHold(this.maxHold);
		KeyTable.valuesOf(this.keys).forEach((pace) -> pace.change(maxHold, maxWaiting));
	}

	/**
	 * Take a turn, if one is due and no call waits, or else a place in the queue.
	 * @param first whether to go to the front and wait there in any case, as calls that
	 * the server has refused
	 * @param now the reading of the ticker
	 * @return the ticket, or null if the attempt may begin now
	 */
	public @Nullable Ticket enter(boolean first, long now) {
		synchronized (this.lock) {
			if (!first && this.queue.waiting() == 0 && untilTurn(now) <= 0) {
				this.quotas.begins(now);
				return null;
			}
		}
		Ticket ticket = this.queue.enter(first);
		arm();
		return ticket;
	}

	/* Zero or less if a turn is due. */
	private long untilTurn(long now) {
		double sinceLast = this.quotas.sinceLast(now);
		double paced = Math.max(this.rate.gap() - sinceLast, this.quotas.untilNext(now));
		return Math.max((nanosHeld(now) > 0) ? nanosHeld(now) : Long.MIN_VALUE,
				(long) Math.min(paced, this.maxHold - sinceLast));
	}

	/* Arm the timer for the next turn, if a call waits, after what may have moved it. */
	private void arm() {
		if (this.queue.waiting() == 0) {
			return;
		}
		long now = this.time.nanoTime();
		long ahead;
		Cancellable later;
		synchronized (this.lock) {
			ahead = Math.max(LEAST_AHEAD, untilTurn(now));
			if (this.armed && this.armedFor - now <= ahead) {
				return;
			}
			this.armed = true;
			this.armedFor = now + ahead;
			later = this.timer;
		}
		if (later != null) {
			later.cancel();
		}
		try {
			this.timer = this.time.schedule(this::grant, ahead);
		}
		catch (RuntimeException | Error ex) {
			this.armed = false;
			throw ex;
		}
	}

	/* On the timer, never at the end of another call: so the stack stays flat. */
	private void grant() {
		long now = this.time.nanoTime();
		while (takeTurn(now)) {
			this.queue.release();
		}
		arm();
	}

	private boolean takeTurn(long now) {
		synchronized (this.lock) {
			this.armed = this.armed && this.armedFor - now > 0;
			long late = -untilTurn(now);
			if (late < 0 || this.queue.waiting() == 0) {
				return false;
			}
			this.quotas.begins(now - Math.min(late, MOST_LATE));
			return true;
		}
	}

	/**
	 * Note an attempt that succeeded.
	 * @param start the reading of the ticker at its start
	 * @param now the reading of the ticker
	 */
	public void succeeded(long start, long now) {
		synchronized (this.lock) {
			this.rate.succeeded(start, now, this.queue.waiting() > 0);
		}
		arm();
	}

	/**
	 * Note an attempt that the server refused because of load.
	 * @param start the reading of the ticker at its start
	 * @param hint how long to hold the queue, in nanoseconds, if it is above zero
	 * @param now the reading of the ticker
	 */
	public void throttled(long start, long hint, long now) {
		long hold = Math.min(hint, this.maxHold);
		long before;
		synchronized (this.lock) {
			this.rate.refused(start, now, 1e9 / this.maxHold);
			before = nanosHeld(now);
			this.heldUntil = now + Math.max(before, hold);
		}
		if (before == 0 && hold > 0) {
			this.listener.accept(this, Duration.ofNanos(hold));
		}
	}

	/**
	 * Note what a response told about quotas, if none that began later has told it.
	 * @param start the reading of the ticker at the start of its attempt
	 * @param readings all that the response told
	 */
	public void told(long start, List<QuotaReading> readings) {
		synchronized (this.lock) {
			this.quotas.read(readings, start);
		}
		arm();
	}

	/** End the hold that is in force. The rate stays. */
	public void release() {
		cutHold(0);
	}

	private void cutHold(long longest) {
		long now = this.time.nanoTime();
		synchronized (this.lock) {
			this.heldUntil = now + Math.min(nanosHeld(now), longest);
		}
		arm();
		KeyTable.valuesOf(this.keys).forEach((pace) -> pace.cutHold(longest));
	}

	/** Forget all that was told, as at the start, also by the keys. */
	public void reset() {
		long now = this.time.nanoTime();
		synchronized (this.lock) {
			this.rate = new LearnedRate(now);
			this.quotas = new Quotas(now);
		}
		cutHold(0);
		KeyTable.valuesOf(this.keys).forEach(Pace::reset);
	}

	/**
	 * {@return how long there is certainly no turn, in nanoseconds; 0 without a hold}
	 * @param now the reading of the ticker
	 */
	public long nanosHeld(long now) {
		return Math.max(0, this.heldUntil - now);
	}

	/**
	 * {@return the name in logs and meters}
	 */
	public String name() {
		return this.name;
	}

	/**
	 * {@return what this pace does now}
	 */
	public Status status() {
		long now = this.time.nanoTime();
		synchronized (this.lock) {
			return new Status(Duration.ofNanos(nanosHeld(now)), Duration.ofNanos(Math.max(0, untilTurn(now))),
					this.rate.perSecond, this.rate.unlimited, this.quotas.estimates(now), this.queue.waiting());
		}
	}

	/**
	 * A snapshot of a pace. Immutable and thread-safe.
	 *
	 * @param held how long there is certainly no turn, because of a server's hint
	 * @param untilTurn the time to the next turn, zero or more
	 * @param perSecond the learned rate, attempts a second; 0 while it is unknown
	 * @param unlimited the rate of successes before the first refusal; 0 before that
	 * @param quotas what is left of each quota, estimated
	 * @param waiting how many calls wait for a turn
	 */
	public record Status(Duration held, Duration untilTurn, double perSecond, double unlimited,
			List<QuotaReading> quotas, int waiting) {
	}

}
