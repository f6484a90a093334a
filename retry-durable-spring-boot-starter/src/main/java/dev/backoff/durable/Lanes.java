package dev.backoff.durable;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.ScheduledExecutionsFilter;
import com.github.kagkarlsson.scheduler.TaskSummary;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.event.SchedulerListener;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.durable.DurableMeters.Count;
import dev.backoff.durable.DurableMeters.Waiting;
import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.live.ConfigurationListener;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * The lanes of this process and what they share. Without a durable method nothing is
 * opened. Thread-safe.
 */
final class Lanes implements SmartInitializingSingleton, SmartLifecycle, ConfigurationListener, AutoCloseable {

	/* So many connections, and one for as many threads. */
	private static final int CONNECTIONS = 4;

	private static final Logger logger = LoggerFactory.getLogger(Lanes.class);

	private final BackoffPolicies policies;

	private final OverloadSafety safety;

	private final RetryTime time;

	private final CallJson json;

	private final Serializer rows;

	private final Function<DataSource, @Nullable Integer> poolSize;

	private final Supplier<StoredAttempts> attempts;

	private final Supplier<DurableMethods> methods;

	private final Supplier<Store> store;

	private final List<Task<?>> tasks = new ArrayList<>();

	/* By the names of tasks; empty while nothing works here. */
	private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

	private final DurableMeters meters = new DurableMeters();

	/* Hears of rows that the engine moves, by the guard before the commit. */
	private final SchedulerListener moves = new AbstractSchedulerListener() {

		@Override
		public void onExecutionScheduled(TaskInstanceId instance, Instant due) {
			// a process that can read the row looks for it first
			if (!meters().isUnreadable(instance.getTaskName(), instance.getId(), due)) {
				Store.afterCommit(() -> arm(instance.getTaskName(), due));
			}
		}

	};

	private volatile @Nullable Store opened;

	private volatile boolean started;

	Lanes(BackoffPolicies policies, OverloadSafety safety, RetryTime time, CallJson json, Serializer rows,
			Supplier<StoredAttempts> attempts, Supplier<DurableMethods> methods,
			Supplier<@Nullable DataSource> dataSource, Function<DataSource, @Nullable Integer> poolSize) {
		this.policies = policies;
		this.safety = safety;
		this.time = time;
		this.json = json;
		this.rows = rows;
		this.poolSize = poolSize;
		this.attempts = attempts;
		this.methods = SingletonSupplier.of(methods);
		this.store = SingletonSupplier.of(() -> open(dataSource.get()));
	}

	private Store open(@Nullable DataSource application) {
		for (DurableMethod method : methods().all()) {
			this.tasks.add(new DurableTask(method, this, this.attempts.get()).task());
			this.tasks.add(new DeadTask(method, this).task());
		}
		Store store = Store.open(this.policies.configuration().durable(), application, this.rows, this.tasks,
				this.moves, this::now);
		this.opened = store;
		return store;
	}

	/** Return the time by which calls are due. */
	Instant now() {
		return this.time.instant();
	}

	Store store() {
		return Objects.requireNonNull(this.store.get());
	}

	DurableMethods methods() {
		return Objects.requireNonNull(this.methods.get());
	}

	CallJson json() {
		return this.json;
	}

	DurableMeters meters() {
		return this.meters;
	}

	/** Let the lane of a task look for what is due at a time. */
	void arm(String task, Instant due) {
		lane(task).ifPresent((lane) -> lane.arm(due));
	}

	/** Return the lane of a task, if it works here. */
	Optional<Lane> lane(String task) {
		return Optional.ofNullable(this.started ? this.lanes.get(task) : null);
	}

	/** Open the store at the start, so that its problems stop it. */
	@Override
	public void afterSingletonsInstantiated() {
		if (!methods().all().isEmpty()) {
			methods().checkBeans();
			Store unused = store();
		}
	}

	@Override
	public void start() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<DurableMethod> all = methods().all();
		if (this.started || all.isEmpty() || !configuration.isEnabled() || !configuration.durable().work()) {
			return;
		}
		for (DurableMethod method : all) {
			this.lanes.put(method.policy(),
					lane(method.policy(), List.of(method.policy()), threads(method), () -> gate(method)));
		}
		List<String> letters = all.stream().map((method) -> StoredCall.deadTask(method.policy())).toList();
		Lane dead = lane("dead", letters, 1, () -> new Lane.Gate(true, null));
		all.forEach((method) -> this.lanes.put(StoredCall.deadTask(method.policy()), dead));
		this.started = true;
		all.forEach((method) -> OneRowSchedule.start(store(), method, now()));
		this.lanes.values().stream().distinct().forEach(Lane::start);
		if (this.time != RetryTime.system()) {
			// the polls come too late for a clock that jumps
			all.forEach((method) -> store().client()
				.fetchScheduledExecutionsForTask(method.policy(), StoredCall.class, ScheduledExecutionsFilter.all(),
						(row) -> arm(method.policy(), row.getExecutionTime())));
		}
		logger.info("Durable calls ({}) are kept in {}",
				String.join(", ", all.stream().map(DurableMethod::policy).toList()),
				store().isOwn() ? "the file " + Path.of(configuration.durable().file()).toAbsolutePath().normalize()
						: "the application's database");
		Collection<TaskSummary> summary = store().client().getScheduledExecutionsSummaryByTask();
		tell(summary);
		advise(summary);
	}

	/* The row of a schedule is no call before its slot, and orphans cannot be read. */
	private void tell(Collection<TaskSummary> summary) {
		Set<String> told = new TreeSet<>();
		for (TaskSummary task : summary) {
			Instant oldest = lane(task.taskName()).isEmpty() ? StoredCall.NEVER
					: Waiting.of(task.taskName(), store().client()).submitted();
			if (!oldest.isAfter(now())) {
				told.add(task.taskName() + " " + task.instanceCount() + ", since " + oldest);
			}
		}
		if (!told.isEmpty()) {
			logger.info("Stored calls go on, and dead letters wait (number, the oldest since when): {}",
					String.join("; ", told));
		}
	}

	private void advise(Collection<TaskSummary> summary) {
		orphans(summary).forEach((task, calls) -> logger.warn(
				"No durable method has the policy {} of {} stored calls, which stay: give a method that name, or delete them",
				Problem.oneLine(task, StoredCall.LONGEST_KEY), calls));
		int threads = methods().all().stream().mapToInt((method) -> threads(method)).sum();
		Integer connections = this.poolSize.apply(store().dataSource());
		if (connections != null && connections < CONNECTIONS + threads / CONNECTIONS) {
			logger.warn("The pool has {} connections for {} threads of durable calls and all else: give it {} or more, "
					+ "or lower concurrency", connections, threads, CONNECTIONS + threads / CONNECTIONS);
		}
		List<String> missing = store().missingSettings();
		if (!missing.isEmpty()) {
			logger.warn("H2 can lose what a process has just stored when it is killed or stopped: add ;{} to the "
					+ "URL of the database", String.join(";", missing));
		}
	}

	/** Return how many rows each task of a summary has that no method has. */
	Map<String, Integer> orphans(Collection<TaskSummary> summary) {
		Set<String> known = this.tasks.stream().map(Task::getName).collect(Collectors.toSet());
		return summary.stream()
			.filter((task) -> !known.contains(task.taskName()))
			.collect(Collectors.toMap(TaskSummary::taskName, TaskSummary::instanceCount));
	}

	private int threads(DurableMethod method) {
		return Objects.requireNonNull(methods().policy(method).concurrency());
	}

	private Lane lane(String name, List<String> served, int threads, Supplier<Lane.Gate> gate) {
		return new Lane(name, served, threads, store(), this.tasks, this.moves,
				() -> this.meters.add(Count.POLL_FAILED, name), gate, this.time);
	}

	private Lane.Gate gate(DurableMethod method) {
		BackoffConfiguration configuration = this.policies.configuration();
		EffectivePolicy policy = methods().policy(method);
		boolean on = configuration.isEnabled() && configuration.isRetriesEnabled() && policy.numbers().isEnabled();
		return new Lane.Gate(on, this.safety.permits(policy, configuration));
	}

	@Override
	public void changed(Outcome outcome, Overrides overrides) {
		this.lanes.values().forEach(Lane::check);
	}

	@Override
	public boolean isRunning() {
		return this.started;
	}

	/** Return the phase of the graceful shutdown of Spring Boot's web servers. */
	@Override
	public int getPhase() {
		return SmartLifecycle.DEFAULT_PHASE - 1024;
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	@Override
	public void stop(Runnable callback) {
		List<Lane> stopping = this.lanes.values().stream().distinct().toList();
		this.started = false;
		this.lanes.clear();
		CompletableFuture<?>[] stopped = stopping.stream()
			.map((lane) -> CompletableFuture.runAsync(lane::stop, (stop) -> new Thread(stop, "backoff-stop").start()))
			.toArray(CompletableFuture<?>[]::new);
		CompletableFuture<?> unused = CompletableFuture.allOf(stopped).whenComplete((done, problem) -> callback.run());
	}

	/** Close the store, after the beans whose attempts may still run. */
	@Override
	public void close() {
		stop();
		Store store = this.opened;
		if (store != null) {
			store.close();
		}
	}

}
