package dev.backoff.benchmarks.durable;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * db-scheduler as its users have it: one scheduler for all tasks, with as many threads.
 */
final class EngineAlone {

	private static final Order ORDER = new Order("1234567890".repeat(25));

	final Scheduler scheduler;

	private final OneTimeTask<Order> drain;

	private final OneTimeTask<Order> hanging;

	private final OneTimeTask<Order> healthy;

	EngineAlone(Database database, HikariDataSource pool, Made made) {
		this.drain = Tasks.oneTime("drain", Order.class)
			.execute((instance, context) -> made.one(instance.getData().order()));
		this.hanging = Tasks.oneTime("hanging", Order.class)
			.onFailure((complete, operations) -> operations.reschedule(complete, Instant.now().plusSeconds(10)))
			.execute((instance, context) -> hang());
		this.healthy = Tasks.oneTime("healthy", Order.class)
			.execute((instance, context) -> made.late(Long.parseLong(instance.getData().order())));
		this.scheduler = Scheduler.create(pool, this.drain, this.hanging, this.healthy)
			.jdbcCustomization(database.customization(pool))
			.serializer(new Json(JsonMapper.shared()))
			.threads(DurableTables.THREADS)
			.pollUsingFetch(0.5, 3.0)
			.pollingInterval(Duration.ofSeconds(1))
			.enableImmediateExecution()
			.failureLogging(LogLevel.OFF, false)
			.build();
	}

	private static void hang() {
		try {
			Thread.sleep(DurableTables.HANG_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new IllegalStateException("down");
	}

	void scheduleDrain() {
		boolean unused = this.scheduler.scheduleIfNotExists(this.drain.instance("1", ORDER), Instant.now());
	}

	void scheduleHanging() {
		boolean unused = this.scheduler.scheduleIfNotExists(this.hanging.instance("1", ORDER), Instant.now());
	}

	void scheduleHealthy(long due) {
		boolean unused = this.scheduler.scheduleIfNotExists(
				this.healthy.instance(UUID.randomUUID().toString(), new Order(Long.toString(due))), Instant.now());
	}

	/** Return what schedules a call in the transaction of its caller. */
	Runnable submission(Database database, HikariDataSource pool) {
		SchedulerClient client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(pool), this.drain)
			.jdbcCustomization(database.customization(pool))
			.serializer(new Json(JsonMapper.shared()))
			.build();
		return () -> {
			boolean unused = client.scheduleIfNotExists(this.drain.instance(UUID.randomUUID().toString(), ORDER),
					Instant.now());
		};
	}

	/** What a call is about. */
	record Order(String order) {
	}

	/** Data as JSON, by the library that ours uses. */
	private record Json(JsonMapper mapper) implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return this.mapper.writeValueAsBytes(data);
		}

		@Override
		public <T> T deserialize(Class<T> type, byte[] data) {
			return this.mapper.readValue(data, type);
		}

	}

}
