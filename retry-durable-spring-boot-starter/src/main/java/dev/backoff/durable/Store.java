package dev.backoff.durable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.Clock;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.TaskResolver;
import com.github.kagkarlsson.scheduler.event.SchedulerListener;
import com.github.kagkarlsson.scheduler.event.SchedulerListeners;
import com.github.kagkarlsson.scheduler.jdbc.AutodetectJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepository;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.configuration.DurableSettings;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;

/**
 * The database that holds the calls: the application's, or an H2 file of its own. It is
 * long because all that differs between databases is here. Thread-safe.
 */
final class Store {

	/* The first versions, major and minor, that are supported. */
	private static final Map<String, Integer> VERSIONS = Map.of("H2", 2_02, "PostgreSQL", 14_00, "MySQL", 8_00,
			"MariaDB", 10_06);

	static final String COLUMNS = "task_name, task_instance, task_data, execution_time, picked, picked_by, "
			+ "last_success, last_failure, consecutive_failures, last_heartbeat, version";

	private static final String REFUSED = "The store of durable calls has refused a statement";

	/* The most rows that are read at once, and to which they are counted at most. */
	static final int MOST = 1_000;

	final DurableSettings settings;

	private final Clock clock;

	private final Serializer serializer;

	private final List<Task<?>> tasks;

	final DataSource dataSource;

	final boolean own;

	final String script;

	/* Unique to the process, since rows of another one must not be taken for ours. */
	final SchedulerName name = new SchedulerName.Fixed(ProcessHandle.current().pid() + "-" + UUID.randomUUID());

	/* Not the object that a manager binds. */
	private final DataSource separate;

	private final TransactionTemplate transaction;

	private final AutodetectJdbcCustomization database;

	private final JdbcTaskRepository repository;

	final SchedulerClient client;

	private final SchedulerListeners listeners;

	/** Open the store, and create or check its table as the settings say. */
	Store(DurableSettings settings, @Nullable DataSource application, Serializer serializer, List<Task<?>> tasks,
			SchedulerListener listener, Clock clock) {
		this.settings = settings;
		this.clock = clock;
		this.serializer = serializer;
		this.tasks = tasks;
		boolean lasting = application != null
				&& !read(settings, application, false, (connection) -> connection.getMetaData().getURL())
					.matches("jdbc:(?:h2:mem|hsqldb:mem|derby:memory):.*");
		if (settings.store() == DurableSettings.Store.APPLICATION && !lasting) {
			throw problem(settings,
					(application != null) ? "is a database in memory, which ends with the process"
							: "needs a DataSource, and the application has none",
					"Configure spring.datasource.url, or write own for a file of the library.");
		}
		this.own = settings.store() == DurableSettings.Store.OWN || !lasting;
		this.dataSource = (this.own || application == null) ? file(settings) : application;
		this.script = read(settings, this.dataSource, this.own,
				(connection) -> script(settings, connection.getMetaData()));
		this.separate = new DelegatingDataSource(this.dataSource);
		DataSource statements = new DelegatingDataSource(this.dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				DataSource bound = bound();
				return (bound != null) ? new TransactionAwareDataSourceProxy(bound).getConnection()
						: super.getConnection();
			}

		};
		this.transaction = new TransactionTemplate(new DataSourceTransactionManager(this.separate));
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.listeners = new SchedulerListeners(listener);
		// the columns have zones, or the engine is told that they have none
		LoggingSystem.get(Store.class.getClassLoader())
			.setLogLevel(AutodetectJdbcCustomization.class.getName() + ".utc_warning", LogLevel.OFF);
		this.database = new AutodetectJdbcCustomization(this.dataSource, isWithoutZones());
		this.repository = new JdbcTaskRepository(statements, false, this.database, settings.table(),
				new TaskResolver(this.listeners, clock, tasks), this.name, serializer, false, clock);
		this.client = SchedulerClient.Builder.create(statements, tasks)
			.serializer(serializer)
			.tableName(settings.table())
			.jdbcCustomization(this.database)
			.build();
		checkTable();
	}

	static @Nullable DataSource application(DurableSettings settings, ListableBeanFactory beans) {
		if (settings.store() == DurableSettings.Store.OWN) {
			return null;
		}
		String name = settings.dataSource();
		DataSource found;
		try {
			found = (name == null) ? beans.getBeanProvider(DataSource.class).getIfAvailable()
					: beans.getBean(name, DataSource.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw problem("data-source (" + ((name != null) ? name : "none") + ")",
					"must be one of " + String.join(", ", beans.getBeanNamesForType(DataSource.class)),
					"Write backoff.durable.data-source: <bean>, or backoff.durable.store: own.");
		}
		if (found != null && DataSourceUnwrapper.unwrap(found, AbstractRoutingDataSource.class) != null) {
			throw problem(settings, "is a routing DataSource, and attempts are looked for in one database only",
					"Name the DataSource of one database by backoff.durable.data-source, or write own.");
		}
		while (found instanceof TransactionAwareDataSourceProxy proxy) {
			found = proxy.getTargetDataSource();
		}
		return found;
	}

	private static String script(DurableSettings settings, DatabaseMetaData database) throws SQLException {
		String name = database.getDatabaseProductName();
		int major = database.getDatabaseMajorVersion();
		int minor = database.getDatabaseMinorVersion();
		if (major * 100 + minor < VERSIONS.getOrDefault(name, Integer.MAX_VALUE)) {
			throw problem(settings, "is on " + name + " " + major + "." + minor + ", which is not supported",
					"Use H2 from 2.2, PostgreSQL from 14, MySQL from 8.0.13 or MariaDB from 10.6, or write own.");
		}
		return name.equals("MariaDB") ? "mysql" : name.toLowerCase(Locale.ROOT);
	}

	/*
	 * Each commit is on the disk before it returns, and the signal that stops the process
	 * does not close the file. It keeps old pages for a second: without that, statements
	 * fail that read them, and with the default of 45 seconds it grows to gigabytes.
	 */
	private static DataSource file(DurableSettings settings) {
		if (!ClassUtils.isPresent("org.h2.jdbcx.JdbcConnectionPool", Store.class.getClassLoader())) {
			throw problem(settings, "needs H2 for a file of the library, and it is not on the class path",
					"Add the dependency com.h2database:h2, or configure spring.datasource.url.");
		}
		String path = Path.of(settings.file()).toAbsolutePath().toString();
		JdbcConnectionPool pool = JdbcConnectionPool
			.create("jdbc:h2:file:" + path + ";WRITE_DELAY=0;RETENTION_TIME=1000;DB_CLOSE_ON_EXIT=FALSE", "sa", "");
		pool.setMaxConnections(32);
		return pool;
	}

	private static <T> T read(DurableSettings settings, DataSource dataSource, boolean own,
			ConnectionCallback<T> reading) {
		try {
			return Objects.requireNonNull(new JdbcTemplate(dataSource).execute(reading));
		}
		catch (DataAccessException ex) {
			String rule = "cannot be opened: " + ex.getMostSpecificCause().getMessage();
			throw own
					? problem("file (" + settings.file() + ")", rule,
							"It belongs to one process at a time: stop the other one, or name another file.")
					: problem(settings, rule, "Start the database.");
		}
	}

	private static InvalidBackoffException problem(DurableSettings settings, String rule, String fix) {
		return problem("store (" + settings.store().name().toLowerCase(Locale.ROOT) + ")", rule, fix);
	}

	private static InvalidBackoffException problem(String key, String rule, String fix) {
		return new InvalidBackoffException(List.of(Problem.ofPlace("Invalid backoff.durable." + key, rule, fix)));
	}

	/* What fails is there already: another process that starts creates it too. */
	private void create(ClassPathResource resource) throws IOException {
		String table = this.settings.table();
		// only H2 wants the schema before the name of an index
		String index = this.script.equals("h2") ? table : table.substring(table.lastIndexOf('.') + 1);
		String text = resource.getContentAsString(StandardCharsets.UTF_8)
			.replaceAll("backoff_calls(?=_)", index)
			.replaceAll("backoff_calls(?!_)", table);
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator(
				new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));
		populator.setContinueOnError(true);
		DatabasePopulatorUtils.execute(populator, this.dataSource);
	}

	private void checkTable() {
		DurableSettings.InitializeSchema initialize = this.settings.initializeSchema();
		boolean create = initialize == DurableSettings.InitializeSchema.ALWAYS
				|| (initialize == DurableSettings.InitializeSchema.AUTO && this.script.equals("h2"));
		ClassPathResource resource = new ClassPathResource("db/" + this.script + ".sql", Store.class);
		try {
			if (create) {
				create(resource);
			}
			new JdbcTemplate(this.dataSource)
				.execute("select " + COLUMNS + " from " + this.settings.table() + " where 1 = 0");
		}
		catch (DataAccessException | IOException ex) {
			throw problem("table (" + this.settings.table() + ")",
					"cannot be used: " + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
					"Run the script " + resource.getPath() + " of the module"
							+ (create ? " by another user." : ", or set initialize-schema to always."));
		}
	}

	void close() {
		if (this.own && this.dataSource instanceof JdbcConnectionPool pool) {
			pool.dispose();
		}
	}

	/** Begin to build a scheduler of the rows. */
	SchedulerBuilder scheduler() {
		return Scheduler.create(this.dataSource, this.tasks)
			.schedulerName(this.name)
			.serializer(this.serializer)
			.tableName(this.settings.table())
			.clock(this.clock)
			.commitWhenAutocommitDisabled(true)
			.addSchedulerListener(this.listeners);
	}

	/** Return the settings that a file of H2 needs and its URL lacks. */
	List<String> missingSettings() {
		BeanWrapperImpl pool = new BeanWrapperImpl(this.dataSource);
		String key = pool.isReadableProperty("jdbcUrl") ? "jdbcUrl" : "url";
		String url = pool.isReadableProperty(key) ? String.valueOf(pool.getPropertyValue(key)) : "";
		return Stream.of("WRITE_DELAY=0", "DB_CLOSE_ON_EXIT=FALSE")
			.filter((setting) -> url.matches("(?i)jdbc:h2:(?!mem:|tcp:|ssl:)(?!.*" + setting + ").*"))
			.toList();
	}

	boolean isWithoutZones() {
		return this.script.equals("mysql");
	}

	boolean isPickedHere(Execution execution) {
		return this.name.getName().equals(execution.pickedBy);
	}

	<T> T inTransaction(Supplier<T> work) {
		return Objects.requireNonNull(this.transaction.execute((status) -> work.get()));
	}

	/** Insert a row, in the caller's transaction if any; false if its name is taken. */
	boolean insert(TaskInstance<StoredCall> instance, Instant due) {
		try {
			return change(() -> {
				this.client.scheduleBatch(List.of(instance), due);
				return true;
			});
		}
		catch (DuplicateKeyException ex) {
			return false;
		}
	}

	/** Remove a row in the caller's transaction, picked or not; false if it is gone. */
	boolean remove(String task, String instance) {
		// the engine would ask for a version, which a snapshot may hide
		String statement = "delete from " + this.settings.table() + " where task_name = ? and task_instance = ?";
		return change(() -> new JdbcTemplate(Objects.requireNonNull(bound())).update(statement, task, instance) > 0);
	}

	/*
	 * Make a statement of which nothing is left if it fails, by the connection that a
	 * transaction has bound, if there is one. After its end the thread still holds it,
	 * and must not ask the pool for another one.
	 */
	private <T> T change(Supplier<T> statement) {
		DataSource bound = bound();
		return made(() -> (bound != null) ? change(statement, bound) : inTransaction(statement));
	}

	private <T> T change(Supplier<T> statement, DataSource bound) {
		return Objects.requireNonNull(new JdbcTemplate(bound).execute((ConnectionCallback<T>) (connection) -> {
			boolean ended = !isJoining();
			if (ended && connection.isReadOnly()) {
				connection.setReadOnly(false);
			}
			boolean open = !connection.getAutoCommit();
			// elsewhere the transaction goes on without what has failed
			Savepoint before = (open && this.script.equals("postgresql")) ? connection.setSavepoint() : null;
			try {
				T changed = statement.get();
				if (open && ended) {
					connection.commit();
				}
				else if (before != null) {
					connection.releaseSavepoint(before);
				}
				return changed;
			}
			catch (RuntimeException ex) {
				undo(connection, before, ex);
				throw ex;
			}
		}));
	}

	/* A deadlock may have ended the transaction, and its savepoint with it. */
	private static void undo(Connection connection, @Nullable Savepoint before, RuntimeException failure) {
		try {
			if (before != null) {
				connection.rollback(before);
				connection.releaseSavepoint(before);
			}
		}
		catch (SQLException ex) {
			failure.addSuppressed(ex);
		}
	}

	/* H2 closes a file for all threads if one is interrupted. */
	private static <T> T made(Supplier<T> statement) {
		boolean interrupted = Thread.interrupted();
		try {
			return statement.get();
		}
		catch (RuntimeException ex) {
			throw translated(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/* PostgreSQL quotes the arguments in a batch, and in all lines but the first. */
	private static RuntimeException translated(RuntimeException failure) {
		Throwable cause = failure;
		while (cause != null && (!(cause instanceof SQLException) || cause instanceof BatchUpdateException)) {
			SQLException next = (cause instanceof BatchUpdateException batch) ? batch.getNextException() : null;
			cause = (next != null) ? next : cause.getCause();
		}
		if (!(cause instanceof SQLException sql)) {
			return failure;
		}
		SQLException refusal = !sql.getClass().getName().startsWith("org.postgresql.") ? sql : new SQLException(
				String.valueOf(sql.getMessage()).lines().findFirst().orElse(""), sql.getSQLState(), sql.getErrorCode());
		DataAccessException known = new SQLExceptionSubclassTranslator().translate(REFUSED, null, refusal);
		RuntimeException translated = (known != null) ? known : new UncategorizedSQLException(REFUSED, null, refusal);
		List.of(failure.getSuppressed()).forEach(translated::addSuppressed);
		return translated;
	}

	/** Return whether statements join a transaction that has not ended. */
	boolean isJoining() {
		return bound() != null && TransactionSynchronizationManager.isSynchronizationActive();
	}

	/** Do something after the commit, or now without a transaction. */
	static void afterCommit(Runnable action) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			action.run();
			return;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				if (status == STATUS_COMMITTED) {
					action.run();
				}
			}

		});
	}

	/** Return what the thread's transaction, ended or not, has bound of ours, or null. */
	@Nullable DataSource bound() {
		DataSource source = TransactionSynchronizationManager.isActualTransactionActive() ? this.separate : null;
		while (source != null && !TransactionSynchronizationManager.hasResource(source)) {
			source = (source instanceof DelegatingDataSource outer) ? outer.getTargetDataSource() : null;
		}
		return source;
	}

	static StoredCall call(Execution execution) {
		return (StoredCall) execution.taskInstance.getData();
	}

	/** Return all rows of a part, which may not fit into memory. */
	Stream<Execution> rows(Part part) {
		UnaryOperator<List<Execution>> next = (page) -> page(part, page.get(page.size() - 1), MOST);
		return Stream.iterate(page(part, null, MOST), (page) -> !page.isEmpty(), next).flatMap(List::stream);
	}

	/** Return the first rows of a part, or the first that follow another row. */
	List<Execution> page(Part part, @Nullable Execution after, int most) {
		return read("select task_instance, task_data, execution_time", part, true, after,
				" order by " + order() + ", task_instance" + limit(most),
				(result, number) -> new Execution(this.database.getInstant(result, "execution_time"),
						new TaskInstance<>(part.task(), result.getString("task_instance"), this.serializer
							.deserialize(StoredCall.class, this.database.getTaskData(result, "task_data")))));
	}

	/** Return how many rows a part has, or a number that they reach. */
	int count(Part part, int most) {
		// MariaDB's index has no picked, and so stays as it is when a row is picked
		boolean told = !isWithoutZones() || part.picked();
		int picked = told ? 0 : count(new Part(part.task(), true, part.from(), part.to()), MOST);
		String end = (part.picked() ? "" : " order by " + order()) + limit(Math.max(most, most + picked))
				+ ") as counted";
		return read("select count(*) from (select 1 as n", part, told, null, end,
				(all, i) -> Math.max(0, all.getInt(1) - picked))
			.get(0);
	}

	private <T> List<T> read(String select, Part part, boolean told, @Nullable Execution after, String end,
			RowMapper<T> mapper) {
		// only picked rows have heartbeats, which have an index
		String kind = !told ? "? is not null" : "picked = ?" + (part.picked() ? " and last_heartbeat is not null" : "");
		String statement = select + " from " + table() + " where " + kind
				+ " and task_name = ? and execution_time >= ? and execution_time <= ?"
				+ ((after != null) ? " and (execution_time, task_instance) > (?, ?)" : "") + end;
		return made(() -> new JdbcTemplate(this.separate).query(statement, (values) -> {
			values.setBoolean(1, part.picked());
			values.setString(2, part.task());
			Instant time = (after != null) ? after.executionTime : part.from();
			this.database.setInstant(values, 3, time.isBefore(part.from()) ? part.from() : time);
			this.database.setInstant(values, 4, part.to());
			if (after != null) {
				this.database.setInstant(values, 5, time);
				values.setString(6, after.taskInstance.getId());
			}
		}, mapper));
	}

	/** Return the names of all tasks that have rows, by a few looks at an index. */
	List<String> tasks() {
		// PostgreSQL reads all rows for what is distinct, and the others for this
		String names = !this.script.equals("postgresql") ? "select distinct task_name from TABLE"
				: "with recursive names(name) as (select min(task_name) from TABLE union all select "
						+ "(select min(task_name) from TABLE where task_name > name) from names where name is not null) "
						+ "select name from names where name is not null";
		String statement = names.replace("TABLE", this.settings.table());
		return made(() -> new JdbcTemplate(this.separate).queryForList(statement, String.class));
	}

	/** Return the table; by its primary key, MariaDB would sort all rows of a task. */
	String table() {
		return this.settings.table() + (isWithoutZones() ? " ignore index (primary)" : "");
	}

	/** Return the order of an index, or H2 and MariaDB would sort all rows of a task. */
	String order() {
		return isWithoutZones() ? "execution_time" : "picked, task_name, execution_time";
	}

	/* PostgreSQL reads in the order of the index then: see docs/internals/durable.md. */
	String limit(int most) {
		return this.script.equals("postgresql") ? " limit (select " + most + ")"
				: this.database.getQueryLimitPart(most);
	}

	Optional<Execution> find(String task, String instance) {
		return made(() -> this.repository.getExecution(task, instance));
	}

	/**
	 * Make a statement about a row in a transaction, only if the row still holds the call
	 * that was read before. Versions repeat, so that the engine's statements alone do not
	 * tell it from the next call of its key.
	 * @param owned whether an attempt of this process must still hold the row
	 * @return false if the row holds something else by now
	 */
	boolean guarded(Execution execution, StoredCall call, boolean owned,
			Consumer<ExecutionOperations<StoredCall>> statement) {
		return made(() -> Boolean.TRUE.equals(this.transaction.execute((status) -> {
			// locks the row
			if (this.repository.updateHeartbeat(execution, this.clock.now()) && isSame(execution, call, owned)) {
				statement.accept(new ExecutionOperations<>(this.repository, this.listeners, execution));
				return true;
			}
			status.setRollbackOnly();
			return false;
		})));
	}

	private boolean isSame(Execution execution, StoredCall call, boolean owned) {
		Execution stored = find(execution.taskInstance.getTaskName(), execution.taskInstance.getId()).orElse(null);
		return stored != null && call.isSame(call(stored)) && (!owned || isPickedHere(stored));
	}

	/** The rows of a task, picked or not, that are due at two times or between them. */
	record Part(String task, boolean picked, Instant from, Instant to) {

		static Part of(String task, boolean picked) {
			return new Part(task, picked, Instant.EPOCH, StoredCall.NEVER);
		}

		/** Return the parts of a policy by their names; planned letters were requeued. */
		static Map<String, Part> states(String policy) {
			String dead = StoredCall.deadTask(policy);
			return new TreeMap<>(Map.of("scheduled", of(policy, false), "running", of(policy, true), "dead",
					new Part(dead, false, StoredCall.NEVER, StoredCall.NEVER), "planned",
					new Part(dead, false, Instant.EPOCH, StoredCall.NEVER.minusMillis(1))));
		}

	}

}
