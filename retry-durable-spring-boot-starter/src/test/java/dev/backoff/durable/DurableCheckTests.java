package dev.backoff.durable;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import javax.sql.DataSource;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;

/** Which store the start-up opens, and what it refuses of it. */
@Execution(ExecutionMode.SAME_THREAD)
class DurableCheckTests {

	@TempDir
	Path directory;

	private ApplicationContextRunner runner() {
		return runner(this.directory);
	}

	static ApplicationContextRunner runner(Path directory) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues("backoff.durable.file=" + directory.resolve("calls"));
	}

	static void assertRefused(ApplicationContextRunner runner, String message) {
		runner.run((context) -> assertThat(context).getFailure()
			.isInstanceOf(InvalidBackoffException.class)
			.hasMessageContaining(message));
	}

	@Test
	void theFileIsClosedWithTheContext() throws Exception {
		runner().withBean(Fine.class).run((context) -> assertThat(context).hasNotFailed());
		try (FileChannel channel = FileChannel.open(this.directory.resolve("calls.mv.db"), StandardOpenOption.WRITE);
				FileLock lock = channel.tryLock()) {
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void aDatabaseThatIsTooOldIsRefused() throws Exception {
		DatabaseMetaData database = Mockito.mock();
		Mockito.when(database.getURL()).thenReturn("jdbc:postgresql://localhost/shop");
		Mockito.when(database.getDatabaseProductName()).thenReturn("PostgreSQL");
		Mockito.when(database.getDatabaseMajorVersion()).thenReturn(13);
		Mockito.when(database.getDatabaseMinorVersion()).thenReturn(9);
		Connection connection = Mockito.mock();
		Mockito.when(connection.getMetaData()).thenReturn(database);
		DataSource dataSource = Mockito.mock();
		Mockito.when(dataSource.getConnection()).thenReturn(connection);
		assertRefused(runner().withBean(Fine.class).withBean(DataSource.class, () -> dataSource),
				"Invalid backoff.durable.store (auto): is on PostgreSQL 13.9, which is not supported. Use H2 from 2.2");
	}

	/* Here, since the starter's tests have no JPA. */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void anEntityIsWarnedOfWhereTheMethodIsNotDurable(CapturedOutput output) {
		ApplicationContextRunner runner = runner().withPropertyValues("backoff.policies.fine.deadline=5m");
		runner.withBean(WithEntities.class).withBean(Fine.class).run((context) -> {
			assertThat(context).hasNotFailed();
			// the timeout above the deadline is a default
			assertThat(output).containsPattern("INFO .*policy fine: the deadline of 5m has room for");
			assertThat(output)
				.contains("The first attempt uses up an argument or writes into it, so that later ones may "
						+ "read or change nothing, or write again, and succeed: WithEntities.add(Savings), WithEntities.addAll(List); make it");
		});
	}

	@ParameterizedTest
	@CsvSource({ "'', ;WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE", ";write_delay=0, ;DB_CLOSE_ON_EXIT=FALSE",
			";DB_CLOSE_ON_EXIT=FALSE, ;WRITE_DELAY=0", ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE, " })
	@ExtendWith(OutputCaptureExtension.class)
	void aSmallPoolAndMissingSettingsOfH2AreAdvisedAgainst(String settings, @Nullable String missing,
			CapturedOutput output) {
		runner().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withBean(Fine.class)
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop") + settings,
					"spring.datasource.hikari.maximum-pool-size=5", "backoff.policies.fine.attempt-timeout=none")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output.getAll().lines().filter((line) -> line.contains("to the URL of the database")))
					.allMatch((line) -> line.contains("add " + missing + " to"))
					.hasSize((missing != null) ? 1 : 0);
				assertThat(output)
					.contains("The pool has 5 connections for 8 threads of durable calls and all else: "
							+ "give it 6 or more, or lower concurrency")
					.contains("keeps one of the policy's 8 threads for ever: set attempt-timeout");
			});
	}

	@Test
	void theApplicationMayEncryptRows() {
		ApplicationContextRunner runner = runner().withBean(Fine.class)
			.withPropertyValues("backoff.durable.work=false");
		runner.withUserConfiguration(Reversing.class).run((context) -> {
			context.getBean(Fine.class).call("o1", Map.of());
			assertThat(context.getBean(DurableCalls.class).find("fine", "o1"))
				.hasValueSatisfying((state) -> assertThat(state.key()).isEqualTo("o1"));
		});
		runner.run((context) -> assertThat(context.getBean(DurableCalls.class).find("fine", "o1"))
			.hasValueSatisfying((state) -> assertThat(state.key()).isNull()));
	}

	@Test
	void aDurableMethodNeedsTheModule() {
		assertRefused(runner().withBean(Fine.class).withClassLoader(new FilteredClassLoader(DurableCall.class)),
				"needs the module dev.backoff:retry-durable-spring-boot-starter, which is not on the class path");
	}

	@Test
	void theOwnFileIsTheStoreWithoutADatabase() {
		runner().withBean(Fine.class)
			.run((context) -> assertThat(context.getBean(DurableParts.class).store().own).isTrue());
	}

	@Test
	void nothingIsOpenedWithoutADurableMethod() {
		runner().run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(this.directory).isEmptyDirectory();
		});
	}

	@Test
	void aDatabaseInMemoryGivesWayToTheFile() {
		runner().withBean(Fine.class)
			.withBean(DataSource.class, () -> h2("mem:one"))
			.run((context) -> assertThat(context.getBean(DurableParts.class).store().own).isTrue());
	}

	@Test
	void theDatabaseOfTheApplicationIsTaken() {
		runner().withBean(Fine.class)
			.withBean(DataSource.class, () -> h2("file:" + this.directory.resolve("shop")))
			.run((context) -> assertThat(context.getBean(DurableParts.class).store().own).isFalse());
	}

	@Test
	void oneOfTwoDatabasesIsNamed() {
		ApplicationContextRunner two = runner().withBean(Fine.class)
			.withBean("orders", DataSource.class, () -> h2("file:" + this.directory.resolve("orders")))
			.withBean("bills", DataSource.class, () -> h2("file:" + this.directory.resolve("bills")));
		assertRefused(two, "Invalid backoff.durable.data-source (none): must be one of orders, bills. "
				+ "Write backoff.durable.data-source: <bean>, or backoff.durable.store: own.");
		assertRefused(two.withPropertyValues("backoff.durable.data-source=fine"),
				"Invalid backoff.durable.data-source (fine): must be one of orders, bills.");
		two.withPropertyValues("backoff.durable.data-source=bills")
			.run((context) -> assertThat(context.getBean(DurableParts.class).store().dataSource)
				.isSameAs(context.getBean("bills")));
		two.withPropertyValues("backoff.durable.store=own")
			.run((context) -> assertThat(context.getBean(DurableParts.class).store().own).isTrue());
	}

	@Test
	void aDatabaseForEachTenantIsRefused() {
		AbstractRoutingDataSource tenants = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return "a";
			}

		};
		DataSource one = h2("file:" + this.directory.resolve("a"));
		tenants.setTargetDataSources(Map.of("a", one));
		tenants.afterPropertiesSet();
		for (DataSource routing : List.of(tenants, new LazyConnectionDataSourceProxy(tenants),
				new TransactionAwareDataSourceProxy(tenants))) {
			ApplicationContextRunner runner = runner().withBean(Fine.class)
				.withBean("tenants", DataSource.class, () -> routing, (definition) -> definition.setPrimary(true))
				.withBean("one", DataSource.class, () -> one);
			assertRefused(runner,
					"Invalid backoff.durable.store (auto): is a routing DataSource, and attempts are looked for in one "
							+ "database only. Name the DataSource of one database by backoff.durable.data-source, or "
							+ "write own.");
			runner.withPropertyValues("backoff.durable.data-source=one")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void anEndThatTheOwnFileDoesNotJoinWaitsForTheCommit() {
		runner().withBean(Fine.class).withPropertyValues("backoff.durable.work=false").run((context) -> {
			DurableCalls calls = context.getBean(DurableCalls.class);
			TransactionTemplate transaction = new TransactionTemplate(
					new DataSourceTransactionManager(h2("mem:three")));
			context.getBean(Fine.class).call("o1", Map.of());
			transaction.executeWithoutResult((status) -> {
				assertThat(calls.end("fine", "o1")).isTrue();
				status.setRollbackOnly();
			});
			assertThat(calls.find("fine", "o1")).isPresent();
			transaction.executeWithoutResult((status) -> assertThat(calls.end("fine", "o1")).isTrue());
			assertThat(calls.find("fine", "o1")).isEmpty();
		});
	}

	private static DataSource h2(String name) {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:" + name);
		return dataSource;
	}

	@Test
	void aDatabaseInMemoryThatIsAskedForIsRefused() {
		assertRefused(
				runner().withBean(Fine.class)
					.withBean(DataSource.class, () -> h2("mem:two"))
					.withPropertyValues("backoff.durable.store=application"),
				"Invalid backoff.durable.store (application): is a database in memory, which ends with the process.");
	}

	@Test
	void aMissingTableIsReportedWithItsScript() {
		assertRefused(runner().withBean(Fine.class).withPropertyValues("backoff.durable.initialize-schema=never"),
				"Run the script dev/backoff/durable/db/h2.sql of the module, or set initialize-schema to always.");
		assertRefused(runner().withBean(Fine.class)
			.withPropertyValues("backoff.durable.table=missing.calls", "backoff.durable.initialize-schema=always"),
				"Run the script dev/backoff/durable/db/h2.sql of the module by another user.");
	}

	@Test
	void aFileThatAnotherProcessHasIsRefused() throws Exception {
		// another pool of this process would share the database, a class loader does not
		try (var channel = FileChannel.open(this.directory.resolve("calls.mv.db"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); var lock = channel.lock()) {
			assertThat(lock.isValid()).isTrue();
			assertRefused(runner().withBean(Fine.class), "It belongs to one process at a time");
		}
	}

	@Test
	void callsAreStoredWhileEverythingIsSwitchedOff() {
		runner().withBean(Fine.class).withPropertyValues("backoff.enabled=false").run((context) -> {
			context.getBean(Fine.class).call("o1", Map.of());
			assertThat(context.getBean(DurableCalls.class).find("fine", "o1")).isPresent();
		});
	}

	@Test
	void aMethodWithoutResultRunsInMemoryWhereTheConfigurationSaysSo() {
		runner().withBean(InMemory.class)
			.withPropertyValues("backoff.policies.in-memory.durable=false")
			.run((context) -> {
				context.getBean(InMemory.class).call();
				assertThat(InMemory.calls).isEqualTo(1);
			});
	}

	/** Writes rows from back to front. */
	@Configuration(proxyBeanMethods = false)
	static class Reversing {

		@Bean
		Serializer backoffCallSerializer(@Qualifier("backoffCallJson") Serializer json) {
			return new Serializer() {

				@Override
				public byte[] serialize(Object data) {
					return reversed(json.serialize(data));
				}

				@Override
				public <T> T deserialize(Class<T> type, byte[] data) {
					return json.deserialize(type, reversed(data));
				}

			};
		}

		private static byte[] reversed(byte[] data) {
			byte[] reversed = new byte[data.length];
			for (int i = 0; i < data.length; i++) {
				reversed[i] = data[data.length - 1 - i];
			}
			return reversed;
		}

	}

	static class Fine {

		@Backoff(value = "fine", durable = "true", key = "#order")
		public void call(String order, Map<String, List<Optional<String>>> values) {
		}

	}

	static class InMemory {

		static int calls;

		@Backoff(value = "in-memory", durable = "true")
		public void call() {
			calls++;
		}

	}

	@Entity
	static class Account {

		@Id
		long id;

	}

	static class Savings extends Account {

	}

	static class WithEntities {

		@Backoff
		public void add(Savings managed) {
		}

		@Backoff
		public void addAll(List<Account> managed) {
		}

		@Backoff
		public void addById(long id) {
		}

	}

}
