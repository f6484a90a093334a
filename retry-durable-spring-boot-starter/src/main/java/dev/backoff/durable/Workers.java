package dev.backoff.durable;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.SmartLifecycle;

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

/** The workers of the process: one a policy, one for dead letters. Thread-safe. */
final class Workers implements SmartInitializingSingleton, SmartLifecycle, ConfigurationListener, AutoCloseable {

	/* So many connections, and one for as many threads. */
	private static final int CONNECTIONS = 4;

	private static final Logger logger = LoggerFactory.getLogger(Workers.class);

	private final DurableParts parts;

	private final BackoffPolicies policies;

	private final OverloadSafety safety;

	private final Supplier<StoredAttempts> attempts;

	private final ObjectProvider<DataSourcePoolMetadataProvider> pools;

	/* By the names of tasks; empty while nothing works here. */
	private final Map<String, Worker> workers = new ConcurrentHashMap<>();

	private volatile @Nullable Store opened;

	private volatile boolean started;

	Workers(DurableParts parts, BackoffPolicies policies, OverloadSafety safety, Supplier<StoredAttempts> attempts,
			ObjectProvider<DataSourcePoolMetadataProvider> pools) {
		this.parts = parts;
		this.policies = policies;
		this.safety = safety;
		this.attempts = attempts;
		this.pools = pools;
	}

	/** Open the store for the tasks of all methods. */
	Store open(@Nullable DataSource application, Serializer rows) {
		List<Task<?>> tasks = new ArrayList<>();
		for (DurableMethod method : this.parts.methods().all()) {
			tasks.add(new DurableTask(method, this.parts, this.attempts.get(), () -> worker(method.policy()),
					new AtomicReference<>(Instant.EPOCH))
				.task());
			tasks.add(new DeadTask(method, this.parts).task());
		}
		Store store = new Store(this.policies.configuration().durable(), application, rows, tasks,
				new AbstractSchedulerListener() {

					/* Of rows that the engine moves; by the guard, before the commit. */
					@Override
					public void onExecutionScheduled(TaskInstanceId instance, Instant due) {
						// a process that can read the row looks for it first
						if (!Workers.this.parts.meters().isUnreadable(instance.getTaskName(), instance.getId(), due)) {
							Store.afterCommit(() -> arm(instance.getTaskName(), due));
						}
					}

				}, this.parts::now);
		this.opened = store;
		return store;
	}

	/** Let the worker of a task look for what is due at a time. */
	void arm(String task, Instant due) {
		worker(task).ifPresent((worker) -> worker.arm(due));
	}

	/** Return the worker of a task, if it works here. */
	Optional<Worker> worker(String task) {
		return Optional.ofNullable(this.started ? this.workers.get(task) : null);
	}

	/** Open the store at the start, so that its problems stop it. */
	@Override
	public void afterSingletonsInstantiated() {
		if (!this.parts.methods().all().isEmpty()) {
			this.parts.methods().checkBeans();
			Store unused = this.parts.store();
		}
	}

	@Override
	public void start() {
		BackoffConfiguration configuration = this.policies.configuration();
		List<DurableMethod> all = this.parts.methods().all();
		if (this.started || all.isEmpty() || !configuration.isEnabled() || !configuration.durable().work()) {
			return;
		}
		for (DurableMethod method : all) {
			this.workers.put(method.policy(),
					worker(method.policy(), List.of(method.policy()), threads(method), () -> gate(method)));
		}
		List<String> letters = all.stream().map((method) -> StoredCall.deadTask(method.policy())).toList();
		Worker dead = worker("dead", letters, 1, () -> new Worker.Gate(true, null, null));
		all.forEach((method) -> this.workers.put(StoredCall.deadTask(method.policy()), dead));
		this.started = true;
		all.forEach((method) -> OneRowSchedule.start(this.parts.store(), method, this.parts.now()));
		this.workers.values().stream().distinct().forEach(Worker::start);
		if (this.parts.clock() != RetryTime.system()) {
			// the polls come too late for a clock that jumps
			all.forEach((method) -> this.parts.store()
				.rows(Store.Part.of(method.policy(), false))
				.forEach((row) -> arm(method.policy(), row.executionTime)));
		}
		logger.info("Durable calls ({}) are kept in {}",
				String.join(", ", all.stream().map(DurableMethod::policy).toList()),
				this.parts.store().own
						? "the file " + Path.of(configuration.durable().file()).toAbsolutePath().normalize()
						: "the application's database");
		tell();
		advise();
	}

	/* The row of a schedule is no call before its slot. */
	private void tell() {
		Set<String> told = new TreeSet<>();
		for (String task : this.workers.keySet()) {
			Instant since = Waiting.of(task, this.parts.store()).submitted();
			if (!since.isAfter(this.parts.now())) {
				int calls = this.parts.store().count(Store.Part.of(task, false), Store.MOST);
				told.add(task + " " + number(calls) + ", since " + since);
			}
		}
		if (!told.isEmpty()) {
			logger.info("Stored calls go on, and dead letters wait (number, the oldest since when): {}",
					String.join("; ", told));
		}
	}

	private static String number(int counted) {
		return counted + ((counted < Store.MOST) ? "" : " or more");
	}

	private void advise() {
		this.parts.methods()
			.orphans(this.parts.store(), Store.MOST)
			.forEach((task, calls) -> logger.warn(
					"No durable method has the policy {} of {} stored calls, which stay: give a method that name, or delete them",
					Problem.oneLine(task, StoredCall.LONGEST_KEY), number(calls)));
		int threads = this.parts.methods().all().stream().mapToInt((method) -> threads(method)).sum();
		DataSourcePoolMetadata pool = new CompositeDataSourcePoolMetadataProvider(this.pools.orderedStream().toList())
			.getDataSourcePoolMetadata(this.parts.store().dataSource);
		Integer connections = (pool != null) ? pool.getMax() : null;
		if (connections != null && connections < CONNECTIONS + threads / CONNECTIONS) {
			logger.warn("The pool has {} connections for {} threads of durable calls and all else: give it {} or more, "
					+ "or lower concurrency", connections, threads, CONNECTIONS + threads / CONNECTIONS);
		}
		List<String> missing = this.parts.store().missingSettings();
		if (!missing.isEmpty()) {
			logger.warn("H2 can lose what a process has just stored when it is killed or stopped: add ;{} to the "
					+ "URL of the database", String.join(";", missing));
		}
	}

	private int threads(DurableMethod method) {
		return Objects.requireNonNull(this.parts.methods().policy(method).concurrency());
	}

	private Worker worker(String name, List<String> served, int threads, Supplier<Worker.Gate> gate) {
		return new Worker(name, served, threads, this.parts.store(),
				() -> this.parts.meters().add(Count.POLL_FAILED, name), gate, this.parts.clock());
	}

	private Worker.Gate gate(DurableMethod method) {
		BackoffConfiguration configuration = this.policies.configuration();
		EffectivePolicy policy = this.parts.methods().policy(method);
		boolean on = configuration.isEnabled() && configuration.isRetriesEnabled() && policy.numbers().isEnabled();
		return new Worker.Gate(on, this.safety.permits(policy, configuration), this.safety.paces().of(policy.name()));
	}

	@Override
	public void changed(Outcome outcome, Overrides overrides) {
		this.workers.values().forEach(Worker::check);
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
		List<Worker> stopping = this.workers.values().stream().distinct().toList();
		this.started = false;
		this.workers.clear();
		CompletableFuture<?>[] stopped = stopping.stream()
			.map((worker) -> CompletableFuture.runAsync(worker::stop,
					(stop) -> new Thread(stop, "backoff-stop").start()))
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
