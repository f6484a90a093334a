package dev.backoff.simulator;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.DelayPlan;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * What a policy does to a call that fails: its delays, its whole wait, and the outages
 * that it survives. A policy with more than {@value Herd#MOST_ATTEMPTS} attempts is shown
 * with that number. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class Plan {

	private static final int ATTEMPTS = 200_000;

	private static final int LEAST_CALLS = 1_000;

	private static final int MOST_CALLS = 10_000;

	private static final Duration HERD_FROM = Duration.ofMillis(500);

	private static final Duration HERD_TO = Duration.ofSeconds(60);

	private static final double GREATEST_DRAW = Math.nextDown(1.0);

	/* Of an outage: with one retry, half of the calls wait for half the base and more. */
	private static final long LONGEST_BASE = 4;

	private static final List<Duration> ATTEMPT_TIMES = List.of(Duration.ZERO, Duration.ofMillis(100),
			Duration.ofSeconds(1), Duration.ofSeconds(2));

	private static final List<Duration> OUTAGES = List.of(Duration.ofMillis(100), Duration.ofMillis(500),
			Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30),
			Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(30), Duration.ofHours(1));

	private final SimulatedPolicy policy;

	private final RideOut rideOut;

	private final DelayPlan delays;

	private final long[] times;

	private final long[] lastStarts;

	private final double fullest;

	private final int[] fitting;

	private Plan(SimulatedPolicy policy, double rate, int mostCalls) {
		this.policy = policy;
		this.rideOut = new RideOut(policy, rate);
		int attempts = Math.min(policy.policy().maxAttempts(), Herd.MOST_ATTEMPTS);
		int calls = Math.max(LEAST_CALLS, Math.min(mostCalls, ATTEMPTS / attempts));
		this.delays = DelayPlan.of(policy.policy().rule(), attempts - 1);
		Herd herd = Herd.of(policy, calls, Duration.ZERO, 1);
		this.times = herd.times();
		this.lastStarts = herd.lastStarts();
		this.fullest = herd.fullestShare(HERD_FROM, HERD_TO);
		this.fitting = ATTEMPT_TIMES.stream()
			.mapToInt((time) -> Herd.of(policy, 1, time, () -> GREATEST_DRAW).starts(0).size())
			.toArray();
	}

	/**
	 * Plan a policy.
	 * @param policy the policy
	 * @return its plan
	 */
	public static Plan of(SimulatedPolicy policy) {
		return of(policy, Scenario.RATE);
	}

	static Plan of(SimulatedPolicy policy, double rate) {
		return new Plan(policy, rate, MOST_CALLS);
	}

	SimulatedPolicy policy() {
		return this.policy;
	}

	/** Return the least, mean and greatest delay before each retry. */
	public DelayPlan delays() {
		return this.delays;
	}

	/**
	 * Return how long a call that fails waits in all, if its attempts take no time.
	 * @param share the share of the calls that wait no longer, from 0 to 1
	 * @return the wait
	 */
	public Duration totalWait(double share) {
		return Duration.ofNanos(quantile(this.times, share));
	}

	Duration meanWait() {
		return Duration.ofNanos((long) Arrays.stream(this.times).average().orElse(0));
	}

	/**
	 * Return which share of the calls that begin at the start of an outage have an
	 * attempt after its end, if the budget pays for it.
	 * @param outage the length of the outage
	 * @return from 0 to 1
	 */
	public double survival(Duration outage) {
		long nanos = outage.toNanos();
		return Arrays.stream(this.lastStarts).filter((start) -> start >= nanos).count()
				/ (double) this.lastStarts.length;
	}

	/**
	 * Return which share of the calls that begin at any time within an outage have an
	 * attempt after its end, if the budget pays for it.
	 * @param outage the length of the outage
	 * @return from 0 to 1
	 */
	public double survivalWithin(Duration outage) {
		double nanos = outage.toNanos();
		return Arrays.stream(this.lastStarts).mapToDouble((start) -> Math.min(1, start / nanos)).sum()
				/ this.lastStarts.length;
	}

	/** Return which outages calls survive with their budget. */
	RideOut rideOut() {
		return this.rideOut;
	}

	/**
	 * Return the longest outage that the given share of the calls survive, if they begin
	 * at its start and the budget pays for all their retries.
	 * @param share from 0 to 1
	 * @return the length of the outage
	 */
	public Duration riddenOut(double share) {
		return Duration.ofNanos(quantile(this.lastStarts, 1 - share));
	}

	/**
	 * Return the least base, in two digits, with which half of the calls that begin with
	 * an outage survive it, or null if none does, or the present one does already.
	 */
	@Nullable Duration baseFor(Duration outage) {
		BackoffRule rule = this.policy.policy().rule();
		long least = rule.baseNanos();
		long bound = Math.min(Nanos.times(outage.toNanos(), LONGEST_BASE),
				this.policy.hasBuiltInCap() ? Nanos.UNLIMITED : rule.capNanos());
		long most = bound;
		if (rule.shape().levels() > 0 || rule.jitter().replacesShape() || survives(least, outage)
				|| !survives(most, outage)) {
			return null;
		}
		while (most - least > Math.max(1, most / 100)) {
			long middle = least + (most - least) / 2;
			if (survives(middle, outage)) {
				most = middle;
			}
			else {
				least = middle;
			}
		}
		long rounded = new BigDecimal(most).round(new MathContext(2, RoundingMode.UP)).longValue();
		return Duration.ofNanos(Math.min(rounded, bound));
	}

	private boolean survives(long base, Duration outage) {
		SimulatedPolicy longer = this.policy.withBase(Duration.ofNanos(base));
		return quantile(Herd.of(longer, LEAST_CALLS, Duration.ZERO, 1).lastStarts(), 0.5) >= outage.toNanos();
	}

	/** Return the plans of the same policy with one number changed, by the change. */
	Map<String, Plan> variants() {
		RetryPolicy numbers = this.policy.policy();
		Map<String, Plan> variants = new LinkedHashMap<>();
		int attempts = numbers.maxAttempts();
		if (attempts < Herd.MOST_ATTEMPTS) {
			vary(variants, "one attempt more", (builder) -> builder.maxAttempts(attempts + 1));
		}
		if (attempts > 2 && attempts <= Herd.MOST_ATTEMPTS) {
			vary(variants, "one attempt less", (builder) -> builder.maxAttempts(attempts - 1));
		}
		double growth = multiplier();
		if (growth > 1) {
			Duration base = Duration.ofNanos(numbers.rule().baseNanos());
			DoubleStream.of(1.5, 2, 3)
				.filter((multiplier) -> multiplier != growth)
				.forEach((multiplier) -> vary(variants, "multiplier " + Figures.text(multiplier),
						(builder) -> builder.shape(Shape.exponential(base, multiplier))));
		}
		return variants;
	}

	/** Return 1 for a fixed delay, and 0 if the delays follow another rule. */
	private double multiplier() {
		Shape shape = this.policy.policy().rule().shape();
		Duration base = Duration.ofNanos(shape.nanos(1));
		double growth = shape.nanos(2) / (double) Math.max(1, shape.nanos(1));
		return (shape.equals(Shape.fixed(base)) || (growth >= 1 && shape.equals(Shape.exponential(base, growth))))
				? growth : 0;
	}

	/**
	 * Return the largest base, in three digits, with which all attempts of a time end
	 * before the deadline, or null where no single base decides.
	 */
	@Nullable Duration largestBase(Duration attempt) {
		RetryPolicy numbers = this.policy.policy();
		BackoffRule rule = numbers.rule();
		if (multiplier() == 0 || rule.baseNanos() == 0 || rule.jitter().replacesShape()) {
			return null;
		}
		double greatest = this.delays.steps().get(0).greatest() / (double) rule.capped(1);
		Duration largest = DelayPlan.largestBase(Duration.ofNanos(numbers.deadlineNanos()), numbers.maxAttempts() - 1,
				multiplier(), this.policy.hasBuiltInCap() ? null : Duration.ofNanos(rule.capNanos()), attempt,
				greatest);
		return Duration
			.ofNanos(new BigDecimal(largest.toNanos()).round(new MathContext(3, RoundingMode.DOWN)).longValue());
	}

	private void vary(Map<String, Plan> variants, String change, UnaryOperator<RetryPolicyBuilder> with) {
		variants.put(change, new Plan(this.policy.with(with), Scenario.RATE, LEAST_CALLS));
	}

	Duration longestWait() {
		return longestWait(this.delays);
	}

	/** Return the longest wait with one attempt more. */
	Duration longerWait() {
		return longestWait(DelayPlan.of(this.policy.policy().rule(), this.delays.steps().size() + 1));
	}

	private Duration longestWait(DelayPlan delays) {
		return Duration.ofNanos(Math.min(delays.totalGreatest(), this.policy.policy().deadlineNanos()));
	}

	/** Return the share of calls that failed together and come back in one 10 ms. */
	double fullest() {
		return this.fullest;
	}

	/** Return how many attempts of a time start before the deadline, at worst. */
	int fitting(Duration attempt) {
		return this.fitting[ATTEMPT_TIMES.indexOf(attempt)];
	}

	boolean hasDeadline() {
		return this.policy.policy().deadlineNanos() != Nanos.UNLIMITED;
	}

	private static long quantile(long[] sorted, double share) {
		return sorted[(int) Math.min(sorted.length - 1, Math.round(share * sorted.length))];
	}

	/** Return the findings about this plan. */
	public List<Finding> findings() {
		return Findings.of(this);
	}

	/** Return the outages worth showing: up to the first that no call survives. */
	List<Duration> outages() {
		List<Duration> shown = new ArrayList<>();
		for (Duration outage : OUTAGES) {
			shown.add(outage);
			if (survival(outage) == 0) {
				break;
			}
		}
		return shown;
	}

	/** Return this plan as names, texts and numbers, in order; times in milliseconds. */
	public Map<String, Object> figures() {
		RetryPolicy numbers = this.policy.policy();
		Figures figures = new Figures().put("policy", numbers.name())
			.put("attempts",
					(numbers.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS) ? "unlimited"
							: Integer.toString(numbers.maxAttempts()))
			.put("findings", findings().stream().map(Finding::figures).toList())
			.put("retries",
					this.delays.steps()
						.stream()
						.map((step) -> new Figures().put("leastMs", millis(step.least()))
							.put("meanMs", millis(step.mean()))
							.put("greatestMs", millis(step.greatest()))
							.map())
						.toList())
			.put("totalWaitMs",
					new Figures().put("1 %", millis(totalWait(0.01).toNanos()))
						.put("50 %", millis(totalWait(0.5).toNanos()))
						.put("90 %", millis(totalWait(0.9).toNanos()))
						.put("99 %", millis(totalWait(0.99).toNanos()))
						.put("most", millis(longestWait().toNanos()))
						.map())
			.put("riddenOutMs",
					new Figures().put("50 %", millis(this.rideOut.riddenOut(0.5).toNanos()))
						.put("99 %", millis(this.rideOut.riddenOut(0.99).toNanos()))
						.map())
			.put("outages",
					outages().stream()
						.map((outage) -> new Figures().put("length", DurationText.exact(outage))
							.put("beginWithIt", survival(outage))
							.put("beginWithin", survivalWithin(outage))
							.map())
						.toList())
			.put("fullest10ms", this.fullest)
			.put("changed",
					variants().entrySet()
						.stream()
						.map((variant) -> new Figures().put("change", variant.getKey())
							.put("meanWaitMs", millis(variant.getValue().meanWait().toNanos()))
							.put("mostWaitMs", millis(variant.getValue().longestWait().toNanos()))
							.put("riddenOutMs", millis(variant.getValue().riddenOut(0.5).toNanos()))
							.map())
						.toList());
		if (hasDeadline()) {
			figures.put("attemptsBeforeDeadline",
					ATTEMPT_TIMES.stream()
						.map((time) -> new Figures().put("attemptTime", DurationText.exact(time))
							.put("attempts", fitting(time))
							.map())
						.toList());
		}
		return figures.map();
	}

	private static double millis(long nanos) {
		return nanos / 1e6;
	}

}
