package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

import dev.backoff.durable.DurableMeters.Count;
import dev.backoff.durable.DurableMeters.Waiting;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.durable.Store.Part;

/** Publishes the counts, and what the table holds, read at most every 30 s. */
final class DurableMeterBinder implements MeterBinder {

	private static final String PREFIX = "backoff.durable.";

	private static final Map<String, String> HELP = Map.of("calls", "Stored calls", "ended", "Ended calls", "lost",
			"Lost attempts", "fenced", "Results dropped because the process had lost the call", "postponed",
			"Calls postponed by a breaker, a budget or a shutdown", "polls.failed", "Failed polls of the database",
			"oldest", "Time since the first waiting call was due", "age",
			"Time since the oldest waiting call was submitted", "unreadable", "Rows that this process cannot read",
			"lane.paused", "Whether a breaker or an operator pauses the policy");

	private static final Part ORPHANS = Part.of("", false);

	private static final int ALL = Integer.MAX_VALUE;

	private final DurableParts parts;

	private final Workers workers;

	private Instant read = Instant.EPOCH;

	private final Map<Part, Integer> counts = new HashMap<>();

	private final Map<String, Waiting> waiting = new HashMap<>();

	DurableMeterBinder(DurableParts parts, Workers workers) {
		this.parts = parts;
		this.workers = workers;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		DurableMeters meters = this.parts.meters();
		for (DurableMethod method : this.parts.methods().all()) {
			String policy = method.policy();
			for (Count count : Count.values()) {
				Tags tags = Tags.of("policy", policy);
				FunctionCounter.builder(PREFIX + count.meter, meters.adder(count, policy), LongAdder::doubleValue)
					.description(HELP.getOrDefault(count.meter, "Submissions"))
					.tags((count.outcome != null) ? tags.and("outcome", count.outcome) : tags)
					.register(registry);
			}
			Part.states(policy)
				.forEach((state, part) -> gauge("calls", policy, () -> count(part)).tag("state", state)
					.register(registry));
			gauge("oldest", policy, () -> since(policy, Waiting::due)).baseUnit("seconds").register(registry);
			gauge("age", policy, () -> since(policy, Waiting::submitted)).baseUnit("seconds").register(registry);
			gauge("unreadable", policy, () -> meters.unreadable(policy, this.parts.now())).register(registry);
			gauge("lane.paused", policy, () -> this.workers.worker(policy).filter(Worker::isPaused).isPresent() ? 1 : 0)
				.register(registry);
		}
		Gauge.builder(PREFIX + "orphans", () -> count(ORPHANS))
			.description("Rows whose policy no durable method has")
			.register(registry);
		meters.lateness = (policy, late) -> Timer.builder(PREFIX + "lateness")
			.description("From the due time to the attempt")
			.tags("policy", policy)
			.register(registry)
			.record(late);
	}

	private static Gauge.Builder<?> gauge(String name, String policy, Supplier<Number> value) {
		return Gauge.builder(PREFIX + name, value).description(HELP.get(name)).tags("policy", policy);
	}

	private synchronized int count(Part part) {
		read();
		return this.counts.getOrDefault(part, 0);
	}

	private synchronized double since(String policy, Function<Waiting, Instant> time) {
		read();
		Waiting known = this.waiting.get(policy);
		Instant since = (known != null) ? time.apply(known) : StoredCall.NEVER;
		return Math.max(0, Duration.between(since, this.parts.now()).toMillis() / 1000.0);
	}

	private void read() {
		List<DurableMethod> methods = this.parts.methods().all();
		if (methods.isEmpty() || Math.abs(Duration.between(this.read, this.parts.now()).toSeconds()) < 30) {
			return;
		}
		// before it, so that a database that is away is asked once
		this.read = this.parts.now();
		Store store = this.parts.store();
		for (DurableMethod method : methods) {
			this.waiting.put(method.policy(), Waiting.of(method.policy(), store));
			Part.states(method.policy()).values().forEach((part) -> this.counts.put(part, store.count(part, ALL)));
		}
		this.counts.put(ORPHANS, this.parts.methods().orphans(store, ALL).values().stream().reduce(0, Integer::sum));
	}

}
