package dev.backoff.durable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

import dev.backoff.fixture.SocketServer;

/** One PostgreSQL for all classes of this process, which ends with it. */
final class PostgresServer {

	private static @Nullable EmbeddedPostgres server;

	private static int databases;

	/** Make a database; return its address. */
	static synchronized String newDatabase() throws IOException, SQLException {
		EmbeddedPostgres running = server;
		if (running == null) {
			running = EmbeddedPostgres.builder()
				.setPort(SocketServer.freePort())
				.setServerConfig("fsync", "on")
				.setPGStartupWait(Duration.ofMinutes(1))
				.start();
			server = running;
		}
		String name = "test" + ++databases;
		try (Connection connection = running.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("create database " + name);
		}
		return running.getJdbcUrl("postgres", name);
	}

}
