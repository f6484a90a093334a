package dev.backoff.budget;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

import dev.backoff.time.RetryTime;

/**
 * A bucket of tokens for the retries of all calls that share it.
 * <p>
 * A retry {@linkplain #tryWithdraw takes} one token or is not made. A successful call
 * {@linkplain #deposit puts} back a part of a token, and the tokens that its own retries
 * {@linkplain Withdrawals took}, unless only timeouts were retried. Time also puts tokens
 * back, up to the capacity. With the {@linkplain BudgetSettings#DEFAULTS defaults}, an
 * outage costs 50 retries and then one every ten seconds, whatever the traffic. Under any
 * number of threads, the tokens taken never exceed those held at the start plus those put
 * back. The settings may be {@linkplain #change changed} while the budget is in use. The
 * bucket limits one process; from many, a server that is too slow recovers because two
 * {@linkplain #strikes() strikes} end retries after timeouts. Thread-safe, without a
 * lock. A success while the bucket is full reads two variables.
 *
 * @since 0.1
 */
public final class RetryBudget {

	private final String name;

	private final RetryTime time;

	private final Listener listener;

	private final AtomicBoolean dry = new AtomicBoolean();

	private final LongAdder refused = new LongAdder();

	/*
	 * How many retries without a token may still fail: 0 if none may go, and negative
	 * while one goes.
	 */
	private final AtomicInteger chances = new AtomicInteger();

	private final LongAdder barred = new LongAdder();

	private final AtomicLong strikes = new AtomicLong();

	private volatile Bucket bucket;

	private RetryBudget(String name, BudgetSettings settings, RetryTime time, Listener listener) {
		this.name = name;
		this.time = time;
		this.listener = listener;
		this.bucket = new Bucket(settings, this.time.nanoTime(), Long.MAX_VALUE);
	}

	/**
	 * Make a budget with a full bucket, in the system's time.
	 * @param name the budget's name in logs and meters
	 * @param settings the numbers of the budget
	 * @return the budget
	 */
	public static RetryBudget of(String name, BudgetSettings settings) {
		return of(name, settings, RetryTime.system(), Listener.NONE);
	}

	/**
	 * Make a budget with a full bucket.
	 * @param name the budget's name in logs and meters
	 * @param settings the numbers of the budget
	 * @param time the ticker
	 * @param listener called when the budget runs dry and when it has recovered
	 * @return the budget
	 */
	public static RetryBudget of(String name, BudgetSettings settings, RetryTime time, Listener listener) {
		return new RetryBudget(name, settings, time, listener);
	}

	/**
	 * Take the token of a retry, if the bucket holds one.
	 * @return true if a token was taken; false if the retry must not be made
	 */
	public boolean tryWithdraw() {
		return tryWithdraw(false);
	}

	/* A retry that waits if there is no token is not counted as refused. */
	private boolean tryWithdraw(boolean waiting) {
		boolean taken = add(-Bucket.MICRO);
		if (!taken) {
			if (!this.dry.get() && this.dry.compareAndSet(false, true)) {
				tell(this.listener::ranDry);
			}
			this.refused.add(waiting ? 0 : 1);
		}
		return taken;
	}

	/* Put back what fits, or take; return false, and take nothing, if there is less. */
	private boolean add(long micros) {
		while (true) {
			Bucket seen = this.bucket;
			long state = openState(seen);
			if (micros >= 0 && Bucket.isFull(state)) {
				return true;
			}
			if (state == Bucket.CLOSED) {
				continue;
			}
			long brought = brought(seen);
			long before = seen.balance(state, brought);
			long after = Math.min(seen.capacity, before + micros);
			if (micros < 0 && after < 0) {
				return false;
			}
			if (seen.compareAndSet(state, seen.after(brought, after))) {
				noteRecovery(seen, Math.max(before, after));
				return true;
			}
		}
	}

	/**
	 * {@return whether a retry that is refused now may get a token later}
	 */
	public boolean mayPay() {
		Bucket seen = this.bucket;
		return seen.capacity > 0 && (seen.perSecond > 0 || seen.perSuccess > 0);
	}

	/** Put back {@link BudgetSettings#perSuccess()} tokens for a successful call. */
	public void deposit() {
		if (Strikes.left(this.strikes.get()) > 0 || !Bucket.isFull(this.bucket.state())) {
			succeeded(0);
		}
	}

	private void succeeded(int refund) {
		if (Strikes.left(this.strikes.get()) > 0) {
			update(Strikes::afterSuccess);
		}
		boolean unused = add(this.bucket.perSuccess + refund * Bucket.MICRO);
	}

	private void update(LongUnaryOperator change) {
		long before = this.strikes.getAndUpdate(change);
		boolean barring = Strikes.isBarring(change.applyAsLong(before));
		if (barring != Strikes.isBarring(before)) {
			tell((budget) -> this.listener.barring(budget, barring));
		}
	}

	/**
	 * {@return how many strikes are left, from 0 to 2 in fortieths} A call adds one when
	 * a retry after a timeout times out too. A success takes a fortieth away, and each
	 * ten minutes since the last strike a whole one. More than one bars such retries.
	 */
	public double strikes() {
		if (Strikes.left(this.strikes.get()) > 0) {
			long now = this.time.nanoTime();
			update((strikes) -> Strikes.faded(strikes, now));
		}
		return Strikes.left(this.strikes.get()) / (double) Strikes.STRIKE;
	}

	/** Fill the bucket and forget all strikes, as at the start. */
	public void reset() {
		boolean unused = add(Long.MAX_VALUE / 2);
		this.chances.set(0);
		update((strikes) -> 0);
		if (this.dry.compareAndSet(true, false)) {
			tell(this.listener::recovered);
		}
	}

	/**
	 * Change the settings. The tokens in the bucket stay, up to the new capacity, and so
	 * do strikes. The old settings decide what the time until now has put back, the new
	 * ones the rest. Equal settings change nothing.
	 * @param settings the settings from now on
	 */
	public void change(BudgetSettings settings) {
		Bucket before;
		Bucket after;
		long state;
		do {
			before = this.bucket;
			if (before.settings.equals(settings)) {
				return;
			}
			state = openState(before);
			long now = this.time.nanoTime();
			after = new Bucket(settings, now, before.balance(state, before.brought(now)));
		}
		while (state == Bucket.CLOSED || !before.compareAndSet(state, Bucket.CLOSED));
		this.bucket = after;
		isDry(); // a smaller bucket may have recovered by it
	}

	/** Return the state of a bucket; if it is closed, the next one is there soon. */
	@SuppressWarnings("ThreadPriorityCheck") // the change is between two instructions
	private static long openState(Bucket seen) {
		long state = seen.state();
		if (state == Bucket.CLOSED) {
			Thread.yield();
		}
		return state;
	}

	/**
	 * {@return how many tokens the bucket holds, from 0 to the capacity}
	 */
	public double balance() {
		while (true) {
			Bucket seen = this.bucket;
			long state = openState(seen);
			if (state != Bucket.CLOSED) {
				return Math.max(0, seen.balance(state, brought(seen))) / (double) Bucket.MICRO;
			}
		}
	}

	/**
	 * {@return whether the bucket has run dry: a retry was refused, and the bucket has
	 * not {@linkplain #recoveredAt() recovered} since} A bucket for 0 tokens stays dry.
	 */
	public boolean isDry() {
		if (this.dry.get()) {
			noteRecovery(this.bucket, Math.round(balance() * Bucket.MICRO));
		}
		return this.dry.get();
	}

	private void noteRecovery(Bucket seen, long balance) {
		if (this.dry.get() && balance >= seen.recoveredAt && seen.capacity > 0 && this.dry.compareAndSet(true, false)) {
			this.chances.set(0);
			tell(this.listener::recovered);
		}
	}

	private void tell(Consumer<RetryBudget> moment) {
		try {
			moment.accept(this);
		}
		catch (Throwable ex) {
			// a listener never makes a call fail
		}
	}

	private long brought(Bucket seen) {
		return (seen.perSecond != 0) ? seen.brought(this.time.nanoTime()) : 0;
	}

	/**
	 * {@return how many tokens the bucket must hold to count as recovered after it ran
	 * dry: half of its capacity, but at least one token}
	 */
	public double recoveredAt() {
		return this.bucket.recoveredAt / (double) Bucket.MICRO;
	}

	/**
	 * {@return how many retries were refused so far for want of a token}
	 */
	public long refused() {
		return this.refused.sum();
	}

	/**
	 * {@return how many retries were refused so far because of strikes}
	 */
	public long barred() {
		return this.barred.sum();
	}

	/**
	 * {@return the budget's name in logs and meters}
	 */
	public String name() {
		return this.name;
	}

	/**
	 * {@return the settings in effect}
	 */
	public BudgetSettings settings() {
		return this.bucket.settings;
	}

	@Override
	public String toString() {
		return "RetryBudget " + this.name + " (" + balance() + " of " + settings().tokens() + " tokens)";
	}

	/**
	 * {@return a new account for the retries of one call}
	 * @param timeouts how many of its last attempts in a row timed out; 0 at its start
	 */
	public Withdrawals newCall(int timeouts) {
		return new Withdrawals(timeouts);
	}

	/**
	 * The tokens that the retries of one call have taken, and that its success puts back.
	 * Used by one thread at a time.
	 */
	public final class Withdrawals {

		/* Binds only policies with more attempts than four. */
		private static final int MOST_TIMED_OUT = 3;

		/* So many retries without a token may fail in a row. */
		private static final int MOST_FREE = 3;

		private int refund;

		private int takenAfterTimeouts;

		private boolean waited;

		private boolean waitsNow;

		private boolean free;

		private boolean afterTimeout;

		private int timedOut;

		private Withdrawals(int timeouts) {
			this.afterTimeout = timeouts > 0;
			this.timedOut = Math.max(0, timeouts - 1);
		}

		/**
		 * {@return the budget}
		 */
		public RetryBudget budget() {
			return RetryBudget.this;
		}

		/**
		 * {@return whether the call must not retry after a timeout now, or must wait
		 * once}
		 * @param waiting whether it waits then, and is not counted as refused
		 */
		public boolean isBarred(boolean waiting) {
			boolean barred = this.timedOut >= MOST_TIMED_OUT || strikes() > 1;
			RetryBudget.this.barred.add((barred && !waiting) ? 1 : 0);
			return barred;
		}

		/**
		 * Pay for a retry. When a call that has waited for a token succeeds, the next
		 * waiting call that asks again retries without a token. Only one such retry runs
		 * at a time, until one times out or three in a row fail.
		 * @param waiting whether the call waits if there is no token
		 * @param afterTimeout whether the previous attempt timed out: then the server may
		 * still be at work, and the token is put back only if the call also retries after
		 * an answer
		 * @return false if the retry must not be made, or must wait
		 */
		public boolean tryWithdraw(boolean waiting, boolean afterTimeout) {
			freeEnded(false, !afterTimeout);
			int left = RetryBudget.this.chances.get();
			this.free = this.waitsNow && waiting && left > 0 && RetryBudget.this.chances.compareAndSet(left, -left);
			boolean taken = !this.free && RetryBudget.this.tryWithdraw(waiting);
			this.refund += (taken && !afterTimeout) ? 1 : 0;
			this.takenAfterTimeouts += (taken && afterTimeout) ? 1 : 0;
			this.waitsNow = waiting && !taken && !this.free;
			this.waited |= this.waitsNow;
			this.afterTimeout = afterTimeout && (this.free || taken);
			return this.free || taken;
		}

		/**
		 * {@return whether the attempt that runs, or is due, follows a timeout}
		 */
		public boolean isAfterTimeout() {
			return this.afterTimeout;
		}

		/**
		 * Note that a retry after a timeout has timed out too.
		 * @param counts whether the first one is a strike
		 */
		public void timedOut(boolean counts) {
			this.afterTimeout = false;
			if (this.timedOut++ == 0 && counts) {
				long now = RetryBudget.this.time.nanoTime();
				update((strikes) -> Strikes.afterStrike(strikes, now));
			}
		}

		/**
		 * Put back the tokens for the call, if it has succeeded.
		 * @param succeeded whether the call has succeeded
		 */
		public void ended(boolean succeeded) {
			if (succeeded) {
				succeeded((this.refund > 0) ? this.refund + this.takenAfterTimeouts : 0);
			}
			freeEnded(succeeded && this.waited, true);
		}

		/* Note the end of a retry without a token, or of a call that had none. */
		private void freeEnded(boolean succeeded, boolean answered) {
			AtomicInteger chances = RetryBudget.this.chances;
			int left = chances.get();
			if (this.free ? left < 0 : left == 0) {
				chances.compareAndSet(left, succeeded ? MOST_FREE : (this.free && answered) ? -left - 1 : 0);
			}
			this.free = false;
		}

	}

	/**
	 * A listener called once when a budget runs dry, not for every refused retry.
	 * Exceptions are ignored. Implementations are thread-safe and quick, because they run
	 * in a call.
	 */
	public interface Listener {

		/** A listener that does nothing. */
		Listener NONE = new Listener() {
		};

		/**
		 * A retry was refused for the first time since the budget last recovered.
		 * @param budget the budget
		 */
		default void ranDry(RetryBudget budget) {
		}

		/**
		 * The budget has recovered. The next success, the next retry or
		 * {@link RetryBudget#isDry()} notices this.
		 * @param budget the budget
		 */
		default void recovered(RetryBudget budget) {
		}

		/**
		 * From now on no retry follows a timeout, or retries follow timeouts again.
		 * @param budget the budget
		 * @param barring whether no retry follows
		 */
		default void barring(RetryBudget budget, boolean barring) {
		}

	}

}
