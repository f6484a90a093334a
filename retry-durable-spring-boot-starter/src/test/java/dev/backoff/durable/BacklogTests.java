package dev.backoff.durable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that fail keep no others of their policy waiting, though the breaker opens. With
 * the profile {@code backlog} there are 5,000 calls and all numbers are the defaults, and
 * it prints what it has seen.
 */
@Tag("long")
@Tag("ci")
@Execution(ExecutionMode.SAME_THREAD)
class BacklogTests {

	private static final int CALLS = Integer.getInteger("backlog", 300);

	private static final boolean FULL = CALLS >= 5_000;

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final int NEW = 20;

	@Test
	void callsThatAreDeadAmongOthersKeepNoneWaiting() throws Exception {
		List<String> names = names(FULL ? CALLS / 20 : CALLS / 3);
		Collections.shuffle(names, new Random(1));
		measure("dead ones among the others", names);
	}

	/* Of few calls so many, that their retries alone would fill the time. */
	@Test
	void callsThatAreDeadBeforeOthersKeepNoneWaiting() throws Exception {
		measure("dead ones first", names(FULL ? CALLS / 20 : CALLS * 2 / 3));
	}

	@Test
	void aBatchThatFailsOnceKeepsNoNewCallsWaiting() throws Exception {
		measure("all fail once", IntStream.range(0, CALLS).mapToObj((call) -> "once " + call).toList());
	}

	private static List<String> names(int dead) {
		return new ArrayList<>(
				IntStream.range(0, CALLS).mapToObj((call) -> ((call < dead) ? "dead " : "healthy ") + call).toList());
	}

	private static void measure(String scenario, List<String> names) throws Exception {
		String url = PostgresServer.newDatabase();
		Orders orders = new Orders();
		run(url, orders, false, (context) -> names.forEach(context.getBean(Orders.class)::make));
		run(url, orders, true, (context) -> {
			long healthyOnes = names.stream().filter((name) -> name.startsWith("healthy")).count();
			String healthy = await(System.nanoTime(), () -> orders.isDone("healthy", healthyOnes));
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> context.getBean(Workers.class).worker("orders").filter(Worker::isPaused).isPresent());
			int before = orders.attempts.get();
			long submitted = System.nanoTime();
			IntStream.range(0, NEW).forEach((call) -> context.getBean(Orders.class).make("new " + call));
			String fresh = await(submitted, () -> orders.isDone("new", NEW));
			System.out.printf("%d calls, %s: healthy ones done in %s, %d new ones in %s; attempts before these %d%n",
					CALLS, scenario, healthy, NEW, fresh, before);
			if (!FULL) {
				assertThat(List.of(healthy, fresh)).noneMatch((time) -> time.startsWith("not"));
			}
		});
	}

	private static void run(String url, Orders orders, boolean work, Consumer<ApplicationContext> test) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url, "backoff.durable.initialize-schema=always",
					"backoff.durable.work=" + work, "logging.level.dev.backoff=error")
			.withPropertyValues(FULL ? new String[0] : new String[] { "backoff.breakers.orders.open-for=3s" })
			.withBean("orders", Orders.class, () -> orders)
			.run(test::accept);
	}

	private static String await(long since, Callable<Boolean> condition) {
		try {
			Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(PATIENCE).until(condition);
			return "%.1f s".formatted((System.nanoTime() - since) / 1e9);
		}
		catch (ConditionTimeoutException ex) {
			return "not " + PATIENCE.toSeconds() + " s";
		}
	}

	/** Makes calls, of which some fail always and some once. */
	static class Orders {

		private final Set<String> done = ConcurrentHashMap.newKeySet();

		private final Set<String> tried = ConcurrentHashMap.newKeySet();

		private final AtomicInteger attempts = new AtomicInteger();

		@Backoff(value = "orders", durable = "true")
		public void make(String name) {
			work();
			this.attempts.incrementAndGet();
			if (name.startsWith("dead") || (name.startsWith("once") && this.tried.add(name))) {
				throw new IllegalStateException("down");
			}
			this.done.add(name);
		}

		private static void work() {
			try {
				Thread.sleep(20);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		boolean isDone(String kind, long calls) {
			Predicate<String> ofKind = (name) -> name.startsWith(kind);
			return this.done.stream().filter(ofKind).count() == calls;
		}

	}

}
