package dev.backoff.durable;

import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Tag("long")
class PostgresDurableTests extends DurableContract {

	private static String url;

	@BeforeAll
	static void start() throws Exception {
		url = PostgresServer.newDatabase();
	}

	@BeforeEach
	void clean() {
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("drop table if exists backoff_calls");
	}

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=" + url);
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
