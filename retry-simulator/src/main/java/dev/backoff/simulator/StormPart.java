package dev.backoff.simulator;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.policy.EffectivePolicy;

/** A storm by the parameters of a scenario and other values of the policy. */
final class StormPart implements EndpointContributor {

	/* Some seconds of the request's thread. */
	private static final int MOST_ATTEMPTS = 200_000;

	private final BackoffPlans plans;

	private final AtomicBoolean busy = new AtomicBoolean();

	StormPart(BackoffPlans plans) {
		this.plans = plans;
	}

	@Override
	public String name() {
		return "storm";
	}

	@Override
	public Object read(EffectivePolicy policy, Map<String, String> parameters) {
		if (!this.busy.compareAndSet(false, true)) {
			return new WebEndpointResponse<>(Map.of("message", "Another storm is simulated: try again in a moment."),
					WebEndpointResponse.STATUS_TOO_MANY_REQUESTS);
		}
		try {
			Map<String, String> scenario = new HashMap<>(parameters);
			Map<String, String> values = new HashMap<>(parameters);
			scenario.keySet().retainAll(Scenario.PARAMETERS);
			values.keySet().removeAll(Scenario.PARAMETERS);
			return Storm.of(this.plans.with(policy, values), Scenario.of(scenario), MOST_ATTEMPTS).figures();
		}
		finally {
			this.busy.set(false);
		}
	}

}
