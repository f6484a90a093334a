package dev.backoff.simulator;

import java.util.Map;

import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.policy.EffectivePolicy;

/** The plan of a policy, with other values if the parameters have some. */
record PlanPart(BackoffPlans plans) implements EndpointContributor {

	@Override
	public String name() {
		return "plan";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		return Plan.of(this.plans.with(policy, parameters)).figures();
	}

}
