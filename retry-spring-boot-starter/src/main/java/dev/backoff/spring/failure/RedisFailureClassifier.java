package dev.backoff.spring.failure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify failures of Redis as Lettuce, Jedis and Spring Data report them, by the names
 * of their classes and by the first word of an error that the server replied.
 *
 * <pre>
 * LOADING, BUSY, TRYAGAIN, CLUSTERDOWN, MASTERDOWN, READONLY   transient, other
 * any other error that the server replied                      permanent
 * no reply in time                                             transient, timeout
 * no connection                                                transient, connect
 * no connection free in the pool                               transient, pool
 * </pre>
 *
 * The server's reply counts before the client's exception: a connection that failed for a
 * wrong password is permanent. READONLY comes from a server that is no longer the
 * primary. Thread-safe.
 */
final class RedisFailureClassifier implements TypedClassifier {

	private static final ClassTable TYPES = new ClassTable()
		.with(PERMANENT, "io.lettuce.core.RedisCommandExecutionException",
				"redis.clients.jedis.exceptions.JedisDataException")
		.with(TIMEOUT, "io.lettuce.core.RedisCommandTimeoutException")
		.with(DISCONNECTED, "io.lettuce.core.RedisConnectionException",
				"redis.clients.jedis.exceptions.JedisConnectionException",
				"org.springframework.data.redis.RedisConnectionFailureException")
		.with(POOL, "org.springframework.data.redis.connection.PoolException");

	private static final List<String> PASSING_REPLIES = List.of("LOADING ", "BUSY ", "TRYAGAIN ", "CLUSTERDOWN ",
			"MASTERDOWN ", "READONLY ", "ERR max number of clients");

	private final IoFailureClassifier io = new IoFailureClassifier(false);

	@Override
	public boolean mayKnow(Class<?> type) {
		return TYPES.of(type) != null;
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable reply = TYPES.find(failure, PERMANENT);
		if (reply != null) {
			return isPassing(reply) ? OTHER : TYPES.of(reply.getClass());
		}
		if (TYPES.find(failure, TIMEOUT) != null) {
			return TIMEOUT;
		}
		Throwable unconnected = TYPES.find(failure, DISCONNECTED);
		if (unconnected != null) {
			FailureClassification cause = this.io.classify(unconnected);
			return (cause != null) ? cause : DISCONNECTED;
		}
		return (TYPES.find(failure, POOL) != null) ? POOL : null;
	}

	private static boolean isPassing(Throwable reply) {
		String message = Causes.message(reply);
		return message != null && PASSING_REPLIES.stream().anyMatch(message::startsWith);
	}

}
