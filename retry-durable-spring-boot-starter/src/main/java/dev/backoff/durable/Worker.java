package dev.backoff.durable;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.concurrency.Ticket;
import dev.backoff.pace.Pace;
import dev.backoff.spring.configuration.DurableSettings;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * The engine's scheduler of one policy in this process, with threads of its own, so that
 * no policy takes another's. It pauses while the breaker refuses attempts, until the next
 * turn of the pace, and while retries are switched off. Thread-safe.
 */
final class Worker {

	private static final Duration LONGEST_CHECK = Duration.ofSeconds(5);

	private static final Duration CENTURY = Duration.ofDays(36_500);

	static final RetryTime TIMER = RetryTime.system();

	private final Scheduler scheduler;

	private final Supplier<Gate> gate;

	private final RetryTime time;

	private final WorkerPool threads;

	/* How often a look at what is due was asked for, begun and done. */
	private final AtomicLong asked = new AtomicLong();

	private volatile long begun;

	private volatile long looked;

	/* From an open breaker until nothing is due: see docs/internals/durable.md. */
	private volatile boolean recovering;

	private volatile boolean failedOnes;

	/* How many looks in a row have found nothing, and what the last one was for. */
	private int empty;

	private boolean soughtFailed;

	private int handed;

	private boolean toldWork;

	private Cancellable recheck = () -> {
	};

	private volatile boolean running;

	/** Serve some of all tasks of the process, by threads with a name. */
	Worker(String name, List<String> served, int threads, Store store, Runnable pollFailed, Supplier<Gate> gate,
			RetryTime time) {
		DurableSettings settings = store.settings;
		this.gate = gate;
		this.time = time;
		this.threads = new WorkerPool(threads, named(name, true), this::attemptEnded, this::tellWork);
		this.scheduler = store.scheduler()
			.jdbcCustomization(new DueQuery(store, served))
			.threads(threads)
			.executorService(this.threads)
			.dueExecutor(Executors.newSingleThreadExecutor(named(name + "-poll", false)))
			.housekeeperExecutor(Executors.newSingleThreadScheduledExecutor(named(name + "-housekeeper", true)))
			.pollUsingFetch(0.5, 3.0)
			.pollingInterval(settings.pollInterval())
			// in time that jumps, each attempt would seem to have lost its process
			.heartbeatInterval((time == TIMER) ? settings.heartbeat() : CENTURY.dividedBy(10))
			.missedHeartbeatsLimit(4)
			// never: rows of tasks that no method has are reported
			.deleteUnresolvedAfter(CENTURY)
			.failureLogging(LogLevel.OFF, false)
			.shutdownMaxWait(settings.shutdownWait())
			.addSchedulerListener(new AbstractSchedulerListener() {

				@Override
				public void onSchedulerEvent(SchedulerEventType type) {
					if (type == SchedulerEventType.RAN_EXECUTE_DUE) {
						endLook();
					}
					else if (type == SchedulerEventType.UNEXPECTED_ERROR) {
						Worker.this.looked = Worker.this.asked.get();
						pollFailed.run();
					}
					tellWork();
				}

			})
			.build();
	}

	/* The thread that polls keeps the process alive until its context is closed. */
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

	void stop() {
		this.running = false;
		tellWork();
		this.scheduler.stop();
	}

	boolean isPaused() {
		return this.scheduler.getSchedulerState().isPaused();
	}

	/* Time must not jump before an attempt may begin, or before its end is stored. */
	private void tellWork() {
		if (this.time == TIMER) {
			return;
		}
		synchronized (this.threads) {
			boolean works = this.threads.isAtWork() || (this.running && this.looked < this.asked.get() && !isPaused());
			if (works != this.toldWork) {
				this.toldWork = works;
				if (works) {
					this.time.workBegins();
				}
				else {
					this.time.workEnds();
				}
			}
		}
	}

	/** Look for what is due at a time; regular polls find what lies far ahead. */
	void arm(Instant due) {
		// databases round times up
		Duration wait = Duration.between(this.time.instant(), due.plusNanos(999).truncatedTo(ChronoUnit.MICROS));
		if (wait.isNegative() || wait.isZero()) {
			if (isPaused()) {
				check();
			}
			look();
		}
		else if (wait.compareTo((this.time == TIMER) ? Duration.ofMinutes(1) : CENTURY) <= 0) {
			// again, since the timer may be ahead of the clock
			Cancellable unused = this.time.schedule(() -> arm(due), wait.toNanos());
		}
	}

	private void look() {
		this.asked.incrementAndGet();
		tellWork();
		this.scheduler.triggerCheckForDueExecutions();
	}

	private void endLook() {
		this.empty = (this.recovering && this.threads.handed.get() == this.handed) ? this.empty + 1 : 0;
		if (this.empty == 1) {
			look();
		}
		else if (this.empty == 2) {
			this.empty = 0;
			this.recovering = false;
		}
		this.looked = this.begun;
	}

	void attempted(boolean triedBefore, boolean well) {
		this.failedOnes = triedBefore == well;
	}

	private void attemptEnded() {
		check();
		if (this.recovering || this.time != TIMER || this.gate.get().isPaced()) {
			look();
		}
	}

	private void checkRegularly() {
		if (this.running) {
			try {
				check();
			}
			finally {
				TIMER.schedule(this::checkRegularly, LONGEST_CHECK.toNanos());
			}
		}
	}

	/** Pause or go on, check again when an attempt is permitted; return if it pauses. */
	synchronized boolean check() {
		if (!this.running) {
			return isPaused();
		}
		Gate now = this.gate.get();
		long reading = this.time.nanoTime();
		boolean permitting = now.breaker() == null || now.breaker().isPermitting(reading);
		long turn = now.nanosToTurn();
		boolean open = now.on() && permitting && turn == 0;
		if (!permitting) {
			this.recovering = true;
		}
		if (open && isPaused()) {
			this.scheduler.resume();
			look();
		}
		else if (!open && !isPaused()) {
			this.scheduler.pause();
			tellWork();
		}
		long permit = (now.breaker() != null) ? now.breaker().nanosToPermit(reading) : 0;
		long until = (now.on() && !open) ? Math.max(permit, turn) : 0;
		if (until > 0 && (until < LONGEST_CHECK.toNanos() || this.time != TIMER)) {
			this.recheck.cancel();
			this.recheck = this.time.schedule(this::check, until);
		}
		return isPaused();
	}

	/** Take a turn of the pace; return how long there is none if another call has it. */
	long takeTurn() {
		Gate now = this.gate.get();
		long turn = now.nanosToTurn();
		Ticket ticket = (now.pace() != null && turn == 0) ? now.pace().enter(false, this.time.nanoTime()) : null;
		if (ticket != null) {
			ticket.leave();
			turn = TimeUnit.SECONDS.toNanos(1);
		}
		if (now.isPaced()) {
			check();
			look();
		}
		return turn;
	}

	/** What may close a worker: the breaker, the pace, or retries switched off. */
	record Gate(boolean on, @Nullable CallPermits breaker, @Nullable Pace pace) {

		long nanosToTurn() {
			return (this.pace != null) ? this.pace.status().untilTurn().toNanos() : 0;
		}

		boolean isPaced() {
			Pace.Status now = (this.pace != null) ? this.pace.status() : null;
			return now != null && (now.perSecond() > 0 || !now.quotas().isEmpty());
		}

		boolean isProbing() {
			return this.breaker instanceof CircuitBreaker own
					&& (own.state() == BreakerState.OPEN || own.state() == BreakerState.HALF_OPEN);
		}

	}

	/** The engine's query for what is due; of one row while a breaker probes or paced. */
	private final class DueQuery extends AutodetectJdbcCustomization {

		private final Store store;

		private final String due;

		DueQuery(Store store, List<String> tasks) {
			super(store.dataSource, store.isWithoutZones());
			this.store = store;
			String due = "select * from " + store.table()
					+ " where picked = ?1 and execution_time <= ?2 and task_name in ('";
			// each by itself, or H2 reads the rows of all tasks
			this.due = store.script.equals("h2") ? due + String.join("') union all " + due, tasks)
					: due.replaceAll("\\?.", "?") + String.join("', '", tasks);
		}

		@Override
		public String createSelectDueQuery(String table, int limit, String condition, boolean byPriority) {
			Worker.this.begun = Worker.this.asked.get();
			Worker.this.handed = Worker.this.threads.handed.get();
			boolean probing = Worker.this.gate.get().isProbing();
			if (probing) {
				Worker.this.recovering = true;
			}
			String rows = this.due + "') " + condition;
			if (!Worker.this.recovering) {
				return rows + " order by " + this.store.order()
						+ this.store.limit(Worker.this.gate.get().isPaced() ? 1 : limit);
			}
			boolean failed = (Worker.this.empty == 0) ? Worker.this.failedOnes : !Worker.this.soughtFailed;
			Worker.this.soughtFailed = failed;
			int free = Worker.this.threads.getCorePoolSize() - Worker.this.threads.getActiveCount();
			return rows + " and coalesce(consecutive_failures, 0) " + (failed ? "> 0" : "< 1") + " order by "
					+ this.store.order().replace(",", " desc,") + " desc"
					+ this.store.limit(probing ? 1 : Math.max(1, free));
		}

	}

}
