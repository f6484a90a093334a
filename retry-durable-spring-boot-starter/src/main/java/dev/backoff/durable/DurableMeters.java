package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

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

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	private volatile BiConsumer<String, Duration> lateness = (policy, time) -> {
	};

	/** What is counted: the name of the counter and its outcome, or null. */
	enum Count {

		NEW("submitted", "new"), JOINED("submitted", "joined"), REFUSED("submitted", "refused"), DONE("ended", "done"),
		RECOVERED("ended", "recovered"), DEAD("ended", "dead"), ENDED("ended", "ended"), LOST("lost", null),
		FENCED("fenced", null), POSTPONED("postponed", null);

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

	/** Note how long after its due time an attempt begins. */
	void late(String policy, Instant due) {
		Duration late = Duration.between(due, Instant.now());
		this.lateness.accept(policy, late.isNegative() ? Duration.ZERO : late);
	}

	/** Publishes the counts, and what the table holds, asked at most every 30 s. */
	static final class Binder implements MeterBinder {

		private static final String PREFIX = "backoff.durable.";

		private static final Duration SHORTEST = Duration.ofSeconds(30);

		private final Lanes lanes;

		private Instant read = Instant.EPOCH;

		private List<TaskSummary> summary = List.of();

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
				gauge(registry, policy, "scheduled", policy, TaskSummary::scheduledCount);
				gauge(registry, policy, "failing", policy, TaskSummary::failingCount);
				gauge(registry, policy, "running", policy, TaskSummary::runningCount);
				gauge(registry, policy, "dead", DeadTask.name(policy), TaskSummary::instanceCount);
				Gauge.builder(PREFIX + "oldest", () -> of(policy, Binder::oldest))
					.baseUnit("seconds")
					.tags("policy", policy)
					.register(registry);
				Gauge.builder(PREFIX + "lane.paused", () -> this.lanes.isPaused(policy) ? 1 : 0)
					.tags("policy", policy)
					.register(registry);
			}
			meters.lateness = (policy,
					late) -> Timer.builder(PREFIX + "lateness").tags("policy", policy).register(registry).record(late);
		}

		private void gauge(MeterRegistry registry, String policy, String state, String task,
				ToDoubleFunction<TaskSummary> value) {
			Gauge.builder(PREFIX + "calls", () -> of(task, value))
				.tags("policy", policy, "state", state)
				.register(registry);
		}

		private static double oldest(TaskSummary task) {
			Instant due = task.earliestExecutionTime();
			return (due != null) ? Math.max(0, Duration.between(due, Instant.now()).toMillis() / 1000.0) : 0;
		}

		private double of(String task, ToDoubleFunction<TaskSummary> value) {
			return tasks().stream().filter((summary) -> summary.taskName().equals(task)).mapToDouble(value).sum();
		}

		private synchronized List<TaskSummary> tasks() {
			if (Duration.between(this.read, Instant.now()).abs().compareTo(SHORTEST) >= 0) {
				this.summary = new ArrayList<>(this.lanes.store().client().getScheduledExecutionsSummaryByTask());
				this.read = Instant.now();
			}
			return this.summary;
		}

	}

}
