package dev.backoff.durable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.backoff.fixture.SocketServer;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Needs the programs of the Debian package mariadb-server. */
@Tag("long")
@Tag("mariadb")
@Tag("ci")
class MariaDbDurableTests extends DurableContract {

	@TempDir
	static Path directory;

	private static Process server;

	private static String url;

	@BeforeAll
	static void start() throws Exception {
		Path mariadbd = program("mariadbd");
		Path installer = program("mariadb-install-db");
		Assumptions.assumeTrue(mariadbd != null && installer != null, "install mariadb-server to run these tests");
		String data = "--datadir=" + directory.resolve("data");
		String user = "--user=" + System.getProperty("user.name");
		Process install = run(installer, "--no-defaults", data, user, "--auth-root-authentication-method=normal",
				"--skip-test-db");
		Assumptions.assumeTrue(install.waitFor(2, TimeUnit.MINUTES) && install.exitValue() == 0,
				() -> "mariadb-install-db failed: see " + directory);
		int port = SocketServer.freePort();
		server = run(mariadbd, "--no-defaults", data, user, "--port=" + port, "--bind-address=127.0.0.1",
				"--socket=" + directory.resolve("s"), "--pid-file=" + directory.resolve("pid"),
				"--default-time-zone=+00:00");
		url = "jdbc:mariadb://127.0.0.1:" + port + "/shop?user=root&createDatabaseIfNotExist=true";
		Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
			connect().close();
			return true;
		});
	}

	private static Path program(String name) {
		return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	private static Process run(Path program, String... arguments) throws IOException {
		List<String> command = Stream.concat(Stream.of(program.toString()), Stream.of(arguments)).toList();
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve(program.getFileName() + ".log").toFile())
			.start();
	}

	private static Connection connect() throws SQLException {
		return DriverManager.getConnection(url);
	}

	@AfterAll
	static void stop() throws InterruptedException {
		if (server != null) {
			server.destroy();
			server.waitFor();
		}
	}

	@BeforeEach
	void clean() {
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("drop table if exists backoff_calls");
	}

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=" + url);
	}

	/*
	 * By the plan of the statement that a worker has sent, while most calls still wait.
	 */
	@Test
	void aLookForWhatIsDueSortsNoBacklog() throws SQLException {
		store("o1");
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute("insert into backoff_calls (task_name, task_instance, task_data, execution_time, picked, "
					+ "version) select task_name, concat(task_instance, seq), task_data, execution_time, picked, "
					+ "version from backoff_calls, seq_1_to_5000");
			statement.execute("set global log_output = 'TABLE'");
			statement.execute("set global general_log = 1");
			run((shop) -> Awaitility.await().until(() -> !shop.lines().isEmpty()));
			statement.execute("set global general_log = 0");
			String look = text(statement, "select argument from mysql.general_log where argument like 'select * from "
					+ "backoff_calls%execution_time <= %''mails''%'", 1);
			assertThat(look).isNotNull();
			assertThat(text(statement, "explain " + look, 6)).isEqualTo("backoff_calls_due");
			assertThat(text(statement, "explain " + look, 10)).doesNotContain("filesort");
		}
	}

	private static String text(Statement statement, String query, int column) throws SQLException {
		try (ResultSet row = statement.executeQuery(query)) {
			return row.next() ? row.getString(column) : null;
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
