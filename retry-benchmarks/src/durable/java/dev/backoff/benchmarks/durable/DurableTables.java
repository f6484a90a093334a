package dev.backoff.benchmarks.durable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;

import dev.backoff.annotation.Backoff;

/** Tables in Markdown of durable calls beside their engine alone, in the same run. */
public final class DurableTables {

	static final int THREADS = 20;

	static final int HANG_MILLIS = 200;

	private static final int HEALTHY = 60;

	private static final int EVERY_MILLIS = 100;

	private static final int START_SECONDS = 3;

	private static final int WARM_UP = 4;

	static final String ORDER = "1234567890".repeat(5);

	private DurableTables() {
	}

	/**
	 * Measure and print.
	 * @param args for instance {@code --calls=20000}, {@code --pairs=7},
	 * {@code --due=100000} and {@code --only=postgresql,h2,mariadb}, which these are
	 * without them; {@code --stored=1000000}, which is not measured without it;
	 * {@code --quick}
	 * @throws Exception if a database fails
	 */
	public static void main(String[] args) throws Exception {
		LoggingSystem.get(DurableTables.class.getClassLoader())
			.setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.ERROR);
		boolean quick = List.of(args).contains("--quick");
		int calls = Integer.parseInt(value(args, "--calls=", quick ? "2000" : "20000"));
		int pairs = Integer.parseInt(value(args, "--pairs=", quick ? "1" : "7"));
		int due = Integer.parseInt(value(args, "--due=", quick ? "2000" : "100000"));
		int stored = Integer.parseInt(value(args, "--stored=", "0"));
		int submitted = calls / 5;
		int idleCalls = quick ? 20 : 200;
		int busySeconds = quick ? 2 : 10;
		int idleSeconds = quick ? 2 : 20;
		StringBuilder page = new StringBuilder("JDK " + System.getProperty("java.version") + ", "
				+ Runtime.getRuntime().availableProcessors() + " processors\n");
		StringBuilder times = new StringBuilder();
		StringBuilder late = new StringBuilder();
		StringBuilder level = new StringBuilder();
		StringBuilder idle = new StringBuilder();
		StringBuilder many = new StringBuilder();
		table(page,
				"Calls a second: " + calls + " no-op calls made by " + THREADS + " threads, and " + submitted
						+ " submitted; " + pairs + " pairs",
				"database", "calls", "ours, median", "engine, median", "ratio, median", "least", "greatest");
		table(times, "From commit to the first attempt, in ms", "database", "load", "made in time, ours and engine",
				"p50, ours", "p50, engine", "p99, ours", "p99, engine");
		table(late, HEALTHY + " calls of a healthy policy beside " + due + " due of one whose attempts hang "
				+ HANG_MILLIS + " ms and fail", "database", "made by", "made in time", "p50, ms", "p99, ms",
				"most, ms");
		table(level, HEALTHY + " second attempts, each due 1 s after the first", "database", "made by", "made in time",
				"p50, ms late", "p99, ms late", "most, ms late");
		table(idle, "Statements of an idle process, looked at for " + idleSeconds + " s", "database", "workers",
				"statements a minute");
		table(many, "With 1000 stored calls and with " + stored + ", half of them dead letters, in ms", "database",
				"what", "with 1000", "with " + stored, "ratio");
		for (String name : value(args, "--only=", "postgresql,h2,mariadb").split(",", -1)) {
			try (Database database = open(name)) {
				drain(database, calls, pairs, page);
				Submitted.rates(database, submitted, pairs, page);
				Submitted.times(database, idleCalls, busySeconds, times);
				try (HikariDataSource pool = database.open()) {
					lateOfOurs(database, pool, due, late);
				}
				try (HikariDataSource pool = database.open()) {
					lateOfEngine(database, pool, due, late);
				}
				try (HikariDataSource pool = database.open()) {
					lateOfLevel(database, pool, level);
					idle(database, pool, idleSeconds, idle);
				}
				if (stored > 0) {
					Stored.compare(database, stored, many);
				}
			}
		}
		System.out.print(page.append(times).append(late).append(level).append(idle).append((stored > 0) ? many : ""));
	}

	private static Database open(String name) throws Exception {
		return switch (name) {
			case "h2" -> Database.h2();
			case "mariadb" -> Database.mariadb();
			default -> Database.postgres();
		};
	}

	private static String value(String[] args, String option, String otherwise) {
		return Stream.of(args)
			.filter((arg) -> arg.startsWith(option))
			.map((arg) -> arg.substring(option.length()))
			.findFirst()
			.orElse(otherwise);
	}

	/*
	 * The calls are due when both the process and the rows have been there for a while.
	 */
	private static void drain(Database database, int calls, int pairs, StringBuilder page) throws Exception {
		double cold = compare(page, database, "made", WARM_UP, pairs, () -> drainOfOurs(database, calls),
				() -> drainOfEngine(database, calls));
		row(page, database.name(), "made, in a process that has just started", "", "", number("%.2f", cold), "", "");
	}

	/**
	 * Compare calls a second. Which side is first alternates. The first pairs warm up and
	 * do not count; return the ratio of the very first.
	 */
	static double compare(StringBuilder page, Database database, String what, int warmUp, int pairs,
			Callable<Double> oursRuns, Callable<Double> engineRuns) throws Exception {
		List<Double> ours = new ArrayList<>();
		List<Double> engine = new ArrayList<>();
		List<Double> ratios = new ArrayList<>();
		double cold = 0;
		for (int pair = -warmUp; pair < pairs; pair++) {
			boolean oursFirst = pair % 2 == 0;
			double before = oursFirst ? 0 : engineRuns.call();
			double mine = oursRuns.call();
			double theirs = oursFirst ? engineRuns.call() : before;
			if (pair == -warmUp) {
				cold = mine / theirs;
			}
			if (pair >= 0) {
				ours.add(mine);
				engine.add(theirs);
				ratios.add(mine / theirs);
			}
		}
		row(page, database.name(), what, number("%.0f", percentile(ours, 50)), number("%.0f", percentile(engine, 50)),
				number("%.2f", percentile(ratios, 50)), number("%.2f", Collections.min(ratios)),
				number("%.2f", Collections.max(ratios)));
		return cold;
	}

	@SuppressWarnings("try") // the context works until it is closed
	private static double drainOfOurs(Database database, int calls) throws Exception {
		try (HikariDataSource pool = database.open()) {
			database.reset(pool);
		}
		Made made = new Made(calls);
		try (ConfigurableApplicationContext context = Ours.start(database.open(), made, false)) {
			context.getBean(Ours.Calls.class).drain(ORDER);
			database.multiply(context.getBean(HikariDataSource.class), "backoff_calls", calls, dueSoon());
		}
		try (ConfigurableApplicationContext context = Ours.start(database.open(), made, true)) {
			return made.perSecond();
		}
	}

	private static double drainOfEngine(Database database, int calls) throws Exception {
		try (HikariDataSource pool = database.open()) {
			database.reset(pool);
			Made made = new Made(calls);
			EngineAlone engine = new EngineAlone(database, pool, made);
			engine.scheduleDrain();
			database.multiply(pool, "scheduled_tasks", calls, dueSoon());
			engine.scheduler.start();
			try {
				return made.perSecond();
			}
			finally {
				engine.scheduler.stop();
			}
		}
	}

	private static Instant dueSoon() {
		return Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(START_SECONDS);
	}

	private static void lateOfOurs(Database database, HikariDataSource pool, int due, StringBuilder page)
			throws Exception {
		database.reset(pool);
		Made made = new Made(HEALTHY);
		try (ConfigurableApplicationContext context = Ours.start(database.open(), made, false)) {
			context.getBean(Ours.Calls.class).hang("1");
		}
		database.multiply(pool, "backoff_calls", due, Instant.now().truncatedTo(ChronoUnit.SECONDS));
		try (ConfigurableApplicationContext context = Ours.start(database.open(), made, true)) {
			everyTenth(() -> context.getBean(Ours.Calls.class).healthy(System.nanoTime()));
			late(page, database, "our workers", made);
		}
	}

	private static void lateOfEngine(Database database, HikariDataSource pool, int due, StringBuilder page)
			throws Exception {
		database.reset(pool);
		Made made = new Made(HEALTHY);
		EngineAlone engine = new EngineAlone(database, pool, made);
		engine.scheduleHanging();
		database.multiply(pool, "scheduled_tasks", due, Instant.now().truncatedTo(ChronoUnit.SECONDS));
		engine.scheduler.start();
		try {
			everyTenth(() -> engine.scheduleHealthy(System.nanoTime()));
			late(page, database, "the engine alone", made);
		}
		finally {
			engine.scheduler.stop();
		}
	}

	private static void lateOfLevel(Database database, HikariDataSource pool, StringBuilder page) throws Exception {
		database.reset(pool);
		Made made = new Made(HEALTHY);
		try (ConfigurableApplicationContext context = Ours.start(database.open(), made, true)) {
			everyTenth(() -> context.getBean(Ours.Calls.class).level(UUID.randomUUID().toString()));
			Thread.sleep(2_000);
			late(page, database, "our workers", made);
		}
	}

	/* From a second after the start on. */
	@SuppressWarnings("try") // the context works until it is closed
	private static void idle(Database database, HikariDataSource pool, int seconds, StringBuilder page)
			throws Exception {
		database.reset(pool);
		LongAdder statements = new LongAdder();
		DataSource counting = Database.counting(pool, statements);
		try (ConfigurableApplicationContext context = Ours.start(counting, new Made(1), true)) {
			Thread.sleep(1_000);
			statements.reset();
			Thread.sleep(seconds * 1_000L);
			long workers = Stream.of(Ours.Calls.class.getMethods())
				.filter((method) -> method.isAnnotationPresent(Backoff.class))
				.count();
			row(page, database.name(), workers + ", and that of dead letters",
					number("%.0f", statements.sum() * 60.0 / seconds));
		}
	}

	private static void everyTenth(Runnable submission) throws InterruptedException {
		Thread.sleep(1_000);
		for (int call = 0; call < HEALTHY; call++) {
			submission.run();
			Thread.sleep(EVERY_MILLIS);
		}
	}

	private static void late(StringBuilder page, Database database, String side, Made made) {
		List<Double> late = made.lateMillis();
		row(page, database.name(), side, late.size() + " of " + HEALTHY, late(late, 50), late(late, 99),
				late(late, 100));
	}

	static String late(List<Double> millis, int percent) {
		return millis.isEmpty() ? "" : number("%.1f", percentile(millis, percent));
	}

	static double percentile(List<Double> numbers, int percent) {
		List<Double> sorted = numbers.stream().sorted().toList();
		return sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1));
	}

	private static void table(StringBuilder page, String title, String... columns) {
		page.append("\n### ").append(title).append("\n\n| ").append(String.join(" | ", columns)).append(" |\n|");
		page.append(" --- |".repeat(columns.length)).append('\n');
	}

	static void row(StringBuilder page, String... cells) {
		String row = "| " + String.join(" | ", cells) + " |\n";
		page.append(row);
		// what there is, if the rest takes too long
		System.err.print(row);
	}

	static String number(String format, double number) {
		return String.format(Locale.ROOT, format, number);
	}

}
