package dev.backoff.durable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs applications with a {@link Shop} on one database. */
abstract class ShopFixture {

	static final String NO_WORK = "backoff.durable.work=false";

	static final String SHORT_HEARTBEAT = "backoff.durable.heartbeat=250ms";

	/** What attempts do from the first one of an application on. */
	Shop.Work work = (attempt) -> "done";

	@TempDir
	Path directory;

	/** Return the properties of the database. */
	List<String> database() {
		return List.of("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop")
				+ ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE");
	}

	ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues(database().toArray(String[]::new))
			.withPropertyValues("backoff.durable.poll-interval=100ms", "backoff.durable.shutdown-wait=2s",
					"spring.datasource.hikari.maximum-pool-size=20", "backoff.durable.initialize-schema=always")
			.withBean(Shop.Work.class, () -> this.work)
			.withUserConfiguration(Shop.class);
	}

	void run(Consumer<RunningShop> test, String... properties) {
		runner().withPropertyValues(properties).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(new RunningShop(context));
		});
	}

	static Object fail(boolean failing) {
		if (failing) {
			throw new IllegalStateException("down");
		}
		return "done";
	}

	/* By a process that makes no attempts. */
	void store(String... orders) {
		run((shop) -> List.of(orders).forEach(shop::mails), NO_WORK);
	}

	static void await(CountDownLatch latch) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> latch.getCount() == 0);
	}

	/* For what must not happen meanwhile, in a real database and real threads. */
	static void sleep(Duration time) {
		try {
			Thread.sleep(time.toMillis());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
