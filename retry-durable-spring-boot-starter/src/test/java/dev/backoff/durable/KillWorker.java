package dev.backoff.durable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.TaskSummary;
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
	Jobs jobs() {
		return new Jobs();
	}

	public static void main(String[] arguments) throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(KillWorker.class)
			.web(WebApplicationType.NONE)
			.run(arguments);
		Jobs jobs = context.getBean(Jobs.class);
		int number = 0;
		while (!Files.exists(DIRECTORY.resolve("drain"))) {
			if (number % 50 == 0 && waiting(context) > MOST_WAITING) {
				Thread.sleep(100);
				continue;
			}
			String key = PROCESS + "-" + ++number;
			jobs.work(key, number % 10);
			append("acknowledged", key);
			Thread.sleep(5);
		}
		while (true) {
			if (waiting(context) == 0) {
				context.getBean(DurableParts.class).store().client
					.getScheduledExecutionsForTask("jobs/dead", StoredCall.class)
					.forEach((letter) -> append("dead", String.valueOf(letter.getData().key())));
				append("idle", PROCESS);
				return;
			}
			Thread.sleep(100);
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
		public void work(String key, int kind) throws InterruptedException {
			Attempt attempt = Attempt.current();
			append("began", key + " " + attempt.number() + " " + attempt.fence());
			Thread.sleep(ThreadLocalRandom.current().nextInt(20));
			if (kind == 0 || kind > attempt.number() + 7) {
				throw new IllegalStateException("down");
			}
			append("done", key + " " + attempt.fence());
		}

	}

}
