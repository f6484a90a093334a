package dev.backoff.durable;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.event.TransactionalEventListenerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What durable calls do in and after the transaction of their caller. */
abstract class TransactionContract extends ShopFixture {

	private static final int POOL = 10;

	private static final DurableCalls.Options LATER = DurableCalls.Options
		.notBefore(Instant.parse("2999-01-01T00:00:00Z"));

	/** What begins the transactions of the application. */
	enum Manager {

		JDBC, JPA

	}

	private ApplicationContextRunner runner(Manager manager) {
		ApplicationContextRunner runner = runner()
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + POOL,
					"spring.datasource.hikari.connection-timeout=10000")
			.withUserConfiguration(Listening.class);
		return (manager == Manager.JPA) ? runner.withUserConfiguration(Jpa.class) : runner;
	}

	private void run(Manager manager, Consumer<Caller> test, String... properties) {
		runner(manager).withPropertyValues(properties).run((context) -> {
			assertThat(context).hasNotFailed();
			Caller caller = new Caller(manager, new RunningShop(context));
			caller.createNotes();
			test.accept(caller);
		});
	}

	/** An application that makes no attempts, so that its pool is its callers' alone. */
	private void runCallers(Manager manager, Consumer<Caller> test, String... properties) {
		run(manager, test, Stream.concat(Stream.of(NO_WORK), Stream.of(properties)).toArray(String[]::new));
	}

	@ParameterizedTest
	@EnumSource
	void aSubmissionThatJoinsACallLeavesTheRestToItsCaller(Manager manager) {
		runCallers(manager, (caller) -> {
			for (int isolation : new int[] { TransactionDefinition.ISOLATION_DEFAULT,
					TransactionDefinition.ISOLATION_REPEATABLE_READ }) {
				String key = "o" + isolation;
				caller.shop().inTransaction((transaction) -> transaction.setIsolationLevel(isolation), () -> {
					assertThat(caller.notes()).isZero();
					caller.note("n1");
					caller.elsewhere(() -> caller.submit(key));
					assertThat(caller.submit(key).isNew()).isFalse();
					caller.note("n2");
					throw new IllegalStateException("rolled back");
				});
				assertThat(caller.notes()).isZero();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void aSubmissionIsStoredWithTheRowsOfItsCallerOrNotAtAll(Manager manager) {
		run(manager, (caller) -> {
			caller.transaction(() -> {
				caller.note("n1");
				caller.submit("o1");
				assertThat(caller.shop().calls().find("mails", "o1")).isPresent();
				throw new IllegalStateException("rolled back");
			});
			assertThat(caller.shop().rows()).isZero();
			caller.transaction(() -> {
				caller.note("n1");
				caller.shop().mails("o1");
				sleep(Duration.ofMillis(150));
				assertThat(caller.shop().lines()).isEmpty();
			});
			caller.shop().awaitEnd("mails", "o1");
			assertThat(caller.shop().lines()).containsExactly("o1 1");
			assertThat(caller.notes()).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void submissionsThatJoinNeedNoConnectionButTheirCallers(Manager manager) {
		runCallers(manager, (caller) -> {
			CyclicBarrier reading = new CyclicBarrier(POOL + 1);
			CyclicBarrier stored = new CyclicBarrier(POOL + 1);
			CompletableFuture<?> others = CompletableFuture
				.runAsync(() -> runner(Manager.JDBC).withPropertyValues(NO_WORK).run((context) -> {
					Caller another = new Caller(Manager.JDBC, new RunningShop(context));
					await(reading);
					IntStream.range(0, POOL).forEach((call) -> another.submit("o" + call));
					await(stored);
				}), (task) -> new Thread(task).start());
			try {
				caller.atOnce((call) -> {
					assertThat(caller.notes()).isZero();
					await(reading);
					await(stored);
					assertThat(caller.submit("o" + call).isNew()).isFalse();
				});
			}
			finally {
				// its failure is why the callers waited in vain
				others.orTimeout(60, TimeUnit.SECONDS).join();
			}
			assertThat(caller.shop().rows()).isEqualTo(POOL);
		});
	}

	@ParameterizedTest
	@EnumSource
	void endsNeedNoConnectionButTheirCallers(Manager manager) {
		runCallers(manager, (caller) -> {
			IntStream.range(0, POOL).forEach((call) -> caller.submit("o" + call));
			caller.atOnce((call) -> assertThat(caller.shop().end("o" + call)).isTrue());
			assertThat(caller.shop().rows()).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void afterACommitNothingNeedsAnotherConnection(Manager manager) {
		for (boolean autoCommit : new boolean[] { true, false }) {
			runCallers(manager, (caller) -> {
				caller.atOnce((call) -> caller.publish("o" + call));
				assertThat(caller.shop().rows()).isEqualTo(POOL);
				caller.atOnce((call) -> caller.publish("o" + call));
				assertThat(caller.shop().context().getBean(Listening.class).joined).hasValue(POOL);
				caller.atOnce((call) -> caller.publish("end o" + call));
				assertThat(caller.shop().rows()).isZero();
			}, "spring.datasource.hikari.auto-commit=" + autoCommit);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aSubmissionAfterATransactionThatOnlyReadsIsStored(Manager manager) {
		runCallers(manager, (caller) -> {
			caller.shop().inTransaction((transaction) -> transaction.setReadOnly(true), () -> {
				assertThat(caller.notes()).isZero();
				caller.publish("o1");
			});
			assertThat(caller.shop().rows()).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void anEndIsOfItsTransaction(Manager manager) {
		runCallers(manager, (caller) -> {
			DurableCall<?> first = caller.submit("o1");
			caller.transaction(() -> {
				assertThat(caller.shop().end("o1")).isTrue();
				throw new IllegalStateException("rolled back");
			});
			assertThat(caller.shop().rows()).isOne();
			caller.transaction(() -> {
				assertThat(caller.shop().end("o1")).isTrue();
				assertThat(caller.shop().end("o1")).isFalse();
				assertThat(caller.submit("o1")).satisfies((next) -> {
					assertThat(next.isNew()).isTrue();
					assertThat(next.id()).isNotEqualTo(first.id());
				});
			});
			assertThat(caller.shop().rows()).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void anEndRemovesACallThatHasChangedSinceTheSnapshotOrIsToBeTriedAgain(Manager manager) {
		runCallers(manager, (caller) -> {
			caller.submit("o1");
			boolean[] tried = new boolean[1];
			caller.shop().inTransaction(RunningShop.REPEATABLE_READ, () -> {
				assertThat(caller.notes()).isZero();
				caller.elsewhere(() -> caller.shop().abandon("another", Instant.now()));
				try {
					assertThat(caller.shop().end("o1")).isTrue();
				}
				catch (TransientDataAccessException ex) {
					tried[0] = true;
				}
			});
			assertThat(caller.shop().rows()).isEqualTo(tried[0] ? 1 : 0);
		});
	}

	@ParameterizedTest
	@EnumSource
	void aDeadlockReachesItsCaller(Manager manager) {
		runCallers(manager, (caller) -> {
			caller.transaction(() -> IntStream.range(0, 100).forEach((note) -> caller.note("n" + note)));
			String last = "update note set amount = 1 where id = 'n99'";
			CountDownLatch noted = new CountDownLatch(1);
			CountDownLatch stored = new CountDownLatch(1);
			CompletableFuture<Throwable> other = CompletableFuture.supplyAsync(() -> caller.failure(() -> {
				// many changes, so that MariaDB takes the other one for its victim
				caller.update("update note set amount = 1 where id < 'n9'");
				caller.submit("o1");
				await(noted);
				stored.countDown();
				sleep(Duration.ofMillis(500));
				caller.update(last);
			}), (task) -> new Thread(task).start());
			Throwable failure = caller.failure(() -> {
				caller.update(last);
				noted.countDown();
				await(stored);
				caller.submit("o1");
			});
			Throwable others = other.orTimeout(60, TimeUnit.SECONDS).join();
			assertThat((failure != null) ? failure : others).isInstanceOf(TransientDataAccessException.class);
			assertThat((failure != null) ? others : failure).isNull();
		});
	}

	@ParameterizedTest
	@EnumSource
	void aRefusalIsOneOfSpringAndQuotesNoArgument(Manager manager) {
		runCallers(manager, (caller) -> {
			caller.update("alter table backoff_calls add constraint no_mails check (task_name <> 'fragile')");
			String secret = "secret of T2";
			Runnable submission = () -> caller.shop()
				.context()
				.getBean(Shop.Mails.class)
				.sendOnce(new Shop.Mail(secret, 1, Instant.EPOCH));
			for (Throwable failure : List.of(caller.failure(submission), failed(submission))) {
				assertThat(failure).isInstanceOf(DataIntegrityViolationException.class);
				for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
					assertThat(cause.getMessage()).doesNotContain(secret)
						.doesNotContain(HexFormat.of().formatHex("\"format\"".getBytes(StandardCharsets.UTF_8)));
				}
			}
			caller.transaction(() -> {
				caller.note("n1");
				assertThatExceptionOfType(DataAccessException.class).isThrownBy(submission::run);
				caller.note("n2");
			});
			assertThat(caller.notes()).isEqualTo(2);
		});
	}

	private static Throwable failed(Runnable action) {
		try {
			action.run();
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	@ParameterizedTest
	@EnumSource
	void aPoolThatIsEmptyIsATransientRefusal(Manager manager) {
		runCallers(manager, (caller) -> {
			DataSource pool = caller.shop().context().getBean(DataSource.class);
			List<Connection> taken = IntStream.range(0, POOL)
				.mapToObj((i) -> DataSourceUtils.getConnection(pool))
				.toList();
			assertThatExceptionOfType(TransientDataAccessResourceException.class).isThrownBy(() -> caller.submit("o1"));
			assertThatExceptionOfType(TransientDataAccessResourceException.class)
				.isThrownBy(() -> caller.shop().end("o1"));
			taken.forEach((connection) -> DataSourceUtils.releaseConnection(connection, pool));
		}, "spring.datasource.hikari.connection-timeout=2000");
	}

	@ParameterizedTest
	@EnumSource
	void aDataSourceThatIsWrappedIsTheOneThatItsManagerBinds(Manager manager) {
		runner(manager).withUserConfiguration(Wrapping.class).run((context) -> {
			Caller caller = new Caller(manager, new RunningShop(context));
			caller.createNotes();
			assertThat(context.getBean(DataSource.class)).isInstanceOf(TransactionAwareDataSourceProxy.class);
			caller.transaction(() -> {
				caller.shop().mails("o1");
				assertThat(caller.shop().rows()).isOne();
				throw new IllegalStateException("rolled back");
			});
			assertThat(caller.shop().rows()).isZero();
			assertThat(caller.shop().lines()).isEmpty();
			caller.transaction(() -> {
				caller.shop().mails("o2");
				sleep(Duration.ofMillis(300));
				assertThat(caller.shop().lines()).isEmpty();
			});
			caller.shop().awaitEnd("mails", "o2");
			assertThat(caller.shop().lines()).containsExactly("o2 1");
		});
	}

	@Test
	void theTableMayBeInASchema() {
		runCallers(Manager.JDBC, (caller) -> caller.update("create schema if not exists jobs"));
		run(Manager.JDBC, (caller) -> {
			caller.shop().mails("o1");
			caller.shop().awaitEnd("mails", "o1");
			assertThat(caller.shop().lines()).containsExactly("o1 1");
			assertThat(caller.shop().count("select count(*) from jobs.calls where task_name = 'mails'")).isZero();
		}, "backoff.durable.table=jobs.calls");
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(60, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A caller of durable methods, with rows of its own. */
	record Caller(Manager manager, RunningShop shop) {

		void createNotes() {
			transaction(() -> {
				update("drop table if exists note");
				update("create table note (id varchar(50) primary key, amount int)");
			});
		}

		void update(String statement) {
			new JdbcTemplate(this.shop.context().getBean(DataSource.class)).execute(statement);
		}

		int notes() {
			return this.shop.count("select count(*) from note");
		}

		void note(String id) {
			if (this.manager == Manager.JDBC) {
				update("insert into note values ('" + id + "', 0)");
				return;
			}
			var entities = EntityManagerFactoryUtils
				.getTransactionalEntityManager(this.shop.context().getBean(EntityManagerFactory.class));
			entities.persist(new Note(id));
			entities.flush();
		}

		DurableCall<?> submit(String order) {
			return this.shop.calls().submit(LATER, () -> this.shop.mails(order));
		}

		void publish(String event) {
			this.shop.context().publishEvent(new Event(event));
		}

		void transaction(Runnable work) {
			this.shop.inTransaction(work);
		}

		Throwable failure(Runnable work) {
			return failed(() -> new TransactionTemplate(this.shop.context().getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> work.run()));
		}

		/** Do something on a thread without the caller's transaction. */
		void elsewhere(Runnable work) {
			CompletableFuture.runAsync(work).orTimeout(60, TimeUnit.SECONDS).join();
		}

		/**
		 * Do something in as many transactions as there are connections, none of which is
		 * given back before all have committed.
		 */
		void atOnce(IntConsumer work) {
			CyclicBarrier begun = new CyclicBarrier(POOL);
			CyclicBarrier done = new CyclicBarrier(POOL);
			CyclicBarrier committed = new CyclicBarrier(POOL);
			CompletableFuture<?>[] all = IntStream.range(0, POOL)
				.mapToObj((call) -> CompletableFuture.runAsync(() -> transaction(() -> {
					int unused = notes();
					await(begun);
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCommit() {
							await(committed);
						}

					});
					work.accept(call);
					await(done);
				}), (task) -> new Thread(task).start()))
				.toArray(CompletableFuture<?>[]::new);
			CompletableFuture.allOf(all).orTimeout(60, TimeUnit.SECONDS).join();
		}

	}

	/** Something that happened. */
	record Event(String order) {
	}

	/** Submits and ends calls after the commit. */
	@Configuration(proxyBeanMethods = false)
	static class Listening {

		final AtomicInteger joined = new AtomicInteger();

		private final ObjectProvider<DurableCalls> calls;

		private final ObjectProvider<Shop.Mails> mails;

		Listening(ObjectProvider<DurableCalls> calls, ObjectProvider<Shop.Mails> mails) {
			this.calls = calls;
			this.mails = mails;
		}

		@TransactionalEventListener
		void happened(Event event) {
			if (event.order().startsWith("end ")) {
				assertThat(this.calls.getObject().end("mails", event.order().substring(4))).isTrue();
			}
			else if (!this.calls.getObject().submit(LATER, () -> this.mails.getObject().send(event.order())).isNew()) {
				this.joined.incrementAndGet();
			}
		}

		@Bean
		static TransactionalEventListenerFactory transactionalEventListeners() {
			return new TransactionalEventListenerFactory();
		}

	}

	/** A row of the application. */
	@Entity(name = "note")
	static class Note {

		@Id
		String id;

		Integer amount = 0;

		Note() {
		}

		Note(String id) {
			this.id = id;
		}

	}

	/** Lets JPA begin the transactions. */
	@Configuration(proxyBeanMethods = false)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setManagedTypes(PersistenceManagedTypes.of(Note.class.getName()));
			return factory;
		}

		@Bean
		PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

	}

	/** Wraps the pool as applications do that use JDBC without Spring. */
	@Configuration(proxyBeanMethods = false)
	static class Wrapping {

		@Bean
		static BeanPostProcessor wrapping() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof DataSource pool)
							? new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool)) : bean;
				}

			};
		}

	}

}
