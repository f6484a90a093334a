package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

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
 * Its numbers may be {@linkplain #change changed} while it is in use.
 * <p>
 * Lock-free, but for the moment of such a change, and thread-safe. A success while the
 * bucket is full reads one variable and writes none.
 *
 * @since 0.1
 */
public final class RetryBudget {

	private final String name;

	private final RetryTime time;

	private final Listener listener;

	private final AtomicBoolean dry = new AtomicBoolean();

	private final LongAdder refused = new LongAdder();

	/* Held while one state is closed and the next is not there yet. */
	private final ReentrantLock changing = new ReentrantLock();

	private volatile Bucket bucket;

	private RetryBudget(String name, BudgetSettings settings, RetryTime time, Listener listener) {
		this.name = name;
		this.time = time;
		this.listener = listener;
		this.bucket = new Bucket(settings);
		this.bucket.begin(read(time, 0), Long.MAX_VALUE);
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
		while (true) {
			Bucket seen = this.bucket;
			long price = seen.price(cost);
			if (price == 0 && seen.capacity() > 0) {
				return true;
			}
			long state = seen.state();
			if (state == Bucket.CLOSED) {
				awaitChange();
				continue;
			}
			long brought = brought(seen);
			long balance = seen.balance(state, brought);
			if (balance < price || seen.capacity() == 0) {
				noteDrought();
				return false;
			}
			if (seen.compareAndSet(state, Bucket.after(brought, balance - price))) {
				noteRecovery(seen, balance);
				return true;
			}
		}
	}

	/**
	 * {@return whether a retry that is refused now may be paid later; false if the bucket
	 * is for no tokens, or nothing is ever put back}
	 */
	public boolean mayPay() {
		Bucket seen = this.bucket;
		return seen.capacity() > 0 && (seen.perSecond() > 0 || seen.perSuccess() > 0 || seen.settings().refund());
	}

	/**
	 * Put back what a successful call is worth.
	 */
	public void deposit() {
		if (this.bucket.state() != Bucket.FULL) {
			add(null);
		}
	}

	/**
	 * Put back what a call is worth that succeeded after retries: the cost of the last of
	 * them where costs are refunded, else the same as for any success.
	 * @param cost what the last retry followed
	 */
	public void depositAfterRetry(Cost cost) {
		if (this.bucket.state() != Bucket.FULL) {
			add(cost);
		}
	}

	private void add(@Nullable Cost refunded) {
		while (true) {
			Bucket seen = this.bucket;
			long state = seen.state();
			if (state == Bucket.FULL) {
				return;
			}
			if (state == Bucket.CLOSED) {
				awaitChange();
				continue;
			}
			long brought = brought(seen);
			long balance = Math.min(seen.capacity(), seen.balance(state, brought) + seen.worth(refunded));
			if (seen.compareAndSet(state,
					(balance == seen.capacity()) ? Bucket.FULL : Bucket.after(brought, balance))) {
				noteRecovery(seen, balance);
				return;
			}
		}
	}

	private void noteRecovery(Bucket seen, long balance) {
		if (this.dry.get() && balance >= seen.recoveredAt() && seen.capacity() > 0
				&& this.dry.compareAndSet(true, false)) {
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

	/** Return what time has put back since the start of the bucket, in millionths. */
	private long brought(Bucket seen) {
		return (seen.perSecond() != 0) ? seen.brought(read(this.time, seen.start())) : 0;
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

	/**
	 * Fill the bucket, as at the start.
	 */
	public void reset() {
		while (true) {
			Bucket seen = this.bucket;
			long state = seen.state();
			if (state == Bucket.CLOSED) {
				awaitChange();
			}
			else if (seen.compareAndSet(state, Bucket.FULL)) {
				break;
			}
		}
		if (this.dry.compareAndSet(true, false)) {
			tell(this.listener::recovered);
		}
	}

	/**
	 * Go on with other numbers. What the bucket holds stays, up to the new capacity; what
	 * time has put back until now is worth what it was, later time what the new numbers
	 * say. Equal numbers change nothing.
	 * @param settings the numbers from now on
	 */
	public void change(BudgetSettings settings) {
		this.changing.lock();
		try {
			Bucket before = this.bucket;
			if (before.settings().equals(settings)) {
				return;
			}
			// made beforehand: nothing may fail while the state is closed
			Bucket after = new Bucket(settings);
			long state = before.close();
			long now = read(this.time, before.start());
			after.begin(now, before.balance(state, before.brought(now)));
			this.bucket = after;
		}
		finally {
			this.changing.unlock();
		}
		noteRecovery();
	}

	/* The state is closed for a few instructions. */
	private void awaitChange() {
		this.changing.lock();
		try {
			// who has closed it has gone on
		}
		finally {
			this.changing.unlock();
		}
	}

	/**
	 * {@return what the bucket holds; tokens, from 0 to the capacity}
	 */
	public double balance() {
		return Math.max(0, balance(snapshot())) / (double) Bucket.MICRO;
	}

	private long balance(Snapshot snapshot) {
		return snapshot.bucket().balance(snapshot.state(), brought(snapshot.bucket()));
	}

	/** Return a bucket with a state that was not closed. */
	private Snapshot snapshot() {
		while (true) {
			Bucket seen = this.bucket;
			long state = seen.state();
			if (state != Bucket.CLOSED) {
				return new Snapshot(seen, state);
			}
			awaitChange();
		}
	}

	/**
	 * Return what the bucket must hold to count as recovered after it ran dry: half of
	 * its capacity, and enough for a retry.
	 * @return tokens
	 */
	public double recoveredAt() {
		return this.bucket.recoveredAt() / (double) Bucket.MICRO;
	}

	/**
	 * {@return how many retries were refused so far; zero or more}
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
		noteRecovery();
		return this.dry.get();
	}

	private void noteRecovery() {
		if (this.dry.get()) {
			Snapshot snapshot = snapshot();
			noteRecovery(snapshot.bucket(), balance(snapshot));
		}
	}

	/**
	 * {@return how logs and meters call the budget}
	 */
	public String name() {
		return this.name;
	}

	/**
	 * {@return the numbers}
	 */
	public BudgetSettings settings() {
		return this.bucket.settings();
	}

	@Override
	public String toString() {
		return "RetryBudget " + this.name + " (" + balance() + " of " + settings().tokens() + " tokens)";
	}

	/**
	 * A state and what it means.
	 *
	 * @param bucket whose state it was
	 * @param state not closed
	 */
	private record Snapshot(Bucket bucket, long state) {
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
