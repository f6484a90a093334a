package dev.backoff.durable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.TreeSet;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.SystemClock;
import com.github.kagkarlsson.scheduler.TaskResolver;
import com.github.kagkarlsson.scheduler.event.SchedulerListeners;
import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepository;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine's own query of what is due, which a worker replaces, and the columns that
 * the engine reads. If one fails after an update, see docs/internals/durable.md.
 */
class EngineQueryTests {

	@ParameterizedTest
	@ValueSource(strings = { "H2", "PostgreSQL", "MySQL", "MariaDB" })
	void theQueryIsTheOneThatAWorkerReplaces(String database) throws Exception {
		DataSource dataSource = dataSource(database, Mockito.mock(PreparedStatement.class));
		String query = new AutodetectJdbcCustomization(dataSource, true).createSelectDueQuery("calls", 7, "and x",
				false);
		assertThat(query.strip().replaceAll(" +", " "))
			.isEqualTo("select * from calls where picked = ? and execution_time <= ? and x ORDER BY execution_time ASC"
					+ (database.equals("H2") ? " OFFSET 0 ROWS FETCH FIRST 7 ROWS ONLY" : " LIMIT 7"));
	}

	@Test
	void theColumnsAreThoseThatTheStartChecks() throws Exception {
		PreparedStatement statement = Mockito.mock(PreparedStatement.class);
		DataSource dataSource = dataSource("H2", statement);
		ResultSet row = Mockito.mock(ResultSet.class);
		Mockito.when(row.next()).thenReturn(true, false);
		Mockito.when(statement.getResultSet()).thenReturn(row);
		JdbcTaskRepository repository = new JdbcTaskRepository(dataSource, false,
				new AutodetectJdbcCustomization(dataSource, true), "calls",
				new TaskResolver(SchedulerListeners.NOOP, new SystemClock(), List.of()), new SchedulerName.Fixed("n"),
				Serializer.DEFAULT_JAVA_SERIALIZER, false, new SystemClock());
		assertThat(repository.getExecution("t", "i")).isPresent();
		TreeSet<String> read = new TreeSet<>();
		Mockito.mockingDetails(row).getInvocations().forEach((call) -> {
			if (call.getArguments().length > 0 && call.getArgument(0) instanceof String column) {
				read.add(column);
			}
		});
		assertThat(read).isEqualTo(new TreeSet<>(List.of(Store.COLUMNS.split(", "))));
	}

	private static DataSource dataSource(String database, PreparedStatement statement) throws Exception {
		DataSource dataSource = Mockito.mock(DataSource.class);
		Connection connection = Mockito.mock(Connection.class, Mockito.RETURNS_DEEP_STUBS);
		Mockito.when(dataSource.getConnection()).thenReturn(connection);
		Mockito.when(connection.getMetaData().getDatabaseProductName()).thenReturn(database);
		Mockito.when(connection.getMetaData().getDatabaseMajorVersion()).thenReturn(8);
		Mockito.when(connection.prepareStatement(Mockito.anyString())).thenReturn(statement);
		return dataSource;
	}

}
