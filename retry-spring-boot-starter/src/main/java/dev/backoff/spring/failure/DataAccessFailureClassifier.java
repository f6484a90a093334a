package dev.backoff.spring.failure;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.UncategorizedDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.HeuristicCompletionException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.TransactionUsageException;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassification.Kind;

/**
 * Classify Spring's exceptions of data access and transactions, also where they are the
 * cause of another exception.
 *
 * <pre>
 * lost locks, deadlocks, optimistic locking            transient, lock
 * a SQLException or I/O failure among the causes       by that cause, see below
 * query or transaction timed out                       transient, timeout
 * no connection, for a transaction or without one      transient, connect
 * other transient, recoverable and resource failures   transient, io
 * other non-transient failures                         permanent
 * transaction misused, or ended in part                permanent
 * uncategorized, rolled back for any other reason      nothing
 * </pre>
 *
 * The transient branch of the hierarchy is not enough: a lost connection arrives as a
 * {@link DataAccessResourceFailureException} of the other branch, and a missing
 * connection at the start of a transaction as a {@link CannotCreateTransactionException}.
 * A failure that Spring has translated (duplicate keys, bad SQL, empty results) is
 * permanent for any cause. Of the others, {@link SqlFailureClassifier} and
 * {@link IoFailureClassifier} judge the causes first. A
 * {@link TransactionSystemException} after another exception, whose rollback failed, is
 * judged by that exception if it is known. Thread-safe.
 */
final class DataAccessFailureClassifier implements TypedClassifier {

	/*
	 * Spring Data Redis reports a connection that was lost midway like one that failed.
	 */
	private static final ClassTable TYPES = new ClassTable()
		.with(PERMANENT, NonTransientDataAccessException.class, TransactionUsageException.class,
				HeuristicCompletionException.class)
		.with(null, UncategorizedDataAccessException.class)
		.with(LOCK, ConcurrencyFailureException.class)
		.with(TIMEOUT, QueryTimeoutException.class, TransactionTimedOutException.class)
		.with(CONNECT, CannotCreateTransactionException.class)
		.with(CONNECT, "org.springframework.jdbc.CannotGetJdbcConnectionException")
		.with(DISCONNECTED, "org.springframework.data.redis.RedisConnectionFailureException")
		.with(IO, TransientDataAccessException.class, RecoverableDataAccessException.class,
				DataAccessResourceFailureException.class);

	private final SqlFailureClassifier sql = new SqlFailureClassifier();

	private final IoFailureClassifier io = new IoFailureClassifier(false);

	@Override
	public boolean mayKnow(Class<?> type) {
		return DataAccessException.class.isAssignableFrom(type) || TransactionException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		Throwable found = Causes.find(failure, (link) -> mayKnow(link.getClass()));
		if (found == null) {
			return null;
		}
		FailureClassification byType = TYPES.of(found.getClass());
		if (LOCK.equals(byType) || (byType != null && byType.kind() == Kind.PERMANENT)) {
			return byType;
		}
		FailureClassification byCause = byCause(found);
		return (byCause != null) ? byCause : byType;
	}

	/* A commit fails as a TransactionSystemException around Spring's own exception. */
	private @Nullable FailureClassification byCause(Throwable found) {
		FailureClassification original = (found instanceof TransactionSystemException failed
				&& failed.getApplicationException() != null) ? byOriginal(failed.getApplicationException()) : null;
		if (original != null) {
			return original;
		}
		FailureClassification bySql = this.sql.classify(found);
		if (bySql != null) {
			return bySql;
		}
		Throwable cause = Causes.cause(found);
		FailureClassification below = (found instanceof TransactionException && cause != null) ? classify(cause) : null;
		return (below != null) ? below : this.io.classify(found);
	}

	private @Nullable FailureClassification byOriginal(Throwable original) {
		FailureClassification known = classify(original);
		return (known != null) ? known : this.sql.classify(original);
	}

}
