package dev.backoff.benchmarks.durable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How fast callers store calls, and how soon after that an attempt begins. */
final class Submitted {

	private static final int CALLERS = 16;

	private static final int A_SECOND = 500;

	private static final int WARM_UP = 3;

	private Submitted() {
	}

	/** Compare submissions with the engine's own schedule, while nothing is made. */
	static void rates(Database database, int calls, int pairs, StringBuilder page) throws Exception {
		HikariDataSource pool = database.open();
		database.reset(pool);
		// the context closes the pool
		try (ConfigurableApplicationContext context = Ours.start(pool, new Made(1), false)) {
			Ours.Calls ours = context.getBean(Ours.Calls.class);
			Runnable submit = () -> ours.drain(DurableTables.ORDER);
			Runnable schedule = new EngineAlone(database, pool, new Made(1)).submission(database, pool);
			for (Way way : List.of(new Way("submitted, a transaction each", 1, 1),
					new Way("submitted, 100 in a transaction", 1, 100),
					new Way("submitted by " + CALLERS + " threads, a transaction each", CALLERS, 1))) {
				DurableTables.compare(page, database, way.name(), WARM_UP, pairs,
						() -> way.perSecond(pool, calls, submit), () -> way.perSecond(pool, calls, schedule));
			}
		}
	}

	/** Compare the times from the commit of a call to its attempt. */
	static void times(Database database, int idleCalls, int seconds, StringBuilder page) throws Exception {
		for (boolean busy : new boolean[] { false, true }) {
			int calls = busy ? A_SECOND * seconds : idleCalls;
			List<Double> ours;
			HikariDataSource pool = database.open();
			database.reset(pool);
			Made made = new Made(calls);
			try (ConfigurableApplicationContext context = Ours.start(pool, made, true)) {
				ours = times(busy, calls, made, context.getBean(Ours.Calls.class)::healthy);
			}
			List<Double> theirs;
			try (HikariDataSource other = database.open()) {
				database.reset(other);
				Made others = new Made(calls);
				EngineAlone engine = new EngineAlone(database, other, others);
				engine.scheduler.start();
				theirs = times(busy, calls, others, engine::scheduleHealthy);
				engine.scheduler.stop();
			}
			DurableTables.row(page, database.name(), busy ? A_SECOND + " calls a second" : "idle",
					ours.size() + " and " + theirs.size() + " of " + calls, DurableTables.late(ours, 50),
					DurableTables.late(theirs, 50), DurableTables.late(ours, 99), DurableTables.late(theirs, 99));
		}
	}

	/* One by one while the process is idle, or at a rate, by many callers. */
	static List<Double> times(boolean busy, int calls, Made made, LongConsumer submission) throws Exception {
		Thread.sleep(1_000);
		ExecutorService callers = Executors.newFixedThreadPool(busy ? CALLERS : 1);
		long pause = TimeUnit.SECONDS.toNanos(1) / (busy ? A_SECOND : 20);
		long begun = System.nanoTime();
		for (int call = 0; call < calls; call++) {
			long due = begun + call * pause;
			TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
			callers.execute(() -> {
				submission.accept(due);
				made.committed(due);
			});
		}
		callers.shutdown();
		boolean unused = callers.awaitTermination(1, TimeUnit.MINUTES);
		for (int waited = 0; waited < 100 && made.lateMillis().size() < calls; waited++) {
			Thread.sleep(100);
		}
		return made.lateMillis();
	}

	/** How callers store calls. */
	private record Way(String name, int threads, int inEach) {

		double perSecond(HikariDataSource pool, int calls, Runnable submission) {
			new JdbcTemplate(pool).execute("truncate table backoff_calls");
			new JdbcTemplate(pool).execute("truncate table scheduled_tasks");
			TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
			int each = calls / this.inEach / this.threads;
			Executor threads = (caller) -> new Thread(caller).start();
			long begun = System.nanoTime();
			List<CompletableFuture<Void>> callers = new ArrayList<>();
			for (int thread = 0; thread < this.threads; thread++) {
				callers.add(CompletableFuture.runAsync(() -> {
					for (int i = 0; i < each; i++) {
						transaction.executeWithoutResult((status) -> submit(submission));
					}
				}, threads));
			}
			callers.forEach(CompletableFuture::join);
			return each * this.inEach * this.threads * 1e9 / (System.nanoTime() - begun);
		}

		private void submit(Runnable submission) {
			for (int call = 0; call < this.inEach; call++) {
				submission.run();
			}
		}

	}

}
