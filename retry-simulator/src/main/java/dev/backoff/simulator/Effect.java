package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * What a policy did in a storm: medians of several runs, each with another seed.
 *
 * @param loadInFault attempts for each first attempt while the fault lasted
 * @param loadInMinute attempts for each first attempt in the minute from the beginning of
 * the fault
 * @param recoverySeconds seconds from the end of the fault until 95 % of the calls
 * succeed for good, infinite if that is not within the horizon
 * @param loadUntilRecovery attempts for each first attempt until a second after the
 * recovery
 * @param failed the share of the calls begun in the fault that failed
 * @param refusedByBudget retries that the budgets refused
 * @param refusedByBreaker calls and retries that the breakers refused
 * @param mostUnderWay the most calls under way at once, each of which may hold a thread
 * @param course the course of the first run
 * @since 0.1
 */
public record Effect(double loadInFault, double loadInMinute, double recoverySeconds, double loadUntilRecovery,
		double failed, long refusedByBudget, long refusedByBreaker, long mostUnderWay, Course course) {

	private static final int SHOWN_BEFORE = 5;

	static Effect of(SimulatedPolicy policy, Scenario scenario) {
		return of(policy, scenario, () -> (budget, now) -> {
		});
	}

	/**
	 * Simulate one policy in a storm.
	 * @param policy the policy of all callers
	 * @param scenario the callers, the service and its fault
	 * @param feeds supplies the feed of each caller's budget
	 * @return what the policy did
	 */
	public static Effect of(SimulatedPolicy policy, Scenario scenario, Supplier<BudgetFeed> feeds) {
		Scenario sample = scenario.sample();
		double part = sample.callers() / (double) scenario.callers();
		List<Simulation> runs = LongStream.rangeClosed(1, scenario.seeds())
			.mapToObj((seed) -> Simulation.run(policy, sample, feeds, seed))
			.toList();
		return new Effect(median(runs, (run) -> run.course().loadWithin(scenario.faultTime())),
				median(runs, (run) -> run.course().loadWithin(Duration.ofMinutes(1))),
				median(runs, (run) -> run.course().recoverySeconds().orElse(Double.POSITIVE_INFINITY)),
				median(runs, (run) -> run.course().loadUntilBack()), median(runs, Simulation::failed),
				(long) (median(runs, Simulation::refusedByBudget) / part),
				(long) (median(runs, Simulation::refusedByBreaker) / part),
				(long) (median(runs, Simulation::mostUnderWay) / part), runs.get(0).course());
	}

	private static double median(List<Simulation> runs, ToDoubleFunction<Simulation> figure) {
		return runs.stream().mapToDouble(figure).sorted().toArray()[runs.size() / 2];
	}

	/** Return whether the service comes back within the horizon. */
	public boolean recovers() {
		return Double.isFinite(this.recoverySeconds);
	}

	String back() {
		return recovers() ? Figures.seconds(this.recoverySeconds) : "never";
	}

	Map<String, Object> figures() {
		Figures figures = new Figures().put("loadInFault", this.loadInFault)
			.put("loadInMinute", this.loadInMinute)
			.put("recovers", recovers());
		if (recovers()) {
			figures.put("recoverySeconds", this.recoverySeconds);
		}
		return figures.put("failed", this.failed)
			.put("refusedByBudget", (double) this.refusedByBudget)
			.put("refusedByBreaker", (double) this.refusedByBreaker)
			.put("mostUnderWay", (double) this.mostUnderWay)
			.put("load", seconds(this.course::load))
			.put("goodput", seconds(this.course::goodput))
			.map();
	}

	private List<Object> seconds(IntToDoubleFunction figure) {
		List<Object> seconds = new ArrayList<>();
		for (int second = this.course.firstSecond(SHOWN_BEFORE); this.course.covers(second); second++) {
			seconds.add(Figures.rounded(figure.applyAsDouble(second), 3));
		}
		return seconds;
	}

}
