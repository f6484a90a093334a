package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.event.SchedulerListener;
import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.Task;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.spring.policy.DurableSettings;
import dev.backoff.time.RetryTime;

/**
 * The engine's scheduler of one policy in this process, with threads of its own, so that
 * no policy takes another's. It pauses while the breaker refuses attempts or retries are
 * switched off. Thread-safe.
 */
final class Lane {

	private static final Duration LONGEST_CHECK = Duration.ofSeconds(5);

	private static final Duration FARTHEST_ARMED = Duration.ofMinutes(1);

	/* Databases round times up, and a look that comes too early finds nothing. */
	private static final Duration ROUNDED = Duration.ofMillis(1);

	/*
	 * A hundred years: rows of tasks that no method has are reported, and never deleted.
	 */
	private static final Duration NEVER_DELETED = Duration.ofDays(36_500);

	private static final int MISSED_HEARTBEATS = 4;

	/* The engine's clock is the system's, in tests too. */
	static final RetryTime TIMER = RetryTime.system();

	private final Scheduler scheduler;

	private final Supplier<Gate> gate;

	private final RetryTime time;

	private volatile boolean running;

	/**
	 * Make a lane.
	 * @param name names its threads
	 * @param served the tasks that it serves
	 * @param tasks all tasks of the process
	 * @param gate what may close the lane, asked at each check
	 * @param time the breaker's
	 */
	Lane(String name, List<String> served, int threads, Store store, List<Task<?>> tasks, SchedulerListener listener,
			Supplier<Gate> gate, RetryTime time) {
		DurableSettings settings = store.settings();
		this.gate = gate;
		this.time = time;
		this.scheduler = Scheduler.create(store.dataSource(), tasks)
			.schedulerName(store.name())
			.serializer(store.serializer())
			.tableName(settings.table())
			.jdbcCustomization(new LaneQuery(store.dataSource(), store.isWithoutZones(), served,
					() -> this.gate.get().isProbing()))
			.commitWhenAutocommitDisabled(true)
			.threads(threads)
			.executorService(Executors.newFixedThreadPool(threads, named(name, true)))
			.dueExecutor(Executors.newSingleThreadExecutor(named(name + "-poll", false)))
			.housekeeperExecutor(Executors.newSingleThreadScheduledExecutor(named(name + "-housekeeper", true)))
			.pollUsingFetch(0.5, 3.0)
			.pollingInterval(settings.pollInterval())
			.heartbeatInterval(settings.heartbeat())
			.missedHeartbeatsLimit(MISSED_HEARTBEATS)
			.deleteUnresolvedAfter(NEVER_DELETED)
			.failureLogging(LogLevel.OFF, false)
			.shutdownMaxWait(settings.shutdownWait())
			.addSchedulerListener(listener)
			.addSchedulerListener(new AbstractSchedulerListener() {

				@Override
				public void onExecutionComplete(ExecutionComplete complete) {
					attemptEnded();
				}

			})
			.build();
	}

	/*
	 * A process that makes attempts lives until its context is closed, and no attempt
	 * keeps it longer.
	 */
	private static CustomizableThreadFactory named(String name, boolean daemon) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("backoff-" + name + "-");
		threads.setDaemon(daemon);
		return threads;
	}

	void start() {
		this.running = true;
		checkRegularly();
		this.scheduler.start();
	}

	/** Wait for running attempts, and interrupt them at the end of their time. */
	void stop() {
		this.running = false;
		this.scheduler.stop();
	}

	boolean isPaused() {
		return this.scheduler.getSchedulerState().isPaused();
	}

	/** Look for what is due when the given time comes. */
	void arm(Instant due) {
		Duration wait = Duration.between(Instant.now(), due);
		if (wait.compareTo(FARTHEST_ARMED) > 0) {
			return;
		}
		if (wait.isNegative() || wait.isZero()) {
			this.scheduler.triggerCheckForDueExecutions();
			return;
		}
		TIMER.schedule(this.scheduler::triggerCheckForDueExecutions, wait.plus(ROUNDED).toNanos());
	}

	private void attemptEnded() {
		long nanos = check();
		if (nanos < LONGEST_CHECK.toNanos()) {
			TIMER.schedule(this::check, nanos);
		}
		if (this.gate.get().isProbing()) {
			this.scheduler.triggerCheckForDueExecutions();
		}
	}

	private void checkRegularly() {
		if (this.running) {
			long next = LONGEST_CHECK.toNanos();
			try {
				next = check();
			}
			finally {
				TIMER.schedule(this::checkRegularly, next);
			}
		}
	}

	/** Pause or go on; return when to check again at the latest. */
	private long check() {
		Gate now = this.gate.get();
		long reading = this.time.nanoTime();
		boolean open = now.on() && (now.breaker() == null || now.breaker().isPermitting(reading));
		if (open == isPaused()) {
			if (open) {
				this.scheduler.resume();
				this.scheduler.triggerCheckForDueExecutions();
			}
			else {
				this.scheduler.pause();
			}
		}
		long until = (now.on() && !open && now.breaker() != null) ? now.breaker().nanosToPermit(reading) : 0;
		return (until > 0) ? Math.min(until, LONGEST_CHECK.toNanos()) : LONGEST_CHECK.toNanos();
	}

	/**
	 * What may close a lane.
	 *
	 * @param on whether retries are switched on
	 * @param breaker the breaker of the policy, or null
	 */
	record Gate(boolean on, @Nullable CallPermits breaker) {

		/** Return whether probes are to go one by one. */
		boolean isProbing() {
			return this.breaker instanceof CircuitBreaker own && own.state() != BreakerState.CLOSED;
		}

	}

	/**
	 * The engine's query for what is due, of given tasks only. While a breaker probes, it
	 * fetches one row, so that no row is picked in vain.
	 */
	private static final class LaneQuery extends AutodetectJdbcCustomization {

		private final String due;

		private final BooleanSupplier probing;

		/**
		 * Query the given tasks.
		 * @param tasks checked names
		 */
		LaneQuery(DataSource dataSource, boolean withoutZones, List<String> tasks, BooleanSupplier probing) {
			super(dataSource, withoutZones);
			this.due = (tasks.size() == 1 && getName().equals(POSTGRESQL)) ? dueOnPostgres(tasks.get(0))
					: "picked = ? and execution_time <= ? and task_name in ('" + String.join("', '", tasks) + "')";
			this.probing = probing;
		}

		/*
		 * The same rows as a range. Until PostgreSQL has analysed a table that has grown
		 * at once, it expects few rows of equal values, and sorts the whole backlog.
		 */
		private static String dueOnPostgres(String task) {
			return "(picked, task_name, execution_time) <= (?, '" + task + "', ?) and (picked, task_name) >= (false, '"
					+ task + "')";
		}

		/* The order is that of the index, or H2 sorts the whole backlog. */
		@Override
		public String createSelectDueQuery(String table, int limit, String condition, boolean byPriority) {
			return "select * from " + table + " where " + this.due + " " + condition
					+ " order by picked, task_name, execution_time"
					+ getQueryLimitPart(this.probing.getAsBoolean() ? 1 : limit);
		}

	}

}
