package dev.backoff.durable;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Traces over the store, as over messages. A handler that throws fails nothing. */
record DurableTraces(ObservationRegistry registry) {

	private static final Logger logger = LoggerFactory.getLogger(DurableTraces.class);

	/** Return the headers of the trace to store, or null if there is none. */
	@Nullable Map<String, String> submitted(String policy) {
		Map<String, String> headers = new TreeMap<>();
		SenderContext<Map<String, String>> context = new SenderContext<>(
				(carrier, name, value) -> headers.put(name, value), Kind.PRODUCER);
		context.setCarrier(headers);
		Observation observation = start("backoff.durable.submit", policy, context);
		guarded(observation::stop);
		return headers.isEmpty() ? null : headers;
	}

	/** Begin an attempt on this thread; return what ends it, with its failure or null. */
	Consumer<@Nullable Throwable> attempt(String policy, @Nullable Map<String, String> headers) {
		ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get, Kind.CONSUMER);
		context.setCarrier((headers != null) ? headers : Map.of());
		Observation observation = start("backoff.durable.attempt", policy, context);
		Observation.Scope[] scope = { Observation.Scope.NOOP };
		guarded(() -> scope[0] = observation.openScope());
		return (failure) -> {
			guarded(scope[0]::close);
			if (failure != null) {
				guarded(() -> observation.error(failure));
			}
			guarded(observation::stop);
		};
	}

	private Observation start(String name, String policy, Observation.Context context) {
		Observation observation = Observation.createNotStarted(name, () -> context, this.registry)
			.lowCardinalityKeyValue("policy", policy);
		guarded(observation::start);
		return observation;
	}

	private static void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A handler of observations failed", ex);
		}
	}

}
