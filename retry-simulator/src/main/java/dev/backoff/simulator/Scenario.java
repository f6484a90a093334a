package dev.backoff.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.DelayPlan;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * The callers, the service that they call, and what happens to it. Immutable and
 * thread-safe; each method that sets a number returns a new scenario. <pre>
 * parameter   default
 * callers     1                      processes, each with its own budget and breaker
 * rate        10                     first calls a second of each
 * capacity    callers * rate / 0.8   requests that the service serves a second
 * latency     20ms                   of an attempt that is served at once
 * timeout     the attempt timeout    when a caller gives up; 1s if there is none
 * fault       stall 3s               stall, outage, timeouts, throttle, slow with a time; errors 30%
 * horizon     120s                   how long the run goes on after the fault
 * seeds       5                      runs, of which the medians are shown
 * </pre> If the callers make more than 250 calls a second together, a part of them is
 * simulated with the same part of the capacity. Numbers of calls are then scaled to all
 * callers.
 *
 * @since 0.1
 */
public final class Scenario {

	static final List<String> PARAMETERS = List.of("callers", "rate", "capacity", "latency", "timeout", "fault",
			"horizon", "seeds");

	private static final Duration LONGEST = Duration.ofDays(1);

	private static final String STALL = "stall 3s";

	private static final int MOST_CALLERS = 100_000;

	private static final double MOST = 1e9;

	/** First calls a second unless set. */
	static final double RATE = 10;

	private static final double USED = 0.8;

	private static final int MOST_RETRIES = 10_000;

	/* So many first calls a second show what more of them do. */
	private static final int ENOUGH = 250;

	private final Map<String, String> written;

	private final int callers;

	private final double rate;

	private final double capacity;

	private final Duration latency;

	private final @Nullable Duration timeout;

	private final Fault fault;

	private final Duration horizon;

	private final int seeds;

	private Scenario(Map<String, String> written) {
		this.written = written;
		this.callers = (int) number("callers", "1", MOST_CALLERS, true);
		this.rate = number("rate", Figures.text(RATE), MOST, false);
		this.capacity = number("capacity", Double.toString(this.callers * this.rate / USED), MOST, false);
		this.latency = Overrides.limit("latency", written.getOrDefault("latency", "20ms"));
		String givesUp = written.get("timeout");
		this.timeout = (givesUp != null) ? Overrides.limit("timeout", givesUp) : null;
		this.fault = Fault.parse(written.getOrDefault("fault", STALL).strip());
		this.horizon = Overrides.limit("horizon", written.getOrDefault("horizon", "120s"));
		this.seeds = (int) number("seeds", "5", 100, true);
		if (faultTime().compareTo(LONGEST) > 0 || this.horizon.compareTo(LONGEST) > 0) {
			throw refusal("fault or horizon", this.fault + ", " + DurationText.exact(this.horizon),
					"must last a day at most", "Write a shorter time: a day shows what a year would.");
		}
	}

	private double number(String name, String otherwise, double most, boolean whole) {
		String text = this.written.getOrDefault(name, otherwise).strip();
		if (text.matches(whole ? "\\d{1,9}" : "\\d{1,9}(\\.\\d+)?([eE][+-]?\\d{1,2})?")) {
			double number = Double.parseDouble(text);
			if (number > 0 && number <= most) {
				return number;
			}
		}
		throw refusal(name, text,
				"must be a " + (whole ? "whole " : "") + "number above 0, at most " + Figures.text(most),
				"Write such a number.");
	}

	/**
	 * Read a scenario.
	 * @param written texts by parameter
	 * @return the scenario
	 * @throws InvalidBackoffException if a parameter is unknown or wrong
	 */
	public static Scenario of(Map<String, String> written) {
		for (String name : written.keySet()) {
			if (!PARAMETERS.contains(name)) {
				String near = Nearest.of(name, PARAMETERS);
				throw refusal("parameter", name, "is not known",
						"Write " + ((near != null) ? near : "one of " + String.join(", ", PARAMETERS)) + ".");
			}
		}
		return new Scenario(new TreeMap<>(written));
	}

	/**
	 * Let the service serve nothing for a time, while its queue grows.
	 * @param time for instance {@code 3s}
	 * @return a scenario with the defaults for the rest
	 */
	public static Scenario stall(String time) {
		return of(Map.of("fault", "stall " + time));
	}

	/**
	 * Let the service refuse all requests for a time.
	 * @param time for instance {@code 30s}
	 * @return a scenario with the defaults for the rest
	 */
	public static Scenario outage(String time) {
		return of(Map.of("fault", "outage " + time));
	}

	/** Set how many processes call. */
	public Scenario callers(int callers) {
		return with("callers", Integer.toString(callers));
	}

	/** Set how many first calls a second each process makes. */
	public Scenario rate(double rate) {
		return with("rate", Double.toString(rate));
	}

	/**
	 * Set a parameter.
	 * @param name the parameter's name, for instance {@code horizon}
	 * @param value its value as text, for instance {@code 60s}
	 * @return the scenario with that value
	 * @throws InvalidBackoffException if the parameter is unknown or its value is wrong
	 */
	public Scenario with(String name, String value) {
		Map<String, String> changed = new TreeMap<>(this.written);
		changed.put(name, value);
		return of(changed);
	}

	/** Return the same calls a second from more processes, in one run. */
	Scenario split(int times) {
		return callers(this.callers * times).rate(this.rate / times)
			.with("capacity", Double.toString(this.capacity))
			.with("seeds", "1");
	}

	boolean canSplit(int times) {
		return (long) this.callers * times <= MOST_CALLERS;
	}

	/**
	 * Return a part of a large fleet with the same part of its service. Callers share
	 * nothing but the service, so the rest of them would do the same.
	 */
	Scenario sample() {
		int callers = (int) Math.max(1, ENOUGH / this.rate);
		return (callers >= this.callers) ? this
				: callers(callers).with("capacity", Double.toString(this.capacity / this.callers * callers));
	}

	/**
	 * Refuse a service that is too small for the first calls, and a run that may make
	 * more attempts than the given number; that report has the largest rate that fits.
	 */
	void check(RetryPolicy policy, int most) {
		if (this.capacity <= this.callers * this.rate) {
			throw refusal("capacity", Figures.text(this.capacity),
					"must be above the " + Figures.text(this.callers * this.rate) + " first calls a second",
					"Raise it, or lower callers or rate.");
		}
		Duration time = Simulation.BEFORE.plus(faultTime()).plus(this.horizon);
		double attempts = time.toNanos() / 1e9 * attempts(policy, time.toNanos());
		double fitting = most / attempts;
		int callers = sample().callers;
		if (callers * this.rate > fitting) {
			double rate = (fitting < ENOUGH) ? fitting / this.callers : fitting;
			throw refusal("rate", Figures.text(this.rate),
					String.format(Locale.ROOT, "may lead to %.0f attempts in one run, and %d are the most here",
							callers * this.rate * attempts, most),
					"Write at most " + Figures.text(Math.floor(1000 * rate) / 1000) + ", or a shorter horizon.");
		}
	}

	/* How many a call makes in the time if all fail at once, by its mean delays. */
	private static int attempts(RetryPolicy policy, long nanos) {
		int attempts = 1;
		long waited = 0;
		int retries = Math.min(policy.maxAttempts() - 1, MOST_RETRIES);
		for (DelayPlan.Step step : DelayPlan.of(policy.rule(), retries).steps()) {
			waited = Nanos.plus(waited, step.mean());
			attempts += (waited < Math.min(nanos, policy.deadlineNanos())) ? 1 : 0;
		}
		return attempts;
	}

	int callers() {
		return this.callers;
	}

	double rate() {
		return this.rate;
	}

	double capacity() {
		return this.capacity;
	}

	Duration latency() {
		return this.latency;
	}

	Duration timeout(RetryPolicy policy) {
		return (this.timeout != null) ? this.timeout : (policy.attemptTimeoutNanos() != Nanos.UNLIMITED)
				? Duration.ofNanos(policy.attemptTimeoutNanos()) : Duration.ofSeconds(1);
	}

	Fault fault() {
		return this.fault;
	}

	Duration faultTime() {
		return (this.fault.kind() == Fault.Kind.ERRORS) ? this.horizon : this.fault.time();
	}

	Duration horizon() {
		return this.horizon;
	}

	int seeds() {
		return this.seeds;
	}

	Map<String, Object> figures(RetryPolicy policy) {
		return new Figures().put("callers", this.callers)
			.put("rate", this.rate)
			.put("capacity", this.capacity)
			.put("latency", DurationText.exact(this.latency))
			.put("timeout", DurationText.exact(timeout(policy)))
			.put("fault", this.written.getOrDefault("fault", STALL))
			.put("horizon", DurationText.exact(this.horizon))
			.put("seeds", this.seeds)
			.map();
	}

	@Override
	public String toString() {
		return "In " + this.fault + ", with " + callersText() + ", of a service that does "
				+ Figures.text(this.capacity) + " requests a second";
	}

	String callersText() {
		return this.callers + ((this.callers == 1) ? " caller of " : " callers of ") + Figures.text(this.rate)
				+ ((this.rate == 1) ? " call/s" : " calls/s");
	}

	static InvalidBackoffException refusal(String name, String value, String rule, String fix) {
		return new InvalidBackoffException(
				List.of(Problem.ofPlace("Invalid " + name + " (" + Problem.oneLine(value) + ")", rule, fix)));
	}

}
