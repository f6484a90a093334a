package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import com.github.kagkarlsson.scheduler.ScheduledExecution;
import com.github.kagkarlsson.scheduler.ScheduledExecutionsFilter;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.TaskSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import dev.backoff.durable.DurableMethods.DurableMethod;

/**
 * Counts of what happens to stored calls. They are counted with and without Micrometer,
 * and {@link Binder} publishes them. Thread-safe.
 */
final class DurableMeters {

	private static final Duration LATEST = Duration.ofMinutes(1);

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	/* When the rows of a policy are due again that this process cannot read. */
	private final Map<String, Map<String, Instant>> unreadable = new ConcurrentHashMap<>();

	private volatile BiConsumer<String, Duration> lateness = (policy, time) -> {
	};

	/** What is counted: the name of the counter and its outcome, or null. */
	enum Count {

		NEW("submitted", "new"), JOINED("submitted", "joined"), REFUSED("submitted", "refused"), DONE("ended", "done"),
		RECOVERED("ended", "recovered"), DEAD("ended", "dead"), ENDED("ended", "ended"), LOST("lost", null),
		FENCED("fenced", null), POSTPONED("postponed", null), POLL_FAILED("polls.failed", null);

		private final String meter;

		private final @Nullable String outcome;

		Count(String meter, @Nullable String outcome) {
			this.meter = meter;
			this.outcome = outcome;
		}

	}

	void add(Count count, String policy) {
		adder(count, policy).increment();
	}

	private LongAdder adder(Count count, String policy) {
		return this.counts.computeIfAbsent(count + " " + policy, (name) -> new LongAdder());
	}

	/** Note when a row is due again that this process cannot read. */
	void unreadable(String policy, String row, Instant due) {
		rows(policy).put(row, due);
	}

	/** Return how many rows were put back here, those long due again left out. */
	int unreadable(String policy, Instant now) {
		rows(policy).values().removeIf((due) -> due.isBefore(now.minus(LATEST)));
		return rows(policy).size();
	}

	private Map<String, Instant> rows(String policy) {
		return this.unreadable.computeIfAbsent(policy, (name) -> new ConcurrentHashMap<>());
	}

	/** Note how long after its due time an attempt begins. */
	void late(String policy, Duration late) {
		this.lateness.accept(policy, late.isNegative() ? Duration.ZERO : late);
	}

	/**
	 * When the first call of a task that waits is due, and when the oldest of the first
	 * 1,000 was submitted; never without one.
	 */
	record Waiting(Instant due, Instant submitted) {

		static Waiting of(String task, SchedulerClient client) {
			List<ScheduledExecution<StoredCall>> rows = client.getScheduledExecutionsForTask(task, StoredCall.class,
					ScheduledExecutionsFilter.all().withPicked(false).limit(1_000));
			Stream<StoredCall> calls = rows.stream().map(ScheduledExecution::getData).filter(StoredCall::isReadable);
			return new Waiting(rows.isEmpty() ? DurableTask.NEVER : rows.get(0).getExecutionTime(),
					calls.map(StoredCall::submitted).min(Comparator.naturalOrder()).orElse(DurableTask.NEVER));
		}

	}

	/** Publishes the counts, and what the table holds, read at most every 30 s. */
	static final class Binder implements MeterBinder {

		private static final String PREFIX = "backoff.durable.";

		private static final Duration SHORTEST = Duration.ofSeconds(30);

		private static final Waiting NONE = new Waiting(DurableTask.NEVER, DurableTask.NEVER);

		private final Lanes lanes;

		private Instant read = Instant.EPOCH;

		private Collection<TaskSummary> summary = List.of();

		/* By policy. */
		private final Map<String, Waiting> waiting = new HashMap<>();

		Binder(Lanes lanes) {
			this.lanes = lanes;
		}

		@Override
		public void bindTo(MeterRegistry registry) {
			DurableMeters meters = this.lanes.meters();
			for (DurableMethod method : this.lanes.methods().all()) {
				String policy = method.policy();
				for (Count count : Count.values()) {
					Tags tags = Tags.of("policy", policy);
					FunctionCounter.builder(PREFIX + count.meter, meters.adder(count, policy), LongAdder::doubleValue)
						.tags((count.outcome != null) ? tags.and("outcome", count.outcome) : tags)
						.register(registry);
				}
				gauge(registry, policy, "scheduled", policy, (task) -> task.instanceCount() - task.runningCount());
				gauge(registry, policy, "running", policy, TaskSummary::runningCount);
				gauge(registry, policy, "dead", DeadTask.name(policy), TaskSummary::instanceCount);
				Map<String, Function<Waiting, Instant>> times = Map.of("oldest", Waiting::due, "age",
						Waiting::submitted);
				times.forEach((name, time) -> Gauge.builder(PREFIX + name, () -> since(policy, time))
					.baseUnit("seconds")
					.tags("policy", policy)
					.register(registry));
				Gauge.builder(PREFIX + "unreadable", () -> meters.unreadable(policy, this.lanes.now()))
					.tags("policy", policy)
					.register(registry);
				Gauge.builder(PREFIX + "lane.paused", () -> this.lanes.isPaused(policy) ? 1 : 0)
					.tags("policy", policy)
					.register(registry);
			}
			Gauge.builder(PREFIX + "orphans", this::orphans).register(registry);
			meters.lateness = (policy,
					late) -> Timer.builder(PREFIX + "lateness").tags("policy", policy).register(registry).record(late);
		}

		private void gauge(MeterRegistry registry, String policy, String state, String task,
				ToDoubleFunction<TaskSummary> value) {
			Gauge.builder(PREFIX + "calls", () -> stored(task, value))
				.tags("policy", policy, "state", state)
				.register(registry);
		}

		private synchronized double stored(String task, ToDoubleFunction<TaskSummary> value) {
			read();
			return this.summary.stream().filter((of) -> of.taskName().equals(task)).mapToDouble(value).sum();
		}

		private synchronized double since(String policy, Function<Waiting, Instant> time) {
			read();
			Waiting known = this.waiting.getOrDefault(policy, NONE);
			return Math.max(0, Duration.between(time.apply(known), this.lanes.now()).toMillis() / 1000.0);
		}

		private synchronized int orphans() {
			read();
			return this.lanes.orphans(this.summary).values().stream().mapToInt(Integer::intValue).sum();
		}

		/* Nothing is stored before there is a durable method. */
		private void read() {
			List<DurableMethod> methods = this.lanes.methods().all();
			if (methods.isEmpty() || Duration.between(this.read, this.lanes.now()).abs().compareTo(SHORTEST) < 0) {
				return;
			}
			// before it, so that a database that is away is asked once
			this.read = this.lanes.now();
			SchedulerClient client = this.lanes.store().client();
			this.summary = client.getScheduledExecutionsSummaryByTask();
			methods.forEach((method) -> this.waiting.put(method.policy(), Waiting.of(method.policy(), client)));
		}

	}

}
