package dev.backoff.durable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.ScheduledExecution;
import com.github.kagkarlsson.scheduler.TaskSummary;
import com.github.kagkarlsson.shaded.jdbc.SQLRuntimeException;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.Attempt;
import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/**
 * A process that submits calls and makes attempts until it is killed. It appends to files
 * what it was acknowledged and what its attempts did: a line is there once it is written.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class, DurableAutoConfiguration.class })
class KillWorker {

	private static final Path DIRECTORY = Path.of(System.getProperty("kill.directory", "."));

	/* So that the calls of an hour of kills are made within a minute after it. */
	private static final int MOST_WAITING = 300;

	/* In tenths of a second. */
	private static final long MOST_PATIENCE = 1_200;

	private static final String PROCESS = System.getProperty("kill.worker");

	/** Only where there is an address. */
	@Bean
	@ConditionalOnProperty("kill.url")
	DataSource dataSource(@Value("${kill.url}") String url) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		return dataSource;
	}

	@Bean
	@ConditionalOnProperty("kill.url")
	PlatformTransactionManager transactionManager(DataSource dataSource) {
		return new DataSourceTransactionManager(dataSource);
	}

	@Bean
	Jobs jobs() {
		return new Jobs();
	}

	public static void main(String[] arguments) throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(KillWorker.class)
			.web(WebApplicationType.NONE)
			.run(arguments);
		int number = 0;
		while (!Files.exists(DIRECTORY.resolve("drain"))) {
			try {
				if (number % 50 == 0 && waiting(context) > MOST_WAITING) {
					Thread.sleep(100);
				}
				else {
					submit(context, ++number);
					Thread.sleep(5);
				}
			}
			catch (DataAccessException | TransactionException | SQLRuntimeException ex) {
				// the database is away, and nothing is acknowledged
				Thread.sleep(20);
			}
		}
		for (long waited = 0; !isIdle(context); waited++) {
			if (waited == MOST_PATIENCE) {
				append("stuck", PROCESS + rows(context, "jobs").stream().map((r) -> r + " " + r.getData()).toList());
				break;
			}
			Thread.sleep(100);
		}
		letters(context).forEach((letter) -> append("dead", letter.id() + " " + PROCESS));
		append("idle", PROCESS);
	}

	/*
	 * Most keys are new; both processes submit some, and operators end or requeue some.
	 */
	private static void submit(ConfigurableApplicationContext context, int number) {
		Jobs jobs = context.getBean(Jobs.class);
		String key = (number % 7 == 0) ? "both-" + number % 350 : PROCESS + "-" + number;
		String id = jobs.work(key, number % 10).id();
		if (id != null) {
			append("acknowledged", id);
		}
		if (number % 11 == 0 && number % 7 != 0 && id != null) {
			append("ending", id);
			boolean unused = context.getBean(DurableCalls.class).end("jobs", key);
		}
		if (number % 13 == 0) {
			context.getBeanProvider(PlatformTransactionManager.class)
				.ifAvailable((manager) -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
					jobs.work("rolled-" + key, 1);
					status.setRollbackOnly();
				}));
		}
		if (number % 100 == 0) {
			letters(context).stream().limit(1).forEach((letter) -> requeue(context, letter.id()));
		}
	}

	private static void requeue(ConfigurableApplicationContext context, String id) {
		DurableParts parts = context.getBean(DurableParts.class);
		try {
			Object unused = new DurablePart(parts, context.getBean(Workers.class)).write(
					parts.methods().policy(Objects.requireNonNull(parts.methods().of("jobs"))),
					Map.of("action", "requeue", "id", id));
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			// another process was faster
		}
	}

	private static List<StoredCall> letters(ConfigurableApplicationContext context) {
		return rows(context, "jobs/dead").stream().map((letter) -> letter.getData()).toList();
	}

	private static List<ScheduledExecution<StoredCall>> rows(ConfigurableApplicationContext context, String task) {
		return context.getBean(DurableParts.class).store().client.getScheduledExecutionsForTask(task, StoredCall.class);
	}

	/* No call waits, and no letter is requeued. */
	private static boolean isIdle(ConfigurableApplicationContext context) {
		try {
			return waiting(context) == 0
					&& rows(context, "jobs/dead").stream()
						.allMatch((letter) -> letter.getExecutionTime().equals(StoredCall.NEVER))
					&& waiting(context) == 0;
		}
		catch (SQLRuntimeException ex) {
			return false;
		}
	}

	private static long waiting(ConfigurableApplicationContext context) {
		return context.getBean(DurableParts.class).store().client.getScheduledExecutionsSummaryByTask()
			.stream()
			.filter((task) -> task.taskName().equals("jobs"))
			.mapToLong(TaskSummary::instanceCount)
			.sum();
	}

	static void append(String file, String line) {
		try {
			Files.writeString(DIRECTORY.resolve(file + "-" + PROCESS), line + "\n", StandardCharsets.UTF_8,
					StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Jobs {

		@Backoff(value = "jobs", durable = "true", key = "#key", ladder = "30ms", maxAttempts = "4", concurrency = "4")
		public DurableCall<Void> work(String key, int kind) {
			Attempt attempt = Attempt.current();
			String id = attempt.idempotencyKey();
			append("began", id + " " + attempt.number() + " " + attempt.fence() + " " + key);
			pause();
			if (kind == 0 || kind > attempt.number() + 7) {
				throw new IllegalStateException("down");
			}
			append("done", id + " " + attempt.fence());
			return DurableCall.result(null);
		}

		private static void pause() {
			try {
				Thread.sleep(ThreadLocalRandom.current().nextInt(20));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
