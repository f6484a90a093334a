package dev.backoff.simulator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.backoff.spring.actuate.EndpointContributor;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.policy.EffectivePolicy;

/** A storm by the parameters of a scenario and other values of the policy. */
final class StormPart implements EndpointContributor {

	private static final int MOST_ATTEMPTS = 200_000;

	/* About half a second of a processor, and so is one run more. */
	private static final int MOST_ATTEMPTS_IN_ALL = 100_000;

	private static final Set<String> KEYS = Section.POLICIES.keys().stream().map(Key::key).collect(Collectors.toSet());

	/* A name that is misspelt is reported as one of those that it is most like. */
	private static final List<String> KNOWN = Stream.concat(Scenario.PARAMETERS.stream(), KEYS.stream()).toList();

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
			Map<String, String> scenario = new HashMap<>();
			Map<String, String> values = new HashMap<>();
			parameters.forEach(
					(name, value) -> (KEYS.contains(Nearest.of(name, KNOWN)) ? values : scenario).put(name, value));
			return Storm
				.of(this.plans.with(policy, values), Scenario.of(scenario).with("seeds", "1"), MOST_ATTEMPTS,
						MOST_ATTEMPTS_IN_ALL)
				.figures();
		}
		finally {
			this.busy.set(false);
		}
	}

}
