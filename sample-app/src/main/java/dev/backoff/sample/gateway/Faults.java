package dev.backoff.sample.gateway;

import java.util.EnumMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The planned faults, at most one plan for each route. Thread-safe. */
final class Faults {

	private final Map<Route, FaultPlan> plans = new EnumMap<>(Route.class);

	synchronized void plan(Route route, Map<String, String> parameters) {
		if (parameters.containsKey("clear")) {
			this.plans.remove(route);
		}
		else {
			this.plans.put(route, FaultPlan.of(parameters));
		}
	}

	synchronized @Nullable Fault next(Route route) {
		FaultPlan plan = this.plans.get(route);
		return (plan != null) ? plan.next() : null;
	}

}
