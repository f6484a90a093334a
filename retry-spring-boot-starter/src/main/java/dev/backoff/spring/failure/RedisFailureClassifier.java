package dev.backoff.spring.failure;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;

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

	private static final Set<String> REPLY_NAMES = Set.of("io.lettuce.core.RedisCommandExecutionException",
			"redis.clients.jedis.exceptions.JedisDataException");

	private static final List<String> PASSING_REPLIES = List.of("LOADING ", "BUSY ", "TRYAGAIN ", "CLUSTERDOWN ",
			"MASTERDOWN ", "READONLY ", "ERR max number of clients");

	private static final Set<String> TIMEOUT_NAMES = Set.of("io.lettuce.core.RedisCommandTimeoutException");

	private static final Set<String> CONNECT_NAMES = Set.of("io.lettuce.core.RedisConnectionException",
			"redis.clients.jedis.exceptions.JedisConnectionException",
			"org.springframework.data.redis.RedisConnectionFailureException");

	private static final Set<String> POOL_NAMES = Set.of("org.springframework.data.redis.connection.PoolException");

	private final IoFailureClassifier io = new IoFailureClassifier();

	@Override
	public boolean mayKnow(Class<?> type) {
		return ClassNames.isOneOf(REPLY_NAMES, type) || ClassNames.isOneOf(TIMEOUT_NAMES, type)
				|| ClassNames.isOneOf(CONNECT_NAMES, type) || ClassNames.isOneOf(POOL_NAMES, type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable reply = Causes.find(failure, (link) -> ClassNames.isOneOf(REPLY_NAMES, link));
		if (reply != null) {
			return isPassing(reply) ? FailureClassification.transientFailure(RetryCause.OTHER)
					: FailureClassification.permanent(RetryCause.OTHER);
		}
		if (Causes.find(failure, (link) -> ClassNames.isOneOf(TIMEOUT_NAMES, link)) != null) {
			return FailureClassification.transientFailure(RetryCause.TIMEOUT);
		}
		Throwable unconnected = Causes.find(failure, (link) -> ClassNames.isOneOf(CONNECT_NAMES, link));
		if (unconnected != null) {
			FailureClassification cause = this.io.classify(unconnected);
			// the same exception reports a connection that was lost midway
			return (cause != null) ? cause
					: FailureClassification.transientFailure(RetryCause.CONNECT).withPossibleEffect();
		}
		return (Causes.find(failure, (link) -> ClassNames.isOneOf(POOL_NAMES, link)) != null)
				? FailureClassification.transientFailure(RetryCause.POOL) : null;
	}

	private static boolean isPassing(Throwable reply) {
		String message = reply.getMessage();
		return message != null && PASSING_REPLIES.stream().anyMatch(message::startsWith);
	}

}
