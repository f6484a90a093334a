package dev.backoff.benchmarks.stall;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

import org.jspecify.annotations.Nullable;

import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.RandomSource;
import dev.backoff.policy.RetryPolicy;

/**
 * Simulate a server that stalls, under clients that do not know of each other.
 * <p>
 * Calls arrive at random (Poisson), whether or not earlier ones are answered. One server
 * takes them in order, each for the same time, and works off also those whose client has
 * given up, since nobody tells it. Clients give up after a second and may retry: with the
 * delays of a {@link RetryPolicy} and as often as a {@link RetryBudget} lets them, both
 * the real classes, in virtual time. Everything is drawn from one seed.
 */
public final class StallSimulation {

	/*
	 * The server is one number, the time at which it has worked off all it was given: the
	 * queue is first come, first served, so an attempt's end is known when it is made.
	 */

	private static final long SECOND = 1_000_000_000;

	private static final long WARM_UP = 10 * SECOND;

	private static final long STALL = 3 * SECOND;

	private static final long TIMEOUT = SECOND;

	private final StallFigures figures;

	private final double arrivalsPerSecond;

	private final long serviceNanos;

	private final long end;

	private final RetryLimit limit;

	private final RetryPolicy policy;

	private final SimulatedTime time = new SimulatedTime();

	private final @Nullable RetryBudget budget;

	private final Random random;

	private final RandomSource jitter;

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::at).thenComparingLong(Event::order));

	private long scheduled;

	private long serverFreeAt;

	private StallSimulation(double utilisation, int capacity, Duration horizon, RetryLimit limit, long seed) {
		this.figures = new StallFigures(WARM_UP + STALL, horizon);
		this.arrivalsPerSecond = utilisation * capacity;
		this.serviceNanos = SECOND / capacity;
		this.end = WARM_UP + STALL + horizon.toNanos();
		this.limit = limit;
		this.policy = RetryPolicy.builder(limit.label()).maxAttempts(limit.maxAttempts()).build();
		this.budget = limit.budget(this.time);
		this.random = new Random(seed);
		this.jitter = this.random::nextDouble;
	}

	/**
	 * Run the scenario: ten seconds of peace, three of a complete stall, then as long as
	 * asked for.
	 * @param utilisation the share of its capacity at which the server is used
	 * @param capacity what the server does in a second
	 * @param horizon how long to look after the stall
	 * @param limit what limits the retries
	 * @param seed where chance starts
	 * @return what happened
	 */
	public static StallFigures run(double utilisation, int capacity, Duration horizon, RetryLimit limit, long seed) {
		return new StallSimulation(utilisation, capacity, horizon, limit, seed).run();
	}

	private StallFigures run() {
		schedule(nextArrival(0), Kind.ARRIVAL, null);
		for (Event event = this.events.remove(); event.at() < this.end; event = this.events.remove()) {
			this.time.moveTo(event.at());
			switch (event.kind()) {
				case ARRIVAL -> arrive(event.at());
				case ATTEMPT -> attempt(event.at(), event.call());
				case SUCCESS -> succeed(event.at());
				case FAILURE -> fail(event.at(), event.call());
			}
		}
		return this.figures;
	}

	private long nextArrival(long now) {
		return now + (long) (-Math.log(1 - this.random.nextDouble()) / this.arrivalsPerSecond * SECOND);
	}

	private void arrive(long now) {
		schedule(nextArrival(now), Kind.ARRIVAL, null);
		this.figures.firstAttempt(now);
		if (this.limit.depositPerFirst() && this.budget != null) {
			this.budget.deposit();
		}
		attempt(now, new Call());
	}

	private void attempt(long now, @Nullable Call call) {
		this.figures.attempt(now);
		long done = serve(now);
		if (done - now <= TIMEOUT) {
			schedule(done, Kind.SUCCESS, call);
		}
		else {
			schedule(now + TIMEOUT, Kind.FAILURE, call);
		}
	}

	/** Queue a request; return when the server is done with it. */
	private long serve(long now) {
		long start = Math.max(now, this.serverFreeAt);
		if (start >= WARM_UP && start < WARM_UP + STALL) {
			start = WARM_UP + STALL;
		}
		this.serverFreeAt = start + this.serviceNanos;
		return this.serverFreeAt;
	}

	private void succeed(long now) {
		this.figures.success(now);
		if (!this.limit.depositPerFirst() && this.budget != null) {
			this.budget.deposit();
		}
	}

	private void fail(long now, @Nullable Call call) {
		if (call == null || call.attempts == this.policy.maxAttempts()) {
			this.figures.failure(now);
			return;
		}
		long delay = this.policy.rule().delay(call.attempts, call.previousDelay, this.jitter);
		if (this.budget != null && !this.budget.tryWithdraw(RetryBudget.Cost.TRANSIENT)) {
			this.figures.failure(now);
			return;
		}
		call.attempts++;
		call.previousDelay = delay;
		schedule(now + delay, Kind.ATTEMPT, call);
	}

	private void schedule(long at, Kind kind, @Nullable Call call) {
		this.events.add(new Event(at, this.scheduled++, kind, call));
	}

	private enum Kind {

		ARRIVAL, ATTEMPT, SUCCESS, FAILURE

	}

	private record Event(long at, long order, Kind kind, @Nullable Call call) {
	}

	private static final class Call {

		private int attempts = 1;

		private long previousDelay;

	}

}
