package dev.backoff.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.delay.Jitter;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.simulator.Finding.Severity;
import dev.backoff.time.DurationText;

/** What to say about a plan and a storm. Each number comes from a run. */
final class Findings {

	private static final double MUCH_LOAD = 1.2;

	private static final double TOO_MUCH_LOAD = 2;

	private static final double LATE = 1.25;

	/* Two runs of one policy differ by up to this. */
	private static final double NOTICED_SECONDS = 1;

	private static final double NOTICED_LOAD = 0.05;

	private static final double LARGE_SECONDS = 2;

	private static final double FEWER = 0.8;

	private static final double HERD = 0.06;

	private static final double HALF = 0.5;

	private static final double SENSITIVE = 1.5;

	private static final Duration LONG = Duration.ofSeconds(10);

	private static final Duration SLOW_ATTEMPT = Duration.ofSeconds(1);

	private static final String PART = "findings";

	private final List<Finding> found = new ArrayList<>();

	private boolean searched;

	private @Nullable Remedy remedy;

	private Findings() {
	}

	static List<Finding> of(Storm storm) {
		Findings findings = new Findings();
		findings.amplifies(storm);
		findings.recovers(storm);
		findings.budgetLarge(storm);
		findings.outageLong(storm);
		return List.copyOf(findings.found);
	}

	static List<Finding> of(Plan plan) {
		Findings findings = new Findings();
		findings.herd(plan);
		findings.deadlineTight(plan);
		findings.holdsThreads(plan);
		findings.riddenOut(plan);
		findings.sensitive(plan);
		plan.policy().advice().forEach((advice) -> findings.add("advice", Severity.INFO, advice + ".", new Figures()));
		return List.copyOf(findings.found);
	}

	private void add(String id, Severity severity, String text, Figures numbers) {
		this.found.add(new Finding(id, severity, text, numbers.map()));
	}

	private void amplifies(Storm storm) {
		double load = storm.configured().loadInFault();
		if (load <= MUCH_LOAD) {
			return;
		}
		double minute = storm.configured().loadInMinute();
		Figures numbers = new Figures().put("load", load).put("loadInMinute", minute);
		Remedy remedy = remedy(storm);
		if (remedy != null) {
			numbers.put("loadAsAdvised", remedy.effect.loadInFault());
		}
		add("amplifies", (load > TOO_MUCH_LOAD) ? Severity.ERROR : Severity.WARN, "With "
				+ storm.scenario().callersText() + " this puts " + Figures.text(load)
				+ " times the usual load on the service in " + storm.scenario().fault() + ", and "
				+ Figures.text(minute) + " times over a minute: " + budgets(storm) + "."
				+ ((remedy == null) ? ""
						: " With " + remedy.text + " it is " + Figures.text(remedy.effect.loadInFault()) + " times."),
				numbers);
	}

	private static String budgets(Storm storm) {
		BudgetSettings budget = storm.policy().budget();
		return (budget == null) ? "no budget limits the retries"
				: (storm.scenario().callers() == 1) ? "its bucket holds " + Figures.text(budget.tokens()) + " tokens"
						: "each caller has its own bucket of " + Figures.text(budget.tokens());
	}

	private void recovers(Storm storm) {
		Effect configured = storm.configured();
		Effect unretried = storm.unretried();
		if (!isLate(configured, unretried)) {
			return;
		}
		Figures numbers = new Figures().put("secondsWithoutRetries", unretried.recoverySeconds());
		String without = because(storm);
		if (configured.recovers()) {
			add("recovers-late", Severity.WARN,
					"The service comes back " + Figures.seconds(configured.recoverySeconds()) + " after "
							+ storm.scenario().fault() + without + ".",
					numbers.put("seconds", configured.recoverySeconds()));
			return;
		}
		Remedy remedy = remedy(storm);
		String with = (remedy == null || !remedy.effect.recovers()) ? ""
				: " With " + remedy.text + " it does after " + Figures.seconds(remedy.effect.recoverySeconds()) + ".";
		add("never-recovers", Severity.ERROR,
				"After " + storm.scenario().fault() + " the service does not come back within "
						+ DurationText.exact(storm.scenario().horizon()) + " at "
						+ Figures.percent(used(storm.scenario())) + " of its capacity" + without + "." + with,
				numbers.put("used", used(storm.scenario())));
	}

	private static boolean isLate(Effect effect, Effect unretried) {
		return unretried.recovers() && effect.recoverySeconds() > unretried.recoverySeconds() + NOTICED_SECONDS
				&& effect.recoverySeconds() > LATE * unretried.recoverySeconds();
	}

	/* Of retries, or of a breaker without which they do no harm. */
	private static String because(Storm storm) {
		BreakerSettings breaker = storm.policy().breaker();
		Effect unretried = storm.unretried();
		Effect without = (breaker != null) ? storm.run(PART, storm.policy().withoutBreaker(), storm.scenario()) : null;
		if (breaker != null && without != null && !isLate(without, unretried)) {
			return ", because its breaker stays open (`open-for: " + DurationText.exact(breaker.openFor()) + "`)";
		}
		return ", without retries " + ((unretried.recoverySeconds() == 0) ? "at once"
				: "after " + Figures.seconds(unretried.recoverySeconds()));
	}

	private static double used(Scenario scenario) {
		return scenario.callers() * scenario.rate() / scenario.capacity();
	}

	private void budgetLarge(Storm storm) {
		BudgetSettings budget = storm.policy().budget();
		if (budget == null) {
			return;
		}
		Scenario scenario = storm.scenario();
		double tokens = scenario.callers() * budget.tokens();
		double seconds = tokens / scenario.capacity();
		if (seconds > LARGE_SECONDS) {
			Remedy remedy = remedy(storm);
			BudgetSettings advised = (remedy != null) ? remedy.policy.budget() : null;
			add("budget-large", Severity.WARN,
					((scenario.callers() == 1) ? "The bucket holds " : scenario.callers() + " processes hold ")
							+ Figures.text(tokens) + " tokens, " + Figures.seconds(seconds)
							+ " of what the service does"
							+ ((remedy == null || advised == null || advised.tokens() == budget.tokens()) ? "."
									: "; with " + remedy.text + " it would be "
											+ Figures.seconds(seconds / budget.tokens() * advised.tokens()) + "."),
					new Figures().put("tokens", tokens).put("seconds", seconds));
		}
	}

	private void outageLong(Storm storm) {
		if (storm.scenario().fault().kind() != Fault.Kind.OUTAGE || storm.configured().failed() <= HALF) {
			return;
		}
		Plan plan = Plan.of(storm.policy(), storm.scenario().rate());
		Figures numbers = new Figures().put("failed", storm.configured().failed());
		String text = Figures.percent(storm.configured().failed()) + " of the calls that begin in "
				+ storm.scenario().fault() + " fail; half of them would survive one of " + plan.rideOut().text(HALF)
				+ ".";
		Duration base = plan.baseFor(storm.scenario().faultTime());
		Effect longer = (base != null) ? storm.run(PART, storm.policy().withBase(base), storm.scenario()) : null;
		if (base != null && longer != null) {
			double failed = longer.failed();
			numbers.put("baseMs", base.toNanos() / 1e6).put("failedWithBase", failed);
			text += " With `base: " + DurationText.exact(base) + "` " + Figures.percent(failed) + " fail"
					+ ((failed > HALF) ? refused(longer) : "") + ".";
		}
		add("outage-long", Severity.ERROR, text, numbers);
	}

	private static String refused(Effect effect) {
		return (effect.refusedByBudget() + effect.refusedByBreaker() == 0) ? ""
				: (effect.refusedByBreaker() > effect.refusedByBudget())
						? ", because the breaker refuses calls and retries" : ", because the budget refuses retries";
	}

	private void herd(Plan plan) {
		if (plan.fullest() > HERD) {
			Plan full = Plan.of(plan.policy().with((builder) -> builder.jitter(Jitter.full())));
			add("herd", Severity.WARN,
					Figures.percent(plan.fullest())
							+ " of the calls that failed together come back within the same 10 ms, with `jitter: full` "
							+ Figures.percent(full.fullest()) + ".",
					new Figures().put("share", plan.fullest()));
		}
	}

	private void deadlineTight(Plan plan) {
		RetryPolicy policy = plan.policy().policy();
		int fitting = plan.fitting(SLOW_ATTEMPT);
		if (plan.hasDeadline() && fitting < Math.min(policy.maxAttempts(), Herd.MOST_ATTEMPTS)) {
			Duration base = plan.largestBase(SLOW_ATTEMPT);
			add("deadline-tight", Severity.WARN, "With attempts of 1 s, " + fitting + " of " + attempts(policy)
					+ " attempts start before the deadline of " + DurationText.exact(policy.deadlineNanos())
					+ ", if the delays are the longest"
					+ ((base == null) ? "." : base.isZero() ? ". No base lets all of them end before it."
							: "; all of them end before it with `base: " + DurationText.exact(base) + "` or less."),
					new Figures().put("attempts", fitting));
		}
	}

	private void holdsThreads(Plan plan) {
		if (!plan.policy().stored() && plan.meanWait().compareTo(LONG) > 0) {
			add("holds-threads", Severity.WARN,
					"A blocking call that fails holds its thread for " + Figures.text(plan.meanWait()) + " on average.",
					new Figures().put("seconds", plan.meanWait().toNanos() / 1e9));
		}
	}

	private void sensitive(Plan plan) {
		Duration longer = plan.longerWait();
		double growth = longer.toNanos() / (double) plan.longestWait().toNanos();
		if (growth >= SENSITIVE && Double.isFinite(growth)) {
			add("sensitive", Severity.INFO,
					"One attempt more makes the longest wait " + Figures.text(growth) + " times as long, "
							+ Figures.text(longer) + ".",
					new Figures().put("growth", growth).put("seconds", longer.toNanos() / 1e9));
		}
	}

	private void riddenOut(Plan plan) {
		RideOut rideOut = plan.rideOut();
		add("outage-long", Severity.INFO,
				"With " + Figures.text(rideOut.rate())
						+ " calls/s of a process and its budget, half of the calls survive " + "an outage of "
						+ rideOut.text(HALF) + ", and 99 % of them one of " + rideOut.text(0.99) + ".",
				new Figures().put("halfSeconds", rideOut.riddenOut(HALF).toNanos() / 1e9)
					.put("mostSeconds", rideOut.riddenOut(0.99).toNanos() / 1e9));
	}

	private static String attempts(RetryPolicy policy) {
		return (policy.maxAttempts() > Herd.MOST_ATTEMPTS) ? "the first " + Herd.MOST_ATTEMPTS
				: Integer.toString(policy.maxAttempts());
	}

	/*
	 * What to set, for all findings of a storm: the first of the remedies that leaves
	 * nothing to find, or else the one that helps most.
	 */
	private @Nullable Remedy remedy(Storm storm) {
		if (!this.searched) {
			this.searched = true;
			Effect best = storm.configured();
			for (Map.Entry<String, SimulatedPolicy> change : remedies(storm).entrySet()) {
				Effect effect = storm.run(PART, change.getValue(), storm.scenario());
				if (effect == null) {
					break;
				}
				boolean harmless = effect.loadInFault() <= MUCH_LOAD && !isLate(effect, storm.unretried());
				if (harmless || isBetter(effect, best)) {
					best = effect;
					this.remedy = new Remedy(change.getKey(), change.getValue(), effect);
				}
				if (harmless) {
					break;
				}
			}
		}
		return this.remedy;
	}

	private static boolean isBetter(Effect effect, Effect than) {
		double seconds = effect.recoverySeconds();
		double later = than.recoverySeconds();
		return seconds < later - NOTICED_SECONDS
				|| (seconds <= later + NOTICED_SECONDS && effect.loadInFault() < than.loadInFault() - NOTICED_LOAD);
	}

	/*
	 * A number of tokens is for one process only. What is left pays the retries of a call
	 * at least. It begins with what the service does in a second, but no more than a
	 * fifth of the calls that begin in the fault.
	 */
	private static Map<String, SimulatedPolicy> remedies(Storm storm) {
		Map<String, SimulatedPolicy> remedies = new LinkedHashMap<>();
		SimulatedPolicy policy = storm.policy();
		Scenario scenario = storm.scenario();
		BudgetSettings budget = policy.budget();
		if (budget == null) {
			remedies.put("the default budget", policy.withBudget(BudgetSettings.DEFAULTS));
		}
		else if (policy.policy().isPostponedWhenEmpty()) {
			remedies.put("`when-empty: stop`", policy.with((builder) -> builder.postponedWhenEmpty(false)));
		}
		double least = Math.max(1, Math.min(policy.policy().maxAttempts() - 1, Herd.MOST_ATTEMPTS));
		BudgetSettings numbers = (budget != null) ? budget : BudgetSettings.DEFAULTS;
		BudgetSettings share = numbers.share(scenario.callers());
		if (budget != null && share.tokens() >= least && share.tokens() < budget.tokens()) {
			remedies.put("`backoff.instances: " + scenario.callers() + "`", policy.withBudget(share));
		}
		double calls = scenario.rate() * scenario.faultTime().toNanos() / 1e9;
		double tokens = Math.max(least, Math.floor(Math.min(scenario.capacity(), calls / 5)));
		for (; scenario.callers() == 1 && tokens >= least; tokens = Math.floor(tokens * FEWER)) {
			if (budget == null || tokens < budget.tokens()) {
				remedies.put("`tokens: " + Figures.text(tokens) + "`",
						policy.withBudget(new BudgetSettings(tokens, numbers.perSuccess(), numbers.perSecond())));
			}
		}
		return remedies;
	}

	/** Another policy and what it did; the text is what to set. */
	private record Remedy(String text, SimulatedPolicy policy, Effect effect) {
	}

}
