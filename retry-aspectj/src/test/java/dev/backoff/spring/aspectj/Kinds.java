package dev.backoff.spring.aspectj;

import java.util.concurrent.CompletableFuture;

import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import dev.backoff.annotation.Backoff;

/** Beans with the annotation on every kind of type. */
final class Kinds {

	/** A bean that can be proxied, too. */
	static class Parcels {

		@Backoff("depot")
		public String send(String item) throws Script.Failure {
			return Script.run(item);
		}

		public String sendByItself(String item) throws Script.Failure {
			return send(item);
		}

	}

	/** A record. */
	record Label(String text) {

		@Backoff("depot")
		String print() throws Script.Failure {
			return Script.run(this.text);
		}

	}

	/** An interface with a body. */
	interface Stamp {

		@Backoff("depot")
		default String print(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	/** An annotated class. */
	@Backoff("depot")
	static class Office {

		public String inherited(String item) throws Script.Failure {
			return Script.run(item);
		}

		public String overridden(String item) throws Script.Failure {
			return Script.run(item);
		}

		String inPackage(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	static class Branch extends Office {

		public String own(String item) throws Script.Failure {
			return Script.run(item);
		}

		@Override
		public String overridden(String item) throws Script.Failure {
			Script.note("override");
			return super.overridden(item);
		}

		@Override
		public String toString() {
			return "branch";
		}

	}

	static class PlainBranch extends Depot {

		@Override
		public String pick(String item) throws Script.Failure {
			Script.note("override");
			return super.pick(item);
		}

	}

	static class Plain {

		public String sendByItself(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	@Backoff("depot")
	static class Depository extends Plain {

		public String keep(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	/** An annotated interface. */
	@Backoff("depot")
	interface Carrier {

		String carry(String item) throws Script.Failure;

	}

	static class Courier implements Carrier {

		@Override
		public String carry(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	abstract static class Shelf<T> {

		abstract T take(T item) throws Script.Failure;

	}

	static class StringShelf extends Shelf<String> {

		@Override
		@Backoff("depot")
		String take(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	/** A bean with another aspect inside ours. */
	static class Vault {

		@Backoff(maxAttempts = "4", base = "10ms")
		@AnnotationTransactionAspect.Enclosed
		public String open(String item) throws Script.Failure {
			return Script.run(item);
		}

		@Backoff(maxAttempts = "4", base = "10ms")
		@AnnotationTransactionAspect.Enclosed
		public CompletableFuture<String> openLater(String item) {
			try {
				return CompletableFuture.completedFuture(Script.run(item));
			}
			catch (Script.Failure ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

	}

	/** A bean in transactions. */
	static class Account {

		@Backoff("depot")
		@Transactional(rollbackFor = Exception.class)
		public String pay(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	/** A bean with a limit. */
	static class Counter {

		@Backoff("depot")
		@ConcurrencyLimit(1)
		public String pay(String item) throws Script.Failure {
			return Script.run(item);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Limits {

	}

	/** Transactions by proxies. */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			Script.note("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			Script.note("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			Script.note("rollback");
		}

	}

}
