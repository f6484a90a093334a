package dev.backoff.simulator;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.Retry;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.simulator.Service.Answer;
import dev.backoff.time.Nanos;

/**
 * One run: calls arrive at random (Poisson), whatever becomes of earlier ones, at callers
 * that know nothing of each other. Each caller is a real {@link Retry}; an attempt is a
 * future that the service completes. Everything is drawn from one seed. Not thread-safe.
 */
final class Simulation implements RetryListener {

	/** The time before the fault. */
	static final Duration BEFORE = Duration.ofSeconds(10);

	/* Between the sources of two runs; more than a run has callers. */
	private static final long APART = 1_000_003;

	private final EventQueue time = new EventQueue();

	private final SimulatedPolicy policy;

	private final long seed;

	private final double perSecond;

	private final long timeout;

	private final long faultEnd;

	private final Service service;

	private final Course course;

	private final SplittableRandom arrivals;

	private final Supplier<BudgetFeed> feeds;

	private final @Nullable Caller[] callers;

	private long refusedByBudget;

	private long refusedByBreaker;

	private long underWay;

	private long mostUnderWay;

	private long begunInFault;

	private long failedOfThem;

	private Simulation(SimulatedPolicy policy, Scenario scenario, Supplier<BudgetFeed> feeds, long seed) {
		this.policy = policy;
		this.feeds = feeds;
		this.seed = seed;
		this.perSecond = scenario.callers() * scenario.rate();
		this.timeout = scenario.timeout(policy.policy()).toNanos();
		this.faultEnd = BEFORE.plus(scenario.faultTime()).toNanos();
		this.service = new Service(scenario, BEFORE.toNanos(), seed * APART + 1);
		this.course = Course.of(BEFORE, scenario.faultTime(), scenario.horizon(), this.perSecond);
		this.arrivals = new SplittableRandom(seed * APART);
		this.callers = new Caller[scenario.callers()];
	}

	static Simulation run(SimulatedPolicy policy, Scenario scenario, Supplier<BudgetFeed> feeds, long seed) {
		Simulation simulation = new Simulation(policy, scenario, feeds, seed);
		simulation.time.schedule(simulation::arrive, simulation.untilNext());
		simulation.time.runUntil(BEFORE.plus(scenario.faultTime()).plus(scenario.horizon()).toNanos());
		return simulation;
	}

	/* StrictMath gives the same bits on every machine. */
	private long untilNext() {
		return (long) (-StrictMath.log(1 - this.arrivals.nextDouble()) / this.perSecond * 1e9);
	}

	private void arrive() {
		this.time.schedule(this::arrive, untilNext());
		this.course.firstAttempt(this.time.nanoTime());
		this.underWay++;
		this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
		boolean inFault = this.time.nanoTime() >= BEFORE.toNanos() && this.time.nanoTime() < this.faultEnd;
		this.begunInFault += inFault ? 1 : 0;
		Caller caller = caller(this.arrivals.nextInt(this.callers.length));
		if (caller.budget() != null) {
			caller.feed().begins(caller.budget(), this.time.nanoTime());
		}
		CompletableFuture<?> unused = caller.retry()
			.callAsync(this::attempt)
			.whenComplete((served, failure) -> ended(Boolean.TRUE.equals(served), inFault));
	}

	private Caller caller(int index) {
		Caller caller = this.callers[index];
		if (caller == null) {
			RandomSource random = new SplittableRandom(this.seed * APART + 2 + index)::nextDouble;
			RetryBudget budget = this.policy.newBudget(this.time);
			caller = new Caller(this.policy.caller(this.time, random, this, budget), budget, this.feeds.get());
			this.callers[index] = caller;
		}
		return caller;
	}

	private CompletionStage<Boolean> attempt() {
		long now = this.time.nanoTime();
		this.course.attempt(now);
		Answer answer = this.service.take(now);
		boolean inTime = answer.at() <= Nanos.plus(now, this.timeout);
		CompletableFuture<Boolean> served = new CompletableFuture<>();
		this.time.schedule(() -> {
			if (!inTime) {
				served.completeExceptionally(new TimedOutException());
			}
			else if (answer.throttled() != null) {
				served.completeExceptionally(answer.throttled());
			}
			else {
				served.complete(answer.good());
			}
		}, inTime ? answer.at() - now : this.timeout);
		return served;
	}

	private void ended(boolean served, boolean inFault) {
		this.underWay--;
		if (served) {
			this.course.success(this.time.nanoTime());
		}
		else {
			this.course.failure(this.time.nanoTime());
			this.failedOfThem += inFault ? 1 : 0;
		}
	}

	@Override
	public void onStop(RetryEvent.Stopped event) {
		StopReason reason = event.report().reason();
		if (reason == StopReason.BUDGET) {
			this.refusedByBudget++;
		}
		else if (reason == StopReason.BREAKER_OPEN) {
			this.refusedByBreaker++;
		}
	}

	Course course() {
		return this.course;
	}

	long refusedByBudget() {
		return this.refusedByBudget;
	}

	long refusedByBreaker() {
		return this.refusedByBreaker;
	}

	/** Return the share of calls begun in the fault that failed within the horizon. */
	double failed() {
		return this.failedOfThem / (double) Math.max(1, this.begunInFault);
	}

	/** Return how many calls were under way at once, each of which may hold a thread. */
	long mostUnderWay() {
		return this.mostUnderWay;
	}

	private record Caller(Retry retry, @Nullable RetryBudget budget, BudgetFeed feed) {
	}

}
