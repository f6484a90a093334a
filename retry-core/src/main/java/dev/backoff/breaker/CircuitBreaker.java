package dev.backoff.breaker;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.RandomSource;
import dev.backoff.key.KeyTable;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * A circuit breaker: it permits calls while they go well, rejects them for a while when
 * too many fail or are slow, and then finds out with a few probes whether it may close.
 * <ul>
 * <li>Closed, it permits all calls and counts how they end over a window. After a failed
 * or slow call, it opens if there are enough calls and the share of failed or of slow
 * calls has reached its limit. A call is slow if it takes longer than
 * {@link BreakerSettings#slowCall()}.</li>
 * <li>Open, it rejects all calls for a time drawn from half of
 * {@link BreakerSettings#openFor()} to all of it, so that instances do not probe
 * together. Each time the probes fail, that time grows by
 * {@link BreakerSettings#openForMultiplier()}, up to an hour, or {@code openFor} if
 * longer.</li>
 * <li>The first call after that time finds it half-open: it permits exactly
 * {@link BreakerSettings#probes()} calls. When all these probes have ended, it closes
 * with nothing counted, or opens again. It also opens again if probes are under way
 * without a pause for longer than {@link BreakerSettings#halfOpenTimeout()}. A call that
 * hangs therefore never keeps it from recovering.</li>
 * </ul>
 * It has no thread of its own: its state changes when a caller asks for a permit or gives
 * one back. The result of a call counts only in the state in which the call began.
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
 * Readings must be those of the breaker's ticker, which is the system's unless set. The
 * settings may be {@linkplain #change changed} while it is in use. Thread-safe, and
 * lock-free unless the window is over a number of calls. While it is closed with a window
 * over a time, a permit and a success allocate nothing and contend with no other call.
 * <p>
 * This file is long because it holds the types that callers pass to a breaker.
 *
 * @since 0.1
 */
public final class CircuitBreaker extends Circuit implements CallPermits {

	private final String name;

	private final Listener listener;

	private final Function<? super Throwable, Verdict> verdict;

	private final LongAdder rejected;

	/* Null if it is of a key itself. */
	private final @Nullable KeyTable<CircuitBreaker> keys;

	private CircuitBreaker(Builder builder) {
		super(builder.settings, builder.time, RandomSource.safe(builder.random, (ex) -> {
		}), Closed::new);
		this.name = builder.name;
		this.listener = builder.listener;
		this.verdict = builder.verdict;
		this.rejected = new LongAdder();
		this.keys = new KeyTable<>(builder.time, () -> new CircuitBreaker(this), CircuitBreaker::isBusy);
	}

	private CircuitBreaker(CircuitBreaker shared) {
		super(shared.settings(), shared.time, shared.random, (own) -> (shared.current() instanceof SetByHand set)
				? new SetByHand(own, set.state(), set.timer()) : new Closed(own));
		this.name = shared.name;
		this.listener = shared.listener;
		this.verdict = shared.verdict;
		this.rejected = shared.rejected;
		this.keys = null;
	}

	/* A caller that comes back with many keys must not reset what counts failures. */
	private boolean isBusy(boolean idle) {
		BreakerState state = state();
		Counts counts = counts();
		// unused for long, it would permit a call now as a new one does
		return idle ? state != BreakerState.CLOSED && state != BreakerState.HALF_OPEN
				: state != BreakerState.CLOSED || counts.failed() + counts.slow() > 0;
	}

	/**
	 * Start from the defaults.
	 * @param name the breaker's name in logs and meters
	 * @return a builder, which may build more than once
	 * @throws IllegalArgumentException if the name has no letter and no digit
	 */
	public static Builder builder(String name) {
		return new Builder(name);
	}

	/**
	 * Call the work if the breaker permits it. The permit is given back however the work
	 * ends.
	 * @param <T> the type of the result
	 * @param <X> the exception the work throws
	 * @param work what to call
	 * @return its result
	 * @throws X the exception that the work threw, unchanged
	 * @throws CircuitOpenException if the breaker rejects the call; the work was not
	 * called
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(Work<T, X> work) throws X {
		long start = now();
		Permit permit = tryAcquire(start);
		if (permit == null) {
			throw rejection(start);
		}
		Throwable failure = null;
		try {
			return work.run();
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			giveBack(permit, failure, start);
		}
	}

	private void giveBack(Permit permit, @Nullable Throwable failure, long start) {
		Verdict verdict = (failure != null) ? verdict(failure) : Verdict.ANSWERED;
		long end = now();
		switch (verdict) {
			case ANSWERED -> permit.succeeded(end - start, end);
			case FAILED -> permit.failed(end - start, end, failure);
			case IGNORED -> permit.released();
		}
	}

	private Verdict verdict(Throwable failure) {
		try {
			Verdict verdict = this.verdict.apply(failure);
			return (verdict != null) ? verdict : Verdict.FAILED;
		}
		catch (Throwable ex) {
			return Verdict.FAILED;
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
		Phase seen = current();
		long open = seen.nanosOpen(now);
		return new CircuitOpenException(this.name, seen.state().words(), (open >= 0) ? Duration.ofNanos(open) : null,
				timeToProbe(seen, now));
	}

	@Override
	public boolean isAwaited() {
		return settings().awaited();
	}

	@Override
	public String name() {
		return this.name;
	}

	/**
	 * Return the breaker of a key: it has this one's name, settings and listener, and a
	 * state of its own. A change of this one reaches all keys.
	 * @param key with {@code equals} and {@code hashCode}, such as a tenant's id
	 * @return the breaker, or this one if there is no room for another key
	 */
	public CircuitBreaker ofKey(Object key) {
		CircuitBreaker own = (this.keys != null) ? this.keys.get(key) : null;
		return (own != null) ? own : this;
	}

	/**
	 * {@return the breakers by key, or null if this one is of a key}
	 */
	public @Nullable KeyTable<CircuitBreaker> keys() {
		return this.keys;
	}

	/**
	 * {@return how many keys have a breaker in a state, without this one itself}
	 * @param state the state
	 */
	public long keysIn(BreakerState state) {
		return KeyTable.valuesOf(this.keys).stream().filter((breaker) -> breaker.state() == state).count();
	}

	/**
	 * {@return the settings in effect}
	 */
	public BreakerSettings settings() {
		return numbers();
	}

	/**
	 * Change the settings and keep the state.
	 * <p>
	 * The counts stay, unless the window or {@link BreakerSettings#slowCall()} changes:
	 * then counting starts anew without the calls under way. A half-open breaker may find
	 * that it now has enough results. The time open grows or shrinks in proportion to the
	 * longest time open, unless it was {@linkplain #openFor set by hand}. A closed
	 * breaker opens with the next failed or slow call at the earliest. Equal settings
	 * change nothing.
	 * @param settings the settings from now on
	 */
	public void change(BreakerSettings settings) {
		if (!settings().equals(settings)) {
			renumber(settings);
		}
		KeyTable.valuesOf(this.keys).forEach((breaker) -> breaker.change(settings));
	}

	/**
	 * Return the state. An open breaker whose time is over counts as half-open, because
	 * it permits a probe. The listener is called for that change with the first probe.
	 * @return the state
	 */
	public BreakerState state() {
		Phase seen = current();
		boolean probeDue = seen.state() == BreakerState.OPEN && seen.isPermitting(now());
		return probeDue ? BreakerState.HALF_OPEN : seen.state();
	}

	/**
	 * Return the counts: those of the window if it is closed, those of the probes if it
	 * is half-open, or those that made it open until the first probe.
	 * @return the counts, all zero if there is nothing to count
	 */
	public Counts counts() {
		return current().counts(now());
	}

	/**
	 * {@return how many attempts it has rejected since it was built, for all keys} A call
	 * that finds it open after a failed attempt asks for no permit and is not counted.
	 */
	public long rejected() {
		return this.rejected.sum();
	}

	/**
	 * {@return how often it opened since it was last closed, 0 while it is closed}
	 */
	public int reopened() {
		Phase seen = current();
		return seen.opensBefore() + ((seen.state() == BreakerState.OPEN) ? 1 : 0);
	}

	/**
	 * {@return the time left open, or null unless it is {@link BreakerState#OPEN}}
	 */
	public @Nullable Duration timeToProbe() {
		Duration left = timeToProbe(current(), now());
		return (left != null && left.isZero()) ? null : left;
	}

	private static @Nullable Duration timeToProbe(Phase seen, long now) {
		return (seen.state() == BreakerState.OPEN) ? Duration.ofNanos(seen.nanosToPermit(now)) : null;
	}

	/**
	 * Close the breaker by hand with nothing counted, whatever its state. The number of
	 * {@linkplain #rejected() rejected} calls stays, because meters show it.
	 */
	public void reset() {
		enterAll(Closed::new);
	}

	/** Open the breaker by hand, for the time as if too many calls had failed. */
	public void open() {
		enterAll((circuit) -> Open.drawn(circuit, circuit.current().opensBefore(), Counts.NONE, now()));
	}

	/**
	 * Open the breaker by hand for exactly the given time, after which it probes.
	 * @param duration above zero
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public void openFor(Duration duration) {
		long nanos = Nanos.aboveZero("duration", duration);
		enterAll((circuit) -> Open.byHand(circuit, circuit.current().opensBefore(), new Wait(now(), nanos)));
	}

	/** Reject all calls until another state is set by hand. */
	public void forceOpen() {
		set(BreakerState.FORCED_OPEN, Nanos.UNLIMITED);
	}

	/** Permit all calls and count none, until another state is set by hand. */
	public void disable() {
		set(BreakerState.DISABLED, Nanos.UNLIMITED);
	}

	/**
	 * Permit all calls and count none for the given time. The first call after it finds
	 * the breaker closed.
	 * @param duration above zero
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public void disableFor(Duration duration) {
		set(BreakerState.DISABLED, Nanos.aboveZero("duration", duration));
	}

	private void set(BreakerState state, long nanos) {
		enterAll((circuit) -> new SetByHand(circuit, state, new Wait(now(), nanos)));
	}

	private void enterAll(Function<Circuit, Phase> next) {
		enter(next.apply(this));
		KeyTable.valuesOf(this.keys).forEach((breaker) -> breaker.enterAll(next));
	}

	@Override
	void moved(BreakerState from, BreakerState to) {
		try {
			this.listener.transition(this, from, to);
		}
		catch (Throwable ex) {
			// a listener never makes a call fail
		}
	}

	@Override
	public String toString() {
		return "CircuitBreaker " + this.name + " (" + state().words() + ", " + settings() + ")";
	}

	/** What an exception says about the dependency. */
	public enum Verdict {

		/** The dependency answered: the call counts as a success. */
		ANSWERED,

		/** It failed. */
		FAILED,

		/** Nothing: the call counts nowhere. */
		IGNORED;

		/**
		 * Return the default verdict on a failure.
		 * @param failure what a call threw
		 * @return {@link #IGNORED} for an {@link Error}, an {@link InterruptedException},
		 * a {@link CancellationException} of an interrupted thread and a
		 * {@linkplain CircuitOpenException#isRefusal refusal}, otherwise {@link #FAILED}
		 */
		public static Verdict of(Throwable failure) {
			boolean ignored = failure instanceof Error || failure instanceof InterruptedException
					|| (failure instanceof CancellationException && Thread.currentThread().isInterrupted())
					|| CircuitOpenException.isRefusal(failure.getClass());
			return ignored ? IGNORED : FAILED;
		}

	}

	/**
	 * The work that a breaker guards. It runs on the calling thread.
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
	 * A listener called after each change of a breaker's state. Its exceptions are
	 * ignored. It runs within the call that caused the change and may use the breaker,
	 * whose state may have changed again by then. Implementations are thread-safe and
	 * quick.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * The breaker has gone from one state to another.
		 * @param breaker the breaker
		 * @param from the state it left
		 * @param to the state it entered
		 */
		void transition(CircuitBreaker breaker, BreakerState from, BreakerState to);

	}

	/** A builder of breakers. Not thread-safe; may build more than once. */
	public static final class Builder {

		private final String name;

		private BreakerSettings settings = BreakerSettings.DEFAULTS;

		private RetryTime time = RetryTime.system();

		private RandomSource random = RandomSource.threadLocal();

		private Listener listener = (breaker, from, to) -> {
		};

		private Function<? super Throwable, Verdict> verdict = Verdict::of;

		private Builder(String name) {
			if (CircuitBreakers.canonical(name).isEmpty()) {
				throw new IllegalArgumentException("Invalid name (" + name + "): must have a letter or a digit.");
			}
			this.name = name;
		}

		/**
		 * Set the numbers.
		 * @param settings {@link BreakerSettings#DEFAULTS} by default
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
		 * Set the source of the draws that decide how long the breaker stays open.
		 * @param random {@link RandomSource#threadLocal()} by default, also in place of a
		 * source that throws or leaves its range
		 * @return this builder
		 */
		public Builder random(RandomSource random) {
			this.random = random;
			return this;
		}

		/**
		 * Set the listener to call when the breaker has changed its state.
		 * @param listener none by default
		 * @return this builder
		 */
		public Builder listener(Listener listener) {
			this.listener = listener;
			return this;
		}

		/**
		 * Set what exceptions say about the dependency, for {@link CircuitBreaker#call}.
		 * @param verdict {@link Verdict#of} by default; a function that throws means
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
