package dev.backoff.spring.aspectj;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import reactor.core.publisher.Mono;

import dev.backoff.annotation.Backoff;
import dev.backoff.event.CallObserver;
import dev.backoff.event.RetryListener;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingObserver;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.spring.advice.BackoffAdvisor;
import dev.backoff.spring.advice.BackoffMethods;
import dev.backoff.spring.aspectj.Kinds.Account;
import dev.backoff.spring.aspectj.Kinds.Branch;
import dev.backoff.spring.aspectj.Kinds.Counter;
import dev.backoff.spring.aspectj.Kinds.Courier;
import dev.backoff.spring.aspectj.Kinds.Depository;
import dev.backoff.spring.aspectj.Kinds.Label;
import dev.backoff.spring.aspectj.Kinds.Limits;
import dev.backoff.spring.aspectj.Kinds.Parcels;
import dev.backoff.spring.aspectj.Kinds.PlainBranch;
import dev.backoff.spring.aspectj.Kinds.Shelf;
import dev.backoff.spring.aspectj.Kinds.Stamp;
import dev.backoff.spring.aspectj.Kinds.StringShelf;
import dev.backoff.spring.aspectj.Kinds.Transactions;
import dev.backoff.spring.aspectj.Kinds.Vault;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
		assertFails(() -> Depot.pickAnywhere("a"), "a alone");
	}

	@Test
	void areWovenByWhomTheyShouldBe() throws IOException {
		try (InputStream file = Depot.class.getResourceAsStream("Depot.class")) {
			String bytes = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
			boolean woven = bytes.contains("dev/backoff/spring/aspectj/BackoffAspect");
			assertThat(woven ? "compile-time" : "load-time").isEqualTo(System.getProperty("weaving"));
		}
	}

	private static void assertRetried(Callable<String> call) throws Exception {
		Script.fail(2);
		assertThat(call.call()).isEqualTo("a");
		assertThat(Script.runs()).containsExactly(THREE);
	}

	private static void assertFails(ThrowingCallable call, String... runs) {
		Script.fail(9);
		assertThatExceptionOfType(Script.Failure.class).isThrownBy(call);
		assertThat(Script.runs()).containsExactly(runs);
	}

	@Nested
	class EachKindOfMethod {

		static Stream<Arguments> kinds() {
			return Stream.of(kind("called from outside", (depot) -> depot.pick("a")),
					kind("called by the bean itself", (depot) -> depot.pickByItself("a")),
					kind("private", (depot) -> depot.pickSecretly("a")),
					kind("static", (depot) -> Depot.pickAnywhere("a")),
					kind("final", (depot) -> depot.pickFinally("a")),
					kind("seen by its package only", (depot) -> depot.pickInPackage("a")), kind("void", (depot) -> {
						depot.drop("a");
						return "a";
					}), kind("with numbers and many arguments",
							(depot) -> (depot.weigh(3L, 0.5, "a") == 3.5) ? "a" : "another number"));
		}

		private static Arguments kind(String name, Call call) {
			return Arguments.of(Named.of(name, call));
		}

		@ParameterizedTest
		@MethodSource("kinds")
		void isRetriedWhetherItIs(Call call) {
			check(call);
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
			runner.withBean(Stamp.class, () -> new Stamp() {
			}).run((context) -> {
				assertRetried(() -> context.getBean(Stamp.class).print("a"));
			});
		}

		@Test
		void isRetriedOnAnObjectThatIsNoBean() {
			check((depot) -> new Depot().pick("a"));
		}

		@Test
		void isRetriedWhenItsAnnotationIsComposed() {
			runner.withBean(Depot.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Depot.class).count("a", 7)).isEqualTo(7);
				// with the arguments of the call, whatever the attempt before made of
				// them
				assertThat(Script.runs()).containsExactly(THREE);
			});
		}

		@Test
		void isRetriedOnARecord() {
			runner.withBean(Label.class, () -> new Label("a")).run((context) -> {
				assertRetried(() -> context.getBean(Label.class).print());
			});
		}

		private void check(Call call) {
			runner.withBean(Depot.class).run((context) -> {
				assertRetried(() -> call.on(context.getBean(Depot.class)));
				assertThat(context.getBean(VirtualTime.class).delays()).hasSize(2);
			});
		}

	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class AType {

		@Test
		void meansItsPublicMethodsAndThoseOfItsSubclasses() {
			runner.withBean(Branch.class).run((context) -> {
				Branch branch = context.getBean(Branch.class);
				assertRetried(() -> branch.inherited("a"));
				assertRetried(() -> branch.own("a"));
				Script.fail(1);
				assertThatExceptionOfType(Script.Failure.class).isThrownBy(() -> branch.inPackage("a"));
				assertThat(branch).hasToString("branch");
			});
		}

		@Test
		void doesNotReachWhatAnotherTypeDeclaresAndSaysSo(CapturedOutput output) {
			runner.withBean(Depository.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Depository.class).keep("a")).isEqualTo("a");
				assertFails(() -> context.getBean(Depository.class).sendByItself("a"), "a alone");
				assertThat(output).containsPattern("WARN.*@Backoff on Depository: no weaver sees that it means "
						+ "Depository.sendByItself\\(String\\) of Plain, which is not retried");
			});
		}

		@Test
		void mayBeAnInterface() {
			runner.withBean(Courier.class).run((context) -> {
				assertRetried(() -> context.getBean(Courier.class).carry("a"));
			});
		}

		@Test
		void doesNotRetryAgainWhatAnOverridingMethodCallsOfIt() {
			runner.withBean(Branch.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Branch.class).overridden("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("override", "a attempt 1", "override", "a attempt 2",
						"override", "a attempt 3");
				assertThat(context.getBean(RecordingListener.class).succeeded()).hasSize(1);
			});
		}

		@Test
		void retriesAGenericMethodOnce() {
			runner.withBean(StringShelf.class).run((context) -> {
				Shelf<String> shelf = context.getBean(StringShelf.class);
				assertRetried(() -> shelf.take("a"));
				assertThat(context.getBean(RecordingListener.class).succeeded()).hasSize(1);
			});
		}

		@Test
		void whoseMethodIsOverriddenWithoutTheAnnotationRetriesTheCallOfSuper() {
			runner.run((context) -> {
				Script.fail(2);
				assertThat(new PlainBranch().pick("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("override", "a attempt 1", "a attempt 2", "a attempt 3");
			});
		}

	}

	@Nested
	class TheEnd {

		@Test
		void isRecoveredOnTheTargetWithoutRetryingTheRecovery() {
			runner.withBean(Depot.class).run((context) -> {
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
			runner.withBean(Depot.class).run((context) -> {
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
			runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
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
			runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
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
			name.set("later");
			CompletableFuture.runAsync(task, (run) -> new Thread(run, "later").start()).join();
		}

	}

	@Test
	void aPublisherIsRetriedAtEachSubscription() {
		Executor executor = (task) -> AStage.run(task, new AtomicReference<>());
		this.runner.withBean("applicationTaskExecutor", Executor.class, () -> executor)
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

	@Test
	void otherAspectsRunInsideEachAttempt() {
		this.runner.withBean(Vault.class).run((context) -> {
			Script.fail(3);
			assertThat(context.getBean(Vault.class).open("a")).isEqualTo("a");
			assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "end", "begin", "a attempt 2", "end",
					"begin", "a attempt 3", "end", "begin", "a attempt 4", "end");
		});
	}

	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class ATransaction {

		@Test
		void ofAProxyEnclosesAllAttemptsWhichIsWarnedOf(CapturedOutput output) {
			runner.withUserConfiguration(Transactions.class).withBean(Account.class).run((context) -> {
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
			runner.withUserConfiguration(Limits.class).withBean(Counter.class).run((context) -> {
				Script.fail(0);
				assertThat(context.getBean(Counter.class).pay("a")).isEqualTo("a");
				assertThat(output).containsPattern("WARN.*@Backoff on Counter.pay\\(String\\), policy depot: its "
						+ "@ConcurrencyLimit is a proxy's, which holds a permit during all woven attempts and their "
						+ "waits: annotate a method that it calls");
			});
		}

		@Test
		void ofAProxyIsInsideEachAttemptInModeProxy(CapturedOutput output) {
			proxies.withUserConfiguration(Transactions.class).withBean(Account.class).run((context) -> {
				Script.fail(2);
				assertThat(context.getBean(Account.class).pay("a")).isEqualTo("a");
				assertThat(Script.runs()).containsExactly("begin", "a attempt 1", "rollback", "begin", "a attempt 2",
						"rollback", "begin", "a attempt 3", "commit");
				assertThat(output).doesNotContain("its transaction");
			});
		}

	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aCallOfTheBeanItselfIsRetriedAndNoWarning(CapturedOutput output) {
		this.runner.withBean(Parcels.class).run((context) -> {
			Script.fail(2);
			assertThat(context.getBean(Parcels.class).sendByItself("a")).isEqualTo("a");
			assertThat(context.getBean(BackoffMethods.class).uses())
				.allSatisfy((use) -> assertThat(use.advice()).isEmpty());
		});
		assertThat(output).doesNotContain("calls by the bean itself");
	}

	@Nested
	class AContext {

		@Test
		void inModeProxyHasTheProxyRetryAndNothingElse() {
			proxies.withBean(Parcels.class).run((context) -> {
				assertThat(context).hasSingleBean(BackoffAdvisor.class).doesNotHaveBean(WovenBeans.class);
				assertFails(() -> context.getBean(Parcels.class).send("a"), THREE);
				assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(1);
				assertFails(() -> context.getBean(Parcels.class).sendByItself("a"), "a alone");
			});
		}

		@Test
		void inModeAspectjObservesCalls() {
			RecordingObserver observer = new RecordingObserver();
			runner.withBean(CallObserver.class, () -> observer).withBean(Parcels.class).run((context) -> {
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
			runner.withBean(Parcels.class).run((context) -> {
				assertThat(context).doesNotHaveBean(BackoffAdvisor.class).hasSingleBean(WovenBeans.class);
				assertThat(context.getBean(Parcels.class).getClass()).isSameAs(Parcels.class);
				assertFails(() -> context.getBean(Parcels.class).send("a"), THREE);
				assertThat(context.getBean(RecordingListener.class).stopped()).hasSize(1);
				assertFails(() -> context.getBean(Parcels.class).sendByItself("a"), THREE);
			});
		}

		@Test
		void thatIsSwitchedOffRetriesNothing() {
			runner.withPropertyValues("backoff.enabled=false").withBean(Depot.class).run((context) -> {
				assertFails(() -> context.getBean(Depot.class).pick("a"), "a alone");
			});
		}

		@Test
		void mayFollowAnotherThatHasClosed() {
			for (int i = 0; i < 2; i++) {
				runner.withBean(Depot.class).run((context) -> {
					assertRetried(() -> context.getBean(Depot.class).pickByItself("a"));
					assertThat(context.getBean(VirtualTime.class).delays()).hasSize(2);
				});
				assertFails(() -> new Depot().pick("a"), "a alone");
			}
		}

		@Test
		void thatFailsToStartLeavesNothingBehind() {
			runner.withBean(Depot.class).withBean("broken", Object.class, () -> {
				throw new IllegalStateException("broken");
			}).run((context) -> assertThat(context).hasFailed());
			assertFails(() -> new Depot().pick("a"), "a alone");
		}

		@Test
		void besideAnotherRetriesForItsOwnBeans() {
			runner.withBean(Depot.class)
				.run((first) -> runner.withPropertyValues("backoff.policies.depot.max-attempts=2")
					.withBean(Depot.class)
					.run((second) -> {
						assertFails(() -> first.getBean(Depot.class).pick("a"), THREE);
						assertFails(() -> second.getBean(Depot.class).pick("a"), "a attempt 1", "a attempt 2");
						// by that which was opened last
						assertFails(() -> Depot.pickAnywhere("a"), "a attempt 1", "a attempt 2");
					}));
		}

		@Test
		void knowsTheProductsOfFactories() {
			runner.withBean("made", DepotFactory.class).run((context) -> {
				assertThat(context).hasNotFailed();
				assertRetried(() -> context.getBean(Depot.class).pickByItself("a"));
			});
		}

		@Test
		void letsConstructorsCallBeforeItCanRetry() {
			runner.withBean(CallingListener.class).withBean(Depot.class).run((context) -> {
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

	/** A listener that calls while it is made, when no call can be told to it. */
	static class CallingListener implements RetryListener {

		private final String called;

		CallingListener() throws Script.Failure {
			Script.fail(0);
			this.called = Depot.pickAnywhere("early");
		}

	}

}
