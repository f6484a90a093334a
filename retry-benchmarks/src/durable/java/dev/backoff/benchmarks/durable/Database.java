package dev.backoff.benchmarks.durable;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * A database with a table for each side: ours with our indexes, the engine's with its.
 *
 * @param rows a table expression with one column n from 1 on
 */
record Database(String name, String url, String script, String rows, Closeable server) implements Closeable {

	private static final int CONNECTIONS = 30;

	static Database postgres() throws IOException {
		EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.start();
		return new Database("PostgreSQL, fsync on", server.getJdbcUrl("postgres", "postgres"), "postgresql",
				"generate_series(1, %d) as numbers(n)", server);
	}

	static Database h2() throws IOException {
		return new Database("H2 file, WRITE_DELAY=0",
				"jdbc:h2:file:" + Files.createTempDirectory("durable").resolve("calls") + ";WRITE_DELAY=0", "h2",
				"system_range(1, %d) as numbers(n)", () -> {
				});
	}

	/** Needs the programs of the Debian package mariadb-server. */
	static Database mariadb() throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("mariadb");
		String data = "--datadir=" + directory.resolve("data");
		program(directory, "mariadb-install-db", data, "--user=" + System.getProperty("user.name"),
				"--auth-root-authentication-method=normal", "--skip-test-db")
			.waitFor();
		int port = freePort();
		Process server = program(directory, "mariadbd", data, "--user=" + System.getProperty("user.name"),
				"--port=" + port, "--bind-address=127.0.0.1", "--socket=" + directory.resolve("s"),
				"--pid-file=" + directory.resolve("pid"), "--default-time-zone=+00:00");
		String url = "jdbc:mariadb://127.0.0.1:" + port
				+ "/shop?user=root&createDatabaseIfNotExist=true&connectionTimeZone=UTC&preserveInstants=true";
		for (int attempt = 1; !isOpen(url); attempt++) {
			if (attempt == 60 || !server.isAlive()) {
				throw new IllegalStateException("MariaDB does not start: see " + directory);
			}
			Thread.sleep(1_000);
		}
		return new Database("MariaDB", url, "mysql", "(select seq as n from seq_1_to_%d) as numbers", server::destroy);
	}

	private static Process program(Path directory, String name, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(name, "--no-defaults"));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve(name + ".log").toFile())
			.start();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static boolean isOpen(String url) {
		try (Connection connection = DriverManager.getConnection(url)) {
			return connection.isValid(1);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/** Return another, new database of the same server. */
	Database beside(String name) throws SQLException {
		String url = switch (script()) {
			case "h2" -> url().replace("calls;", name + ";");
			case "mysql" -> url().replace("/shop?", "/" + name + "?");
			default -> url() + "&currentSchema=" + name;
		};
		if (script().equals("postgresql")) {
			try (Connection connection = DriverManager.getConnection(url());
					Statement statement = connection.createStatement()) {
				statement.execute("create schema " + name);
			}
		}
		return new Database(name(), url, script(), rows(), () -> {
		});
	}

	/** Return how the engine writes times here. */
	AutodetectJdbcCustomization customization(DataSource pool) {
		return new AutodetectJdbcCustomization(pool, script().equals("mysql"));
	}

	HikariDataSource open() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url());
		pool.setMaximumPoolSize(CONNECTIONS);
		return pool;
	}

	/** Make both tables anew. */
	void reset(DataSource pool) throws SQLException, IOException {
		String ours = new ClassPathResource("dev/backoff/durable/db/" + script() + ".sql")
			.getContentAsString(StandardCharsets.UTF_8);
		// with the three indexes of the engine's own script
		String engine = ours.replace("backoff_calls", "scheduled_tasks")
			.replaceAll("\\((picked, )?task_name, execution[^)]*\\)", "(execution_time)")
				+ "\ncreate index scheduled_tasks_priority on scheduled_tasks (priority desc, execution_time asc);";
		try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("drop table if exists backoff_calls");
			statement.execute("drop table if exists scheduled_tasks");
			ScriptUtils.executeSqlScript(connection,
					new ByteArrayResource((ours + "\n" + engine).getBytes(StandardCharsets.UTF_8)));
		}
	}

	/**
	 * Add rows like the one that waits under a name, and let the database look at them.
	 */
	void addLike(DataSource pool, String like, String task, int rows, Instant due, boolean spread) throws SQLException {
		String time = !spread ? "?" : switch (script()) {
			case "h2" -> "dateadd(second, n, cast(? as timestamp with time zone))";
			case "mysql" -> "date_add(?, interval n second)";
			default -> "cast(? as timestamp with time zone) + n * interval '1 second'";
		};
		try (Connection connection = pool.getConnection();
				PreparedStatement insert = connection.prepareStatement("insert into backoff_calls "
						+ "(task_name, task_instance, task_data, execution_time, picked, version) "
						+ "select ?, concat(task_instance, '-', n), task_data, " + time
						+ ", picked, version from backoff_calls, " + String.format(rows(), rows)
						+ " where task_instance = ?");
				Statement analyze = connection.createStatement()) {
			insert.setString(1, task);
			insert.setTimestamp(2, Timestamp.from(due));
			insert.setString(3, like);
			insert.executeUpdate();
			analyze.execute(switch (script()) {
				case "h2" -> "analyze";
				case "mysql" -> "analyze table backoff_calls";
				default -> "vacuum analyze backoff_calls";
			});
			if (script().equals("postgresql")) {
				// what the insertion has left to write would slow all commits
				analyze.execute("checkpoint");
			}
		}
	}

	/** Replace the one row of a task by many that are due at a time. */
	void multiply(DataSource pool, String table, int rows, Instant due) throws SQLException {
		try (Connection connection = pool.getConnection();
				PreparedStatement insert = connection.prepareStatement("insert into " + table
						+ " (task_name, task_instance, task_data, execution_time, picked, version) "
						+ "select task_name, concat(task_instance, '-', n), task_data, ?, picked, version from " + table
						+ ", " + String.format(rows(), rows));
				PreparedStatement delete = connection
					.prepareStatement("delete from " + table + " where execution_time <> ?")) {
			insert.setTimestamp(1, Timestamp.from(due));
			insert.executeUpdate();
			delete.setTimestamp(1, Timestamp.from(due));
			delete.executeUpdate();
		}
	}

	/** Return a data source whose statements are counted. */
	static DataSource counting(DataSource pool, LongAdder statements) {
		return new DelegatingDataSource(pool) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				return (Connection) Proxy.newProxyInstance(Database.class.getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("prepareStatement")) {
								statements.increment();
							}
							try {
								return method.invoke(connection, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getCause();
							}
						});
			}

		};
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
