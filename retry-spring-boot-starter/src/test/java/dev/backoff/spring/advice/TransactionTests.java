package dev.backoff.spring.advice;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.RetryCause;
import dev.backoff.spring.advice.AdviceOrderTests.CountingTransactions;
import dev.backoff.spring.observation.BackoffObservationAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Retries of transactions on a database whose row another connection has locked. The
 * locks are real and wait for milliseconds; the waits between attempts are virtual, and
 * the other connection commits during one of them.
 */
@ExtendWith(OutputCaptureExtension.class)
class TransactionTests extends AdvisedApplication {

	private static final String ADVICE = "inside a transaction of its caller: its connection is held through the waits. "
			+ "If the attempts take part in it, it may already be rollback-only";

	TransactionTests() {
		this.context.register(BackoffObservationAutoConfiguration.class, AdviceOrderTests.Database.class, Stock.class,
				Shop.class);
	}

	/** Lock the row until the given wait, counted from 1. */
	private Connection lockUntil(int wait) throws SQLException {
		JdbcClient jdbc = context.getBean(JdbcClient.class);
		jdbc.sql("set default_lock_timeout 5").update();
		jdbc.sql("create table stock (sku varchar(10) primary key, boxes int)").update();
		jdbc.sql("insert into stock values ('tea', 10)").update();
		Connection other = context.getBean(DataSource.class).getConnection();
		other.setAutoCommit(false);
		other.createStatement().executeUpdate("update stock set boxes = boxes - 1 where sku = 'tea'");
		time.whileSleeping((nanos) -> {
			if (time.delays().size() == wait) {
				commit(other);
			}
		});
		return other;
	}

	private static void commit(Connection connection) {
		try {
			connection.commit();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private int boxes() {
		return context.getBean(JdbcClient.class).sql("select boxes from stock").query(Integer.class).single();
	}

	private List<String> events() {
		return context.getBean(CountingTransactions.class).events;
	}

	@Nested
	class ALockedRow {

		@Test
		void isTriedAgainInATransactionOfItsOwnUntilItIsFree(CapturedOutput output) throws Throwable {
			start();
			try (Connection other = lockUntil(2)) {
				Stock stock = context.getBean(Stock.class);
				assertThat(stock.take(3)).isEqualTo(6);
				assertThat(other.isClosed()).isFalse();
				assertThat(stock.transactions()).hasSize(3)
					.doesNotHaveDuplicates()
					.allMatch(TransactionStatus::isNewTransaction);
			}
			assertThat(events()).containsExactly("begin", "rollback", "begin", "rollback", "begin", "commit");
			assertThat(boxes()).isEqualTo(6);
			assertThat(listener.scheduled()).hasSize(2).allMatch((retry) -> retry.cause() == RetryCause.LOCK);
			assertThat(output).doesNotContain(ADVICE);
		}

		@Test
		void isGivenUpWithTheDatabasesOwnFailure() throws Throwable {
			start();
			try (Connection other = lockUntil(99)) {
				Throwable failure = catchThrowable(() -> context.getBean(Stock.class).take(3));
				assertThat(failure).isInstanceOf(TransientDataAccessException.class);
				assertThat(RetriesStoppedException.of(failure).reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
				other.rollback();
			}
			assertThat(events()).hasSize(8).doesNotContain("commit");
			assertThat(boxes()).isEqualTo(10);
		}

		@Test
		void isTriedAgainByTransactionsBegunInsideTheMethod(CapturedOutput output) throws Throwable {
			start();
			try (Connection other = lockUntil(1)) {
				assertThat(context.getBean(Stock.class).takeByTemplate(3)).isEqualTo(6);
				assertThat(other.isClosed()).isFalse();
			}
			assertThat(events()).containsExactly("begin", "rollback", "begin", "commit");
			assertThat(output).doesNotContain(ADVICE);
		}

	}

	@Nested
	class InsideATransactionOfTheCaller {

		@Test
		void anAttemptWithATransactionOfItsOwnIsRetriedWithOneWarning(CapturedOutput output) throws Throwable {
			start();
			try (Connection other = lockUntil(2)) {
				Shop shop = context.getBean(Shop.class);
				assertThat(shop.takeInNew(3)).isEqualTo(6);
				assertThat(other.isClosed()).isFalse();
				assertThat(shop.takeInNew(1)).isEqualTo(5);
			}
			assertThat(events()).containsExactly("begin", "begin", "rollback", "begin", "rollback", "begin", "commit",
					"commit", "begin", "begin", "commit", "commit");
			assertThat(lines(output)).singleElement()
				.asString()
				.contains("WARN", "Retrying Stock.takeInNew " + ADVICE, "Put @Backoff on the method that begins the "
						+ "transaction, or call Stock.takeInNew outside of it (policy Stock.takeInNew)");
		}

		@Test
		void anAttemptThatTookPartSpoilsItThoughARetrySucceeds(CapturedOutput output) throws Throwable {
			start();
			try (Connection other = lockUntil(1)) {
				assertThatExceptionOfType(UnexpectedRollbackException.class)
					.isThrownBy(() -> context.getBean(Shop.class).take(3));
				assertThat(other.isClosed()).isFalse();
			}
			assertThat(context.getBean(Stock.class).transactions()).hasSize(2)
				.noneMatch(TransactionStatus::isNewTransaction);
			assertThat(events()).containsExactly("begin", "rollback");
			assertThat(boxes()).isEqualTo(9);
			assertThat(lines(output)).hasSize(1);
		}

		@Test
		void manyCallsAreOneWarningForEachMethod(CapturedOutput output) {
			start();
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			Stock stock = context.getBean(Stock.class);
			for (int i = 0; i < 3; i++) {
				transaction.executeWithoutResult((status) -> {
					assertThat(catchThrowable(stock::count)).isInstanceOf(IOException.class);
					assertThat(catchThrowable(stock::weigh)).isInstanceOf(IOException.class);
				});
			}
			assertThat(lines(output)).hasSize(2)
				.anyMatch((line) -> line.contains("Retrying Stock.count "))
				.anyMatch((line) -> line.contains("Retrying Stock.weigh "));
		}

		@Test
		void anAsynchronousCallThatFailsAtOnceIsSeenToo(CapturedOutput output) {
			start();
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> assertThat(context.getBean(Stock.class).order()).isNotDone());
			time.runNext();
			assertThat(lines(output)).singleElement().asString().contains("Retrying Stock.order ");
		}

		@Test
		void aCallThatIsNotRetriedIsNotWarnedOf(CapturedOutput output) {
			start();
			Stock stock = context.getBean(Stock.class);
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(
					(status) -> assertThat(catchThrowable(stock::misuse)).isInstanceOf(NullPointerException.class));
			assertThat(lines(output)).isEmpty();
		}

	}

	@Test
	void withoutTransactionsThereIsNoWarning() {
		AdviceContexts.runner()
			.withConfiguration(AutoConfigurations.of(BackoffObservationAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("backoffTransactionLogger"));
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains(ADVICE)).toList();
	}

	/** Boxes of tea, in a row that others lock. */
	public static class Stock {

		private final List<TransactionStatus> transactions = new ArrayList<>();

		private final JdbcClient jdbc;

		private final TransactionTemplate template;

		public Stock(JdbcClient jdbc, PlatformTransactionManager transactions) {
			this.jdbc = jdbc;
			this.template = new TransactionTemplate(transactions);
		}

		@Backoff
		@Transactional
		public @Nullable Integer take(int boxes) {
			this.transactions.add(TransactionAspectSupport.currentTransactionStatus());
			return update(boxes);
		}

		@Backoff
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public @Nullable Integer takeInNew(int boxes) {
			return update(boxes);
		}

		@Backoff
		public @Nullable Integer takeByTemplate(int boxes) {
			return this.template.execute((status) -> update(boxes));
		}

		public List<TransactionStatus> transactions() {
			return this.transactions;
		}

		private @Nullable Integer update(int boxes) {
			this.jdbc.sql("update stock set boxes = boxes - ? where sku = 'tea'").param(boxes).update();
			return this.jdbc.sql("select boxes from stock where sku = 'tea'").query(Integer.class).single();
		}

		@Backoff
		public void count() throws IOException {
			throw new IOException("lost count");
		}

		@Backoff
		public void weigh() throws IOException {
			throw new IOException("no scales");
		}

		@Backoff
		public void misuse() {
			throw new NullPointerException("sku");
		}

		@Backoff
		public CompletableFuture<String> order() {
			return CompletableFuture.failedFuture(new IOException("busy"));
		}

	}

	/** Begins the transaction around. */
	public static class Shop {

		private final Stock stock;

		public Shop(Stock stock) {
			this.stock = stock;
		}

		@Transactional
		public @Nullable Integer take(int boxes) {
			return this.stock.take(boxes);
		}

		@Transactional
		public @Nullable Integer takeInNew(int boxes) {
			return this.stock.takeInNew(boxes);
		}

	}

}
