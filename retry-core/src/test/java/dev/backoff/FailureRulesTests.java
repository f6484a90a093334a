package dev.backoff;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serial;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.Causes;
import dev.backoff.failure.CausesTests;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.failure.RetryCause;
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
			assertRefused(judge(policy(), failure), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					failure.getClass().getSimpleName() + " is a programming error; name it in retryOn to retry");
		}

		@Test
		void refusesRefusals() {
			assertRefused(judge(policy(), new SecurityException()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"SecurityException is a refusal; name it in retryOn to retry");
			assertRefused(judge(policy(), new AccessDeniedException("file")), AttemptOutcome.PERMANENT,
					StopReason.NOT_RETRYABLE, "AccessDeniedException is a refusal; name it in retryOn to retry");
		}

		@Test
		void refusesErrors() {
			assertRefused(judge(policy(), new AssertionError()), AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE,
					"AssertionError is an Error; name it in retryOn to retry");
		}

		@Test
		void refusesAThrowableOfItsOwnKind() {
			class Odd extends Throwable {

			}
			assertRefused(judge(policy(), new Odd()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"Odd is no Exception; name it in retryOn to retry");
			assertThat(judge(RetryPolicy.builder("p").retryOn(Throwable.class).build(), new Odd()).refusal()).isNull();
		}

		@Test
		void namesAnAnonymousClassInFull() {
			Exception anonymous = new IllegalArgumentException() {
			};
			assertRefused(judge(policy(), anonymous), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
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
			assertRefused(judge(this.everything, failure), AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE,
					failure.getClass().getSimpleName() + " is never retried");
			assertThat(Outcome.isFatal(failure)).isTrue();
		}

		@ParameterizedTest
		@MethodSource("dyingOf")
		void retriesAFailureThatAnErrorOfTheVirtualMachineCaused(Throwable failure, String why) {
			assertRefused(judge(this.everything, failure), AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE, why);
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
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(AssertionError.class).build();
			assertThat(judge(policy, new AssertionError()).refusal()).isNull();
			assertThat(judge(RetryPolicy.builder("p").retryOn(Error.class).build(), new AssertionError()).refusal())
				.isNull();
		}

		@Test
		void areNotNamedByThrowable() {
			assertRefused(judge(RetryPolicy.builder("p").retryOn(Throwable.class).build(), new AssertionError()),
					AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE,
					"AssertionError is an Error; name it in retryOn to retry");
		}

		@Test
		void areNotNamedByAnotherError() {
			assertRefused(judge(RetryPolicy.builder("p").retryOn(AssertionError.class).build(), new Error()),
					AttemptOutcome.ERROR, StopReason.NOT_RETRYABLE, "Error is an Error; name it in retryOn to retry");
		}

		@Test
		void areNotRetriedForAClassifier() {
			assertThat(judge(RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).build(), new AssertionError())
				.refusal()).isNotNull();
		}

		@Test
		void areRefusedByAbortOn() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(Error.class).abortOn(AssertionError.class).build();
			assertRefused(judge(policy, new AssertionError()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"AssertionError is listed in abortOn");
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
			assertRefused(judge(policy(), wrapper.apply(new AssertionError())), AttemptOutcome.ERROR,
					StopReason.NOT_RETRYABLE, "AssertionError is an Error; name it in retryOn to retry");
			assertRefused(judge(policy(), wrapper.apply(new ClassCastException())), AttemptOutcome.PERMANENT,
					StopReason.NOT_RETRYABLE, "ClassCastException is a programming error; name it in retryOn to retry");
			assertRefused(judge(policy(), wrapper.apply(new SecurityException())), AttemptOutcome.PERMANENT,
					StopReason.NOT_RETRYABLE, "SecurityException is a refusal; name it in retryOn to retry");
			assertRefused(judge(policy(), wrapper.apply(new InterruptedException())), AttemptOutcome.CANCELLED,
					StopReason.INTERRUPTED, "InterruptedException is never retried");
			Outcome open = judge(policy(), wrapper.apply(new CircuitOpenException("b", "open", null, null)));
			assertRefused(open, AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"CircuitOpenException is never retried");
			assertThat(open.verdict()).isEqualTo(CircuitBreaker.Verdict.IGNORED);
			assertThat(judge(policy(), wrapper.apply(new IOException())).refusal()).isNull();
			assertThat(judge(policy(), wrapper.apply(new RuntimeException(new AssertionError()))).refusal()).isNull();
		}

		@ParameterizedTest
		@MethodSource("around")
		void areRetriedWhereAListNamesWhatIsInsideOrTheirOwnClass(Function<Throwable, Exception> wrapper) {
			for (Throwable inside : List.of(new AssertionError(), new ClassCastException())) {
				Exception failure = wrapper.apply(inside);
				assertThat(judge(retryOn(inside.getClass()), failure).refusal()).isNull();
			}
			Exception failure = wrapper.apply(new ClassCastException());
			assertThat(judge(retryOn(failure.getClass()), failure).refusal()).isNull();
		}

		@Test
		void aroundNothingAreRetried() {
			assertThat(judge(policy(), new InvocationTargetException(null)).refusal()).isNull();
		}

	}

	/** Refusals of other libraries, known by the names of their classes. */
	@Nested
	class OtherRefusals {

		@ParameterizedTest
		@ValueSource(strings = { "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
				"io.github.resilience4j.bulkhead.BulkheadFullException",
				"io.github.resilience4j.ratelimiter.RequestNotPermitted", "dev.failsafe.CircuitBreakerOpenException",
				"dev.failsafe.BulkheadFullException", "dev.failsafe.RateLimitExceededException",
				"org.springframework.resilience.InvocationRejectedException" })
		void areNeverRetriedAndSayNothingOfTheDependency(String name) throws Exception {
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
			assertThat(judge(policy(), below.getDeclaredConstructor().newInstance()).refusal()).isNotNull();
			for (RetryPolicy policy : List.of(policy(), retryOn(Exception.class), retryOn(type))) {
				Outcome outcome = judge(policy, refusal);
				assertRefused(outcome, AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
						type.getSimpleName() + " is never retried");
				assertThat(outcome.verdict()).isEqualTo(CircuitBreaker.Verdict.IGNORED);
			}
			assertThat(CircuitBreaker.Verdict.of(refusal)).isEqualTo(CircuitBreaker.Verdict.IGNORED);
		}

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

		@Test
		void saySoWhenTheyRefuse() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(IOException.class).abortOn(E1.class).build();
			assertRefused(judge(policy, new E0()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"E0 is not listed in retryOn");
			assertRefused(judge(policy, new E2()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"E1 is listed in abortOn");
		}

		@Test
		void nameProgrammingErrorsToo() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(IllegalArgumentException.class).build();
			assertThat(judge(policy, new NumberFormatException()).refusal()).isNull();
		}

		@Test
		void lookAtCauses() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(IOException.class).abortOn(E1.class).build();
			assertThat(judge(policy, new RuntimeException(new FileNotFoundException())).refusal()).isNull();
			assertRefused(judge(policy, new IOException(new E1())), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"E1 is listed in abortOn");
			assertRefused(judge(policy, new E1(new IOException())), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"E1 is listed in abortOn");
		}

		@Test
		void leaveCausesAloneIfToldSo() {
			RetryPolicy policy = RetryPolicy.builder("p")
				.retryOn(IOException.class)
				.abortOn(E1.class)
				.matchCauses(false)
				.build();
			assertThat(judge(policy, new IOException(new E1())).refusal()).isNull();
			assertRefused(judge(policy, new RuntimeException(new IOException())), AttemptOutcome.PERMANENT,
					StopReason.NOT_RETRYABLE, "RuntimeException is not listed in retryOn");
		}

		@Test
		void areSafeFromCyclesAndDepth() {
			RetryPolicy policy = RetryPolicy.builder("p").retryOn(IOException.class).build();
			Exception first = new Exception("first");
			first.initCause(new Exception("second", first));
			assertThat(judge(policy, first).refusal()).isNotNull();
			assertThat(judge(policy, CausesTests.deep(new IOException(), 100_000)).refusal()).isNotNull();
			assertThat(judge(policy, CausesTests.deep(new IOException(), 31)).refusal()).isNull();
		}

	}

	@Nested
	class Classifiers {

		@Test
		void addTheirCause() {
			Outcome lock = judge(RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).build(), new IOException());
			assertThat(lock.refusal()).isNull();
			assertThat(lock.kind()).isEqualTo(AttemptOutcome.TRANSIENT);
			assertThat(lock.cause()).isEqualTo(RetryCause.LOCK);
			Outcome throttled = judge(RetryPolicy.builder("p").classifiers(List.of(THROTTLED)).build(),
					new IOException());
			assertThat(throttled.kind()).isEqualTo(AttemptOutcome.THROTTLED);
			assertThat(throttled.cause()).isEqualTo(RetryCause.HTTP_429);
		}

		@Test
		void firstAnswerWins() {
			RetryPolicy policy = RetryPolicy.builder("p")
				.classifiers(List.of((failure) -> null, TRANSIENT, PERMANENT))
				.build();
			assertThat(judge(policy, new IOException()).refusal()).isNull();
		}

		@Test
		void leaveUnknownFailuresToTheDefault() {
			RetryPolicy policy = RetryPolicy.builder("p").classifiers(List.of((failure) -> null)).build();
			assertThat(judge(policy, new IOException()).refusal()).isNull();
			assertThat(judge(policy, new NullPointerException()).refusal()).isNotNull();
		}

		@Test
		void makeAProgrammingErrorTransient() {
			RetryPolicy policy = RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).build();
			assertThat(judge(policy, new IllegalArgumentException()).refusal()).isNull();
		}

		@Test
		void refuseWhatIsPermanent() {
			assertRefused(judge(RetryPolicy.builder("p").classifiers(List.of(PERMANENT)).build(), new IOException()),
					AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"IOException is permanent; name its own class in retryOn to retry");
		}

		@Test
		void nameTheCauseThatDecided() {
			FailureClassifier files = (failure) -> (Causes.find(failure, FileNotFoundException.class) != null)
					? FailureClassification.permanent(RetryCause.IO) : null;
			RetryPolicy policy = RetryPolicy.builder("p").classifiers(List.of(files)).build();
			Throwable missing = new FileNotFoundException().initCause(new IllegalStateException());
			assertRefused(judge(policy, new UncheckedIOException(new IOException(missing))), AttemptOutcome.PERMANENT,
					StopReason.NOT_RETRYABLE, "UncheckedIOException is permanent because of FileNotFoundException; "
							+ "name its own class in retryOn to retry");
			assertRefused(judge(policy, missing), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"FileNotFoundException is permanent; name its own class in retryOn to retry");
		}

		@Test
		void areOverruledByTheOwnClassOnly() {
			RetryPolicy policy = RetryPolicy.builder("p")
				.classifiers(List.of(PERMANENT))
				.retryOn(IOException.class)
				.build();
			assertThat(judge(policy, new IOException()).refusal()).isNull();
			assertThat(judge(policy, new FileNotFoundException()).refusal()).isNotNull();
			assertThat(judge(policy, new RuntimeException(new IOException())).refusal()).isNotNull();
		}

		@Test
		void yieldToRetryOn() {
			RetryPolicy policy = RetryPolicy.builder("p").classifiers(List.of(TRANSIENT)).retryOn(E0.class).build();
			assertRefused(judge(policy, new IOException()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"IOException is not listed in retryOn");
			assertThat(judge(policy, new E0()).cause()).isEqualTo(RetryCause.LOCK);
		}

		@Test
		void yieldToAbortOn() {
			RetryPolicy policy = RetryPolicy.builder("p")
				.classifiers(List.of(TRANSIENT))
				.abortOn(IOException.class)
				.build();
			assertRefused(judge(policy, new IOException()), AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"IOException is listed in abortOn");
		}

		@Test
		void thatThrowRefuseTheFailureTheyWereAskedAbout() {
			AssertionError bug = new AssertionError("bug");
			FailureClassifier failing = (failure) -> {
				throw bug;
			};
			IOException failure = new IOException();
			Outcome outcome = judge(RetryPolicy.builder("p").classifiers(List.of(failing)).build(), failure);
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
			assertThat(judge(retryOn(FileNotFoundException.class, FILES), new Moved()).refusal()).isNull();
			assertThat(judge(retryOn(Moved.class, FILES), new UncheckedIOException(new Moved())).refusal()).isNull();
			assertThat(judge(retryOn(FileNotFoundException.class, FILES), new IllegalStateException(new Moved()))
				.refusal()).isNull();
			assertThat(judge(retryOn(Moved.class, FILES), new FileNotFoundException()).refusal().why())
				.isEqualTo("FileNotFoundException is not listed in retryOn");
			assertThat(judge(retryOn(ClassCastException.class), new ClassCastException()).refusal()).isNull();
			assertThat(judge(retryOn(IllegalArgumentException.class), new NumberFormatException()).refusal()).isNull();
			assertThat(judge(retryOn(NumberFormatException.class), new IllegalArgumentException()).refusal())
				.isNotNull();
		}

		@Test
		void isNoTypeAboveTheJudgedOne() {
			for (Class<? extends Throwable> above : List.of(Throwable.class, Exception.class)) {
				assertRefused(judge(retryOn(above, FILES), new IOException(new FileNotFoundException())),
						AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
						"IOException is permanent because of FileNotFoundException, which " + above.getSimpleName()
								+ " in retryOn does not reach; name FileNotFoundException in retryOn to retry");
				assertRefused(judge(retryOn(above), new NullPointerException()), AttemptOutcome.PERMANENT,
						StopReason.NOT_RETRYABLE, "NullPointerException is a programming error, which "
								+ above.getSimpleName() + " in retryOn does not reach; name it in retryOn to retry");
				assertRefused(judge(retryOn(above), new AccessDeniedException("file")), AttemptOutcome.PERMANENT,
						StopReason.NOT_RETRYABLE, "AccessDeniedException is a refusal, which " + above.getSimpleName()
								+ " in retryOn does not reach; name it in retryOn to retry");
				assertThat(judge(retryOn(above, FILES), new IOException()).refusal()).isNull();
			}
		}

		@Test
		void isTheOwnClassOnlyWhereAStatusOrTheApplicationJudges() {
			assertRefused(judge(retryOn(IOException.class, PERMANENT), new FileNotFoundException()),
					AttemptOutcome.PERMANENT, StopReason.NOT_RETRYABLE,
					"FileNotFoundException is permanent, which IOException in retryOn does not reach; "
							+ "name its own class in retryOn to retry");
			assertThat(judge(retryOn(FileNotFoundException.class, PERMANENT), new FileNotFoundException()).refusal())
				.isNull();
			assertThat(
					judge(retryOn(FileNotFoundException.class, PERMANENT), new IOException(new FileNotFoundException()))
						.refusal())
				.isNotNull();
		}

		private static RetryPolicy retryOn(Class<? extends Throwable> type, FailureClassifier... classifiers) {
			return RetryPolicy.builder("p").retryOn(type).classifiers(List.of(classifiers)).build();
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
				assertThat(judge(lists().build(), failure).refusal()).as("%s", failure).isNull();
			}
			assertThat(judge(lists().build(), new Throwable()).refusal()).isNotNull();
		}

		@Test
		void retryWhatTheyNameAndNothingElse() {
			RetryPolicy policy = lists().retryOn(RuntimeException.class).abortOn(ClassCastException.class).build();
			assertThat(judge(policy, new NullPointerException()).refusal()).isNull();
			assertThat(judge(policy, new ClassCastException()).refusal().why())
				.isEqualTo("ClassCastException is listed in abortOn");
			assertThat(judge(policy, new IOException()).refusal().why())
				.isEqualTo("IOException is not listed in retryOn");
		}

		@Test
		void retryNothingThatIsNeverRetried() {
			RetryPolicy policy = lists().retryOn(Throwable.class).build();
			for (Throwable failure : List.of(new InterruptedException(), new AssertionError(), new OutOfMemoryError(),
					new IOException(new StackOverflowError()), new CircuitOpenException("b", "open", null, null))) {
				assertThat(judge(policy, failure).refusal()).as("%s", failure).isNotNull();
			}
		}

		private RetryPolicyBuilder lists() {
			return RetryPolicy.builder("p").classifiers(List.of(this.failing)).judgedByLists(true);
		}

	}

	@Test
	void surviveAnExceptionWhoseCauseThrows() {
		Exception hostile = new Exception() {

			@Override
			public synchronized Throwable getCause() {
				throw new IllegalStateException("no cause");
			}

		};
		Outcome outcome = judge(RetryPolicy.builder("p").abortOn(E0.class).build(), hostile);
		assertThat(outcome.failure()).isSameAs(hostile);
		assertThat(outcome.refusal().problem()).hasMessage("no cause");
	}

	private static RetryPolicy policy() {
		return RetryPolicy.defaults("p");
	}

	private static RetryPolicy retryOn(Class<? extends Throwable> type) {
		return RetryPolicy.builder("p").retryOn(type).build();
	}

	private static Outcome judge(RetryPolicy policy, Throwable failure) {
		CallState call = new CallState(null);
		VirtualTime time = new VirtualTime();
		call.begin(new CallSettings(policy, "OrderService.place", time, () -> null, null), time.nanoTime());
		return new FailureRules(policy).judge(failure, call);
	}

	private static void assertRefused(Outcome outcome, AttemptOutcome kind, StopReason reason, String why) {
		assertThat(outcome.refusal()).isNotNull();
		assertThat(outcome.kind()).isEqualTo(kind);
		assertThat(outcome.refusal().reason()).isEqualTo(reason);
		assertThat(outcome.refusal().why()).isEqualTo(why);
	}

	static class E0 extends Exception {

		E0() {
		}

		E0(Throwable cause) {
			super(cause);
		}

	}

	static class E0S extends E0 {

	}

	static class E1 extends E0 {

		E1() {
		}

		E1(Throwable cause) {
			super(cause);
		}

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
				assertThatThrownBy(() -> retry(policy().build()).call(() -> {
					throw failure;
				})).isSameAs(failure);
				assertThat(this.listener.stopped()).hasSize(1);
			}
		}

		@Test
		void aFailureWithHostileCauseIsRecoveredFrom() throws Exception {
			String result = retry(policy().build()).<String, Exception>call(() -> {
				throw new Hostile();
			}, (context, stopped) -> "recovered");
			assertThat(result).isEqualTo("recovered");
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
		void aChainOfCausesWithoutEndIsWalkedInBounds() {
			assertThatThrownBy(
					() -> retry(policy().abortOn(ArithmeticException.class).retryOn(Endless.class).build()).call(() -> {
						throw new Endless();
					}))
				.isInstanceOf(Endless.class);
			assertThat(this.time.delays()).hasSize(2);
		}

		@Test
		void twentyThousandCausesAreNoBurden() {
			Throwable deep = new IOException("root");
			for (int i = 0; i < 20_000; i++) {
				deep = new IOException("link", deep);
			}
			Throwable failure = deep;
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw failure;
			})).isSameAs(failure);
			assertThat(this.time.delays()).hasSize(2);
		}

		@Test
		void aCycleOfCausesIsWalkedOnce() {
			IOException one = new IOException("one");
			IOException other = new IOException("other", one);
			one.initCause(other);
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw one;
			})).isSameAs(one);
			assertThat(this.time.delays()).hasSize(2);
		}

		@Test
		void everyKindOfErrorPassesAsItIs() {
			for (Error error : List.of(new StackOverflowError(), new OutOfMemoryError("simulated"),
					new AssertionError("assertion"), new NoClassDefFoundError("x"), new InternalError(),
					new Error("plain"), new ExceptionInInitializerError("x"))) {
				this.listener.clear();
				assertThatThrownBy(
						() -> retry(policy().retryOn(Throwable.class).build()).<String, Exception>call(() -> {
							throw error;
						}, (context, stopped) -> "recovered"))
					.isSameAs(error);
				assertThat(this.listener.story().attempts()).isEqualTo(1);
			}
			assertThat(Attempt.isRunning()).isFalse();
		}

		@Test
		void aThrowableThatIsNeitherExceptionNorErrorPasses() {
			Throwable odd = new Throwable("odd");
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw odd;
			})).isSameAs(odd);
		}

		@Test
		void aSharedInstanceIn64ThreadsGathersNothing() throws Exception {
			IOException shared = new IOException("shared");
			AtomicInteger calls = new AtomicInteger();
			ExecutorService pool = Executors.newFixedThreadPool(64);
			try {
				List<Future<?>> done = new ArrayList<>();
				for (int i = 0; i < 64; i++) {
					done.add(pool.submit(() -> {
						Retry retry = Retry.builder(policy().build()).time(new VirtualTime()).build();
						for (int j = 0; j < 50; j++) {
							assertThatThrownBy(() -> retry.call(() -> {
								calls.incrementAndGet();
								throw shared;
							})).isSameAs(shared);
						}
					}));
				}
				for (Future<?> future : done) {
					future.get(60, TimeUnit.SECONDS);
				}
			}
			finally {
				pool.shutdownNow();
			}
			assertThat(shared.getSuppressed()).hasSize(1);
			assertThat(calls).hasValue(64 * 50 * 3);
		}

		@Test
		void aClassifierThatWrapsTheFailureMakesNoCircle() {
			IOException failure = new IOException("down");
			assertThatThrownBy(() -> retry(policy().classifiers(List.of((thrown) -> {
				throw new IllegalStateException("wrapped", thrown);
			})).build()).call(() -> {
				throw failure;
			})).isSameAs(failure);
			RetriesStoppedException story = this.listener.story();
			assertThat(Causes.of(story)).noneMatch((cause) -> cause == failure);
		}

		@Test
		void aMarkThatCameOverTheWireIsNoneOfOurs() throws Exception {
			IOException original = new IOException("remote");
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw original;
			})).isSameAs(original);
			IOException copy = copy(original);
			this.listener.clear();
			VirtualTime early = VirtualTime.startingAt(-Duration.ofHours(1).toNanos());
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(copy);
			assertThatExceptionOfType(IOException.class).isThrownBy(
					() -> Retry.builder(policy().build()).time(early).listener(this.listener).build().call(operation));
			assertThat(operation.calls()).isEqualTo(3);
			assertThat(this.listener.story().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void aSerializedStoryAnswersWithoutFailing() throws Exception {
			IOException original = new IOException("remote");
			assertThatThrownBy(() -> retry(policy().build()).call(() -> {
				throw original;
			})).isSameAs(original);
			RetriesStoppedException story = RetriesStoppedException.of(copy(original));
			assertThat(story).isNotNull();
			assertThat(story.toString()).contains("Stopped after 3 of 3 attempts");
		}

		private Retry retry(RetryPolicy policy) {
			return Retry.builder(policy).time(this.time).listener(this.listener).build();
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

			@Serial
			private static final long serialVersionUID = 1L;

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

			@Serial
			private static final long serialVersionUID = 1L;

			@Override
			public synchronized Throwable getCause() {
				throw this;
			}

		}

		private static final class Endless extends Exception {

			@Serial
			private static final long serialVersionUID = 1L;

			@Override
			public synchronized Throwable getCause() {
				return new Endless();
			}

		}

	}

}
