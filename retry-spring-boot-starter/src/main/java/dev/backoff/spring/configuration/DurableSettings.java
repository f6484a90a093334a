package dev.backoff.spring.configuration;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The settings of durable calls: the keys below {@code backoff.durable}, which the
 * metadata of the durable module describes. The payload is in bytes. Immutable.
 *
 * @since 0.1
 */
public record DurableSettings(boolean work, Store store, @Nullable String dataSource, String file, String table,
		InitializeSchema initializeSchema, Duration pollInterval, Duration heartbeat, int maxLosses, int maxPayload,
		Duration shutdownWait) {

	public enum Store {

		AUTO, APPLICATION, OWN

	}

	public enum InitializeSchema {

		AUTO, ALWAYS, NEVER

	}

}
