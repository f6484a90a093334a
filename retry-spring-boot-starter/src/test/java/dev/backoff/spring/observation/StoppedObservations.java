package dev.backoff.spring.observation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;

/** Keeps the contexts of observations that have ended, in order. */
final class StoppedObservations implements ObservationHandler<Observation.Context> {

	private final List<Observation.Context> contexts = new CopyOnWriteArrayList<>();

	@Override
	public void onStop(Observation.Context context) {
		this.contexts.add(context);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return true;
	}

	List<Observation.Context> all() {
		return List.copyOf(this.contexts);
	}

	List<Observation.Context> named(String name) {
		return this.contexts.stream().filter((context) -> name.equals(context.getName())).toList();
	}

}
