package dev.backoff.durable;

import java.io.IOException;
import java.util.List;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.backoff.fixture.SocketServer;

@Tag("long")
class PostgresDurableTests extends DurableContract {

	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.builder().setPort(SocketServer.freePort()).setServerConfig("fsync", "on").start();
	}

	@AfterAll
	static void stop() throws IOException {
		postgres.close();
	}

	@BeforeEach
	void clean() throws Exception {
		try (var connection = postgres.getPostgresDatabase().getConnection();
				var statement = connection.createStatement()) {
			statement.execute("drop table if exists backoff_calls");
		}
	}

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"));
	}

	@Nested
	@Execution(ExecutionMode.SAME_THREAD)
	class Transactions extends TransactionContract {

		@Override
		List<String> database() {
			return PostgresDurableTests.this.database();
		}

	}

}
