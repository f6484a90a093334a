package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
import dev.backoff.durable.DurableState.Phase;

/**
 * Counts of what happens to stored calls. They are counted with and without Micrometer,
 * and {@link Binder} publishes them. Thread-safe.
 */
final class DurableMeters {

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	/* When rows, by policy and name, are due again that this process cannot read. */
	private final Map<List<String>, Instant> unreadable = new ConcurrentHashMap<>();

	private volatile BiConsumer<String, Duration> lateness = (policy, time) -> {
	};

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

	void unreadable(String policy, String row, Instant due) {
		this.unreadable.put(List.of(policy, row), due);
	}

	/** Return whether a row was put back here until then, since it cannot be read. */
	boolean isUnreadable(String policy, String row, Instant due) {
		return due.equals(this.unreadable.get(List.of(policy, row)));
	}

	/** Return how many rows were put back here, those long due again left out. */
	int unreadable(String policy, Instant now) {
		this.unreadable.values().removeIf((due) -> due.isBefore(now.minusSeconds(60)));
		return (int) this.unreadable.keySet().stream().filter((row) -> row.get(0).equals(policy)).count();
	}

	/** Return how many calls of a policy a summary counts in a phase. */
	static int count(Collection<TaskSummary> summary, String policy, Phase phase) {
		String task = (phase == Phase.DEAD) ? DeadTask.name(policy) : policy;
		return summary.stream().filter((of) -> of.taskName().equals(task)).mapToInt((of) -> switch (phase) {
			case SCHEDULED -> of.instanceCount() - of.runningCount();
			case RUNNING -> of.runningCount();
			case DEAD -> of.instanceCount();
		}).sum();
	}

	static String lowerCase(Phase phase) {
		return phase.name().toLowerCase(Locale.ROOT);
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

		private static final Waiting NONE = new Waiting(DurableTask.NEVER, DurableTask.NEVER);

		private final Lanes lanes;

		private Instant read = Instant.EPOCH;

		private Collection<TaskSummary> summary = List.of();

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
				for (Phase phase : Phase.values()) {
					gauge("calls", policy, () -> count(summary(), policy, phase)).tag("state", lowerCase(phase))
						.register(registry);
				}
				gauge("oldest", policy, () -> since(policy, Waiting::due)).baseUnit("seconds").register(registry);
				gauge("age", policy, () -> since(policy, Waiting::submitted)).baseUnit("seconds").register(registry);
				gauge("unreadable", policy, () -> meters.unreadable(policy, this.lanes.now())).register(registry);
				gauge("lane.paused", policy, () -> this.lanes.lane(policy).filter(Lane::isPaused).isPresent() ? 1 : 0)
					.register(registry);
			}
			Gauge
				.builder(PREFIX + "orphans",
						() -> this.lanes.orphans(summary()).values().stream().mapToInt(Integer::intValue).sum())
				.register(registry);
			meters.lateness = (policy,
					late) -> Timer.builder(PREFIX + "lateness").tags("policy", policy).register(registry).record(late);
		}

		private static Gauge.Builder<?> gauge(String name, String policy, Supplier<Number> value) {
			return Gauge.builder(PREFIX + name, value).tags("policy", policy);
		}

		private synchronized Collection<TaskSummary> summary() {
			read();
			return this.summary;
		}

		private synchronized double since(String policy, Function<Waiting, Instant> time) {
			read();
			Waiting known = this.waiting.getOrDefault(policy, NONE);
			return Math.max(0, Duration.between(time.apply(known), this.lanes.now()).toMillis() / 1000.0);
		}

		/* Nothing is stored before there is a durable method. */
		private void read() {
			List<DurableMethod> methods = this.lanes.methods().all();
			if (methods.isEmpty() || Math.abs(Duration.between(this.read, this.lanes.now()).toSeconds()) < 30) {
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
