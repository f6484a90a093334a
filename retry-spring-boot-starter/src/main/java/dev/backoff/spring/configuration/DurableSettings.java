package dev.backoff.spring.configuration;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How durable calls are stored and made: the keys below {@code backoff.durable}.
 * Immutable.
 *
 * @param work whether this process makes attempts
 * @param store which database holds the calls
 * @param dataSource the name of the application's data source that holds them, or null
 * @param file the path of the own H2 file, without its suffix
 * @param table the name of the table
 * @param initializeSchema whether the table is created
 * @param pollInterval how often each lane looks for calls that another process stored
 * @param heartbeat how often a running attempt shows that its process is alive
 * @param maxLosses how many attempts may end with their process before the call stops
 * @param maxPayload the most bytes that the arguments of a call take as JSON
 * @param shutdownWait how long closing the application waits for running attempts
 * @since 0.1
 */
public record DurableSettings(boolean work, BackoffProperties.DurableStore store, @Nullable String dataSource,
		String file, String table, BackoffProperties.InitializeSchema initializeSchema, Duration pollInterval,
		Duration heartbeat, int maxLosses, int maxPayload, Duration shutdownWait) {

}
