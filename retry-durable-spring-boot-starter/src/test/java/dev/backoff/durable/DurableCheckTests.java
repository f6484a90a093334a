package dev.backoff.durable;

import java.io.InputStream;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
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
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

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
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.annotation.Backoff;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;

import static org.assertj.core.api.Assertions.assertThat;

/** What the start-up refuses, and what it opens. */
@Execution(ExecutionMode.SAME_THREAD)
class DurableCheckTests {

	@TempDir
	Path directory;

	private ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class,
					DurableAutoConfiguration.class))
			.withPropertyValues("backoff.durable.file=" + this.directory.resolve("calls"));
	}

	private static void assertRefused(ApplicationContextRunner runner, String message) {
		runner.run((context) -> assertThat(context).getFailure()
			.isInstanceOf(InvalidBackoffException.class)
			.hasMessageContaining(message));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					WithoutName      | needs a policy name, by which rows find their method after a renaming
					WithSlash        | invalid value (a/b): must not contain a quote, a slash or a backslash for a durable policy
					WithResult       | needs a method that returns nothing or a DurableCall, and WithResult.call() returns a String
					WithFuture       | returns a CompletableFuture
					OfNoPolicy       | returns a DurableCall, and its policy is not durable
					WithObject       | the parameter value of WithObject.call(Object) is of no certain type
					WithObjects      | the parameter values of WithObjects.call(List) is of no certain type
					WithStream       | is a InputStream, which belongs to this process
					WithFunction     | is a Supplier, which belongs to this process
					WithDataSource   | is a DataSource, which belongs to this process
					WithInterface    | is of the abstract type Payable, and no type is stored
					WithWildcard     | the parameter values of WithWildcard.call(List) is of no certain type
					WithSerializable | the parameter value of WithSerializable.call(Serializable) is of no certain type
					WithComparable   | the parameter value of WithComparable.call(Comparable) is of no certain type
					WithNumber       | the parameter value of WithNumber.call(Number) is of no certain type
					WithObjectField  | the parameter value.lines.content of WithObjectField.call(Cart) is of no certain type
					WithObjectKey    | the parameter values of WithObjectKey.call(Map) is of no certain type
					WithOpenProperty | the parameter value.payable of WithOpenProperty.call(Invoice) is of the abstract type Payable
					WithSubtype      | the parameter value.reason of WithSubtype.call(Event) is of no certain type
					WithSubtypes     | the parameter value.events.reason of WithSubtypes.call(History) is of no certain type
					WithWriteOnly    | the parameter value.secret of WithWriteOnly.call(Login) is read and never written
					WithoutGetter    | the parameter value.amount of WithoutGetter.call(Hidden) is read and never written
					WithoutReader    | the parameter value of WithoutReader.call(Entry) cannot be read: Missing generic type
					WithLock         | the parameter value.lock of WithLock.call(Guarded) is a ReentrantLock, which belongs to this process
					WithAsync        | is beside @Async
					WithScheduled    | is beside @Scheduled
					WithUnknownName  | uses #oder, which is no parameter of WithUnknownName.call(String). Use #order.
					WithBareName     | invalid key (order): uses order without #. Use #order.
					WithBareMember   | uses id(), which is no parameter of WithBareMember.call(String). Use #order.
					WithWrongKey     | invalid key (#order.): is no expression
					UntilOfNothing   | judges a result, and UntilOfNothing.call() returns none
					WithBadCron      | invalid schedule (* *): is no schedule
					WithBareInterval | invalid schedule (every 10): is no schedule: needs a unit, such as every 10m
					WithArguments    | calls WithArguments.call(String), which needs arguments
					ScheduleOnly     | is of a durable policy, and this one is not
					""")
	void methodsThatCannotBeDurable(String type, String message) throws ClassNotFoundException {
		Class<?> bean = Class.forName(DurableCheckTests.class.getName() + "$" + type);
		assertRefused(runner().withBean(bean), message);
	}

	/* Here, since the starter's tests have no JPA. */
	@Test
	void anEntityIsWarnedOfWhereTheMethodIsNotDurable(CapturedOutput output) {
		runner().withBean(WithEntities.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("The first attempt uses up an argument, so that later ones may read or change "
					+ "nothing and succeed: WithEntities.add(Savings), WithEntities.addAll(List); make it");
		});
	}

	@Test
	void abstractTypesThatJacksonReadsFit() {
		runner().withBean(WithFitting.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void twoMethodsOfOnePolicy() {
		assertRefused(runner().withBean(WithTwo.class), "rows of a durable policy are of one method");
	}

	@Test
	void twoBeansOfOneClass() {
		assertRefused(runner().withBean("one", Fine.class).withBean("two", Fine.class),
				"needs one bean of Fine for its attempts, and there are one, two. Keep one of them, or make one primary.");
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
	void aDatabaseThatIsTooOld() throws Exception {
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

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aSmallPoolAndAnH2ThatWritesLaterAreAdvisedAgainst(CapturedOutput output) {
		runner().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withBean(Fine.class)
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + this.directory.resolve("shop"),
					"spring.datasource.hikari.maximum-pool-size=5", "backoff.durable.shutdown-wait=40s",
					"backoff.policies.fine.attempt-timeout=none")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output)
					.contains("The pool has 5 connections for 8 threads of durable calls and all else: "
							+ "give it 6 or more, or lower concurrency")
					.contains("add ;WRITE_DELAY=0 to the URL of the database")
					.contains("backoff.durable.shutdown-wait of 40s is cut short by "
							+ "spring.lifecycle.timeout-per-shutdown-phase of 30s")
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
	void theModuleThatIsMissing() {
		assertRefused(runner().withBean(Fine.class).withClassLoader(new FilteredClassLoader(DurableCall.class)),
				"needs the module dev.backoff:retry-durable-spring-boot-starter, which is not on the class path");
	}

	@Test
	void whatFitsStarts() {
		runner().withBean(Fine.class)
			.run((context) -> assertThat(context.getBean(Lanes.class).store().isOwn()).isTrue());
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
			.run((context) -> assertThat(context.getBean(Lanes.class).store().isOwn()).isTrue());
	}

	@Test
	void theDatabaseOfTheApplicationIsTaken() {
		runner().withBean(Fine.class)
			.withBean(DataSource.class, () -> h2("file:" + this.directory.resolve("shop")))
			.run((context) -> assertThat(context.getBean(Lanes.class).store().isOwn()).isFalse());
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
			.run((context) -> assertThat(context.getBean(Lanes.class).store().dataSource())
				.isSameAs(context.getBean("bills")));
		two.withPropertyValues("backoff.durable.store=own")
			.run((context) -> assertThat(context.getBean(Lanes.class).store().isOwn()).isTrue());
	}

	@Test
	void aDatabaseForEachTenant() {
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
	void aDatabaseInMemoryThatIsAskedFor() {
		assertRefused(
				runner().withBean(Fine.class)
					.withBean(DataSource.class, () -> h2("mem:two"))
					.withPropertyValues("backoff.durable.store=application"),
				"Invalid backoff.durable.store (application): is a database in memory, which ends with the process.");
	}

	@Test
	void aMissingTable() {
		assertRefused(runner().withBean(Fine.class).withPropertyValues("backoff.durable.initialize-schema=never"),
				"Run the script dev/backoff/durable/db/h2.sql of the module, or set initialize-schema to always.");
		assertRefused(runner().withBean(Fine.class)
			.withPropertyValues("backoff.durable.table=missing.calls", "backoff.durable.initialize-schema=always"),
				"Run the script dev/backoff/durable/db/h2.sql of the module by another user.");
	}

	@Test
	void aFileThatAnotherProcessHas() throws Exception {
		// another pool of this process would share the database, a class loader does not
		try (var channel = java.nio.channels.FileChannel.open(this.directory.resolve("calls.mv.db"),
				java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE);
				var lock = channel.lock()) {
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

	static class WithWildcard {

		@Backoff(value = "a", durable = "true")
		public void call(List<?> values) {
		}

	}

	static class WithSerializable {

		@Backoff(value = "a", durable = "true")
		public void call(Serializable value) {
		}

	}

	static class WithComparable {

		@Backoff(value = "a", durable = "true")
		public void call(Comparable<String> value) {
		}

	}

	static class WithNumber {

		@Backoff(value = "a", durable = "true")
		public void call(Number value) {
		}

	}

	record Line<T>(String article, T content) {
	}

	record Cart(Optional<List<Line<Object>>> lines) {
	}

	static class WithObjectField {

		@Backoff(value = "a", durable = "true")
		public void call(Cart value) {
		}

	}

	static class WithObjectKey {

		@Backoff(value = "a", durable = "true")
		public void call(Map<Object, String> values) {
		}

	}

	record Invoice(Payable payable) {
	}

	static class WithOpenProperty {

		@Backoff(value = "a", durable = "true")
		public void call(Invoice value) {
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Event permits Shipped, Cancelled {

	}

	record Shipped(Instant at) implements Event {
	}

	record Cancelled(Object reason) implements Event {
	}

	static class WithSubtype {

		@Backoff(value = "a", durable = "true")
		public void call(Event value) {
		}

	}

	record History(Map<String, Event> events) {
	}

	static class WithSubtypes {

		@Backoff(value = "a", durable = "true")
		public void call(History value) {
		}

	}

	record Login(String name, @JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String secret) {
	}

	static class WithWriteOnly {

		@Backoff(value = "a", durable = "true")
		public void call(Login value) {
		}

	}

	static class Hidden {

		public void setAmount(int amount) {
		}

	}

	static class WithoutGetter {

		@Backoff(value = "a", durable = "true")
		public void call(Hidden value) {
		}

	}

	static class WithoutReader {

		@Backoff(value = "a", durable = "true")
		@SuppressWarnings("rawtypes")
		public void call(Map.Entry value) {
		}

	}

	record Guarded(ReentrantLock lock) {
	}

	static class WithLock {

		@Backoff(value = "a", durable = "true")
		public void call(Guarded value) {
		}

	}

	/** What is abstract, recursive or ignored, and comes back all the same. */
	record Fitting(ZoneId zone, Path path, CharSequence text, TimeUnit unit, AtomicLong count, List<Fitting> parts,
			Parcel parcel, List<Move> moves, @JsonIgnore @Nullable Object ignored, JsonNode tree, Locale locale,
			@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Shipped.class)) Object typed,
			@JsonTypeInfo(
					use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Shipped.class)) List<Object> typedToo,
			@JsonDeserialize(using = Texts.class) Object read, Linked linked, Owner owner) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Parcel permits Letter {

	}

	record Letter(String to) implements Parcel {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
	@JsonSubTypes({ @JsonSubTypes.Type(Push.class), @JsonSubTypes.Type(Pull.class) })
	interface Move {

	}

	record Push(int times) implements Move {
	}

	record Pull(String rope) implements Move {
	}

	static class Texts extends ValueDeserializer<Object> {

		@Override
		public Object deserialize(JsonParser parser, DeserializationContext context) {
			return parser.getString();
		}

	}

	@JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
	static class Linked {

		public @Nullable Linked next;

	}

	static class Owner {

		@JsonManagedReference
		public List<Owned> owned = List.of();

	}

	static class Owned {

		@JsonBackReference
		public @Nullable Owner owner;

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

	static class WithFitting {

		@Backoff(value = "fitting", durable = "true")
		public void call(ZoneId zone, Path path, TimeUnit unit, Fitting value) {
		}

	}

	static class WithoutName {

		@Backoff(durable = "true")
		public void call() {
		}

	}

	static class WithSlash {

		@Backoff(value = "a/b", durable = "true")
		public void call() {
		}

	}

	static class WithResult {

		@Backoff(value = "a", durable = "true")
		public String call() {
			return "";
		}

	}

	static class WithFuture {

		@Backoff(value = "a", durable = "true")
		public CompletableFuture<String> call() {
			return new CompletableFuture<>();
		}

	}

	static class OfNoPolicy {

		@Backoff(value = "a", base = "1s")
		public DurableCall<String> call() {
			return DurableCall.result("");
		}

	}

	static class WithObject {

		@Backoff(value = "a", durable = "true")
		public void call(Object value) {
		}

	}

	static class WithObjects {

		@Backoff(value = "a", durable = "true")
		public void call(List<?> values) {
		}

	}

	static class WithStream {

		@Backoff(value = "a", durable = "true")
		public void call(InputStream value) {
		}

	}

	static class WithFunction {

		@Backoff(value = "a", durable = "true")
		public void call(Supplier<String> value) {
		}

	}

	static class WithDataSource {

		@Backoff(value = "a", durable = "true")
		public void call(DataSource value) {
		}

	}

	interface Payable {

	}

	static class WithInterface {

		@Backoff(value = "a", durable = "true")
		public void call(Payable value) {
		}

	}

	static class WithAsync {

		@Async
		@Backoff(value = "a", durable = "true")
		public void call() {
		}

	}

	static class WithScheduled {

		@Scheduled(fixedDelay = 1000)
		@Backoff(value = "a", durable = "true")
		public void call() {
		}

	}

	static class WithUnknownName {

		@Backoff(value = "a", durable = "true", key = "#oder")
		public void call(String order) {
		}

	}

	static class WithBareName {

		@Backoff(value = "a", durable = "true", key = "order")
		public void call(String order) {
		}

	}

	static class WithBareMember {

		@Backoff(value = "a", durable = "true", key = "#order.isEmpty() ? id() : #order.length() + args[0]")
		public void call(String order) {
		}

	}

	static class WithWrongKey {

		@Backoff(value = "a", durable = "true", key = "#order.")
		public void call(String order) {
		}

	}

	static class UntilOfNothing {

		@Backoff(value = "a", durable = "true", until = "#result != null")
		public void call() {
		}

	}

	static class WithBadCron {

		@Backoff(value = "a", durable = "true", schedule = "* *")
		public void call() {
		}

	}

	static class WithBareInterval {

		@Backoff(value = "a", durable = "true", schedule = "every 10")
		public void call() {
		}

	}

	static class WithArguments {

		@Backoff(value = "a", durable = "true", schedule = "every 10m")
		public void call(String value) {
		}

	}

	static class ScheduleOnly {

		@Backoff(value = "a", schedule = "every 10m")
		public void call() {
		}

	}

	static class WithTwo {

		@Backoff(value = "a", durable = "true")
		public void first() {
		}

		@Backoff(value = "a", durable = "true")
		public void second() {
		}

	}

}
