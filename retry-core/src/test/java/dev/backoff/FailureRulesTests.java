package dev.backoff;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import net.bytebuddy.ByteBuddy;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.Jitter;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SuppressWarnings("serial") // exceptions of this test, never serialized
class FailureRulesTests {

	private static final FailureClassifier PERMANENT = (failure) -> FailureClassification
		.permanent(RetryCause.HTTP_5XX);

	private static final FailureClassifier TRANSIENT = (failure) -> FailureClassification
		.transientFailure(RetryCause.LOCK);

	private static final FailureClassifier THROTTLED = (failure) -> FailureClassification
		.throttled(RetryCause.HTTP_429);

	@Nested
	class ByDefault {

		static Stream<Throwable> retried() {
			return Stream.of(new Exception(), new IOException(), new RuntimeException(), new IllegalStateException(),
					new UncheckedIOException(new IOException()), new TimeoutException(), new CancellationException(),
					new RuntimeException(new IllegalArgumentException()));
		}

		@ParameterizedTest
		@MethodSource("retried")
		void retriesExceptions(Throwable failure) {
			Outcome outcome = judge(policy(), failure);
			assertThat(outcome.refusal()).isNull();
			assertThat(outcome.kind()).isEqualTo(AttemptOutcome.TRANSIENT);
			assertThat(outcome.cause()).isEqualTo(RetryCause.OTHER);
			assertThat(outcome.failure()).isSameAs(failure);
		}

		static Stream<Throwable> programmingErrors() {
			return Stream.of(new NullPointerException(), new ClassCastException(), new IndexOutOfBoundsException(),
					new ArrayIndexOutOfBoundsException(), new ArithmeticException(), new IllegalArgumentException(),
					new NumberFormatException(), new UnsupportedOperationException(), new ArrayStoreException(),
					new NegativeArraySizeException());
		}

		@ParameterizedTest
		@MethodSource("programmingErrors")
		void refusesProgrammingErrors(Throwable failure) {
			assertRefused(policy(), failure,
					failure.getClass().getSimpleName() + " is a programming error; name it in retryOn to retry");
		}

		@Test
		void refusesRefusalsErrorsAndThrowablesOfTheirOwnKind() {
			class Odd extends Throwable {

			}
			assertRefused(policy(), new SecurityException(),
					"SecurityException is a refusal; name it in retryOn to retry");
			assertRefused(policy(), new AccessDeniedException("file"),
					"AccessDeniedException is a refusal; name it in retryOn to retry");
			assertRefusedAsError(policy(), new AssertionError(),
					"AssertionError is an Error; name it in retryOn to retry");
			assertRefused(policy(), new Odd(), "Odd is no Exception; name it in retryOn to retry");
			assertRetried(retryOn(Throwable.class), new Odd());
		}

		@Test
		void namesAnAnonymousClassInFull() {
			Exception anonymous = new IllegalArgumentException() {
			};
			assertRefused(policy(), anonymous,
					anonymous.getClass().getName() + " is a programming error; name it in retryOn to retry");
		}

	}

	@Nested
	class Never {

		private final RetryPolicy everything = RetryPolicy.builder("p")
			.retryOn(Throwable.class, Exception.class, Error.class, InterruptedException.class,
					CancellationException.class, VirtualMachineError.class, LinkageError.class, OutOfMemoryError.class,
					NoClassDefFoundError.class)
			.classifiers(List.of(TRANSIENT))
			.build();

		@SuppressWarnings("removal") // it can still be thrown
		static Stream<Throwable> fatal() {
			return Stream.of(new OutOfMemoryError(), new StackOverflowError(), new InternalError(), new ThreadDeath(),
					new LinkageError(), new NoClassDefFoundError(), new ExceptionInInitializerError(new IOException()));
		}

		@ParameterizedTest
		@MethodSource("fatal")
		void retriesFatalErrorsEvenIfListed(Error failure) {
			assertRefusedAsError(this.everything, failure, failure.getClass().getSimpleName() + " is never retried");
			assertThat(Outcome.isFatal(failure)).isTrue();
		}

		@ParameterizedTest
		@MethodSource("dyingOf")
		void retriesAFailureThatAnErrorOfTheVirtualMachineCaused(Throwable failure, String why) {
			assertRefusedAsError(this.everything, failure, why);
		}

		static Stream<Arguments> dyingOf() {
			return Stream.of(
					Arguments.of(new ExecutionException(new OutOfMemoryError()), "OutOfMemoryError is never retried"),
					Arguments.of(new IOException(new RuntimeException(new StackOverflowError())),
							"IOException is never retried because of StackOverflowError"),
					Arguments.of(new AssertionError(new InternalError()),
							"AssertionError is never retried because of InternalError"),
					Arguments.of(new AttemptTimeoutException("m", 1, 1, new OutOfMemoryError()),
							"AttemptTimeoutException is never retried because of OutOfMemoryError"));
		}

		@Test
		void retriesInterruptionEvenIfListed() {
			assertRefused(judge(this.everything, new InterruptedException()), AttemptOutcome.CANCELLED,
					StopReason.INTERRUPTED, "InterruptedException is never retried");
		}

		@Test
		void retriesACancellationOfItsOwnInterruptedThread() {
			Thread.currentThread().interrupt();
			Outcome outcome = judge(this.everything, new CancellationException());
			assertThat(Thread.interrupted()).isTrue();
			assertRefused(outcome, AttemptOutcome.CANCELLED, StopReason.INTERRUPTED,
					"CancellationException of an interrupted thread is never retried");
		}

	}

	@Nested
	class Errors {

		@Test
		void areRetriedIfAListedTypeNamesThem() {
			assertRetried(retryOn(AssertionError.class), new AssertionError());
			assertRetried(retryOn(Error.class), new AssertionError());
		}

		@Test
		void areNamedByNeitherThrowableNorAnotherErrorNorAClassifier() {
			assertRefusedAsError(retryOn(Throwable.class), new AssertionError(),
					"AssertionError is an Error; name it in retryOn to retry");
			assertRefusedAsError(retryOn(AssertionError.class), new Error(),
					"Error is an Error; name it in retryOn to retry");
			assertNotRetried(asking(TRANSIENT), new AssertionError());
		}

		@Test
		void areRefusedByAbortOn() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(Error.class).abortOn(AssertionError.class).build();
			assertRefused(policy, new AssertionError(), "AssertionError is listed in abortOn");
		}

	}

	/** What futures, reflection and proxies wrap around a failure. */
	@Nested
	class Wrappers {

		static Stream<Function<Throwable, Exception>> around() {
			return Stream.of(UndeclaredThrowableException::new, InvocationTargetException::new, ExecutionException::new,
					CompletionException::new,
					(failure) -> new ExecutionException(new UndeclaredThrowableException(failure)));
		}

		@ParameterizedTest
		@MethodSource("around")
		void areJudgedByWhatIsInside(Function<Throwable, Exception> wrapper) {
			assertRefusedAsError(policy(), wrapper.apply(new AssertionError()),
					"AssertionError is an Error; name it in retryOn to retry");
			assertRefused(policy(), wrapper.apply(new ClassCastException()),
					"ClassCastException is a programming error; name it in retryOn to retry");
			assertRefused(policy(), wrapper.apply(new SecurityException()),
					"SecurityException is a refusal; name it in retryOn to retry");
			assertRefused(judge(policy(), wrapper.apply(new InterruptedException())), AttemptOutcome.CANCELLED,
					StopReason.INTERRUPTED, "InterruptedException is never retried");
			Outcome open = judge(policy(), wrapper.apply(new CircuitOpenException("b", "open", null, null)));
			assertRefused(open, AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"CircuitOpenException is never retried");
			assertThat(open.verdict()).isEqualTo(CircuitBreaker.Verdict.IGNORED);
			assertRetried(policy(), wrapper.apply(new IOException()));
			assertRetried(policy(), wrapper.apply(new RuntimeException(new AssertionError())));
		}

		@ParameterizedTest
		@MethodSource("around")
		void areRetriedWhereAListNamesWhatIsInsideOrTheirOwnClass(Function<Throwable, Exception> wrapper) {
			for (Throwable inside : List.of(new AssertionError(), new ClassCastException())) {
				assertRetried(retryOn(inside.getClass()), wrapper.apply(inside));
			}
			Exception failure = wrapper.apply(new ClassCastException());
			assertRetried(retryOn(failure.getClass()), failure);
		}

		@Test
		void aroundNothingAreRetried() {
			assertRetried(policy(), new InvocationTargetException(null));
		}

	}

	/** Refusals of other libraries, known by the names of their classes. */
	@ParameterizedTest
	@ValueSource(strings = { "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
			"io.github.resilience4j.bulkhead.BulkheadFullException",
			"io.github.resilience4j.ratelimiter.RequestNotPermitted", "dev.failsafe.CircuitBreakerOpenException",
			"dev.failsafe.BulkheadFullException", "dev.failsafe.RateLimitExceededException",
			"org.springframework.resilience.InvocationRejectedException" })
	void otherRefusalsAreNeverRetriedAndSayNothingOfTheDependency(String name) throws Exception {
		Class<? extends RuntimeException> type = new ByteBuddy().subclass(RuntimeException.class)
			.name(name)
			.make()
			.load(null)
			.getLoaded();
		RuntimeException refusal = type.getDeclaredConstructor().newInstance();
		Class<? extends RuntimeException> below = new ByteBuddy().subclass(type)
			.make()
			.load(type.getClassLoader())
			.getLoaded();
		assertNotRetried(policy(), below.getDeclaredConstructor().newInstance());
		for (RetryPolicy policy : List.of(policy(), retryOn(Exception.class), retryOn(type))) {
			Outcome outcome = judge(policy, refusal);
			assertRefused(outcome, AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					type.getSimpleName() + " is never retried");
			assertThat(outcome.verdict()).isEqualTo(CircuitBreaker.Verdict.IGNORED);
		}
		assertThat(CircuitBreaker.Verdict.of(refusal)).isEqualTo(CircuitBreaker.Verdict.IGNORED);
	}

	/** E2 extends E1 extends E0, and one sibling under each. */
	@Nested
	class Matrix {

		static Stream<Arguments> rows() {
			return Stream.of(Arguments.of(List.of(E0.class, E2.class), List.of(E1.class), List.of(new E0(), new E0S())),
					Arguments.of(List.of(E1.class, E2.class), List.of(E0.class), List.of()),
					Arguments.of(List.of(E1.class), List.of(), List.of(new E1(), new E1S(), new E2(), new E2S())),
					Arguments.of(List.of(), List.of(E1.class),
							List.of(new Exception(), new E0(), new E0S(), new RuntimeException())),
					Arguments.of(List.of(E0.class), List.of(E0.class), List.of()), Arguments.of(List.of(E0.class),
							List.of(E2.class), List.of(new E0(), new E0S(), new E1(), new E1S())));
		}

		@ParameterizedTest
		@MethodSource("rows")
		void ofRetryOnAndAbortOn(List<Class<? extends Throwable>> retryOn, List<Class<? extends Throwable>> abortOn,
				List<Exception> retried) {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(retryOn).abortOn(abortOn).build();
			List<String> actual = new ArrayList<>();
			for (Throwable failure : List.of(new Exception(), new E0(), new E0S(), new E1(), new E1S(), new E2(),
					new E2S(), new RuntimeException(), new AssertionError())) {
				if (judge(policy, failure).refusal() == null) {
					actual.add(failure.getClass().getSimpleName());
				}
			}
			assertThat(actual).containsExactlyInAnyOrderElementsOf(
					retried.stream().map((e) -> e.getClass().getSimpleName()).toList());
		}

	}

	@Nested
	class Lists {

		private final RetryPolicyBuilder builder = RetryPolicy.builder("p")
			.retryOn(IOException.class)
			.abortOn(E1.class);

		@Test
		void saySoWhenTheyRefuse() {
			assertRefused(this.builder.build(), new E0(), "E0 is not listed in retryOn");
			assertRefused(this.builder.build(), new E2(), "E1 is listed in abortOn");
		}

		@Test
		void lookAtCauses() {
			RetryPolicy policy = this.builder.build();
			assertRetried(policy, new RuntimeException(new FileNotFoundException()));
			assertRefused(policy, new IOException(new E1()), "E1 is listed in abortOn");
			assertRefused(policy, new E1().initCause(new IOException()), "E1 is listed in abortOn");
		}

		@Test
		void leaveCausesAloneIfToldSo() {
			RetryPolicy policy = this.builder.matchCauses(false).build();
			assertRetried(policy, new IOException(new E1()));
			assertRefused(policy, new RuntimeException(new IOException()), "RuntimeException is not listed in retryOn");
		}

	}

	@Nested
	class Classifiers {

		@Test
		void addTheirCause() {
			Outcome lock = judge(asking(TRANSIENT), new IOException());
			assertThat(lock.refusal()).isNull();
			assertThat(lock.kind()).isEqualTo(AttemptOutcome.TRANSIENT);
			assertThat(lock.cause()).isEqualTo(RetryCause.LOCK);
			Outcome throttled = judge(asking(THROTTLED), new IOException());
			assertThat(throttled.kind()).isEqualTo(AttemptOutcome.THROTTLED);
			assertThat(throttled.cause()).isEqualTo(RetryCause.HTTP_429);
		}

		@Test
		void decideByTheFirstAnswer() {
			assertRetried(asking((failure) -> null, TRANSIENT, PERMANENT), new IOException());
			assertRetried(asking(TRANSIENT), new IllegalArgumentException());
			assertRefused(asking(PERMANENT), new IOException(),
					"IOException is permanent; name IOException in retryOn to retry");
		}

		@Test
		void nameTheCauseThatDecided() {
			FailureClassifier files = (failure) -> (Causes.find(failure, FileNotFoundException.class) != null)
					? FailureClassification.permanent(RetryCause.IO) : null;
			RetryPolicy policy = asking(files);
			Throwable missing = new FileNotFoundException().initCause(new IllegalStateException());
			assertRefused(policy, new UncheckedIOException(new IOException(missing)),
					"UncheckedIOException is permanent because of FileNotFoundException; "
							+ "name UncheckedIOException in retryOn to retry");
			assertRefused(policy, missing,
					"FileNotFoundException is permanent; name FileNotFoundException in retryOn to retry");
		}

		@Test
		void yieldToLists() {
			RetryPolicy retrying = RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).retryOn(E0.class).build();
			assertRefused(retrying, new IOException(), "IOException is not listed in retryOn");
			assertThat(judge(retrying, new E0()).cause()).isEqualTo(RetryCause.LOCK);
			RetryPolicy aborting = RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).abortOn(E0.class).build();
			assertRefused(aborting, new E0(), "E0 is listed in abortOn");
		}

		@Test
		void thatThrowRefuseTheFailureTheyWereAskedAbout() {
			AssertionError bug = new AssertionError("bug");
			FailureClassifier failing = (failure) -> {
				throw bug;
			};
			IOException failure = new IOException();
			Outcome outcome = judge(asking(failing), failure);
			assertRefused(outcome, AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"a classifier failed with AssertionError");
			assertThat(outcome.failure()).isSameAs(failure);
			assertThat(outcome.refusal().problem()).isSameAs(bug);
		}

		@Test
		void areNotAskedAboutWhatIsNeverRetried() {
			FailureClassifier failing = (failure) -> {
				throw new IllegalStateException("asked about " + failure);
			};
			RetryPolicy policy = RetryPolicy.builder("p").classifiers(List.of(failing)).abortOn(E0.class).build();
			for (Throwable failure : List.of(new AssertionError(), new InterruptedException(), new E0())) {
				assertThat(judge(policy, failure).refusal().problem()).isNull();
			}
		}

	}

	@Test
	void aPolicyOfAFileNamesItsListsAsTheFileDoes() {
		RetryPolicyBuilder file = RetryPolicy.builder("p").retryOn(RuntimeException.class).abortOn(E0.class, E2.class);
		RetryPolicy policy = file.namedAsKeys(true, List.of(E0.class)).build();
		assertRefused(policy, new IOException(), "IOException is not listed in retry-on");
		assertRefused(policy, new NullPointerException(), "NullPointerException is a programming error, which "
				+ "RuntimeException in retry-on does not reach; name it in retry-on to retry");
		assertRefusedAsError(policy, new AssertionError(), "AssertionError is an Error; name it in retry-on to retry");
		assertThat(judge(policy, new E1()).refusal().why()).isEqualTo("E0 is listed in abort-on");
		RetryPolicy mixed = file.namedAsKeys(false, List.of(E2.class)).build();
		assertRefused(mixed, new E1(), "E0 is listed in abortOn");
		assertRefused(mixed, new IOException(), "IOException is not listed in retryOn");
	}

	/** What a type in retryOn does against a judgement that is built in. */
	@Nested
	class ReachOfRetryOn {

		private static final FailureClassifier FILES = (
				failure) -> (Causes.find(failure, FileNotFoundException.class) != null)
						? FailureClassification.permanent(RetryCause.IO).judging(FileNotFoundException.class) : null;

		@Test
		void isTheJudgedTypeAndThoseBelowIt() {
			class Moved extends FileNotFoundException {

			}
			assertRetried(retryOn(FileNotFoundException.class, FILES), new Moved());
			assertRetried(retryOn(Moved.class, FILES), new UncheckedIOException(new Moved()));
			assertRetried(retryOn(FileNotFoundException.class, FILES), new IllegalStateException(new Moved()));
			assertRefused(retryOn(Moved.class, FILES), new FileNotFoundException(),
					"FileNotFoundException is not listed in retryOn");
			assertRetried(retryOn(ClassCastException.class), new ClassCastException());
			assertRetried(retryOn(IllegalArgumentException.class), new NumberFormatException());
			assertNotRetried(retryOn(NumberFormatException.class), new IllegalArgumentException());
		}

		@Test
		void isTheClassInsideTheWrapperOfAFuture() {
			FailureClassifier status = (failure) -> FailureClassification.permanent(RetryCause.HTTP_5XX);
			Exception wrapped = new CompletionException(new FileNotFoundException());
			assertRetried(retryOn(FileNotFoundException.class, status), wrapped);
			assertNotRetried(retryOn(IOException.class, status), wrapped);
		}

		@Test
		void isNoTypeAboveTheJudgedOne() {
			for (Class<? extends Throwable> above : List.of(Throwable.class, Exception.class)) {
				String reach = ", which " + above.getSimpleName() + " in retryOn does not reach; name ";
				assertRefused(retryOn(above, FILES), new IOException(new FileNotFoundException()),
						"IOException is permanent because of FileNotFoundException" + reach
								+ "FileNotFoundException in retryOn to retry");
				assertRefused(retryOn(above), new NullPointerException(),
						"NullPointerException is a programming error" + reach + "it in retryOn to retry");
				assertRefused(retryOn(above), new AccessDeniedException("file"),
						"AccessDeniedException is a refusal" + reach + "it in retryOn to retry");
				assertRetried(retryOn(above, FILES), new IOException());
			}
		}

		@Test
		void isThatOfTheFailureWhereAStatusOrTheApplicationJudges() {
			assertRefused(retryOn(IOException.class, PERMANENT), new FileNotFoundException(),
					"FileNotFoundException is permanent, which IOException in retryOn does not reach; "
							+ "name FileNotFoundException in retryOn to retry");
			assertRetried(retryOn(IOException.class, PERMANENT), new IOException());
			assertRetried(retryOn(FileNotFoundException.class, PERMANENT), new FileNotFoundException());
			assertNotRetried(retryOn(FileNotFoundException.class, PERMANENT),
					new IOException(new FileNotFoundException()));
		}

	}

	/** Of a policy whose lists decide alone. */
	@Nested
	class ListsAlone {

		private final FailureClassifier failing = (failure) -> {
			throw new IllegalStateException("asked about " + failure);
		};

		@Test
		void retryEveryExceptionWhereTheyAreEmpty() {
			for (Exception failure : List.of(new NullPointerException(), new SecurityException(), new IOException(),
					new CancellationException(), new ExecutionException(new ClassCastException()))) {
				assertRetried(lists().build(), failure);
			}
			assertNotRetried(lists().build(), new Throwable());
		}

		@Test
		void retryWhatTheyNameAndNothingElse() {
			RetryPolicy policy = lists().retryOn(RuntimeException.class).abortOn(ClassCastException.class).build();
			assertRetried(policy, new NullPointerException());
			assertRefused(policy, new ClassCastException(), "ClassCastException is listed in abortOn");
			assertRefused(policy, new IOException(), "IOException is not listed in retryOn");
		}

		@Test
		void retryNothingThatIsNeverRetried() {
			RetryPolicy policy = lists().retryOn(Throwable.class).build();
			for (Throwable failure : List.of(new InterruptedException(), new AssertionError(), new OutOfMemoryError(),
					new IOException(new StackOverflowError()), new CircuitOpenException("b", "open", null, null))) {
				assertNotRetried(policy, failure);
			}
		}

		private RetryPolicyBuilder lists() {
			return RetryPolicy.builder("p").classifiers(List.of(this.failing)).judgedByLists(true);
		}

	}

	private static RetryPolicy policy() {
		return RetryPolicy.builder("p").build();
	}

	private static RetryPolicy retryOn(Class<? extends Throwable> type, FailureClassifier... classifiers) {
		return RetryPolicy.builder("p").retryOn(type).classifiers(List.of(classifiers)).build();
	}

	private static RetryPolicy asking(FailureClassifier... classifiers) {
		return RetryPolicy.builder("p").classifiers(List.of(classifiers)).build();
	}

	private static Outcome judge(RetryPolicy policy, Throwable failure) {
		CallState call = new CallState(null);
		VirtualTime time = new VirtualTime();
		call.begin(new CallSettings(policy, "OrderService.place", time, () -> null, null, null, null, null),
				time.nanoTime());
		return new FailureRules(policy).judge(failure, call);
	}

	private static void assertRetried(RetryPolicy policy, Throwable failure) {
		assertThat(judge(policy, failure).refusal()).as("%s", failure).isNull();
	}

	private static void assertNotRetried(RetryPolicy policy, Throwable failure) {
		assertThat(judge(policy, failure).refusal()).as("%s", failure).isNotNull();
	}

	private static void assertRefused(RetryPolicy policy, Throwable failure, String why) {
		assertRefused(judge(policy, failure),
				why.endsWith("listed in abortOn") ? AttemptOutcome.ABORTED : AttemptOutcome.PERMANENT,
				StopReason.NOT_RETRYABLE, why);
	}

	private static void assertRefusedAsError(RetryPolicy policy, Throwable failure, String why) {
		assertRefused(judge(policy, failure), AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE, why);
	}

	private static void assertRefused(Outcome outcome, AttemptOutcome kind, StopReason reason, String why) {
		assertThat(outcome.refusal()).isNotNull();
		assertThat(outcome.kind()).isEqualTo(kind);
		assertThat(outcome.refusal().reason()).isEqualTo(reason);
		assertThat(outcome.refusal().why()).isEqualTo(why);
	}

	static class E0 extends Exception {

	}

	static class E0S extends E0 {

	}

	static class E1 extends E0 {

	}

	static class E1S extends E1 {

	}

	static class E2 extends E1 {

	}

	static class E2S extends E2 {

	}

	@Nested
	class FailuresThatMisbehave {

		private final VirtualTime time = new VirtualTime();

		private final RecordingListener listener = new RecordingListener();

		@Test
		void aFailureThatThrowsFromAllItCanOverrideIsThrownAsItIs() {
			for (Throwable failure : List.of(new Hostile(), new HostileToItself())) {
				this.listener.clear();
				assertThrown(policy().abortOn(ArithmeticException.class), failure);
				assertThat(this.listener.stopped()).hasSize(1);
				assertThat(this.listener.report().attempts()).isEqualTo(3);
			}
		}

		@Test
		void aRecoveryMayThrowHostileFailures() {
			Hostile own = new Hostile();
			assertThatThrownBy(() -> retry(policy().build()).<String, Exception>call(() -> {
				throw new IOException("down");
			}, (context, stopped) -> {
				throw own;
			})).isSameAs(own);
		}

		@Test
		void aSharedInstanceIn64ThreadsGathersNothing() {
			IOException shared = new IOException("shared");
			AtomicInteger calls = new AtomicInteger();
			Crowd.of(64, (number) -> {
				Retry retry = Retry.builder(policy().build()).time(new VirtualTime()).build();
				for (int j = 0; j < 50; j++) {
					assertThatThrownBy(() -> retry.call(() -> {
						calls.incrementAndGet();
						throw shared;
					})).isSameAs(shared);
				}
			});
			assertThat(shared.getSuppressed()).hasSize(1);
			assertThat(calls).hasValue(64 * 50 * 3);
		}

		@Test
		void aClassifierThatWrapsTheFailureMakesNoCircle() {
			IOException failure = new IOException("down");
			assertThrown(policy().classifiers(List.of((thrown) -> {
				throw new IllegalStateException("wrapped", thrown);
			})), failure);
			assertThat(Causes.of(this.listener.report())).noneMatch((cause) -> cause == failure);
		}

		@Test
		void aMarkThatCameOverTheWireIsNoneOfOurs() throws Exception {
			IOException original = new IOException("remote");
			assertThrown(policy(), original);
			IOException copy = copy(original);
			this.listener.clear();
			VirtualTime early = VirtualTime.startingAt(-Duration.ofHours(1).toNanos());
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(copy);
			assertThatExceptionOfType(IOException.class).isThrownBy(
					() -> Retry.builder(policy().build()).time(early).listener(this.listener).build().call(operation));
			assertThat(operation.calls()).isEqualTo(3);
			assertThat(this.listener.report().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		private Retry retry(RetryPolicy policy) {
			return Retry.builder(policy).time(this.time).listener(this.listener).build();
		}

		private void assertThrown(RetryPolicyBuilder policy, Throwable failure) {
			assertThatThrownBy(() -> retry(policy.build()).call(() -> {
				throw failure;
			})).isSameAs(failure);
		}

		private static RetryPolicyBuilder policy() {
			return RetryPolicy.builder("attack").maxAttempts(3).jitter(Jitter.none());
		}

		@SuppressWarnings({ "unchecked", "BanSerializableRead" }) // our own bytes
		private static <T> T copy(T object) throws IOException, ClassNotFoundException {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
				output.writeObject(object);
			}
			try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
				return (T) input.readObject();
			}
		}

		private static class Hostile extends RuntimeException {

			@Override
			public synchronized Throwable getCause() {
				throw new IllegalStateException("getCause");
			}

			@Override
			public String getMessage() {
				throw new IllegalStateException("getMessage");
			}

			@Override
			public String toString() {
				throw new IllegalStateException("toString");
			}

			@Override
			public boolean equals(Object other) {
				throw new IllegalStateException("equals");
			}

			@Override
			public int hashCode() {
				throw new IllegalStateException("hashCode");
			}

		}

		private static final class HostileToItself extends RuntimeException {

			@Override
			public synchronized Throwable getCause() {
				throw this;
			}

		}

	}

}
