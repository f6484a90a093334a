package dev.backoff.spring.failure;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;

/**
 * Classify {@link SQLException}s, by SQLState before type, since many drivers throw plain
 * ones. The first of the failure, its causes and their next exceptions that is known
 * counts.
 *
 * <pre>
 * deadlock, serialization, rollback by the database  40..., 55P03, 57033, 61000   transient, lock
 * cannot connect, refused for load, starting         08..., 53300, 57P03          transient, connect
 * connection lost                                    08006, 08007, 08S01, 57P0.   transient, io
 * statement or lock wait timed out                   57014, HYT00, 25P03, 25P04   transient, timeout
 * out of resources, system error                     53..., 58...                 transient, other or io
 * prepared statement unknown, behind a pooler        26000                        transient, other
 * no free connection in the pool                                                  transient, pool
 * data, constraint, access, syntax, limits           22, 23, 28, 42, 54, ...      permanent
 * </pre>
 *
 * After a lost connection or a timeout it is unknown whether a commit arrived; both are
 * transient. {@link SQLNonTransientConnectionException} is transient, since some drivers
 * throw it when a server is down and the next attempt takes another connection. Only
 * 08001, 08003, 08004, 53300, 57P03, HYT01 and an empty pool imply that nothing was
 * applied. Thread-safe.
 */
final class SqlFailureClassifier implements TypedClassifier {

	/** Classes of SQLState that another attempt does not change. */
	private static final Set<String> PERMANENT_CLASSES = Set.of("0A", "21", "22", "23", "28", "2F", "34", "3D", "3F",
			"42", "44", "54");

	/* Tomcat's pool throws a plain SQLException of its own when it is empty. */
	private static final ClassTable TYPES = new ClassTable().with(LOCK, SQLTransactionRollbackException.class)
		.with(TIMEOUT, SQLTimeoutException.class)
		.with(POOL, SQLTransientConnectionException.class)
		.with(POOL, "org.apache.tomcat.jdbc.pool.PoolExhaustedException")
		.with(OTHER, SQLTransientException.class)
		.with(IO, SQLRecoverableException.class)
		.with(DISCONNECTED, SQLNonTransientConnectionException.class)
		.with(PERMANENT, SQLNonTransientException.class);

	/** Only this code distinguishes a lock timeout of H2 from its other timeouts. */
	private static final int H2_LOCK_TIMEOUT = 50200;

	/** Oracle could not serialize; its state 72000 has other meanings too. */
	private static final int ORACLE_CANNOT_SERIALIZE = 8177;

	@Override
	public boolean mayKnow(Class<?> type) {
		return SQLException.class.isAssignableFrom(type);
	}

	@Override
	public @Nullable FailureClassification classify(Throwable failure) {
		for (Throwable link : Causes.of(failure)) {
			int limit = Causes.LIMIT;
			SQLException next = (link instanceof SQLException sql) ? sql : null;
			for (; next != null && limit > 0; next = next.getNextException(), limit--) {
				String state = next.getSQLState();
				FailureClassification byState = (state != null) ? byState(state, next.getErrorCode()) : null;
				FailureClassification classification = (byState != null) ? byState : byType(next);
				if (classification != null) {
					return classification;
				}
			}
		}
		return (Causes.find(failure, SQLTransientConnectionException.class) != null) ? CONNECT : null;
	}

	private static @Nullable FailureClassification byState(String state, int code) {
		return switch (state) {
			case "40002" -> PERMANENT; // a constraint was violated at the commit
			case "40003" -> IO; // it is unknown whether the statement has completed
			case "55P03", "57033", "61000" -> LOCK;
			case "72000" -> (code == ORACLE_CANNOT_SERIALIZE) ? LOCK : null;
			case "08006", "08007", "08S01", "57P01", "57P02", "57P05" -> IO;
			case "08001", "08003", "08004", "53300", "57P03" -> CONNECT;
			case "57014", "HYT00", "25P03", "25P04" -> (code == H2_LOCK_TIMEOUT) ? LOCK : TIMEOUT;
			case "HYT01" -> CONNECT;
			case "57P04", "58P01", "58P02" -> PERMANENT;
			default -> (state.length() == 5) ? byStateClass(state.substring(0, 2)) : null;
		};
	}

	private static @Nullable FailureClassification byStateClass(String stateClass) {
		return switch (stateClass) {
			case "40" -> LOCK;
			case "08" -> DISCONNECTED; // of some drivers, also one that was lost midway
			case "26", "53" -> OTHER;
			case "58" -> IO;
			default -> PERMANENT_CLASSES.contains(stateClass) ? PERMANENT : null;
		};
	}

	/* If the database refused connections to the pool, the refusal is judged. */
	private static @Nullable FailureClassification byType(SQLException exception) {
		boolean refused = exception instanceof SQLTransientConnectionException
				&& Causes.cause(exception) instanceof SQLException;
		return refused ? null : TYPES.of(exception.getClass());
	}

}
