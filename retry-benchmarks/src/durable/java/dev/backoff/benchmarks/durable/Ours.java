package dev.backoff.benchmarks.durable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.durable.DurableAutoConfiguration;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

/** Durable methods, each with a worker. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ AopAutoConfiguration.class, BackoffAutoConfiguration.class, DurableAutoConfiguration.class })
class Ours {

	/** Start an application, whose attempts are noted. */
	static ConfigurableApplicationContext start(DataSource pool, Made made, boolean work) {
		return new SpringApplicationBuilder(Ours.class).web(WebApplicationType.NONE)
			.properties("backoff.durable.work=" + work, "backoff.durable.initialize-schema=never",
					"backoff.policies.drain.concurrency=" + DurableTables.THREADS, "logging.level.root=error",
					"spring.main.banner-mode=off")
			.initializers((context) -> {
				((GenericApplicationContext) context).registerBean("dataSource", DataSource.class, () -> pool);
				((GenericApplicationContext) context).registerBean(Calls.class, () -> new Calls(made));
			})
			.run();
	}

	/** What is called. */
	static class Calls {

		private final Made made;

		/* When the second attempt of a call is due, by its order. */
		private final Map<String, Long> due = new ConcurrentHashMap<>();

		Calls(Made made) {
			this.made = made;
		}

		@Backoff(value = "drain", durable = "true")
		public void drain(String order) {
			this.made.one(order);
		}

		@Backoff(value = "hanging", durable = "true", base = "10s")
		public void hang(String order) throws InterruptedException {
			Thread.sleep(DurableTables.HANG_MILLIS);
			throw new IllegalStateException("down");
		}

		@Backoff(value = "level", durable = "true", ladder = "1s", maxAttempts = "2", jitter = "none", breaker = "none")
		public void level(String order) {
			Long second = this.due.putIfAbsent(order, System.nanoTime() + TimeUnit.SECONDS.toNanos(1));
			if (second == null) {
				throw new IllegalStateException("down");
			}
			this.made.late(second);
		}

		@Backoff(value = "healthy", durable = "true")
		public void healthy(long due) {
			this.made.late(due);
		}

	}

}
