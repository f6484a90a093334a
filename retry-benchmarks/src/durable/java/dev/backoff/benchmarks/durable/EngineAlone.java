package dev.backoff.benchmarks.durable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;

/**
 * db-scheduler as its users have it: one scheduler for all tasks, with as many threads.
 */
final class EngineAlone {

	private static final String DATA = "{\"order\":\"" + "1234567890".repeat(25) + "\"}";

	final Scheduler scheduler;

	private final OneTimeTask<String> drain;

	private final OneTimeTask<String> hanging;

	private final OneTimeTask<String> healthy;

	EngineAlone(HikariDataSource pool, Made made) {
		this.drain = Tasks.oneTime("drain", String.class).execute((instance, context) -> made.one());
		this.hanging = Tasks.oneTime("hanging", String.class)
			.onFailure((complete, operations) -> operations.reschedule(complete, Instant.now().plusSeconds(10)))
			.execute((instance, context) -> hang());
		this.healthy = Tasks.oneTime("healthy", String.class)
			.execute((instance, context) -> made.late(Long.parseLong(instance.getData())));
		this.scheduler = Scheduler.create(pool, this.drain, this.hanging, this.healthy)
			.serializer(new Texts())
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
		boolean unused = this.scheduler.scheduleIfNotExists(this.drain.instance("1", DATA), Instant.now());
	}

	void scheduleHanging() {
		boolean unused = this.scheduler.scheduleIfNotExists(this.hanging.instance("1", DATA), Instant.now());
	}

	void scheduleHealthy() {
		boolean unused = this.scheduler.scheduleIfNotExists(
				this.healthy.instance(UUID.randomUUID().toString(), Long.toString(System.nanoTime())), Instant.now());
	}

	/** Texts as bytes. */
	private record Texts() implements Serializer {

		@Override
		public byte[] serialize(Object data) {
			return data.toString().getBytes(StandardCharsets.UTF_8);
		}

		@Override
		public <T> T deserialize(Class<T> type, byte[] data) {
			return type.cast(new String(data, StandardCharsets.UTF_8));
		}

	}

}
