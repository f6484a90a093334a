package dev.backoff.simulator;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.InvalidBackoffException;

/**
 * What a policy does to a service that fails, and what happens without budget and
 * breaker, without retries, or with more callers. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class Storm {

	/** The most attempts of one run: {@value}. */
	public static final int MOST_ATTEMPTS = 5_000_000;

	private static final List<Integer> SPLITS = List.of(10, 100);

	private final SimulatedPolicy policy;

	private final Scenario scenario;

	private final Effect configured;

	private final @Nullable Effect unprotected;

	private final Effect unretried;

	private final Map<Integer, Effect> fleets = new LinkedHashMap<>();

	private final List<Finding> findings;

	private final Set<String> leftOut = new TreeSet<>();

	/* Attempts. */
	private long left;

	private Storm(SimulatedPolicy policy, Scenario scenario, long most) {
		this.policy = policy;
		this.scenario = scenario;
		this.configured = Effect.of(policy, scenario);
		this.unretried = Effect.of(policy.withoutRetries(), scenario);
		this.left = most
				- scenario.seeds() * (this.configured.course().attempts() + this.unretried.course().attempts());
		this.unprotected = run("unprotected", policy.withoutProtection(), scenario.with("seeds", "1"));
		for (int times : SPLITS) {
			if (scenario.canSplit(times)) {
				this.fleets.computeIfAbsent(scenario.callers() * times,
						(callers) -> run("fleets", policy, scenario.split(times)));
			}
		}
		this.findings = Findings.of(this);
	}

	/** Simulate for a part of this storm, which is left out if no attempts are left. */
	@Nullable Effect run(String part, SimulatedPolicy policy, Scenario scenario) {
		Effect effect = (this.left > 0) ? Effect.of(policy, scenario) : null;
		this.left -= (effect != null) ? scenario.seeds() * effect.course().attempts() : 0;
		if (effect == null) {
			this.leftOut.add(part);
		}
		return effect;
	}

	/**
	 * Simulate a storm.
	 * @param policy the policy of all callers
	 * @param scenario the callers, the service and its fault
	 * @return what happens
	 * @throws InvalidBackoffException if the first calls alone are more than the service
	 * can serve, or one run may make more than {@value #MOST_ATTEMPTS} attempts
	 */
	public static Storm of(SimulatedPolicy policy, Scenario scenario) {
		return of(policy, scenario, MOST_ATTEMPTS, Long.MAX_VALUE);
	}

	/** Simulate a storm, and leave out what begins after so many attempts in all. */
	static Storm of(SimulatedPolicy policy, Scenario scenario, int mostInOneRun, long most) {
		scenario.check(policy.policy(), mostInOneRun);
		return new Storm(policy, scenario, most);
	}

	SimulatedPolicy policy() {
		return this.policy;
	}

	Scenario scenario() {
		return this.scenario;
	}

	/** Return what the policy does as it is configured. */
	public Effect configured() {
		return this.configured;
	}

	/** Return what the policy would do without budget and breaker, in one run. */
	public Effect unprotected() {
		return Objects.requireNonNull(this.unprotected);
	}

	/** Return what happens without retries. */
	public Effect unretried() {
		return this.unretried;
	}

	/**
	 * {@return what the policy does if ten and a hundred times as many processes make the
	 * same calls, by the number of processes; one run each}
	 */
	public Map<Integer, Effect> fleets() {
		return Collections.unmodifiableMap(this.fleets);
	}

	/**
	 * {@return the findings about this storm, warnings and errors only; an immutable
	 * list}
	 */
	public List<Finding> findings() {
		return this.findings;
	}

	/**
	 * {@return this storm as names, texts and numbers, in order; the same policy and
	 * scenario give the same bytes}
	 */
	public Map<String, Object> figures() {
		Figures ofFleets = new Figures();
		this.fleets.forEach((callers, effect) -> ofFleets.put(callers.toString(),
				new Figures().put("loadInFault", effect.loadInFault()).put("recovers", effect.recovers()).map()));
		Figures figures = new Figures().put("policy", this.policy.policy().name())
			.put("scenario", this.scenario.figures(this.policy.policy()))
			.put("findings", findings().stream().map(Finding::figures).toList())
			.put("configured", this.configured.figures());
		if (this.unprotected != null) {
			figures.put("unprotected", this.unprotected.figures());
		}
		figures.put("unretried", this.unretried.figures()).put("fleets", ofFleets.map());
		if (!this.leftOut.isEmpty()) {
			figures.put("leftOut", List.copyOf(this.leftOut));
		}
		return figures.map();
	}

}
