package dev.backoff.durable;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/** Needs the programs of the Debian package mariadb-server. */
@Tag("long")
@Tag("mariadb")
@Tag("ci")
class MariaDbDurableTests extends DurableContract {

	@TempDir
	static Path directory;

	private static MariaDbServer server;

	@BeforeAll
	static void start() throws Exception {
		server = new MariaDbServer(directory);
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void clean() throws SQLException {
		try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
			statement.execute("drop table if exists backoff_calls");
		}
	}

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=" + server.url());
	}

	/* By the plans of the statements that were sent, while most calls still wait. */
	@Test
	void aLookForWhatIsDueSortsNothingAndACountReadsNoRow() throws SQLException {
		store("o1");
		try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
			statement.execute("insert into backoff_calls (task_name, task_instance, task_data, execution_time, picked, "
					+ "version) select task_name, concat(task_instance, seq), task_data, execution_time, picked, "
					+ "version from backoff_calls, seq_1_to_5000");
			statement.execute("set global log_output = 'TABLE'");
			statement.execute("set global general_log = 1");
			run((shop) -> {
				Awaitility.await().until(() -> !shop.lines().isEmpty());
				assertThat(shop.parts().store().count(Store.Part.of("mails", false), 10)).isEqualTo(10);
			});
			statement.execute("set global general_log = 0");
			assertThat(plan(statement, "select * from backoff_calls%execution_time <= %"))
				.startsWith("backoff_calls_due ")
				.doesNotContain("filesort");
			assertThat(plan(statement, "select count(*)% where _ is not null %")).startsWith("backoff_calls_due ")
				.endsWith("Using index");
			assertThat(plan(statement, "select count(*)%picked = %")).startsWith("backoff_calls_heartbeat ");
		}
	}

	/* The index, and what else is said of how the table is read. */
	private static String plan(Statement statement, String like) throws SQLException {
		String sent = text(statement, "select regexp_replace(argument, '.*from \\\\(|\\\\) as counted', '') from "
				+ "mysql.general_log where argument like '" + like + "''mails''%'");
		return text(statement, "explain " + sent);
	}

	private static String text(Statement statement, String query) throws SQLException {
		try (ResultSet row = statement.executeQuery(query)) {
			assertThat(row.next()).isTrue();
			boolean plan = row.getMetaData().getColumnCount() > 1;
			return plan ? row.getString("key") + " " + row.getString("Extra") : row.getString(1);
		}
	}

	@Nested
	@Execution(ExecutionMode.SAME_THREAD)
	class Transactions extends TransactionContract {

		@Override
		List<String> database() {
			return MariaDbDurableTests.this.database();
		}

	}

}
