package dev.backoff.spring.configuration;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How durable calls are stored and made: the keys below {@code backoff.durable}, which
 * the metadata of their module describes. The payload is in bytes. Immutable.
 *
 * @since 0.1
 */
public record DurableSettings(boolean work, Store store, @Nullable String dataSource, String file, String table,
		InitializeSchema initializeSchema, Duration pollInterval, Duration heartbeat, int maxLosses, int maxPayload,
		Duration shutdownWait) {

	/** Database that holds durable calls. */
	public enum Store {

		AUTO, APPLICATION, OWN

	}

	/** When the table of durable calls is created. */
	public enum InitializeSchema {

		AUTO, ALWAYS, NEVER

	}

}
