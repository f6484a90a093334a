package dev.backoff.durable;

import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("long")
class PostgresDurableTests extends DurableContract {

	private static String url;

	private static JdbcTemplate jdbc;

	@BeforeAll
	static void start() throws Exception {
		url = PostgresServer.newDatabase();
		jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
	}

	@BeforeEach
	void clean() {
		jdbc.execute("drop table if exists backoff_calls");
	}

	@Override
	List<String> database() {
		return List.of("spring.datasource.url=" + url);
	}

	/* As PostgreSQL counts them; half of the rows are of one task, as it knows. */
	@Test
	void noStatementOfAStartOrAnAnswerReadsTheWholeTable() {
		store("o1");
		jdbc.execute("insert into backoff_calls (task_name, task_instance, task_data, execution_time, picked, version) "
				+ "select concat(task_name, case when n > 9999 then '/dead' end), n, task_data, '2999-01-01', picked, "
				+ "version from backoff_calls, generate_series(1, 20000) as numbers(n)");
		jdbc.execute("vacuum analyze backoff_calls");
		int before = scans();
		run((shop) -> assertThat(DurablePartTests.read(shop, Map.of("state", "planned")).get("counts"))
			.hasToString("{dead=0, planned=1000, running=0, scheduled=1000, unreadable=0}"));
		assertThat(scans()).isEqualTo(before);
	}

	/* When the connections are closed, with which a process tells what it has done. */
	private static int scans() {
		Awaitility.await()
			.until(() -> jdbc.queryForObject("select count(*) from pg_stat_activity where datname = current_database()",
					int.class) == 1);
		return jdbc.queryForObject("select seq_scan from pg_stat_user_tables where relname = 'backoff_calls'",
				int.class);
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
