package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import dev.backoff.time.RetryTime;

/**
 * A bucket of tokens for the retries of all calls that share it.
 * <p>
 * A retry {@linkplain #tryWithdraw takes} tokens or is not made; a successful call
 * {@linkplain #deposit puts} some back, and so does time, up to the capacity. With the
 * {@linkplain BudgetSettings#DEFAULTS defaults} a total outage costs 50 retries and then
 * one every ten seconds, whatever the traffic; while calls succeed, one retry for every
 * ten of them. Under any number of threads, what was withdrawn never exceeds what the
 * bucket held at the start plus what was deposited.
 * <p>
 * Lock-free and thread-safe. A success while the bucket is full reads one variable and
 * writes none.
 *
 * @since 0.1
 */
public final class RetryBudget {

	/*
	 * One number is the whole state, so that one compare-and-set makes each change exact.
	 *
	 * Let T be what time has put back since the start, in millionths of a token, as if
	 * the bucket had no rim. The state S is chosen so that the balance is T - S: time
	 * needs no writes, a withdrawal adds to S, a deposit subtracts. What flows over the
	 * rim is taken out by raising S to T - capacity, whenever S is written.
	 *
	 * A bucket that is full stays so until the next withdrawal, whatever time does. FULL
	 * says so without T, so that a success then needs no clock reading.
	 *
	 * T is exact: it wraps around like a ticker and is only compared by difference.
	 */
	private static final long FULL = Long.MIN_VALUE;

	private static final long MICRO = 1_000_000;

	private static final long NANOS_PER_SECOND = 1_000_000_000;

	private final String name;

	private final BudgetSettings settings;

	private final RetryTime time;

	private final Listener listener;

	private final long capacity;

	private final long perSuccess;

	private final long perSecond;

	private final long transientCost;

	private final long throttledCost;

	/* Half of it, and enough for a retry: else it would run dry again at once. */
	private final long recoveredAt;

	private final long start;

	private final AtomicLong state = new AtomicLong(FULL);

	private final AtomicBoolean dry = new AtomicBoolean();

	private final LongAdder refused = new LongAdder();

	private RetryBudget(String name, BudgetSettings settings, RetryTime time, Listener listener) {
		this.name = name;
		this.settings = settings;
		this.time = time;
		this.listener = listener;
		this.capacity = micros(settings.tokens());
		this.perSuccess = micros(settings.perSuccess());
		this.perSecond = micros(settings.perSecond());
		this.transientCost = micros(settings.transientCost());
		this.throttledCost = micros(settings.throttledCost());
		this.recoveredAt = Math.max(this.capacity / 2, Math.max(this.transientCost, this.throttledCost));
		this.start = read(time, 0);
	}

	/**
	 * Make a full bucket in the system's time.
	 * @param name how logs and meters call it
	 * @param settings its numbers
	 * @return the budget
	 */
	public static RetryBudget of(String name, BudgetSettings settings) {
		return of(name, settings, RetryTime.system(), Listener.NONE);
	}

	/**
	 * Make a full bucket.
	 * @param name how logs and meters call it
	 * @param settings its numbers
	 * @param time what its seconds are
	 * @param listener told when it runs dry and when it has recovered
	 * @return the budget
	 */
	public static RetryBudget of(String name, BudgetSettings settings, RetryTime time, Listener listener) {
		return new RetryBudget(name, settings, time, listener);
	}

	private static long micros(double tokens) {
		return Math.round(tokens * MICRO);
	}

	/**
	 * Take what a retry costs, if the bucket holds as much.
	 * @param cost what the retry follows
	 * @return false, and nothing taken, if the retry must not be made
	 */
	public boolean tryWithdraw(Cost cost) {
		boolean paid = tryWithdrawOrWait(cost);
		if (!paid) {
			this.refused.increment();
		}
		return paid;
	}

	/**
	 * Take what a retry costs, if the bucket holds as much; if not, the retry waits, and
	 * is not counted as refused.
	 * @param cost what the retry follows
	 * @return false, and nothing taken, if the retry must wait
	 */
	public boolean tryWithdrawOrWait(Cost cost) {
		long price = price(cost);
		if (price == 0 && this.capacity > 0) {
			return true;
		}
		while (true) {
			long seen = this.state.get();
			long brought = brought();
			long balance = balance(seen, brought);
			if (balance < price || this.capacity == 0) {
				noteDrought();
				return false;
			}
			if (this.state.compareAndSet(seen, after(brought, balance - price))) {
				noteRecovery(balance);
				return true;
			}
		}
	}

	/**
	 * Return whether a retry that is refused now may be paid later.
	 * @return false if the bucket is for no tokens, or nothing is ever put back
	 */
	public boolean mayPay() {
		return this.capacity > 0 && (this.perSecond > 0 || this.perSuccess > 0 || this.settings.refund());
	}

	/**
	 * Put back what a successful call is worth.
	 */
	public void deposit() {
		if (this.state.get() != FULL) {
			add(this.perSuccess);
		}
	}

	/**
	 * Put back what a call is worth that succeeded after retries: the cost of the last of
	 * them where costs are refunded, else the same as for any success.
	 * @param cost what the last retry followed
	 */
	public void depositAfterRetry(Cost cost) {
		if (this.state.get() != FULL) {
			add(this.settings.refund() ? price(cost) : this.perSuccess);
		}
	}

	private void add(long micros) {
		long seen;
		long after;
		long balance;
		do {
			seen = this.state.get();
			if (seen == FULL) {
				return;
			}
			long brought = brought();
			balance = Math.min(this.capacity, balance(seen, brought) + micros);
			after = (balance == this.capacity) ? FULL : after(brought, balance);
		}
		while (!this.state.compareAndSet(seen, after));
		noteRecovery(balance);
	}

	private void noteRecovery(long balance) {
		if (this.dry.get() && balance >= this.recoveredAt && this.capacity > 0 && this.dry.compareAndSet(true, false)) {
			tell(this.listener::recovered);
		}
	}

	private void noteDrought() {
		if (!this.dry.get() && this.dry.compareAndSet(false, true)) {
			tell(this.listener::ranDry);
		}
	}

	private void tell(Consumer<RetryBudget> moment) {
		try {
			moment.accept(this);
		}
		catch (Throwable ex) {
			// a listener never makes a call fail, and there is nobody else to tell
		}
	}

	/** Return what time has put back since the start, in millionths. */
	private long brought() {
		if (this.perSecond == 0) {
			return 0;
		}
		long elapsed = Math.max(0, read(this.time, this.start) - this.start);
		long seconds = elapsed / NANOS_PER_SECOND;
		long micros = (elapsed % NANOS_PER_SECOND) / 1_000;
		return seconds * this.perSecond + micros * this.perSecond / MICRO;
	}

	/* A ticker that throws stands at the start: time then puts nothing back. */
	private static long read(RetryTime time, long otherwise) {
		try {
			return time.nanoTime();
		}
		catch (Throwable ex) {
			return otherwise;
		}
	}

	private long balance(long seen, long brought) {
		// a clock that stepped back may make it negative: then there is nothing to take
		return (seen == FULL) ? this.capacity : Math.min(this.capacity, brought - seen);
	}

	/* FULL is only ever meant as such. */
	private static long after(long brought, long balance) {
		long state = brought - balance;
		return (state == FULL) ? FULL + 1 : state;
	}

	private long price(Cost cost) {
		return (cost == Cost.THROTTLED) ? this.throttledCost : this.transientCost;
	}

	/**
	 * Fill the bucket, as at the start.
	 */
	public void reset() {
		this.state.set(FULL);
		if (this.dry.compareAndSet(true, false)) {
			tell(this.listener::recovered);
		}
	}

	/**
	 * Return what the bucket holds.
	 * @return tokens, from 0 to the capacity
	 */
	public double balance() {
		return Math.max(0, balance(this.state.get(), brought())) / (double) MICRO;
	}

	/**
	 * Return what the bucket must hold to count as recovered after it ran dry: half of
	 * its capacity, and enough for a retry.
	 * @return tokens
	 */
	public double recoveredAt() {
		return this.recoveredAt / (double) MICRO;
	}

	/**
	 * Return how many retries were refused so far.
	 * @return zero or more
	 */
	public long refused() {
		return this.refused.sum();
	}

	/**
	 * Return whether the bucket has run dry: a retry was refused, and it has not been
	 * half full again since, with enough for a retry. A bucket for no tokens stays dry.
	 * @return false at the start
	 */
	public boolean isDry() {
		if (this.dry.get()) {
			noteRecovery(balance(this.state.get(), brought()));
		}
		return this.dry.get();
	}

	/**
	 * Return how logs and meters call the budget.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the numbers.
	 * @return the settings
	 */
	public BudgetSettings settings() {
		return this.settings;
	}

	@Override
	public String toString() {
		return "RetryBudget " + this.name + " (" + balance() + " of " + this.settings.tokens() + " tokens)";
	}

	/** What a retry follows, which decides on its price. */
	public enum Cost {

		/** A failure that may pass. */
		TRANSIENT,

		/** A refusal because of load. */
		THROTTLED

	}

	/**
	 * Told once when a budget runs dry, not for every retry it then refuses. A listener
	 * that throws is ignored. Implementations are thread-safe and quick: they run within
	 * a call.
	 */
	public interface Listener {

		/** A listener that does nothing. */
		Listener NONE = new Listener() {
		};

		/**
		 * A retry was refused for the first time since the budget was at least half full.
		 * @param budget the budget
		 */
		default void ranDry(RetryBudget budget) {
		}

		/**
		 * The budget is at least half full again, with enough for a retry. Time alone
		 * tells nobody: it is noticed by the next success, retry or {@link #isDry()}.
		 * @param budget the budget
		 */
		default void recovered(RetryBudget budget) {
		}

	}

}
