package dev.backoff.durable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.event.SchedulerListener;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.durable.DurableMethods.DurableMethod;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.RetryTime;

/**
 * The lanes of this process and what they share. Without a durable method nothing is
 * opened. Thread-safe.
 */
final class Lanes implements SmartInitializingSingleton, SmartLifecycle {

	/* The phase of the graceful shutdown of Spring Boot's web servers. */
	private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(Lanes.class);

	private final BackoffPolicies policies;

	private final OverloadSafety safety;

	private final RetryTime time;

	private final CallJson json;

	private final Supplier<Submissions> submissions;

	private final Supplier<DurableMethods> methods;

	private final Supplier<Store> store;

	private final List<Task<?>> tasks = new ArrayList<>();

	/* By the names of tasks; empty while nothing works here. */
	private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

	private final DurableMeters meters = new DurableMeters();

	private volatile boolean started;

	Lanes(BackoffPolicies policies, OverloadSafety safety, RetryTime time, CallJson json,
			Supplier<Submissions> submissions, Supplier<DurableMethods> methods,
			ObjectProvider<DataSource> dataSource) {
		this.policies = policies;
		this.safety = safety;
		this.time = time;
		this.json = json;
		this.submissions = submissions;
		this.methods = SingletonSupplier.of(methods);
		this.store = SingletonSupplier.of(() -> open(dataSource.getIfAvailable()));
	}

	private Store open(@Nullable DataSource application) {
		for (DurableMethod method : methods().all()) {
			this.tasks.add(new DurableTask(method, this).task());
			this.tasks.add(new DeadTask(method, this).task());
		}
		return Store.open(this.policies.configuration().durable(), application, this.json, this.tasks, listener());
	}

	/* The engine's statements that move a row pass it. */
	private SchedulerListener listener() {
		return new AbstractSchedulerListener() {

			@Override
			public void onExecutionScheduled(TaskInstanceId instance, Instant due) {
				arm(instance.getTaskName(), due);
			}

		};
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

	Submissions submissions() {
		return this.submissions.get();
	}

	RetryTime time() {
		return this.time;
	}

	DurableMeters meters() {
		return this.meters;
	}

	/** Return whether the lane of a policy pauses; false without a lane here. */
	boolean isPaused(String policy) {
		Lane lane = this.started ? this.lanes.get(policy) : null;
		return lane != null && lane.isPaused();
	}

	/** Let the lane of a task look for what is due when the given time comes. */
	void arm(String task, Instant due) {
		Lane lane = this.started ? this.lanes.get(task) : null;
		if (lane != null) {
			lane.arm(due);
		}
	}

	/** Open the store at the start, so that its problems stop it. */
	@Override
	public void afterSingletonsInstantiated() {
		if (!methods().all().isEmpty()) {
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
			EffectivePolicy policy = methods().policy(method);
			int threads = Objects.requireNonNull(policy.concurrency());
			this.lanes.put(method.policy(),
					lane(method.policy(), "= '" + method.policy() + "'", threads, () -> gate(method)));
		}
		String letters = all.stream()
			.map((method) -> "'" + DeadTask.name(method.policy()) + "'")
			.collect(Collectors.joining(", ", "in (", ")"));
		Lane dead = lane("dead", letters, 1, () -> new Lane.Gate(true, null));
		all.forEach((method) -> this.lanes.put(DeadTask.name(method.policy()), dead));
		this.started = true;
		all.forEach(this::schedule);
		this.lanes.values().stream().distinct().forEach(Lane::start);
		logger.info("Durable calls are made in {} lanes", all.size());
		warnOfOrphans();
	}

	private void warnOfOrphans() {
		Set<String> known = this.tasks.stream().map(Task::getName).collect(Collectors.toSet());
		store().client().getScheduledExecutionsSummaryByTask().forEach((task) -> {
			if (!known.contains(task.taskName())) {
				logger.warn("No durable method has the policy {} of {} stored calls, which stay as they are: give a "
						+ "method that name, or delete the rows", task.taskName(), task.instanceCount());
			}
		});
	}

	private void schedule(DurableMethod method) {
		OneRowSchedule schedule = OneRowSchedule.of(methods().policy(method));
		if (schedule != null) {
			schedule.start(store(), method);
		}
		else {
			OneRowSchedule.remove(store(), method);
		}
	}

	private Lane lane(String name, String condition, int threads, Supplier<Lane.Gate> gate) {
		return new Lane(name, condition, threads, store(), this.tasks, listener(), gate, this.time);
	}

	private Lane.Gate gate(DurableMethod method) {
		BackoffConfiguration configuration = this.policies.configuration();
		EffectivePolicy policy = methods().policy(method);
		boolean on = configuration.isEnabled() && configuration.isRetriesEnabled() && policy.numbers().isEnabled();
		return new Lane.Gate(on, this.safety.permits(policy, configuration));
	}

	@Override
	public boolean isRunning() {
		return this.started;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	/** Stop all lanes at once, each after its running attempts. */
	@Override
	public void stop(Runnable callback) {
		List<Lane> stopping = this.lanes.values().stream().distinct().toList();
		this.started = false;
		this.lanes.clear();
		CompletableFuture<?>[] stopped = stopping.stream().map((lane) -> {
			CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
			Thread thread = new Thread(() -> {
				lane.stop();
				done.complete(null);
			}, "backoff-stop");
			thread.start();
			return done;
		}).toArray(CompletableFuture<?>[]::new);
		CompletableFuture<Void> unused = CompletableFuture.allOf(stopped).thenRun(callback);
	}

}
