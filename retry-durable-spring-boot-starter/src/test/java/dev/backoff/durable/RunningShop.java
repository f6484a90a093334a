package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.CurrentlyExecuting;
import com.github.kagkarlsson.scheduler.HeartbeatConfig;
import com.github.kagkarlsson.scheduler.SchedulerState;
import com.github.kagkarlsson.scheduler.SystemClock;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.Attempt;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.durable.DurableState.Phase;

import static org.assertj.core.api.Assertions.assertThat;

/** A running application with a {@link Shop}. */
record RunningShop(ApplicationContext context) {

	/** A transaction that sees the rows as they were at its first statement. */
	static final Consumer<TransactionTemplate> REPEATABLE_READ = (transaction) -> transaction
		.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

	static final Consumer<TransactionTemplate> NESTED = (transaction) -> transaction
		.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

	Shop.Journal journal() {
		return this.context.getBean(Shop.Journal.class);
	}

	DurableParts parts() {
		return this.context.getBean(DurableParts.class);
	}

	Workers workers() {
		return this.context.getBean(Workers.class);
	}

	DurableMethods.DurableMethod method(String policy) {
		return Objects.requireNonNull(parts().methods().of(policy));
	}

	CircuitBreaker breaker(String name) {
		return this.context.getBean(CircuitBreakers.class).find(name).orElseThrow();
	}

	/** Execute a row as the engine does that has picked it, and complete it. */
	void completed(String policy, String key) {
		completed(policy, key, null);
	}

	/** Execute a row as if it were due, and return the count of its failures. */
	int failures(String policy, String key) {
		execute("update backoff_calls set execution_time = ?, picked = ?, picked_by = ?, last_heartbeat = ? "
				+ "where task_instance = ?", 1, Instant.now().atOffset(ZoneOffset.UTC), true,
				parts().store().name.getName(), Instant.now().atOffset(ZoneOffset.UTC), key);
		completed(policy, key);
		return parts().store().find(policy, key).orElseThrow().consecutiveFailures;
	}

	/** Complete it by operations that are used unless the row may be lost. */
	void completed(String policy, String key, @Nullable ExecutionOperations<StoredCall> operations) {
		Execution row = parts().store().find(policy, key).orElseThrow();
		CurrentlyExecuting running = new CurrentlyExecuting(row, new SystemClock(),
				new HeartbeatConfig(Duration.ofSeconds(5), 4, Duration.ofSeconds(20)));
		@SuppressWarnings("unchecked")
		CompletionHandler<StoredCall> completion = new DurableTask(method(policy), parts(),
				this.context.getBean(StoredAttempts.class), () -> workers().worker(policy),
				new AtomicReference<>(Instant.EPOCH))
			.task()
			.execute(row.taskInstance, new ExecutionContext(new SchedulerState.SettableSchedulerState(), row,
					parts().store().client, running));
		completion.complete(ExecutionComplete.success(row, Instant.now(), Instant.now()), operations);
	}

	StoredCall stored(String policy, String key) {
		return (StoredCall) parts().store().find(policy, key).orElseThrow().taskInstance.getData();
	}

	int unreadable(String policy) {
		return parts().meters().unreadable(policy, Instant.now());
	}

	Object delete(String policy, String row) {
		return new DurablePart(parts(), workers()).write(parts().methods().policy(method(policy)),
				Map.of("action", "delete", "id", row));
	}

	/** Return the lines of the journal. */
	List<String> lines() {
		return journal().lines;
	}

	List<Attempt> attempts() {
		return journal().attempts;
	}

	void when(String name, Shop.Work work) {
		journal().when(name, work);
	}

	DurableCalls calls() {
		return this.context.getBean(DurableCalls.class);
	}

	void mails(String order) {
		this.context.getBean(Shop.Mails.class).send(order);
	}

	/** Store a mail that is not due while a test runs. */
	DurableCall<?> mailsLater(String order) {
		return calls().submit(inAnHour(), () -> mails(order));
	}

	private static DurableCalls.Options inAnHour() {
		return DurableCalls.Options.notBefore(Instant.now().plusSeconds(3_600));
	}

	/** End the call of a mail; return whether there was one. */
	boolean end(String order) {
		return calls().end("mails", order);
	}

	DurableCall<?> poll(String trade) {
		return poll(trade, Map.of("a", List.of(1, 2)));
	}

	DurableCall<?> poll(String trade, Map<String, List<Integer>> details) {
		return this.context.getBean(Shop.Payments.class).poll(trade, details);
	}

	DurableCall<?> pollLater(String trade) {
		return calls().submit(inAnHour(), () -> poll(trade));
	}

	void awaitEnd(String policy, String key) {
		Awaitility.await()
			.until(() -> calls().find(policy, key).map((state) -> state.state() == Phase.DEAD).orElse(true));
	}

	void inTransaction(Runnable work) {
		inTransaction((transaction) -> {
		}, work);
	}

	/** Do something in a transaction, which an exception of the test may roll back. */
	void inTransaction(Consumer<TransactionTemplate> settings, Runnable work) {
		TransactionTemplate transaction = new TransactionTemplate(
				this.context.getBean(PlatformTransactionManager.class));
		settings.accept(transaction);
		try {
			transaction.executeWithoutResult((status) -> work.run());
		}
		catch (IllegalStateException ex) {
			assertThat(ex).hasMessage("rolled back");
		}
	}

	private JdbcTemplate jdbc() {
		return new JdbcTemplate(this.context.getBean(DataSource.class));
	}

	int count(String query) {
		return Objects.requireNonNull(jdbc().queryForObject(query, Integer.class));
	}

	double gauge(String name, String... tags) {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		new DurableMeterBinder(parts(), workers()).bindTo(registry);
		return registry.get("backoff.durable." + name).tags(tags).gauge().value();
	}

	String stopOfDeadLetter() {
		return String.valueOf(parts().store().client.getScheduledExecutionsForTask("mails/dead", StoredCall.class)
			.get(0)
			.getData()
			.stop());
	}

	void execute(String statement, int rows, Object... parameters) {
		assertThat(jdbc().update(statement, parameters)).isEqualTo(rows);
	}

	/** Return the rows of calls, that of the schedule that is far away left out. */
	int rows() {
		return count("select count(*) from backoff_calls where task_name <> 'report'");
	}

	Instant due(String policy) {
		return calls().find(policy, "schedule").orElseThrow().due();
	}

	void dueNow() {
		execute("update backoff_calls set execution_time = ? where task_name <> 'report'", 1,
				Instant.now().atOffset(ZoneOffset.UTC));
	}

	/** Let the row look as if an attempt of another process ran. */
	void abandon(String process, Instant heartbeat) {
		execute("update backoff_calls set picked = ?, picked_by = ?, last_heartbeat = ?, version = version + 1 where task_name <> 'report'",
				1, true, process, heartbeat.atOffset(ZoneOffset.UTC));
	}

	byte[] data() {
		return jdbc().queryForObject("select task_data from backoff_calls where task_name <> 'report'", byte[].class);
	}

	/** Return whether a row was picked and put back since its version was 1. */
	boolean isPutBack(String key) {
		return count("select count(*) from backoff_calls where version > 2 and task_instance = '" + key + "'") == 1;
	}

	void corrupt(String data) {
		execute("update backoff_calls set task_data = ? where task_name <> 'report'", 1,
				data.getBytes(StandardCharsets.UTF_8));
	}

	/** Write the row as a process does that has taken it from all others. */
	void replace(byte[] data) {
		execute("update backoff_calls set task_data = ?, picked = ?, picked_by = null, version = version + 1 "
				+ "where task_name <> 'report'", 1, data, false);
	}

}
