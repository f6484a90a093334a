package dev.backoff.durable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.ClassPathResource;

import dev.backoff.durable.RowStep.Row;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each change of a row on PostgreSQL, written by a trigger, and compared with what the
 * model allows.
 */
final class AuditTrail {

	private static final JsonMapper JSON = JsonMapper.shared();

	private AuditTrail() {
	}

	/** Make the table of calls, and from now on write down each change of it. */
	static void install(String url) throws SQLException, IOException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute(
					new ClassPathResource("db/postgresql.sql", Store.class).getContentAsString(StandardCharsets.UTF_8));
			statement.execute("create table audit (number bigserial, before jsonb, after jsonb)");
			statement.execute("create function audit() returns trigger language plpgsql as $$ begin "
					+ "insert into audit (before, after) values (to_jsonb(old), to_jsonb(new)); return null; end $$");
			statement.execute("create trigger audit after insert or update or delete on backoff_calls "
					+ "for each row execute function audit()");
		}
	}

	/** Check all changes, and return how many there are of each kind. */
	static Map<RowStep, Integer> check(String url) throws SQLException {
		Map<RowStep, Integer> steps = new EnumMap<>(RowStep.class);
		Map<String, Row> rows = new HashMap<>();
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.setFetchSize(1_000);
			ResultSet changes = statement.executeQuery("select before, after from audit order by number");
			while (changes.next()) {
				Row before = row(changes.getString(1));
				Row after = row(changes.getString(2));
				RowStep step = RowStep.of(before, after);
				assertThat(step).as("a change of a row from %s to %s", before, after).isNotNull();
				steps.merge(step, 1, Integer::sum);
				String id = Objects.requireNonNull((after != null) ? after : before).id();
				assertThat((after != null) ? rows.put(id, after) : rows.remove(id)).as("the one row of call %s", id)
					.isEqualTo(before);
			}
		}
		return steps;
	}

	private static @Nullable Row row(@Nullable String columns) {
		if (columns == null) {
			return null;
		}
		JsonNode row = JSON.readTree(columns);
		JsonNode call = JSON.readTree(HexFormat.of().parseHex(row.get("task_data").asString().substring(2)));
		String by = row.get("picked_by").isNull() ? null : row.get("picked_by").asString();
		assertThat(row.get("picked").asBoolean()).isEqualTo(by != null);
		return new Row(row.get("task_name").asString().endsWith("/dead"), call.get("id").asString(),
				row.get("version").asLong(), call.path("fence").asLong(), by, call.path("attempts").asInt(),
				call.path("losses").asInt());
	}

}
