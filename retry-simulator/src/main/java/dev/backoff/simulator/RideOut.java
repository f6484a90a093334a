package dev.backoff.simulator;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import dev.backoff.Retry;
import dev.backoff.event.RetryListener;
import dev.backoff.time.DurationText;

/**
 * The outages that calls survive which begin within them, with the budget and the breaker
 * of their process. Thread-safe.
 */
final class RideOut {

	private static final long SHORTEST = 20_000_000;

	private static final long LONGEST = Duration.ofHours(2).toNanos();

	private static final int MOST_CALLS = 5_000;

	private static final int CALLS = 1_000;

	private static final long LATENCY = 20_000_000;

	private static final double EXACT = 1.05;

	private final SimulatedPolicy policy;

	private final double rate;

	private final long longest;

	private final Map<Double, Duration> found = new ConcurrentHashMap<>();

	/** Let each process make so many calls a second. */
	RideOut(SimulatedPolicy policy, double rate) {
		this.policy = policy;
		this.rate = rate;
		this.longest = (long) Math.min((double) LONGEST, MOST_CALLS / rate * 1e9);
	}

	double rate() {
		return this.rate;
	}

	/**
	 * Return the longest outage, but for a few percent, that a share of the calls
	 * survive, or the longest that is simulated.
	 */
	Duration riddenOut(double share) {
		return this.found.computeIfAbsent(share, this::find);
	}

	String text(double share) {
		Duration outage = riddenOut(share);
		return ((outage.toNanos() == this.longest) ? "over " : "") + DurationText.rounded(outage.toNanos());
	}

	private Duration find(double share) {
		long survived = 0;
		long tried = SHORTEST;
		while (survival(Duration.ofNanos(tried)) >= share) {
			if (tried == this.longest) {
				return Duration.ofNanos(tried);
			}
			survived = tried;
			tried = Math.min(this.longest, 4 * tried);
		}
		while (survived > 0 && tried > EXACT * survived) {
			long middle = (survived + tried) / 2;
			boolean survives = survival(Duration.ofNanos(middle)) >= share;
			survived = survives ? middle : survived;
			tried = survives ? tried : middle;
		}
		return Duration.ofNanos(survived);
	}

	/** Return the share of the calls begun within an outage that succeed in the end. */
	double survival(Duration outage) {
		SplittableRandom random = new SplittableRandom(1);
		int begun = 0;
		int survived = 0;
		while (begun < CALLS) {
			Caller caller = new Caller(outage.toNanos(), random);
			caller.time.runUntil(Long.MAX_VALUE);
			begun += caller.begun;
			survived += caller.survived;
		}
		return survived / (double) begun;
	}

	/** One process, until all calls have ended that began within the outage. */
	private final class Caller implements RetryListener {

		private final EventQueue time = new EventQueue();

		private final long outage;

		private final SplittableRandom random;

		private final Retry retry;

		private int begun;

		private int ended;

		private int survived;

		Caller(long outage, SplittableRandom random) {
			this.outage = outage;
			this.random = random;
			this.retry = RideOut.this.policy.caller(this.time, random::nextDouble, this,
					RideOut.this.policy.newBudget(this.time));
			// where calls are rare, one of them begins in the outage
			this.time.schedule(this::arrive,
					(long) (random.nextDouble() * Math.min((double) outage, 1e9 / RideOut.this.rate)));
		}

		private void arrive() {
			boolean within = this.time.nanoTime() < this.outage;
			if (!within && this.ended == this.begun) {
				return;
			}
			this.begun += within ? 1 : 0;
			CompletableFuture<?> unused = this.retry.callAsync(this::attempt).whenComplete((good, failure) -> {
				this.ended += within ? 1 : 0;
				this.survived += (within && Boolean.TRUE.equals(good)) ? 1 : 0;
			});
			this.time.schedule(this::arrive,
					(long) (-StrictMath.log(1 - this.random.nextDouble()) / RideOut.this.rate * 1e9));
		}

		private CompletionStage<Boolean> attempt() {
			CompletableFuture<Boolean> answer = new CompletableFuture<>();
			boolean good = this.time.nanoTime() >= this.outage;
			this.time.schedule(() -> answer.complete(good), LATENCY);
			return answer;
		}

	}

}
