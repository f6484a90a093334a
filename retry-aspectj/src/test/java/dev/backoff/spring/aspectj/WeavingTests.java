package dev.backoff.spring.aspectj;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryListener;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Woven methods, whoever wove them: these tests run twice, once woven by the compiler and
 * once by the agent. The other tests of the package run on classes that nobody wove.
 */
@Tag("weaving")
class WeavingTests {

	private static final String[] THREE = { "a attempt 1", "a attempt 2", "a attempt 3" };

	private final ApplicationContextRunner proxies = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
		.withPropertyValues("backoff.policies.depot.max-attempts=3", "backoff.policies.depot.base=10ms")
		.withBean(VirtualTime.class)
		.withBean(RecordingListener.class);

	private final ApplicationContextRunner runner = this.proxies.withPropertyValues("backoff.mode=aspectj");

	@AfterEach
	void leaveNoContextBehind() throws Script.Failure {
		Script.fail(1);
		assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> Depot.pickAnywhere("a"));
		assertThat(Script.runs()).containsExactly("a alone");
	}

	@Test
	void areWovenByWhomTheyShouldBe() throws IOException {
		try (InputStream file = Depot.class.getResourceAsStream("Depot.class")) {
			String bytes = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
			boolean woven = bytes.contains("dev/backoff/spring/aspectj/BackoffAspect");
			assertThat(woven ? "compile-time" : "load-time").isEqualTo(System.getProperty("weaving"));
		}
	}

	@Nested
	class EachKindOfMethod {

		@Test
		void isRetriedWhenItIsCalledFromOutside() {
			check((depot) -> depot.pick("a"));
		}

		@Test
		void isRetriedWhenTheBeanCallsItself() {
			check((depot) -> depot.pickByItself("a"));
		}

		@Test
		void isRetriedWhenItIsPrivate() {
			check((depot) -> depot.pickSecretly("a"));
		}

		@Test
		void isRetriedWhenItIsStatic() {
			check((depot) -> Depot.pickAnywhere("a"));
		}

		@Test
		void isRetriedWhenItIsFinal() {
			check((depot) -> depot.pickFinally("a"));
		}

		@Test
		void isRetriedWhenOnlyItsPackageSeesIt() {
			check((depot) -> depot.pickInPackage("a"));
		}

		@Test
		void isRetriedWhenItReturnsNothing() {
			check((depot) -> {
				depot.drop("a");
				return "a";
			});
		}

		@Test
		void isRetriedWhenItTakesNumbersAndManyArguments() {
			check((depot) -> (depot.weigh(3L, 0.5, "a") == 3.5) ? "a" : "another number");
		}

		@Test
		@ExtendWith(OutputCaptureExtension.class)
		void isRetriedWhenItIsSynchronizedWithAWarning(CapturedOutput output) {
			check((depot) -> depot.pickAlone("a"));
			assertThat(output).containsPattern("WARN.*@Backoff on Depot.pickAlone\\(String\\), policy depot: it is "
					+ "synchronized, and woven it holds its lock while it waits: annotate a method that calls it");
		}

		@Test
		void isRetriedWhenAnInterfaceHasItsBody() {
			WeavingTests.this.runner.withBean(Stamp.class, () -> new Stamp() {
			}).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Stamp.class).print("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void isRetriedOnAnObjectThatIsNoBean() {
			check((depot) -> new Depot().pick("a"));
		}

		@Test
		void isRetriedWhenItsAnnotationIsComposed() {
			WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Depot.class).count("a", 7)).isEqualTo(7);
				// with the arguments of the call, whatever the attempt before made of
				// them
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void isRetriedOnARecord() {
			WeavingTests.this.runner.withBean(Label.class, () -> new Label("a")).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Label.class).print()).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		private void check(Call call) {
			WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
				Script.fail(2);
				assertThat(call.on(context.getBean(Depot.class))).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
				assertThat(context.getBean(VirtualTime.class).delays()).hasSize(2);
			});
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class AType {

		@Test
		void meansItsPublicMethodsAndThoseOfItsSubclasses() {
			WeavingTests.this.runner.withBean(Branch.class).run((context) -> {
				Branch branch = context.getBean(Branch.class);
				Script.fail(2);
				assertThat(branch.inherited("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
				Script.fail(2);
				assertThat(branch.own("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
				Script.fail(1);
				assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> branch.inPackage("a"));
				assertThat(branch).hasToString("branch");
			});
		}

		@Test
		void doesNotReachWhatAnotherTypeDeclaresAndSaysSo(CapturedOutput output) {
			WeavingTests.this.runner.withBean(Depository.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Depository.class).keep("a")).isEqualTo("a");
				Script.fail(1);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Depository.class).sendByItself("a"));
				assertThat(Script.runs()).containsExactly("a alone");
				assertThat(output).containsPattern("WARN.*@Backoff on Depository: no weaver sees that it means "
						+ "Depository.sendByItself\\(String\\) of Plain, which is not retried");
			});
		}

		@Test
		void mayBeAnInterface() {
			WeavingTests.this.runner.withBean(Courier.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Courier.class).carry("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void doesNotRetryAgainWhatAnOverridingMethodCallsOfIt() {
			WeavingTests.this.runner.withBean(Branch.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Branch.class).overridden("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("override", "a attempt 1", "override", "a attempt 2",
						"override", "a attempt 3");
				assertThat(context.getBean(RecordingListener.class).succeeded()).hasSize(1);
			});
		}

		@Test
		void retriesAGenericMethodOnce() {
			WeavingTests.this.runner.withBean(StringShelf.class).run((context) -> {
				Shelf<String> shelf = context.getBean(StringShelf.class);
				Script.fail(2);
				assertThat(shelf.take("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
				assertThat(context.getBean(RecordingListener.class).succeeded()).hasSize(1);
			});
		}

		@Test
		void whoseMethodIsOverriddenWithoutTheAnnotationRetriesTheCallOfSuper() {
			WeavingTests.this.runner.run((context) -> {
				Script.fail(2);
				assertThat(new PlainBranch().pick("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("override", "a attempt 1", "a attempt 2", "a attempt 3");
			});
		}

	}

	@Nested
	class TheEnd {

		@Test
		void isTheOriginalExceptionWithItsStory() {
			WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
				Script.fail(9);
				Script.Failure failure = catchThrowableOfType(Script.Failure.class,
						() -> context.getBean(Depot.class).pickByItself("a"));
				assertThat(Script.runs()).containsExactly(THREE);
				assertThat(failure.getSuppressed()).singleElement()
					.isInstanceOfSatisfying(RetriesStoppedException.class,
							(stopped) -> assertThat(stopped.attempts()).isEqualTo(3));
			});
		}

		@Test
		void isRecoveredOnTheTargetWithoutRetryingTheRecovery() {
			WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
				Script.fail(3);
				assertThat(context.getBean(Depot.class).pickOrSubstitute("a")).isEqualTo("instead of a after 3");
				Script.fail(4);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Depot.class).pickOrSubstitute("a"))
					.withMessage("instead of a after 3");
				assertThat(Script.runs()).hasSize(4).startsWith(THREE);
			});
		}

		@Test
		void isRecoveredByAStaticMethodToo() {
			WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
				Script.fail(3);
				assertThat(Depot.pickAnywhereOrSubstitute("a")).isEqualTo("instead of a");
			});
		}

	}

	@Nested
	class AStage {

		@Test
		void isRetriedOnOtherThreadsAfterTheCallHasReturned() {
			AtomicReference<String> thread = new AtomicReference<>();
			Executor executor = (task) -> run(task, thread);
			WeavingTests.this.runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
				.withBean(Depot.class)
				.run((context) -> {
					Script.fail(2);
					CompletableFuture<String> result = context.getBean(Depot.class).pickLater("a");
					assertThat(result).isNotDone();
					context.getBean(VirtualTime.class).runAll();
					assertThat(result).isCompletedWithValue("a");
					assertThat(Script.runs()).containsExactly(THREE);
					assertThat(thread).hasValue("later");
				});
		}

		@Test
		void isStartedInsideTheAspectsInsideOursEachTime() {
			Executor executor = (task) -> run(task, new AtomicReference<>());
			WeavingTests.this.runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
				.withBean(Vault.class)
				.run((context) -> {
					Script.fail(3);
					CompletableFuture<String> result = context.getBean(Vault.class).openLater("a");
					context.getBean(VirtualTime.class).runAll();
					assertThat(result).isCompletedWithValue("a");
					assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "end", "begin", "a attempt 2",
							"end", "begin", "a attempt 3", "end", "begin", "a attempt 4", "end");
				});
		}

		private static void run(Runnable task, AtomicReference<String> name) {
			Thread thread = new Thread(task, "later");
			name.set(thread.getName());
			thread.start();
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Nested
	class APublisher {

		@Test
		void isRetriedAtEachSubscription() {
			Executor executor = (task) -> AStage.run(task, new AtomicReference<>());
			WeavingTests.this.runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
				.withBean(Depot.class)
				.run((context) -> {
					Script.fail(2);
					Mono<String> mono = context.getBean(Depot.class).pickWhenSubscribed("a");
					assertThat(Script.runs()).isEmpty();
					CompletableFuture<String> result = mono.toFuture();
					context.getBean(VirtualTime.class).runAll();
					assertThat(result).isCompletedWithValue("a");
					assertThat(Script.runs()).containsExactly(THREE);
				});
		}

	}

	@Nested
	class OtherAspects {

		@Test
		void runInsideEachAttempt() {
			WeavingTests.this.runner.withBean(Vault.class).run((context) -> {
				Script.fail(3);
				assertThat(context.getBean(Vault.class).open("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "end", "begin", "a attempt 2", "end",
						"begin", "a attempt 3", "end", "begin", "a attempt 4", "end");
			});
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class ATransaction {

		@Test
		void ofAProxyEnclosesAllAttemptsWhichIsWarnedOf(CapturedOutput output) {
			WeavingTests.this.runner.withUserConfiguration(Transactions.class)
				.withBean(Account.class)
				.run((context) -> {
					Script.fail(2);
					assertThat(context.getBean(Account.class).pay("a")).isEqualTo("a");
					assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "a attempt 2", "a attempt 3",
							"commit");
					String advice = "its transaction is a proxy's, which encloses all woven attempts, so that what failed "
							+ "ones wrote may be committed: weave transactions too, or annotate a method that calls it";
					assertThat(context.getBean(BackoffMethods.class).uses()).singleElement()
						.satisfies((use) -> assertThat(use.advice()).contains(advice));
					assertThat(output)
						.containsPattern("WARN.*@Backoff on Account.pay\\(String\\), policy depot: " + advice);
				});
		}

		@Test
		void isLikeAConcurrencyLimitWhichIsWarnedOfToo(CapturedOutput output) {
			WeavingTests.this.runner.withUserConfiguration(Limits.class).withBean(Counter.class).run((context) -> {
				Script.fail(0);
				assertThat(context.getBean(Counter.class).pay("a")).isEqualTo("a");
				assertThat(output).containsPattern("WARN.*@Backoff on Counter.pay\\(String\\), policy depot: its "
						+ "@ConcurrencyLimit is a proxy's, which holds a permit during all woven attempts and their "
						+ "waits: annotate a method that it calls");
			});
		}

		@Test
		void ofAProxyIsInsideEachAttemptInModeProxy(CapturedOutput output) {
			WeavingTests.this.proxies.withUserConfiguration(Transactions.class)
				.withBean(Account.class)
				.run((context) -> {
					Script.fail(2);
					assertThat(context.getBean(Account.class).pay("a")).isEqualTo("a");
					assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "rollback", "begin",
							"a attempt 2", "rollback", "begin", "a attempt 3", "commit");
					assertThat(output).doesNotContain("its transaction");
				});
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class ACallOfTheBeanItself {

		@Test
		void isRetriedAndNoWarning(CapturedOutput output) {
			WeavingTests.this.runner.withBean(Parcels.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Parcels.class).sendByItself("a")).isEqualTo("a");
				assertThat(context.getBean(BackoffMethods.class).uses())
					.allSatisfy((use) -> assertThat(use.advice()).isEmpty());
			});
			assertThat(output).doesNotContain("calls by the bean itself");
		}

	}

	@Nested
	class AContext {

		@Test
		void inModeProxyHasTheProxyRetryAndNothingElse() {
			WeavingTests.this.proxies.withBean(Parcels.class).run((context) -> {
				assertThat(context).hasSingleBean(BackoffAdvisor.class).doesNotHaveBean(WovenBeans.class);
				Script.fail(9);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Parcels.class).send("a"));
				assertThat(Script.runs()).containsExactly(THREE);
				assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(1);
				Script.fail(9);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Parcels.class).sendByItself("a"));
				assertThat(Script.runs()).containsExactly("a alone");
			});
		}

		@Test
		void inModeAspectjObservesCalls() {
			RecordingObserver observer = new RecordingObserver();
			WeavingTests.this.runner.withBean(CallObserver.class, () -> observer)
				.withBean(Parcels.class)
				.run((context) -> {
					Script.fail(9);
					assertThatExceptionOfType(Script.Failure.class)
						.isThrownBy(() -> context.getBean(Parcels.class).send("a"));
					assertThat(observer.lines()).hasSize(10).startsWith("call begins", "attempt 1 begins");
					assertThat(observer.mistakes()).isEmpty();
					assertThat(observer.running()).isZero();
					assertThat(observer.open()).isZero();
				});
		}

		@Test
		void inModeAspectjHasNoProxy() {
			WeavingTests.this.runner.withBean(Parcels.class).run((context) -> {
				assertThat(context).doesNotHaveBean(BackoffAdvisor.class).hasSingleBean(WovenBeans.class);
				assertThat(context.getBean(Parcels.class).getClass()).isSameAs(Parcels.class);
				Script.fail(9);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Parcels.class).send("a"));
				assertThat(Script.runs()).containsExactly(THREE);
				assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(1);
				Script.fail(9);
				assertThatExceptionOfType(Script.Failure.class)
					.isThrownBy(() -> context.getBean(Parcels.class).sendByItself("a"));
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void thatIsSwitchedOffRetriesNothing() {
			WeavingTests.this.runner.withPropertyValues("backoff.enabled=false")
				.withBean(Depot.class)
				.run((context) -> {
					Script.fail(9);
					assertThatExceptionOfType(Script.Failure.class)
						.isThrownBy(() -> context.getBean(Depot.class).pick("a"));
					assertThat(Script.runs()).containsExactly("a alone");
				});
		}

		@Test
		void mayFollowAnotherThatHasClosed() {
			for (int i = 0; i < 2; i++) {
				WeavingTests.this.runner.withBean(Depot.class).run((context) -> {
					Script.fail(2);
					assertThat(context.getBean(Depot.class).pickByItself("a")).isEqualTo("a");
					assertThat(Script.runs()).containsExactly(THREE);
					assertThat(context.getBean(VirtualTime.class).delays()).hasSize(2);
				});
				Script.fail(1);
				assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> new Depot().pick("a"));
				assertThat(Script.runs()).containsExactly("a alone");
			}
		}

		@Test
		void thatFailsToStartLeavesNothingBehind() {
			WeavingTests.this.runner.withBean(Depot.class).withBean("broken", Object.class, () -> {
				throw new IllegalStateException("broken");
			}).run((context) -> assertThat(context).hasFailed());
			Script.fail(1);
			assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> new Depot().pick("a"));
			assertThat(Script.runs()).containsExactly("a alone");
		}

		@Test
		void besideAnotherRetriesForItsOwnBeans() {
			WeavingTests.this.runner.withBean(Depot.class)
				.run((first) -> WeavingTests.this.runner.withPropertyValues("backoff.policies.depot.max-attempts=2")
					.withBean(Depot.class)
					.run((second) -> {
						Script.fail(9);
						assertThatExceptionOfType(Script.Failure.class)
							.isThrownBy(() -> first.getBean(Depot.class).pick("a"));
						assertThat(Script.runs()).containsExactly(THREE);
						Script.fail(9);
						assertThatExceptionOfType(Script.Failure.class)
							.isThrownBy(() -> second.getBean(Depot.class).pick("a"));
						assertThat(Script.runs()).hasSize(2);
						Script.fail(9);
						assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> Depot.pickAnywhere("a"));
						assertThat(Script.runs()).as("that which was opened last").hasSize(2);
					}));
		}

		@Test
		void knowsTheProductsOfFactories() {
			WeavingTests.this.runner.withBean("made", DepotFactory.class).run((context) -> {
				assertThat(context).hasNotFailed();
				Script.fail(2);
				assertThat(context.getBean(Depot.class).pickByItself("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void letsConstructorsCallBeforeItCanRetry() {
			WeavingTests.this.runner.withBean(CallingListener.class).withBean(Depot.class).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(CallingListener.class).called).isEqualTo("early");
			});
		}

	}

	/** What a test calls. */
	private interface Call {

		String on(Depot depot) throws Exception;

	}

	/** A factory that is no class of Spring. */
	static class DepotFactory implements FactoryBean<Depot> {

		@Override
		public Depot getObject() {
			return new Depot();
		}

		@Override
		public Class<?> getObjectType() {
			return Depot.class;
		}

	}

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

	/** A listener that calls while it is made, when no call can be told to it. */
	static class CallingListener implements RetryListener {

		private final String called;

		CallingListener() throws Script.Failure {
			Script.fail(0);
			this.called = Depot.pickAnywhere("early");
		}

	}

}
