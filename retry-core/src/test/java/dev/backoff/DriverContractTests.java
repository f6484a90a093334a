package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What every driver does alike: the same calls, with the same asserted about them. */
class DriverContractTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final WaitingCalls waiting = new WaitingCalls();

	private final IOException failure = new IOException("down");

	@AfterEach
	void leavesNothingBehind() {
		assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
		assertThat(Attempt.isRunning()).as("running attempt").isFalse();
		assertThat(this.time.pending()).as("scheduled tasks").isZero();
		assertThat(this.waiting.count()).as("waiting calls").isZero();
	}

	private static RetryPolicy.Builder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(4);
	}

	private Retry.Builder retry(RetryPolicy.Builder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.waitingCalls(this.waiting)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	private ScriptedOperation<String> failing() {
		return ScriptedOperation.<String>script().fails(1_000, () -> this.failure);
	}

	private void assertDelays(long... millis) {
		List<Duration> expected = new ArrayList<>();
		for (long delay : millis) {
			expected.add(Duration.ofMillis(delay));
		}
		assertThat(this.time.delays()).isEqualTo(expected);
	}

	@ParameterizedTest
	@EnumSource
	void succeedAtOnce(Driver driver) throws Throwable {
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.returns("fine")
			.taking(Duration.ofMillis(7), this.time);
		assertThat(driver.call(this, retry(policy()).build(), operation)).isEqualTo("fine");
		assertThat(this.recorder.lines()).containsExactly("attempt 1 success 7ms", "call succeeded 7ms");
		assertThat(this.listener.events()).isEmpty();
		assertDelays();
	}

	@ParameterizedTest
	@EnumSource
	void succeedAtTheThirdAttempt(Driver driver) throws Throwable {
		ScriptedOperation<@Nullable String> operation = ScriptedOperation.<@Nullable String>script()
			.fails(this.failure)
			.fails(1, IOException::new)
			.returns(null)
			.taking(Duration.ofMillis(5), this.time);
		assertThat(driver.<@Nullable String>call(this, retry(policy()).build(), operation)).isNull();
		assertDelays(100, 200);
		assertThat(this.recorder.lines()).containsExactly("attempt 1 transient 5ms", "waiting policy 100ms", "waited",
				"retry other", "attempt 2 transient 5ms", "waiting policy 200ms", "waited", "retry other",
				"attempt 3 success 5ms", "call succeeded 315ms");
		assertThat(this.listener.scheduled().get(0)).isEqualTo(new RetryEvent.Scheduled("orders", "OrderService.place",
				1, Duration.ofMillis(100), DelaySource.POLICY, RetryCause.OTHER, this.failure, null));
		assertThat(this.listener.succeeded())
			.containsExactly(new RetryEvent.Succeeded("orders", "OrderService.place", 3, Duration.ofMillis(315)));
		assertThat(this.failure).hasNoSuppressedExceptions();
		assertThat(operation.attempts()).extracting(Attempt::number).containsExactly(1, 2, 3);
		assertThat(operation.attempts()).extracting(Attempt::idempotencyKey).containsOnly(key(operation));
		assertThat(operation.attempts().get(1).previousFailure()).isSameAs(this.failure);
	}

	private static String key(ScriptedOperation<?> operation) {
		return operation.attempts().get(0).idempotencyKey();
	}

	@ParameterizedTest
	@EnumSource
	void giveTheLastFailureItselfWithItsStory(Driver driver) {
		List<IOException> thrown = new ArrayList<>();
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().does(() -> {
			thrown.add(new IOException("failure " + (thrown.size() + 1)));
			throw thrown.get(thrown.size() - 1);
		}).taking(Duration.ofMillis(10), this.time);
		Throwable caught = catchThrowable(() -> driver.call(this, retry(policy()).build(), operation));
		assertThat(caught).isSameAs(thrown.get(3));
		assertThat(RetriesStoppedException.of(caught)).isSameAs(this.listener.story())
			.hasMessage("Stopped after 4 of 4 attempts in 740 ms: ATTEMPTS_EXHAUSTED (policy orders; "
					+ "waits 100 ms, 200 ms, 400 ms; attempts 10 ms, 10 ms, 10 ms, 10 ms)");
		assertThat(thrown.get(2)).hasNoSuppressedExceptions();
		assertThat(this.listener.stopped().get(0).thrown()).isSameAs(caught);
		assertThat(this.recorder.lines("call")).containsExactly("call attempts_exhausted 740ms");
	}

	@ParameterizedTest
	@EnumSource
	void stopAtWhatDeservesNoRetry(Driver driver) {
		for (Throwable hopeless : List.of(new IllegalArgumentException(), new AssertionError(),
				new CancellationException(), new CircuitOpenException("b", "open", null, null))) {
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(hopeless);
			assertThat(catchThrowable(() -> driver.call(this, retry(policy()).build(), operation))).isSameAs(hopeless);
			assertThat(operation.calls()).isEqualTo(1);
		}
		assertThat(this.recorder.lines("call")).containsExactly("call not_retryable 0ms", "call not_retryable 0ms",
				"call cancelled 0ms", "call not_retryable 0ms");
	}

	@ParameterizedTest
	@EnumSource
	void giveTheLastResultIfNoneIsGoodEnough(Driver driver) throws Throwable {
		ScriptedOperation<Integer> operation = ScriptedOperation.<Integer>script().returns(1).returns(2).returns(3);
		Retry retry = retry(policy().maxAttempts(3).retryWhen((result, context) -> result instanceof Integer)).build();
		assertThat(driver.call(this, retry, operation)).isEqualTo(3);
		assertThat(this.listener.story().lastResult()).isEqualTo(3);
		assertThat(this.recorder.lines("attempt")).containsExactly("attempt 1 result 0ms", "attempt 2 result 0ms",
				"attempt 3 result 0ms");
	}

	@ParameterizedTest
	@EnumSource
	void askAgainUntilTheResultIsFinal(Driver driver) throws Throwable {
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.returns("pending")
			.returns("pending")
			.returns("done");
		Retry retry = retry(policy().enabled(false).until((result, context) -> "done".equals(result))).build();
		assertThat(driver.call(this, retry, operation)).isEqualTo("done");
		assertThat(this.recorder.lines("retry")).containsExactly("retry pending", "retry pending");
	}

	@ParameterizedTest
	@EnumSource
	void recover(Driver driver) throws Throwable {
		assertThat(driver.call(this, retry(policy()).build(), failing(),
				(context, story) -> story.reason() + " " + story.attempts()))
			.isEqualTo("ATTEMPTS_EXHAUSTED 4");
		assertThat(this.recorder.lines("recovered")).containsExactly("recovered done");
		assertThat(this.listener.stopped().get(0).recovery()).isEqualTo(RetryEvent.RecoveryOutcome.DONE);
		assertThat(this.listener.stopped().get(0).thrown()).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void giveTheFailureOfTheRecovery(Driver driver) {
		IllegalStateException broken = new IllegalStateException("broken too");
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).build(), failing(), (context, story) -> {
			throw broken;
		}))).isSameAs(broken).hasSuppressedException(this.failure);
		assertThat(this.recorder.lines("recovered")).containsExactly("recovered failed");
		assertThat(this.listener.stopped().get(0).thrown()).isSameAs(broken);
	}

	@ParameterizedTest
	@EnumSource
	void stopBeforeTheDeadline(Driver driver) {
		ScriptedOperation<String> operation = failing().taking(Duration.ofMillis(50), this.time);
		Retry retry = retry(policy().deadline(Duration.ofMillis(450))).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, operation))).isSameAs(this.failure);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.DEADLINE);
		assertDelays(100, 200);
		assertThat(operation.attempts().get(1).timeLeft()).isEqualTo(Duration.ofMillis(300));
	}

	@ParameterizedTest
	@EnumSource
	void startNoAttemptAfterTheDeadline(Driver driver) {
		this.time.oversleepBy(Duration.ofSeconds(1));
		ScriptedOperation<String> operation = failing();
		Retry retry = retry(policy().deadline(Duration.ofMillis(500))).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, operation))).isSameAs(this.failure);
		assertThat(this.listener.story()).hasMessageContaining("DEADLINE, the wait took longer than chosen");
		assertThat(operation.calls()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void waitAsTheServerAsks(Driver driver) {
		FailureClassifier classifier = (failure) -> FailureClassification.throttled(RetryCause.HTTP_429)
			.withHint(Duration.ofSeconds(2));
		Retry retry = retry(policy().maxAttempts(2).classifiers(List.of(classifier))).random(() -> 0).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, failing()))).isSameAs(this.failure);
		assertDelays(2_000);
		assertThat(this.recorder.lines("waiting")).containsExactly("waiting hint 2s");
	}

	@ParameterizedTest
	@EnumSource
	void stopWhenTheBudgetIsSpent(Driver driver) {
		RetryBudget budget = budget(2, 0);
		ScriptedOperation<String> operation = failing();
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).budget(budget).build(), operation)))
			.isSameAs(this.failure);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.BUDGET);
		assertThat(operation.calls()).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource
	void waitForTheBudget(Driver driver) throws Throwable {
		RetryBudget budget = budget(1, 1);
		assertThat(budget.tryWithdraw(RetryBudget.Cost.TRANSIENT)).isTrue();
		Retry retry = retry(policy().postponedWhenEmpty(true)).budget(budget).build();
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(this.failure).returns("fine");
		assertThat(driver.call(this, retry, operation)).isEqualTo("fine");
		// a token after a second; no wait is longer than the longest planned one
		assertDelays(100, 200, 400, 400);
		assertThat(this.recorder.lines("waiting")).allMatch((line) -> line.startsWith("waiting budget"));
		assertThat(this.recorder.lines("retry")).hasSize(1);
	}

	private RetryBudget budget(double tokens, double perSecond) {
		return RetryBudget.of("gateway", new BudgetSettings(tokens, 0, perSecond, 1, 1, false), this.time,
				RetryBudget.Listener.NONE);
	}

	private CircuitBreaker breaker(boolean awaited) {
		return CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().awaited(awaited).openFor(Duration.ofSeconds(10)).build())
			.random(() -> 0)
			.time(this.time)
			.build();
	}

	@ParameterizedTest
	@EnumSource
	void makeNoAttemptWhileTheBreakerIsOpen(Driver driver) {
		CircuitBreaker breaker = breaker(false);
		breaker.forceOpen();
		ScriptedOperation<String> operation = failing();
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).breaker(breaker).build(), operation)))
			.isInstanceOf(CircuitOpenException.class);
		assertThat(operation.calls()).isZero();
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.BREAKER_OPEN);
	}

	@ParameterizedTest
	@EnumSource
	void stopWhenTheBreakerOpens(Driver driver) {
		CircuitBreaker breaker = breaker(false);
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(this.failure).does(() -> {
			breaker.forceOpen();
			throw this.failure;
		});
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).breaker(breaker).build(), operation)))
			.isSameAs(this.failure);
		assertThat(operation.calls()).isEqualTo(2);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.BREAKER_OPEN);
	}

	@ParameterizedTest
	@EnumSource
	void waitForTheBreaker(Driver driver) throws Throwable {
		CircuitBreaker breaker = breaker(true);
		breaker.forceOpen();
		this.time.whileSleeping((nanos) -> breaker.reset());
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().returns("fine");
		assertThat(driver.call(this, retry(policy()).breaker(breaker).build(), operation)).isEqualTo("fine");
		assertThat(operation.calls()).isEqualTo(1);
		assertThat(this.recorder.lines("waiting")).hasSize(1).allMatch((line) -> line.startsWith("waiting breaker"));
	}

	@ParameterizedTest
	@EnumSource
	void retryNothingThatACallInsideHasRetried(Driver driver) {
		ScriptedOperation<String> leaf = failing();
		Retry inner = retry(policy().maxAttempts(3)).build();
		ScriptedOperation<String> outer = ScriptedOperation.<String>script().does(() -> inner.call(leaf));
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).build(), outer))).isSameAs(this.failure);
		assertThat(leaf.calls()).isEqualTo(3);
		assertThat(outer.calls()).isEqualTo(1);
		assertThat(this.recorder.lines("call")).last().asString().startsWith("call nested");
	}

	@ParameterizedTest
	@EnumSource
	void endAtAShutdown(Driver driver) {
		this.time.whileSleeping((nanos) -> {
			if (this.time.delays().size() == 3) {
				assertThat(this.waiting.count()).isEqualTo(1);
				this.waiting.shutDown();
			}
		});
		Retry retry = retry(policy().unlimitedAttempts()).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, failing()))).isSameAs(this.failure);
		assertThat(this.listener.story()).hasMessageContaining("in 700 ms: SHUTDOWN, the application is shutting down");
		assertThat(this.recorder.lines("call")).containsExactly("call shutdown 700ms");
	}

	@ParameterizedTest
	@EnumSource
	void endEachAttemptThatTakesTooLong(Driver driver) throws Throwable {
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.overruns(Duration.ofSeconds(3), this.time, "late")
			.overruns(Duration.ofSeconds(2), this.time, "later")
			.overruns(Duration.ofMillis(1999), this.time, "fine");
		Retry retry = retry(policy().attemptTimeout(Duration.ofSeconds(2))).build();
		assertThat(driver.call(this, retry, operation)).isEqualTo("fine");
		assertThat(this.recorder.lines("attempt")).containsExactly("attempt 1 timeout 3s", "attempt 2 timeout 2s",
				"attempt 3 success 1999ms");
		assertThat(this.recorder.lines("retry")).containsExactly("retry timeout", "retry timeout");
		assertThat(this.recorder.lines("waiting")).containsExactly("waiting policy 100ms", "waiting policy 200ms");
		assertThat(operation.attempts()).extracting(Attempt::timeLeft).containsOnly(Duration.ofSeconds(2));
	}

	@ParameterizedTest
	@EnumSource
	void giveTheTimeoutOfTheLastAttempt(Driver driver) {
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.overruns(Duration.ofSeconds(3), this.time, "late");
		Retry retry = retry(policy().attemptTimeout(Duration.ofSeconds(2))).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, operation)))
			.isInstanceOfSatisfying(AttemptTimeoutException.class, (timeout) -> {
				assertThat(timeout).hasMessage("Attempt 4 of OrderService.place was not finished after 2 s");
				assertThat(timeout.attempt()).isEqualTo(4);
				assertThat(timeout.timeout()).isEqualTo(Duration.ofSeconds(2));
				assertThat(RetriesStoppedException.of(timeout)).isSameAs(this.listener.story());
			});
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		assertThat(operation.calls()).isEqualTo(4);
	}

	@ParameterizedTest
	@EnumSource
	void giveAnAttemptNoMoreTimeThanTheDeadlineHasLeft(Driver driver) {
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.fails(this.failure)
			.overruns(Duration.ofMillis(900), this.time, "late");
		Retry retry = retry(policy().attemptTimeout(Duration.ofSeconds(2)).deadline(Duration.ofSeconds(1))).build();
		assertThat(catchThrowable(() -> driver.call(this, retry, operation)))
			.hasMessage("Attempt 2 of OrderService.place was not finished after 900 ms");
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.DEADLINE);
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@EnumSource
	void limitNoAttemptWhenTheTimerFails(Driver driver) throws Throwable {
		this.time.failWith(new IllegalStateException("no time"));
		ScriptedOperation<String> operation = ScriptedOperation.<String>script()
			.overruns(Duration.ofSeconds(3), this.time, "fine");
		Retry retry = retry(policy().attemptTimeout(Duration.ofSeconds(2))).build();
		assertThat(driver.call(this, retry, operation)).isEqualTo("fine");
		assertThat(this.listener.hookFailures()).isNotEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void waitNoMoreAfterAShutdown(Driver driver) throws Throwable {
		this.waiting.shutDown();
		assertThat(driver.call(this, retry(policy()).build(), ScriptedOperation.<String>script().returns("fine")))
			.isEqualTo("fine");
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).build(), failing()))).isSameAs(this.failure);
		assertThat(this.listener.story().reason()).isEqualTo(StopReason.SHUTDOWN);
		assertDelays();
	}

	@ParameterizedTest
	@EnumSource
	void mindNoListenerThatThrows(Driver driver) throws Throwable {
		RetryListener hostile = new RetryListener() {

			@Override
			public void onRetry(RetryEvent.Scheduled event) {
				throw new AssertionError("hostile");
			}

		};
		ScriptedOperation<String> operation = ScriptedOperation.<String>script().fails(this.failure).returns("fine");
		assertThat(driver.call(this, retry(policy()).listener(hostile).build(), operation)).isEqualTo("fine");
		assertThat(this.listener.hookFailures()).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void endWhenTheTimeCannotBeWaitedFor(Driver driver) {
		IllegalStateException broken = new IllegalStateException("no time");
		this.time.failWith(broken);
		assertThat(catchThrowable(() -> driver.call(this, retry(policy()).build(), failing()))).isSameAs(this.failure);
		assertThat(this.listener.story()).hasCause(broken)
			.hasMessageContaining("NOT_RETRYABLE, the wait failed with IllegalStateException");
		assertThat(this.recorder.lines("waited")).hasSize(1);
	}

	/** Ways to run a call. */
	enum Driver {

		/** On this thread. */
		BLOCKING {

			@Override
			<T extends @Nullable Object> T call(DriverContractTests tests, Retry retry, ScriptedOperation<T> operation,
					@Nullable Recovery<Object, T, Exception> recovery) throws Throwable {
				return (recovery != null) ? retry.call(operation, recovery) : retry.call(operation);
			}

		},

		/** By stages that are complete when they are returned. */
		AT_ONCE {

			@Override
			<T extends @Nullable Object> CompletionStage<T> start(Queue<Runnable> work, Operation<T, Exception> attempt)
					throws Exception {
				try {
					return CompletableFuture.completedFuture(attempt.run());
				}
				catch (Exception ex) {
					return CompletableFuture.failedFuture(new CompletionException(ex));
				}
			}

		},

		/** By operations that throw at once, or whose stages complete later. */
		LATER {

			@Override
			<T extends @Nullable Object> CompletionStage<T> start(Queue<Runnable> work, Operation<T, Exception> attempt)
					throws Exception {
				T value = attempt.run();
				CompletableFuture<T> stage = new CompletableFuture<>();
				work.add(() -> stage.complete(value));
				return stage;
			}

		},

		/** By stages that fail later, wrapped by those that depend on them. */
		DEPENDENT {

			@Override
			<T extends @Nullable Object> CompletionStage<T> start(Queue<Runnable> work, Operation<T, Exception> attempt)
					throws Exception {
				CompletableFuture<T> stage = new CompletableFuture<>();
				try {
					T value = attempt.run();
					work.add(() -> stage.complete(value));
				}
				catch (Throwable ex) {
					work.add(() -> stage.completeExceptionally(ex));
				}
				return stage.thenApply((value) -> value).thenApply((value) -> value);
			}

		};

		<T extends @Nullable Object> CompletionStage<T> start(Queue<Runnable> work, Operation<T, Exception> attempt)
				throws Exception {
			throw new UnsupportedOperationException();
		}

		<T extends @Nullable Object> T call(DriverContractTests tests, Retry retry, ScriptedOperation<T> operation)
				throws Throwable {
			return call(tests, retry, operation, null);
		}

		<T extends @Nullable Object> T call(DriverContractTests tests, Retry retry, ScriptedOperation<T> operation,
				@Nullable Recovery<Object, T, Exception> recovery) throws Throwable {
			Queue<Runnable> work = new ArrayDeque<>();
			CompletableFuture<T> result = retry.callAsyncOn("context", (context, number) -> start(work, operation),
					(recovery != null) ? (context, story) -> start(work, () -> recovery.recover(context, story))
							: null);
			while (!result.isDone()) {
				Runnable next = work.poll();
				if (next != null) {
					next.run();
				}
				else if (!tests.time.runNext()) {
					throw new AssertionError("the call hangs");
				}
			}
			Throwable thrown = result.<@Nullable Throwable>handle((value, failure) -> failure).join();
			if (thrown != null) {
				throw thrown;
			}
			return result.join();
		}

	}

}
