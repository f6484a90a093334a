package dev.backoff.durable;

import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;

/**
 * The engine's query for what is due, of given tasks only. While a breaker probes, it
 * fetches one row, so that no row is picked in vain. Thread-safe.
 */
final class LaneQuery extends AutodetectJdbcCustomization {

	private final String tasks;

	private final BooleanSupplier probing;

	/**
	 * Query the given tasks.
	 * @param tasks a condition on {@code task_name}, of checked names
	 */
	LaneQuery(DataSource dataSource, boolean withoutZones, String tasks, BooleanSupplier probing) {
		super(dataSource, withoutZones);
		this.tasks = tasks;
		this.probing = probing;
	}

	/* The order is that of the index, or H2 sorts the whole backlog. */
	@Override
	public String createSelectDueQuery(String table, int limit, String condition, boolean byPriority) {
		return "select * from " + table + " where picked = ? and execution_time <= ? and task_name " + this.tasks + " "
				+ condition + " order by picked, task_name, execution_time"
				+ getQueryLimitPart(this.probing.getAsBoolean() ? 1 : limit);
	}

}
