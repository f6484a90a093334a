package dev.backoff.spring.failure;

import java.net.ConnectException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaSystemException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.HeuristicCompletionException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link DataAccessFailureClassifier}. */
class DataAccessFailureClassifierTests {

	private final FailureClassifier classifier = new DataAccessFailureClassifier();

	@Test
	void lostLocksAreLock() {
		assertSays(this.classifier, new CannotAcquireLockException("x"), "transient lock");
		assertSays(this.classifier, new OptimisticLockingFailureException("x"), "transient lock");
		assertSays(this.classifier, new UncategorizedSQLException("t", "s", new SQLException("x", "55P03")),
				"transient lock");
	}

	@Test
	void timeoutsAreTimeout() {
		assertSays(this.classifier, new QueryTimeoutException("x"), "transient timeout");
		assertSays(this.classifier, new TransactionTimedOutException("x"), "transient timeout");
	}

	@Test
	void resourceFailuresAreTransientThoughOfTheOtherBranch() {
		assertSays(this.classifier, new DataAccessResourceFailureException("x"), "transient io");
		assertSays(this.classifier, new DataAccessResourceFailureException("x", new ConnectException()),
				"transient connect");
		assertSays(this.classifier, new DataAccessResourceFailureException("x", new SQLException("x", "53300")),
				"transient connect");
		assertSays(this.classifier, new DataAccessResourceFailureException("x", new SQLException("x", "57P01")),
				"transient io");
		assertSays(this.classifier, new DataAccessResourceFailureException("x", new SQLException("x", "28P01")),
				"permanent");
		assertSays(this.classifier, new TransientDataAccessResourceException("x"), "transient io");
		assertSays(this.classifier, new RecoverableDataAccessException("x"), "transient io");
	}

	@Test
	void whatSpringHasToldApartIsPermanentWhateverTheCause() {
		assertSays(this.classifier, new DuplicateKeyException("x"), "permanent");
		assertSays(this.classifier, new DataIntegrityViolationException("x", new SQLException("x", "08006")),
				"permanent");
		assertSays(this.classifier, new EmptyResultDataAccessException(1), "permanent");
		assertSays(this.classifier, new InvalidDataAccessApiUsageException("x"), "permanent");
		assertSays(this.classifier, new PermissionDeniedDataAccessException("x", null), "permanent");
	}

	@Test
	void saysNothingOfWhatIsUncategorized() {
		assertSays(this.classifier, new UncategorizedSQLException("t", "s", new SQLException("x")), "nothing");
		assertSays(this.classifier, new UnexpectedRollbackException("x"), "nothing");
		assertSays(this.classifier, new TransactionSystemException("x"), "nothing");
		assertSays(this.classifier, new SQLException("x", "40001"), "nothing");
	}

	@Test
	void transactionsAreJudgedByTheirCause() {
		assertSays(this.classifier, new CannotCreateTransactionException("x"), "transient connect");
		assertSays(this.classifier, new TransactionSystemException("x", new SQLException("x", "40001")),
				"transient lock");
		assertSays(this.classifier, new TransactionSystemException("x", new OptimisticLockingFailureException("x")),
				"transient lock");
		assertSays(this.classifier, new TransactionSystemException("x", new DuplicateKeyException("x")), "permanent");
		assertSays(this.classifier, new IllegalTransactionStateException("x"), "permanent");
		assertSays(this.classifier, new HeuristicCompletionException(HeuristicCompletionException.STATE_MIXED, null),
				"permanent");
	}

	@Test
	void whatJpaCannotClassifyIsJudgedByItsCause() {
		assertSays(this.classifier, lost("57P01"), "transient io");
		assertSays(this.classifier, lost("57P03"), "transient connect");
		assertSays(this.classifier, lost("08006"), "transient io");
		assertSays(this.classifier, lost("26000"), "transient other");
		assertSays(this.classifier, new JpaSystemException(new RuntimeException("x")), "nothing");
	}

	@Test
	void aRollbackThatFailsIsJudgedByWhatItWasFor() {
		SQLException closed = new SQLException("Connection is closed");
		assertSays(this.classifier, rollback(closed, lost("57P01")), "transient io");
		assertSays(this.classifier, rollback(closed, lost("57P03")), "transient connect");
		assertSays(this.classifier, rollback(closed, new SQLException("x", "08006")), "transient io");
		assertSays(this.classifier, rollback(closed, new DuplicateKeyException("x")), "permanent");
		assertSays(this.classifier, rollback(new SQLException("x", "08003"), lost("57P01")), "transient io");
		assertSays(this.classifier, rollback(closed, new IllegalStateException()), "nothing");
		assertSays(this.classifier, rollback(new SQLException("x", "57P01"), new IllegalStateException()),
				"transient io");
	}

	private static JpaSystemException lost(String state) {
		return new JpaSystemException(new RuntimeException("could not execute", new SQLException("x", state)));
	}

	private static TransactionSystemException rollback(SQLException cause, Throwable original) {
		TransactionSystemException failure = new TransactionSystemException("Could not roll back", cause);
		failure.initApplicationException(original);
		return failure;
	}

	@Nested
	class WithH2 {

		private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=20;DB_CLOSE_DELAY=-1";

		private final DataSource database = new DriverManagerDataSource(this.url, "sa", "");

		private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

		@Test
		void lockTimeoutIsLock() {
			this.jdbc.execute("create table stock (id int primary key)");
			this.jdbc.update("insert into stock values (1)");
			transaction(this.database).executeWithoutResult((status) -> {
				this.jdbc.queryForList("select * from stock where id = 1 for update");
				JdbcTemplate other = new JdbcTemplate(new DriverManagerDataSource(this.url, "sa", ""));
				assertThrown(() -> other.update("delete from stock where id = 1"), "transient lock");
			});
		}

		@Test
		void mistakesInTheStatementArePermanent() {
			this.jdbc.execute("create table stock (id int primary key)");
			this.jdbc.update("insert into stock values (1)");
			assertThrown(() -> this.jdbc.update("insert into stock values (1)"), "permanent");
			assertThrown(() -> this.jdbc.update("insert into stock values (null)"), "permanent");
			assertThrown(() -> this.jdbc.update("insert into stok values (2)"), "permanent");
			assertThrown(() -> this.jdbc.update("insrt"), "permanent");
			assertThrown(() -> this.jdbc.queryForObject("select id from stock where id = 2", Integer.class),
					"permanent");
		}

		@Test
		void noConnectionIsConnect() throws Exception {
			DataSource refused = new DriverManagerDataSource(
					"jdbc:h2:tcp://127.0.0.1:" + SocketServer.closedPort() + "/mem:stock");
			assertThrown(() -> new JdbcTemplate(refused).execute("select 1"), "transient connect");
			assertThrown(() -> transaction(refused).executeWithoutResult((status) -> {
			}), "transient connect");
		}

		@Test
		void wrongPasswordIsPermanent() {
			this.jdbc.execute("select 1");
			DataSource refused = new DriverManagerDataSource(this.url, "sa", "wrong");
			assertThrown(() -> new JdbcTemplate(refused).execute("select 1"), "permanent");
			assertThrown(() -> transaction(refused).executeWithoutResult((status) -> {
			}), "permanent");
		}

		@Test
		void exhaustedPoolIsPool() throws SQLException {
			HikariConfig config = new HikariConfig();
			config.setDataSource(this.database);
			config.setMaximumPoolSize(1);
			config.setConnectionTimeout(250);
			try (HikariDataSource pool = new HikariDataSource(config); Connection taken = pool.getConnection()) {
				assertThat(taken.isClosed()).isFalse();
				assertThrown(() -> new JdbcTemplate(pool).execute("select 1"), "transient pool");
				assertThrown(() -> transaction(pool).executeWithoutResult((status) -> {
				}), "transient pool");
			}
		}

		@Test
		void closedPoolIsConnect() {
			HikariConfig config = new HikariConfig();
			config.setDataSource(this.database);
			HikariDataSource pool = new HikariDataSource(config);
			pool.close();
			assertThrown(() -> new JdbcTemplate(pool).execute("select 1"), "transient connect");
		}

		private static TransactionTemplate transaction(DataSource source) {
			return new TransactionTemplate(new JdbcTransactionManager(source));
		}

		private void assertThrown(ThrowingCallable action, String expected) {
			assertSays(classifier, thrownBy(action), expected);
		}

	}

}
