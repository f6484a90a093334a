package dev.backoff.spring.failure;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.backoff.failure.FailureClassifier;
import dev.backoff.fixture.SocketServer;

import static dev.backoff.spring.failure.Classified.assertSays;
import static dev.backoff.spring.failure.Classified.assertWithoutEffect;
import static dev.backoff.spring.failure.Classified.thrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link SqlFailureClassifier}. */
class SqlFailureClassifierTests {

	private final FailureClassifier classifier = new SqlFailureClassifier();

	@ParameterizedTest
	@CsvSource({ "40001,transient lock", "40P01,transient lock", "40000,transient lock", "55P03,transient lock",
			"57033,transient lock", "61000,transient lock", "08000,transient connect", "08001,transient connect",
			"08003,transient connect", "08004,transient connect", "53300,transient connect", "57P03,transient connect",
			"HYT01,transient connect", "08006,transient io", "08007,transient io", "08S01,transient io",
			"57P01,transient io", "57P02,transient io", "57P05,transient io", "40003,transient io",
			"58030,transient io", "57014,transient timeout", "HYT00,transient timeout", "25P03,transient timeout",
			"25P04,transient timeout", "26000,transient other", "53100,transient other", "53200,transient other",
			"23505,permanent", "40002,permanent", "22001,permanent", "28P01,permanent", "28000,permanent",
			"3D000,permanent", "42601,permanent", "42S02,permanent", "54000,permanent", "0A000,permanent",
			"57P04,permanent", "58P01,permanent", "HY000,nothing", "01000,nothing", "72000,nothing", "25006,nothing",
			"P0001,nothing", "08,nothing", "'',nothing", ",nothing", "S0001,nothing" })
	void classifiesPlainExceptionsBySqlState(String state, String expected) {
		assertSays(this.classifier, new SQLException("failed", state), expected);
	}

	@ParameterizedTest
	@CsvSource({ "08001,true", "08003,true", "08004,true", "53300,true", "57P03,true", "HYT01,true", "08000,false",
			"08P01,false", "08006,false", "08007,false", "08S01,false", "57014,false", "40001,false" })
	void tellsWhatWasSurelyNotApplied(String state, boolean expected) {
		assertWithoutEffect(this.classifier, new SQLException("failed", state), expected);
	}

	@Test
	void aLostConnectionThatOnlyItsTypeTellsMayHaveAnEffect() {
		assertWithoutEffect(this.classifier, new SQLNonTransientConnectionException("x"), false);
	}

	@Test
	void readsTheVendorsCodeWhereTheStateIsVague() {
		assertSays(this.classifier, new SQLException("ORA-08177", "72000", 8177), "transient lock");
		assertSays(this.classifier, new SQLException("lock timeout", "HYT00", 50200), "transient lock");
	}

	@Test
	void classifiesByTypeWithoutAKnownState() {
		assertSays(this.classifier, new SQLTransactionRollbackException("x"), "transient lock");
		assertSays(this.classifier, new SQLTimeoutException("x"), "transient timeout");
		assertSays(this.classifier, new SQLTransientException("x", "HY000"), "transient other");
		assertSays(this.classifier, new SQLRecoverableException("x"), "transient io");
		assertSays(this.classifier, new SQLNonTransientConnectionException("x"), "transient connect");
		assertSays(this.classifier, new SQLSyntaxErrorException("x"), "permanent");
		assertSays(this.classifier, new SQLNonTransientException("x", "99999"), "permanent");
		assertSays(this.classifier, new SQLException("x"), "nothing");
	}

	@Test
	void theStateOutranksTheType() {
		assertSays(this.classifier, new SQLNonTransientConnectionException("too many connections", "08004"),
				"transient connect");
		assertSays(this.classifier, new SQLNonTransientConnectionException("access denied", "28000"), "permanent");
	}

	@Test
	void readsNextExceptionsAndCauses() {
		BatchUpdateException batch = new BatchUpdateException("batch", new int[0]);
		batch.setNextException(new SQLException("deadlock", "40P01"));
		assertSays(this.classifier, batch, "transient lock");
		assertSays(this.classifier, new SQLException("x", new SQLException("y", "23505")), "permanent");
	}

	@Test
	void endsWhereNextExceptionsGoRound() {
		SQLException first = new EndlessSqlException();
		assertSays(this.classifier, first, "nothing");
	}

	@SuppressWarnings("serial")
	private static final class EndlessSqlException extends SQLException {

		@Override
		public SQLException getNextException() {
			return this;
		}

	}

	@Nested
	class APoolThatGivesNothing {

		@Test
		void isPoolIfAllConnectionsAreTaken() throws SQLException {
			HikariConfig config = new HikariConfig();
			config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
			config.setMaximumPoolSize(1);
			config.setConnectionTimeout(250);
			try (HikariDataSource pool = new HikariDataSource(config); Connection taken = pool.getConnection()) {
				assertThat(taken.isClosed()).isFalse();
				assertSays(classifier, thrownBy(pool::getConnection), "transient pool");
			}
		}

		@Test
		void isWhatItsCauseIsIfTheDatabaseRefuses() {
			assertWaitedInVain(new SQLException("refused", "08001"), "transient connect");
			assertWaitedInVain(new SQLException("wrong password", "28P01"), "permanent");
			assertWaitedInVain(new SQLException("who knows"), "transient connect");
		}

		private void assertWaitedInVain(SQLException cause, String expected) {
			assertSays(classifier, new SQLTransientConnectionException("not available", cause.getSQLState(), cause),
					expected);
		}

	}

	@Nested
	class WithH2 {

		private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=20;DB_CLOSE_DELAY=-1";

		@Test
		void lockTimeoutIsLock() throws SQLException {
			try (Connection holder = open(); Connection waiter = open()) {
				execute(holder, "create table stock (id int primary key)");
				execute(holder, "insert into stock values (1)");
				holder.setAutoCommit(false);
				execute(holder, "select * from stock where id = 1 for update");
				assertThrown(() -> execute(waiter, "delete from stock where id = 1"), "transient lock");
			}
		}

		@Test
		void mistakesInTheStatementArePermanent() throws SQLException {
			try (Connection connection = open()) {
				execute(connection, "create table stock (id int primary key)");
				execute(connection, "insert into stock values (1)");
				assertThrown(() -> execute(connection, "insert into stock values (1)"), "permanent");
				assertThrown(() -> execute(connection, "insert into stock values (null)"), "permanent");
				assertThrown(() -> execute(connection, "insert into stok values (2)"), "permanent");
				assertThrown(() -> execute(connection, "insrt"), "permanent");
				assertThrown(() -> execute(connection, "select 1 / 0"), "permanent");
			}
		}

		@Test
		void databaseThatHasShutDownIsConnect() throws SQLException {
			try (Connection one = open(); Connection other = open()) {
				execute(one, "shutdown");
				assertThrown(() -> execute(other, "select 1"), "transient connect");
			}
		}

		@Test
		void wrongPasswordIsPermanent() throws SQLException {
			try (Connection connection = open()) {
				execute(connection, "select 1");
				assertThrown(() -> DriverManager.getConnection(this.url, "sa", "wrong"), "permanent");
			}
		}

		@Test
		void refusedConnectionIsConnect() throws Exception {
			String refused = "jdbc:h2:tcp://127.0.0.1:" + SocketServer.closedPort() + "/mem:stock";
			assertThrown(() -> DriverManager.getConnection(refused), "transient connect");
		}

		private void assertThrown(ThrowingCallable action, String expected) {
			assertSays(classifier, thrownBy(action), expected);
		}

		private Connection open() throws SQLException {
			return DriverManager.getConnection(this.url, "sa", "");
		}

		private static void execute(Connection connection, String sql) throws SQLException {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}

	}

}
