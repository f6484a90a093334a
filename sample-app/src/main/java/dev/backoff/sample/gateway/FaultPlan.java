package dev.backoff.sample.gateway;

import java.util.Map;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * The next calls of one route that fail: the next {@code times=n} (1 by default), or,
 * until cleared, {@code percent=p} of all, drawn from {@code seed=n}. Not thread-safe.
 */
final class FaultPlan {

	private final Fault fault;

	private final double percent;

	private final Random random;

	private int times;

	private FaultPlan(Fault fault, int times, double percent, Random random) {
		this.fault = fault;
		this.times = times;
		this.percent = percent;
		this.random = random;
	}

	static FaultPlan of(Map<String, String> parameters) {
		boolean drawn = parameters.containsKey("percent");
		int times = drawn ? Integer.MAX_VALUE : Integer.parseInt(parameters.getOrDefault("times", "1"));
		double percent = percent(parameters.getOrDefault("percent", "100"));
		return new FaultPlan(Fault.of(parameters), times, percent,
				new Random(Long.parseLong(parameters.getOrDefault("seed", "1"))));
	}

	private static double percent(String text) {
		double percent = Double.parseDouble(text);
		if (percent >= 0 && percent <= 100) {
			return percent;
		}
		throw new IllegalArgumentException("Invalid percent (" + text + "): must be from 0 to 100.");
	}

	/** Return the fault of the next call, or null. */
	@Nullable Fault next() {
		if (this.times == 0 || this.random.nextDouble() * 100 >= this.percent) {
			return null;
		}
		this.times--;
		return this.fault;
	}

}
