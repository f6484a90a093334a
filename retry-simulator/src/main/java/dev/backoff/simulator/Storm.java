package dev.backoff.simulator;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

	private final Effect unprotected;

	private final Effect unretried;

	private final Map<Integer, Effect> fleets = new LinkedHashMap<>();

	private final List<Finding> findings;

	private Storm(SimulatedPolicy policy, Scenario scenario) {
		this.policy = policy;
		this.scenario = scenario;
		this.configured = Effect.of(policy, scenario);
		this.unprotected = Effect.of(policy.withoutProtection(), scenario.with("seeds", "1"));
		this.unretried = Effect.of(policy.withoutRetries(), scenario);
		for (int times : SPLITS) {
			if (scenario.canSplit(times)) {
				this.fleets.put(scenario.callers() * times, Effect.of(policy, scenario.split(times)));
			}
		}
		this.findings = Findings.of(this);
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
		return of(policy, scenario, MOST_ATTEMPTS);
	}

	static Storm of(SimulatedPolicy policy, Scenario scenario, int mostAttempts) {
		scenario.check(policy.policy(), mostAttempts);
		return new Storm(policy, scenario);
	}

	SimulatedPolicy policy() {
		return this.policy;
	}

	Scenario scenario() {
		return this.scenario;
	}

	/**
	 * {@return what the policy does as it is configured}
	 */
	public Effect configured() {
		return this.configured;
	}

	/**
	 * {@return what the policy would do without budget and breaker, in one run}
	 */
	public Effect unprotected() {
		return this.unprotected;
	}

	/**
	 * {@return what happens without retries}
	 */
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
		return new Figures().put("policy", this.policy.policy().name())
			.put("scenario", this.scenario.figures(this.policy.policy()))
			.put("findings", findings().stream().map(Finding::figures).toList())
			.put("configured", this.configured.figures())
			.put("unprotected", this.unprotected.figures())
			.put("unretried", this.unretried.figures())
			.put("fleets", ofFleets.map())
			.map();
	}

}
