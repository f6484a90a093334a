package dev.backoff.durable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs applications with a {@link Shop} on one database, one after the other or at once.
 */
abstract class ShopFixture {

	static final String NO_WORK = "backoff.durable.work=false";

	static final String SHORT_HEARTBEAT = "backoff.durable.heartbeat=250ms";

	/** What attempts do from the first one of an application on. */
	Shop.Work work = (attempt) -> "done";

	/** Return the properties of the database. */
	abstract List<String> database();

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
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
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
