package dev.backoff.breaker;

import java.time.Duration;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.RandomSource;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * A circuit breaker: it permits calls while they go well, rejects them for a while when
 * too many fail or are slow, and then finds out with a few probes whether it may close.
 * <ul>
 * <li>Closed, it permits all calls and counts how they end over a window. After a failed
 * or slow call it looks at the counts: it opens if there are enough calls and the share
 * of failed or of slow ones has reached its limit. A call is slow if it takes longer than
 * {@link BreakerSettings#slowCall()}.</li>
 * <li>Open, it rejects all calls for a time drawn from half of
 * {@link BreakerSettings#openFor()} to all of it, so that instances do not probe
 * together. Each time the probes fail, that grows by
 * {@link BreakerSettings#openForMultiplier()}, up to an hour.</li>
 * <li>The first call after that finds it half-open: it permits exactly
 * {@link BreakerSettings#probes()} calls. When all have ended it closes, with nothing
 * counted, or opens again. It opens again too if those under way together take longer
 * than {@link BreakerSettings#halfOpenTimeout()}, so that a call that hangs never keeps
 * it from recovering.</li>
 * </ul>
 * It has no thread of its own: it moves when it is asked or told something. What a call
 * comes to counts only in the state in which it began.
 * <p>
 * Use {@link #call} around work that blocks. Around anything else, take a permit by
 * {@link #tryAcquire} and give it back, by exactly one of its methods and exactly once,
 * when the work has ended:
 *
 * <pre>
 * Permit permit = breaker.tryAcquire(start);
 * if (permit == null) {
 *     return CompletableFuture.failedFuture(breaker.rejection(start));
 * }
 * return send(request).whenComplete((answer, failure) -&gt; …);
 * </pre>
 *
 * Readings handed in are of the ticker the breaker was built with, the system's unless
 * set. Its numbers may be {@linkplain #change changed} while it is in use. Lock-free and
 * thread-safe, but for windows over a number of calls. Closed, with a window over a time,
 * a permit and a success allocate nothing and contend with nobody.
 *
 * @since 0.1
 */
public final class CircuitBreaker implements CallPermits {

	private static final AtomicReferenceFieldUpdater<CircuitBreaker, BreakerState> STATE = AtomicReferenceFieldUpdater
		.newUpdater(CircuitBreaker.class, BreakerState.class, "state");

	private final String name;

	private final RetryTime time;

	private final RandomSource random;

	private final Listener listener;

	private final Function<? super Throwable, Verdict> verdict;

	private volatile Numbers numbers;

	private final LongAdder rejected = new LongAdder();

	/* Read by every call, so without an object between. */
	private volatile BreakerState state;

	private CircuitBreaker(Builder builder) {
		this.name = builder.name;
		this.numbers = Numbers.of(builder.settings);
		this.time = builder.time;
		this.random = builder.random;
		this.listener = builder.listener;
		this.verdict = builder.verdict;
		this.state = new Closed(this);
	}

	/**
	 * Start from the defaults.
	 * @param name how logs and meters call it
	 * @return a builder, which may build more than once
	 * @throws IllegalArgumentException if the name has no letter and no digit
	 */
	public static Builder builder(String name) {
		return new Builder(name);
	}

	/**
	 * Call the work if the breaker permits it. The permit is given back whatever the work
	 * comes to.
	 * @param <T> the type of the result
	 * @param <X> the exception the work throws
	 * @param work what to call
	 * @return its result
	 * @throws X what it threw, as it was thrown
	 * @throws CircuitOpenException if the breaker rejects the call; the work was not
	 * called
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(Work<T, X> work) throws X {
		long start = now();
		Permit permit = tryAcquire(start);
		if (permit == null) {
			throw rejection(start);
		}
		T result;
		try {
			result = work.run();
		}
		catch (Throwable ex) {
			giveBack(permit, ex, start);
			throw ex;
		}
		long end = now();
		permit.succeeded(end - start, end);
		return result;
	}

	private void giveBack(Permit permit, Throwable failure, long start) {
		Verdict verdict = verdict(failure);
		long end = now();
		if (verdict == Verdict.ANSWERED) {
			permit.succeeded(end - start, end);
		}
		else if (verdict == Verdict.FAILED) {
			permit.failed(end - start, end, failure);
		}
		else {
			permit.released();
		}
	}

	/**
	 * Return what an exception says about the dependency.
	 * @param failure what a call threw
	 * @return the verdict; {@link Verdict#FAILED} if the function for it throws
	 */
	public Verdict verdict(Throwable failure) {
		try {
			Verdict verdict = this.verdict.apply(failure);
			return (verdict != null) ? verdict : Verdict.FAILED;
		}
		catch (Throwable ex) {
			return Verdict.FAILED;
		}
	}

	/** Read the ticker; one that throws is replaced by the system's and fails no call. */
	long now() {
		try {
			return this.time.nanoTime();
		}
		catch (Throwable ex) {
			return RetryTime.system().nanoTime();
		}
	}

	@Override
	public @Nullable Permit tryAcquire(long now) {
		Permit permit = current().tryAcquire(now);
		if (permit == null) {
			this.rejected.increment();
		}
		return permit;
	}

	@Override
	public boolean isPermitting(long now) {
		return current().isPermitting(now);
	}

	@Override
	public long nanosToPermit(long now) {
		return current().nanosToPermit(now);
	}

	@Override
	public CircuitOpenException rejection(long now) {
		BreakerState seen = current();
		long open = seen.nanosOpen(now);
		return new CircuitOpenException(this.name, seen.kind().words(), (open >= 0) ? Duration.ofNanos(open) : null,
				(seen.kind() == State.OPEN) ? Duration.ofNanos(seen.nanosToPermit(now)) : null);
	}

	@Override
	public boolean isAwaited() {
		return settings().isAwaited();
	}

	@Override
	public long longestWaitNanos() {
		return Nanos.of(settings().openFor());
	}

	@Override
	public String name() {
		return this.name;
	}

	/**
	 * {@return the numbers}
	 */
	public BreakerSettings settings() {
		return this.numbers.settings();
	}

	/**
	 * Go on with other numbers, in the same state. What was counted stays, unless the
	 * window or {@link BreakerSettings#slowCall()} has changed, by which it was counted:
	 * then it starts empty, and calls under way count nowhere. Half-open, the results
	 * that are there may be enough now; open, the time grows or shrinks as the longest
	 * one has, unless it was {@linkplain #openFor set by hand}. Equal numbers change
	 * nothing, and others open a closed breaker with the next failed or slow call at the
	 * earliest.
	 * @param settings the numbers from now on
	 */
	public void change(BreakerSettings settings) {
		if (!settings().equals(settings)) {
			this.numbers = Numbers.of(settings);
			current().conform();
		}
	}

	/**
	 * Return the state. It stays open after its time until a call is made.
	 * @return the state
	 */
	public State state() {
		return current().kind();
	}

	/**
	 * Return what it has counted: over the window if it is closed or only counts, of the
	 * probes if it is half-open, what made it open if it is open.
	 * @return the counts, all zero if there is nothing to count
	 */
	public Counts counts() {
		return current().counts(now());
	}

	/**
	 * {@return the share of calls that failed, of those in {@link #counts()}; from 0 to
	 * 1, or empty if there are none}
	 */
	public OptionalDouble failureRate() {
		Counts counts = counts();
		return (counts.total() > 0) ? OptionalDouble.of(counts.failureRate()) : OptionalDouble.empty();
	}

	/**
	 * {@return the share of calls that were slow, of those in {@link #counts()}; from 0
	 * to 1, or empty if there are none}
	 */
	public OptionalDouble slowCallRate() {
		Counts counts = counts();
		return (counts.total() > 0) ? OptionalDouble.of(counts.slowRate()) : OptionalDouble.empty();
	}

	/**
	 * {@return how many calls it rejected since it was built; zero or more}
	 */
	public long rejected() {
		return this.rejected.sum();
	}

	/**
	 * {@return how long it stays open; zero or more, or null unless it is
	 * {@link State#OPEN}}
	 */
	public @Nullable Duration timeToProbe() {
		BreakerState seen = current();
		return (seen.kind() == State.OPEN) ? Duration.ofNanos(seen.nanosToPermit(now())) : null;
	}

	/**
	 * Close it by hand, with nothing counted, whatever its state. How many calls it has
	 * {@linkplain #rejected() rejected} stays, since meters count them.
	 */
	public void reset() {
		replace(new Closed(this));
	}

	/**
	 * Open it by hand, for a time as if too many calls had failed.
	 */
	public void open() {
		replace(opened(current().opensBefore(), Counts.NONE, now()));
	}

	/**
	 * Open it by hand for exactly the given time; then it probes as ever.
	 * @param duration above zero
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public void openFor(Duration duration) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException(
					"Invalid duration (" + DurationText.exact(duration) + "): must be above zero.");
		}
		replace(Open.byHand(this, current().opensBefore(), new Wait(now(), Nanos.of(duration))));
	}

	/**
	 * Reject all calls until another state is set by hand.
	 */
	public void forceOpen() {
		replace(new ForcedOpen(now()));
	}

	/**
	 * Permit all calls and count none, until another state is set by hand.
	 */
	public void disable() {
		replace(new Disabled());
	}

	/**
	 * Permit all calls and count them, until another state is set by hand. The listener
	 * is told once when it would have opened.
	 */
	public void metricsOnly() {
		replace(new MetricsOnly(this, new AtomicBoolean()));
	}

	private void replace(BreakerState next) {
		BreakerState before = STATE.getAndSet(this, next);
		next.conform();
		tellTransition(before, next);
	}

	/** Return the state that calls meet now. */
	BreakerState current() {
		return this.state;
	}

	boolean isCurrent(BreakerState seen) {
		return this.state == seen;
	}

	/*
	 * Numbers are written before the state that is there conforms to them, and a state is
	 * made from the numbers before it is there: so it conforms once more when it is.
	 */

	/** Leave one state for another, unless somebody else has left it before. */
	boolean move(BreakerState from, BreakerState to) {
		boolean moved = STATE.compareAndSet(this, from, to);
		if (moved) {
			to.conform();
			tellTransition(from, to);
		}
		return moved;
	}

	private void tellTransition(BreakerState from, BreakerState to) {
		if (from.kind() != to.kind()) {
			tell((listener) -> listener.transition(this, from.kind(), to.kind()));
		}
	}

	void tellThresholdExceeded() {
		tell((listener) -> listener.thresholdExceeded(this));
	}

	private void tell(Consumer<Listener> moment) {
		try {
			moment.accept(this.listener);
		}
		catch (Throwable ex) {
			// a listener never makes a call fail, and there is nobody else to tell
		}
	}

	boolean isSlow(long nanos) {
		return nanos > this.numbers.slowNanos();
	}

	/** Return whether there are enough calls, and too many of them failed or slow. */
	boolean isTooMuch(Counts counts) {
		return counts.total() >= settings().minimumCalls() && isRateTooHigh(counts);
	}

	boolean isRateTooHigh(Counts counts) {
		BreakerSettings settings = settings();
		return counts.failureRate() >= settings.failureRate() || counts.slowRate() >= settings.slowCallRate();
	}

	/** Return a state that is open for a time drawn by lot. */
	Open opened(int opensBefore, Counts counts, long now) {
		long longest = longestOpen(opensBefore);
		long least = longest - longest / 2;
		long drawn = least + (long) (draw() * (longest - least));
		return new Open(this, opensBefore, counts, new Wait(now, Math.min(longest, drawn)), longest);
	}

	/** Return the longest time open after so many. */
	long longestOpen(int opensBefore) {
		BreakerSettings settings = settings();
		long first = Nanos.of(settings.openFor());
		long cap = Math.max(first, Nanos.of(BreakerSettings.LONGEST_OPEN));
		double grown = first * Math.pow(settings.openForMultiplier(), opensBefore);
		return (grown < cap) ? (long) grown : cap;
	}

	private double draw() {
		try {
			double u = this.random.next();
			if (u >= 0 && u < 1) {
				return u;
			}
		}
		catch (Throwable ex) {
			// a source that fails never makes a call fail
		}
		return RandomSource.threadLocal().next();
	}

	@Override
	public String toString() {
		return "CircuitBreaker " + this.name + " (" + state().words() + ", " + settings() + ")";
	}

	/**
	 * The numbers, the one that every call is measured by at hand.
	 *
	 * @param settings the numbers
	 * @param slowNanos what a slow call exceeds
	 */
	private record Numbers(BreakerSettings settings, long slowNanos) {

		static Numbers of(BreakerSettings settings) {
			Duration slowCall = settings.slowCall();
			return new Numbers(settings, (slowCall != null) ? Nanos.of(slowCall) : Nanos.UNLIMITED);
		}

	}

	/** What a breaker does with calls. */
	public enum State {

		/** Permits and counts them. */
		CLOSED,

		/** Rejects them for a time. */
		OPEN,

		/** Permits a few and waits for what they come to. */
		HALF_OPEN,

		/** Rejects them until told otherwise. */
		FORCED_OPEN,

		/** Permits them and counts nothing. */
		DISABLED,

		/** Permits and counts them, and never opens. */
		METRICS_ONLY;

		private final String tag = name().toLowerCase(Locale.ROOT);

		private final String words = this.tag.replace('_', '-');

		/**
		 * Return the value of the metric tag {@code state}.
		 * @return the name in lower case
		 */
		public String tag() {
			return this.tag;
		}

		/** Return the state as messages call it. */
		String words() {
			return this.words;
		}

	}

	/** What an exception says about the dependency. */
	public enum Verdict {

		/** It answered: the call counts as a success. */
		ANSWERED,

		/** It failed. */
		FAILED,

		/** Nothing: the call counts nowhere. */
		IGNORED;

		/**
		 * Return the verdict unless another is set.
		 * @param failure what a call threw
		 * @return ignored for an {@link Error}, an {@link InterruptedException}, a
		 * {@link CancellationException} and a {@link CircuitOpenException}, else failed
		 */
		public static Verdict of(Throwable failure) {
			boolean ignored = failure instanceof Error || failure instanceof InterruptedException
					|| failure instanceof CancellationException || failure instanceof CircuitOpenException;
			return ignored ? IGNORED : FAILED;
		}

	}

	/**
	 * What a breaker guards. It runs on the calling thread.
	 *
	 * @param <T> the type of the result
	 * @param <X> the checked exception it throws, inferred; {@code RuntimeException} if
	 * none
	 */
	@FunctionalInterface
	public interface Work<T extends @Nullable Object, X extends Throwable> {

		/**
		 * Do the work.
		 * @return the result
		 * @throws X if it fails
		 */
		T run() throws X;

	}

	/**
	 * Told when a breaker moves. A listener that throws is ignored. It runs within the
	 * call that moved the breaker, after the move, and may use the breaker; others may
	 * have moved it on by then. Implementations are thread-safe and quick.
	 */
	public interface Listener {

		/** A listener that does nothing. */
		Listener NONE = new Listener() {
		};

		/**
		 * The breaker has gone from one state to another.
		 * @param breaker the breaker
		 * @param from what it left
		 * @param to what it entered
		 */
		default void transition(CircuitBreaker breaker, State from, State to) {
		}

		/**
		 * The breaker only counts, and would have opened. Told once until its state is
		 * set again.
		 * @param breaker the breaker
		 */
		default void thresholdExceeded(CircuitBreaker breaker) {
		}

	}

	/**
	 * Collect the parts. Not thread-safe; may build more than once.
	 */
	public static final class Builder {

		private final String name;

		private BreakerSettings settings = BreakerSettings.DEFAULTS;

		private RetryTime time = RetryTime.system();

		private RandomSource random = RandomSource.threadLocal();

		private Listener listener = Listener.NONE;

		private Function<? super Throwable, Verdict> verdict = Verdict::of;

		private Builder(String name) {
			if (CircuitBreakers.canonical(name).isEmpty()) {
				throw new IllegalArgumentException("Invalid name (" + name + "): must have a letter or a digit.");
			}
			this.name = name;
		}

		/**
		 * Set the numbers.
		 * @param settings the numbers
		 * @return this builder
		 */
		public Builder settings(BreakerSettings settings) {
			this.settings = settings;
			return this;
		}

		/**
		 * Set the ticker.
		 * @param time the system's by default
		 * @return this builder
		 */
		public Builder time(RetryTime time) {
			this.time = time;
			return this;
		}

		/**
		 * Set where the times open are drawn from.
		 * @param random {@link RandomSource#threadLocal()} by default; if it throws or
		 * leaves its range, that is used instead
		 * @return this builder
		 */
		public Builder random(RandomSource random) {
			this.random = random;
			return this;
		}

		/**
		 * Set who is told when it moves.
		 * @param listener {@link Listener#NONE} by default
		 * @return this builder
		 */
		public Builder listener(Listener listener) {
			this.listener = listener;
			return this;
		}

		/**
		 * Set what exceptions say about the dependency, for {@link CircuitBreaker#call}.
		 * @param verdict {@link Verdict#of} by default; one that throws means
		 * {@link Verdict#FAILED}
		 * @return this builder
		 */
		public Builder verdict(Function<? super Throwable, Verdict> verdict) {
			this.verdict = verdict;
			return this;
		}

		/**
		 * Build the breaker, closed.
		 * @return a new breaker
		 */
		public CircuitBreaker build() {
			return new CircuitBreaker(this);
		}

	}

}
