package dev.backoff;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.RandomSources;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What calls share: budget and breaker. */
class OverloadGuardTests {

	private final VirtualTime time = new VirtualTime();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	@AfterEach
	void leavesNothingBehind() {
		assertThat(Thread.interrupted()).as("interrupt flag").isFalse();
		assertThat(Attempt.isRunning()).as("running attempt").isFalse();
	}

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none()).maxAttempts(4);
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	private ScriptedOperation<String> failing() {
		return ScriptedOperation.<String>script().fails(1_000, () -> this.failure);
	}

	private StopReason reason() {
		return this.listener.story().reason();
	}

	private static void fail(ThrowingCallable call) {
		assertThat(catchThrowable(call)).isNotNull();
	}

	/* Of two tokens, a retry after an answer is put back, one after a timeout is not. */
	static Stream<Arguments> failuresAndTimeouts() {
		return Stream.of(arguments(new IOException("reset"), 2), arguments(new HttpTimeoutException("read"), 1),
				arguments(new IllegalStateException(new TransactionTimedOut()), 1),
				arguments(new AttemptTimeoutException("place", 1, 1, null), 1),
				arguments(new HttpConnectTimeoutException("connect"), 2),
				arguments(new UncheckedIOException(new ConnectException()), 2),
				arguments(new Answer(FailureClassification.transientFailure(RetryCause.TIMEOUT)), 1),
				arguments(new Answer(FailureClassification.transientFailure(RetryCause.TIMEOUT).withoutEffect()), 2),
				arguments(new Answer(FailureClassification.throttled(RetryCause.HTTP_429)), 2),
				arguments(new Answer(FailureClassification.transientFailure(RetryCause.HTTP_503)), 2));
	}

	private static @Nullable FailureClassification classify(Throwable failure) {
		return (failure instanceof Answer answer) ? answer.classification : null;
	}

	@Nested
	class WithABudget {

		private RetryBudget budget = budget(2, 0, 0);

		private RetryBudget budget(double tokens, double perSuccess, double perSecond) {
			return RetryBudget.of("gateway", new BudgetSettings(tokens, perSuccess, perSecond),
					OverloadGuardTests.this.time, RetryBudget.Listener.NONE);
		}

		@Test
		void retriesAsLongAsItPays() {
			ScriptedOperation<String> operation = failing();
			assertThatThrownBy(() -> retry(policy()).budget(this.budget).build().call(operation))
				.isSameAs(OverloadGuardTests.this.failure);
			assertThat(operation.calls()).isEqualTo(3);
			assertThat(reason()).isEqualTo(StopReason.BUDGET);
			assertThat(OverloadGuardTests.this.listener.story())
				.hasMessageStartingWith("Stopped after 3 of 4 attempts in 300 ms: BUDGET, the budget gateway is spent");
			assertThat(RetriesStoppedException.of(OverloadGuardTests.this.failure))
				.isSameAs(OverloadGuardTests.this.listener.story());
			assertThat(OverloadGuardTests.this.recorder.lines("call")).containsExactly("call budget 300ms");
			assertThat(this.budget.refused()).isEqualTo(1);
		}

		@Test
		void makesFirstAttemptsWithAnEmptyOne() throws Exception {
			this.budget = budget(0, 0, 0);
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().returns("fine");
			assertThat(retry(policy()).budget(this.budget).build().call(operation)).isEqualTo("fine");
			ScriptedOperation<String> failing = failing();
			fail(() -> retry(policy()).budget(this.budget).build().call(failing));
			assertThat(failing.calls()).isEqualTo(1);
			assertThat(OverloadGuardTests.this.time.delays()).isEmpty();
		}

		@Test
		void paysForNothingWhenTheCallStopsForAnotherReason() {
			fail(() -> retry(policy().maxAttempts(1)).budget(this.budget).build().call(failing()));
			fail(() -> retry(policy().deadline(Duration.ofMillis(50))).budget(this.budget).build().call(failing()));
			fail(() -> retry(policy().enabled(false)).budget(this.budget).build().call(failing()));
			fail(() -> retry(policy()).budget(this.budget).build().call(() -> {
				throw new IllegalArgumentException("no");
			}));
			assertThat(this.budget.balance()).isEqualTo(2);
		}

		@Test
		void keepsWhatAnInterruptedRetryPaid() {
			OverloadGuardTests.this.time.interruptSleep(1);
			fail(() -> retry(policy()).budget(this.budget).build().call(failing()));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.budget.balance()).isEqualTo(1);
		}

		@Test
		void pollsForFree() throws Exception {
			this.budget = budget(0, 0, 0);
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.returns("pending")
				.returns("pending")
				.returns("done");
			assertThat(retry(policy().until((result, context) -> "done".equals(result))).budget(this.budget)
				.build()
				.call(operation)).isEqualTo("done");
		}

		@Test
		void getsSomethingForEachCallThatSucceeds() throws Exception {
			this.budget = budget(2, 0.5, 0);
			this.budget.tryWithdraw();
			this.budget.tryWithdraw();
			Retry retry = retry(policy()).budget(this.budget).build();
			retry.call(() -> "fine");
			retry.call(() -> "fine");
			assertThat(this.budget.balance()).isEqualTo(1);
			fail(() -> retry.call(failing()));
			assertThat(this.budget.balance()).isZero();
			retry.call(() -> "fine");
			retry.call(() -> "fine");
			retry.call(ScriptedOperation.<String>script().fails(OverloadGuardTests.this.failure).returns("fine"));
			assertThat(this.budget.balance()).as("with the token that its retry took").isEqualTo(1.5);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.OverloadGuardTests#failuresAndTimeouts")
		void losesTheTokenThatARetryTookAfterATimeout(Throwable first, double balance) throws Exception {
			Retry retry = retry(policy().classifiers(List.of(OverloadGuardTests::classify))).budget(this.budget)
				.build();
			retry.call(ScriptedOperation.<String>script().fails(first).returns("fine"));
			assertThat(this.budget.balance()).isEqualTo(balance);
		}

		@Test
		void postponesRetriesWhereThatIsAskedFor() throws Exception {
			this.budget = budget(1, 0, 0.1);
			this.budget.tryWithdraw();
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(OverloadGuardTests.this.failure)
				.returns("fine");
			RetryPolicyBuilder policy = policy().base(Duration.ofSeconds(2))
				.cap(Duration.ofSeconds(30))
				.postponedWhenEmpty(true);
			assertThat(retry(policy).budget(this.budget).build().call(operation)).isEqualTo("fine");
			assertThat(operation.calls()).isEqualTo(2);
			// empty at 0, 2 and 6 s; at 14 s there is a token, and the retry has waited
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofSeconds(2),
					Duration.ofSeconds(4), Duration.ofSeconds(8));
			assertThat(OverloadGuardTests.this.recorder.lines("waiting")).containsExactly("waiting budget 2s",
					"waiting budget 4s", "waiting budget 8s");
			assertThat(OverloadGuardTests.this.recorder.lines("retry")).hasSize(1);
			assertThat(this.budget.refused()).isZero();
		}

		@Test
		void postponesByNoLongerWaitThanIsPlannedAndGoesOnAsBefore() {
			this.budget = budget(1, 0, 0.1);
			this.budget.tryWithdraw();
			RetryPolicyBuilder policy = policy().base(Duration.ofSeconds(1)).maxAttempts(3).postponedWhenEmpty(true);
			assertThatThrownBy(() -> retry(policy).budget(this.budget).build().call(failing()))
				.isSameAs(OverloadGuardTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			assertThat(OverloadGuardTests.this.listener.story().attempts()).isEqualTo(3);
			List<Duration> delays = OverloadGuardTests.this.time.delays();
			assertThat(delays.get(0)).isEqualTo(Duration.ofSeconds(1));
			// a token every ten seconds, asked for every two
			assertThat(delays.subList(1, delays.size())).hasSize(10).containsOnly(Duration.ofSeconds(2));
		}

		@Test
		void postponesNothingBeyondTheDeadline() {
			this.budget = budget(1, 0.1, 0);
			this.budget.tryWithdraw();
			assertThatThrownBy(
					() -> retry(policy().postponedWhenEmpty(true).deadline(Duration.ofSeconds(1))).budget(this.budget)
						.build()
						.call(failing()))
				.isSameAs(OverloadGuardTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(100),
					Duration.ofMillis(200), Duration.ofMillis(400));
		}

		@Test
		void endsAPostponementWhenRetriesAreSwitchedOff() {
			this.budget = budget(1, 0.1, 0);
			this.budget.tryWithdraw();
			boolean[] on = { true };
			OverloadGuardTests.this.time
				.whileSleeping((nanos) -> on[0] = OverloadGuardTests.this.time.delays().size() < 3);
			assertThatThrownBy(() -> retry(policy().postponedWhenEmpty(true)).enabledWhen(() -> on[0])
				.budget(this.budget)
				.build()
				.call(failing())).isSameAs(OverloadGuardTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(OverloadGuardTests.this.time.delays()).hasSize(3);
		}

	}

	@Nested
	class WithABreaker {

		private CircuitBreaker breaker = breaker(BreakerSettings.builder());

		private CircuitBreaker breaker(BreakerSettings.Builder settings) {
			return CircuitBreaker.builder("gateway")
				.settings(settings.minimumCalls(2).probes(1).build())
				.time(OverloadGuardTests.this.time)
				.random(() -> 0.5)
				.build();
		}

		@Test
		void stopsAtOnceWhenItOpensAndThrowsTheRealFailure() {
			ScriptedOperation<String> operation = failing();
			assertThatThrownBy(() -> retry(policy()).breaker(this.breaker).build().call(operation))
				.isSameAs(OverloadGuardTests.this.failure);
			assertThat(operation.calls()).isEqualTo(2);
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(100));
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(OverloadGuardTests.this.listener.story()).hasMessageStartingWith(
					"Stopped after 2 of 4 attempts in 100 ms: BREAKER_OPEN, the breaker gateway is open");
			assertThat(this.breaker.state()).isEqualTo(BreakerState.OPEN);
		}

		@Test
		void refusesACallBeforeItsFirstAttempt() {
			this.breaker.open();
			ScriptedOperation<String> operation = failing();
			CircuitOpenException refused = (CircuitOpenException) catchThrowable(
					() -> retry(policy()).breaker(this.breaker).build().call(operation));
			assertThat(refused.breaker()).isEqualTo("gateway");
			assertThat(refused.timeToProbe()).isEqualTo(Duration.ofMillis(22_500));
			assertThat(operation.calls()).isZero();
			RetriesStoppedException story = RetriesStoppedException.of(refused);
			assertThat(story).isSameAs(OverloadGuardTests.this.listener.story())
				.hasMessage("Stopped after 0 of 4 attempts in 0 ms: BREAKER_OPEN, the breaker gateway is open "
						+ "(policy orders)");
			assertThat(story.attempts()).isZero();
			assertThat(OverloadGuardTests.this.recorder.lines()).containsExactly("call breaker_open 0ms");
			assertThat(this.breaker.rejected()).isEqualTo(1);
		}

		@Test
		void recoversFromARefusal() throws Exception {
			this.breaker.forceOpen();
			String result = retry(policy()).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "never", (context, story) -> story.reason().tag());
			assertThat(result).isEqualTo("breaker_open");
		}

		@Test
		void closesAfterAProbe() throws Exception {
			fail(() -> retry(policy()).breaker(this.breaker).build().call(failing()));
			OverloadGuardTests.this.time.advance(Duration.ofSeconds(30));
			assertThat(retry(policy()).breaker(this.breaker).build().<String, RuntimeException>call(() -> "fine"))
				.isEqualTo("fine");
			assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
		}

		@Test
		void takesThePermitWhenTheAttemptStarts() {
			ScriptedOperation<String> operation = failing();
			// somebody else opens it during the wait
			OverloadGuardTests.this.time.whileSleeping((nanos) -> this.breaker.forceOpen());
			assertThatThrownBy(() -> retry(policy()).breaker(this.breaker).build().call(operation))
				.isSameAs(OverloadGuardTests.this.failure);
			assertThat(operation.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
		}

		@Test
		void countsEachAttempt() throws Exception {
			this.breaker = breaker(BreakerSettings.builder().failureRate(1));
			retry(policy()).breaker(this.breaker)
				.build()
				.call(ScriptedOperation.<String>script().fails(OverloadGuardTests.this.failure).returns("fine"));
			assertThat(this.breaker.counts().total()).isEqualTo(2);
			assertThat(this.breaker.counts().failed()).isEqualTo(1);
		}

		@Test
		void takesAnAnswerForASuccess() {
			Retry permanent = retry(
					policy().classifiers(List.of((failed) -> FailureClassification.permanent(RetryCause.OTHER))))
				.breaker(this.breaker)
				.build();
			fail(() -> permanent.call(failing()));
			String pending = retry(policy().maxAttempts(3).until((result, context) -> false)).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "pending");
			assertThat(pending).isEqualTo("pending");
			assertThat(this.breaker.counts().total()).isEqualTo(4);
			assertThat(this.breaker.counts().failed()).isZero();
		}

		@Test
		void takesABadResultForAFailure() throws Exception {
			assertThat(retry(policy().retryWhen((result, context) -> true)).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "bad")).isEqualTo("bad");
			assertThat(this.breaker.counts().failed()).isEqualTo(2);
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
		}

		@ParameterizedTest
		@ValueSource(classes = { AssertionError.class, StackOverflowError.class, InterruptedException.class,
				CircuitOpenException.class })
		void givesThePermitBackAfterWhatSaysNothing(Class<? extends Throwable> type) {
			this.breaker.openFor(Duration.ofMillis(1));
			OverloadGuardTests.this.time.advance(Duration.ofMillis(1));
			Throwable thrown = (type == CircuitOpenException.class)
					? new CircuitOpenException("inner", "open", null, null) : made(type);
			fail(() -> retry(policy()).breaker(this.breaker).build().call(() -> {
				throw thrown;
			}));
			boolean interrupted = Thread.interrupted();
			assertThat(interrupted).isEqualTo(type == InterruptedException.class);
			assertThat(this.breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(this.breaker.counts().total()).isZero();
			assertThat(this.breaker.isPermitting(OverloadGuardTests.this.time.nanoTime())).isTrue();
		}

		private static Throwable made(Class<? extends Throwable> type) {
			try {
				return type.getDeclaredConstructor().newInstance();
			}
			catch (ReflectiveOperationException ex) {
				throw new LinkageError("no instance of " + type, ex);
			}
		}

		@Test
		void waitsForItsProbeWhereThatIsAskedFor() throws Exception {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).openFor(Duration.ofSeconds(10)));
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(OverloadGuardTests.this.failure)
				.fails(OverloadGuardTests.this.failure)
				.returns("fine");
			assertThat(retry(policy()).breaker(this.breaker).build().call(operation)).isEqualTo("fine");
			// open for 7.5 s, and the policy's own 200 ms
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(100),
					Duration.ofMillis(7_700));
			assertThat(OverloadGuardTests.this.recorder.lines("waiting")).containsExactly("waiting policy 100ms",
					"waiting breaker 7700ms");
		}

		@Test
		void letsFirstAttemptsWaitToo() throws Exception {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).openFor(Duration.ofSeconds(10)));
			this.breaker.open();
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().returns("fine");
			assertThat(retry(policy()).breaker(this.breaker).build().call(operation)).isEqualTo("fine");
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(7_600));
			assertThat(operation.attempts()).extracting(Attempt::number).containsExactly(1);
			assertThat(OverloadGuardTests.this.recorder.lines("retry")).isEmpty();
		}

		@Test
		void letsNoFirstAttemptWaitBeyondTheDeadline() {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).openFor(Duration.ofSeconds(10)));
			this.breaker.open();
			assertThatThrownBy(
					() -> retry(policy().deadline(Duration.ofSeconds(5))).breaker(this.breaker).build().call(failing()))
				.isInstanceOf(CircuitOpenException.class);
			assertThat(OverloadGuardTests.this.time.delays()).isEmpty();
			assertThat(OverloadGuardTests.this.listener.story()).hasMessageStartingWith("Stopped after 0 of 4 attempts "
					+ "in 0 ms: DEADLINE, the next wait of 7.6 s does not fit into the 5 s left");
		}

		@Test
		void losesNoMessageOfAnOutageThatOutlastsItsOpenTime() throws Exception {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).openFor(Duration.ofSeconds(30)));
			this.breaker.open();
			OverloadGuardTests.this.time.whileSleeping((nanos) -> {
				if (OverloadGuardTests.this.time.elapsed().compareTo(Duration.ofHours(1)) < 0) {
					this.breaker.open();
				}
			});
			ScriptedOperation<String> operation = ScriptedOperation.<String>script().returns("sent");
			Retry message = retry(RetryPolicy.builder("message").preset(Preset.MESSAGE)).breaker(this.breaker).build();
			assertThat(message.call(operation)).isEqualTo("sent");
			assertThat(operation.attempts()).extracting(Attempt::number).containsExactly(1);
			assertThat(OverloadGuardTests.this.time.elapsed()).isGreaterThan(Duration.ofHours(1));
		}

		@Test
		void letsAFirstAttemptWaitUntilTheDeadlineAtMost() {
			this.breaker = breaker(BreakerSettings.builder().awaited(true));
			this.breaker.forceOpen();
			Retry retry = retry(policy().deadline(Duration.ofSeconds(2))).breaker(this.breaker).build();
			assertThatThrownBy(() -> retry.call(failing())).isInstanceOf(CircuitOpenException.class);
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(100),
					Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(400), Duration.ofMillis(400),
					Duration.ofMillis(400));
			assertThat(OverloadGuardTests.this.listener.story()).hasMessageStartingWith("Stopped after 0 of 4 attempts "
					+ "in 1.9 s: DEADLINE, the next wait of 400 ms does not fit into the 100 ms left");
		}

		@Test
		void paysForAPostponedRetryOnce() {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).minimumCalls(20));
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(5, 0, 0), OverloadGuardTests.this.time,
					RetryBudget.Listener.NONE);
			OverloadGuardTests.this.time.whileSleeping((nanos) -> {
				if (OverloadGuardTests.this.time.delays().size() == 1) {
					this.breaker.openFor(Duration.ofSeconds(1));
				}
			});
			List<Double> balances = new ArrayList<>();
			assertThat(catchThrowable(() -> retry(policy()).breaker(this.breaker).budget(budget).build().call(() -> {
				balances.add(budget.balance());
				if (balances.size() == 1) {
					throw OverloadGuardTests.this.failure;
				}
				return "fine";
			}))).isNull();
			assertThat(balances).containsExactly(5.0, 4.0);
			assertThat(OverloadGuardTests.this.time.delays()).containsExactly(Duration.ofMillis(100),
					Duration.ofMillis(1_200));
			assertThat(budget.balance()).isEqualTo(5);
		}

		@Test
		void thatThrowsLetsCallsPass() throws Exception {
			Retry retry = retry(policy()).breaker(new HostilePermits(false)).build();
			assertThat(retry.<String, RuntimeException>call(() -> "fine")).isEqualTo("fine");
			ScriptedOperation<String> operation = failing();
			assertThatThrownBy(() -> retry.call(operation)).isSameAs(OverloadGuardTests.this.failure);
			assertThat(operation.calls()).isEqualTo(4);
			assertThat(OverloadGuardTests.this.listener.hookFailures()).isNotEmpty()
				.allSatisfy((event) -> assertThat(event.hook()).isEqualTo("breaker"));
		}

		@Test
		void whosePermitsThrowLeavesResultsAlone() throws Exception {
			Retry retry = retry(policy()).breaker(new HostilePermits(true)).build();
			int[] calls = { 0 };
			assertThat(retry.<String, RuntimeException>call(() -> "fine " + ++calls[0])).isEqualTo("fine 1");
			assertThatThrownBy(() -> retry.call(failing())).isSameAs(OverloadGuardTests.this.failure);
		}

		@Test
		void isToldWhatAnAttemptThrew() {
			NotingPermits noting = new NotingPermits(new ArrayList<>());
			fail(() -> retry(policy().maxAttempts(2)).breaker(noting).build().call(failing()));
			assertThat(noting.failures()).containsExactly(OverloadGuardTests.this.failure,
					OverloadGuardTests.this.failure);
		}

		/** Notes failures. */
		private record NotingPermits(List<@Nullable Throwable> failures) implements CallPermits, CallPermits.Permit {

			@Override
			public String name() {
				return "noting";
			}

			@Override
			public Permit tryAcquire(long now) {
				return this;
			}

			@Override
			public boolean isPermitting(long now) {
				return true;
			}

			@Override
			public long nanosToPermit(long now) {
				return 0;
			}

			@Override
			public boolean isAwaited() {
				return false;
			}

			@Override
			public CircuitOpenException rejection(long now) {
				return new CircuitOpenException("noting", "open", null, null);
			}

			@Override
			public void succeeded(long nanos, long now) {
				throw new AssertionError("no attempt succeeded");
			}

			@Override
			public void failed(long nanos, long now, @Nullable Throwable failure) {
				this.failures.add(failure);
			}

			@Override
			public void released() {
				throw new AssertionError("every attempt failed");
			}

		}

		/** Throws from everything. */
		private record HostilePermits(boolean grants) implements CallPermits, CallPermits.Permit {

			private static RuntimeException hostile() {
				return new IllegalStateException("hostile");
			}

			@Override
			public String name() {
				throw hostile();
			}

			@Override
			public @Nullable Permit tryAcquire(long now) {
				if (this.grants) {
					return this;
				}
				throw hostile();
			}

			@Override
			public boolean isPermitting(long now) {
				throw hostile();
			}

			@Override
			public long nanosToPermit(long now) {
				throw hostile();
			}

			@Override
			public boolean isAwaited() {
				throw hostile();
			}

			@Override
			public CircuitOpenException rejection(long now) {
				throw hostile();
			}

			@Override
			public void succeeded(long nanos, long now) {
				throw hostile();
			}

			@Override
			public void failed(long nanos, long now, @Nullable Throwable failure) {
				throw hostile();
			}

			@Override
			public void released() {
				throw hostile();
			}

		}

	}

	@Nested
	class InUnusualUse {

		private static final Duration OPEN_FOR = Duration.ofSeconds(10);

		private final VirtualTime time = new VirtualTime();

		private final RecordingListener listener = new RecordingListener();

		private CircuitBreaker breaker(BreakerSettings.Builder settings) {
			return CircuitBreaker.builder("gateway")
				.settings(settings.minimumCalls(1).failureRate(1).openFor(OPEN_FOR).build())
				.time(this.time)
				.random(RandomSources.greatest())
				.build();
		}

		private static RetryPolicyBuilder policy(Duration delay) {
			return RetryPolicy.builder("orders").shape(Shape.fixed(delay)).jitter(Jitter.none()).maxAttempts(3);
		}

		private RetryBuilder retry(RetryPolicyBuilder policy) {
			return Retry.builder(policy.build()).time(this.time).listener(this.listener);
		}

		@Nested
		class CallsWithinCallsOfOneBreaker {

			private final CircuitBreaker breaker = breaker(BreakerSettings.builder().probes(3));

			private final Retry outer = retry(policy(Duration.ofMillis(100))).breaker(this.breaker).build();

			private final Retry inner = retry(policy(Duration.ofMillis(100))).breaker(this.breaker).build();

			@Test
			void doNotKeepItFromClosing() throws Exception {
				this.breaker.open();
				InUnusualUse.this.time.advance(OPEN_FOR);
				for (int i = 0; i < 3; i++) {
					assertThat(this.outer.call(() -> this.inner.call(() -> "fine"))).isEqualTo("fine");
				}
				assertThat(this.breaker.state()).isEqualTo(BreakerState.CLOSED);
				assertThat(this.breaker.rejected()).isZero();
			}

			@Test
			void doNotWaitForTheirOwnProbe() throws Exception {
				CircuitBreaker awaited = breaker(BreakerSettings.builder().probes(1).awaited(true));
				Retry around = retry(policy(Duration.ofMillis(100))).breaker(awaited).build();
				Retry within = retry(policy(Duration.ofMillis(100))).breaker(awaited).build();
				awaited.open();
				InUnusualUse.this.time.advance(OPEN_FOR);
				assertThat(around.call(() -> within.call(() -> "fine"))).isEqualTo("fine");
				assertThat(InUnusualUse.this.time.delays()).isEmpty();
				assertThat(awaited.state()).isEqualTo(BreakerState.CLOSED);
			}

			@Test
			void areRefusedOnceItHasOpened() {
				assertThatThrownBy(() -> this.outer.call(() -> {
					this.breaker.open();
					return this.inner.call(() -> "never");
				})).isInstanceOf(CircuitOpenException.class);
			}

			@Test
			void areRefusedIfItHasOpenedAgainDuringTheProbe() {
				this.breaker.open();
				InUnusualUse.this.time.advance(OPEN_FOR);
				assertThatThrownBy(() -> this.outer.call(() -> {
					this.breaker.forceOpen();
					return this.inner.call(() -> "never");
				})).isInstanceOf(CircuitOpenException.class);
			}

			@Test
			void needPermitsOfOtherBreakers() {
				CircuitBreaker other = breaker(BreakerSettings.builder());
				other.forceOpen();
				Retry toOther = retry(policy(Duration.ofMillis(100))).breaker(other).build();
				this.breaker.open();
				InUnusualUse.this.time.advance(OPEN_FOR);
				assertThatThrownBy(() -> this.outer.call(() -> toOther.call(() -> "never")))
					.isInstanceOf(CircuitOpenException.class);
			}

			@Test
			void needPermitsOnceTheProbeHasEnded() {
				CircuitBreaker one = breaker(BreakerSettings.builder().probes(4));
				AtomicInteger calls = new AtomicInteger();
				Retry within = retry(policy(Duration.ofMillis(100)).maxAttempts(1)).breaker(one).build();
				Retry around = Retry.builder(policy(Duration.ofMillis(100)).maxAttempts(2).build())
					.time(InUnusualUse.this.time)
					.breaker(one)
					.listener(new RetryListener() {

						@Override
						public void onRetry(RetryEvent.Scheduled event) {
							assertThat(within.call(calls::incrementAndGet)).isEqualTo(1);
						}

					})
					.build();
				one.open();
				InUnusualUse.this.time.advance(OPEN_FOR);
				assertThatThrownBy(() -> around.call(() -> {
					throw new IOException("down");
				})).isInstanceOf(IOException.class);
				assertThat(calls).hasValue(1);
				assertThat(one.counts().total()).isEqualTo(3);
			}

		}

		@Nested
		class WaitsWithoutADelay {

			@Test
			void forABudgetDoNotSpin() throws Exception {
				RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 1), InUnusualUse.this.time,
						RetryBudget.Listener.NONE);
				budget.tryWithdraw();
				AtomicInteger calls = new AtomicInteger();
				Retry retry = retry(policy(Duration.ZERO).postponedWhenEmpty(true)).budget(budget).build();
				assertThat(retry.call(() -> {
					if (calls.incrementAndGet() == 1) {
						throw new IOException("down");
					}
					return "fine";
				})).isEqualTo("fine");
				assertThat(InUnusualUse.this.time.delays()).hasSizeLessThanOrEqualTo(102);
			}

			@Test
			void forABreakerForcedOpenDoNotSpin() {
				CircuitBreaker breaker = breaker(BreakerSettings.builder().awaited(true));
				breaker.forceOpen();
				Retry retry = retry(policy(Duration.ZERO).deadline(Duration.ofSeconds(10))).breaker(breaker).build();
				assertThatThrownBy(() -> retry.call(() -> "never")).isInstanceOf(CircuitOpenException.class);
				assertThat(InUnusualUse.this.time.delays()).hasSizeLessThanOrEqualTo(1_001);
			}

		}

		@Nested
		class Budgets {

			@Test
			void thatNeverHoldATokenPostponeNothing() {
				RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(0, 0.1, 0.1), InUnusualUse.this.time,
						RetryBudget.Listener.NONE);
				InUnusualUse.this.time.whileSleeping((nanos) -> {
					if (InUnusualUse.this.time.delays().size() > 1_000) {
						throw new IllegalStateException("waits for ever");
					}
				});
				Retry retry = retry(policy(Duration.ofMillis(100)).postponedWhenEmpty(true)).budget(budget).build();
				assertThatThrownBy(() -> retry.call(() -> {
					throw new IOException("down");
				})).hasMessage("down");
				assertThat(InUnusualUse.this.time.delays()).isEmpty();
				assertThat(InUnusualUse.this.listener.story().reason()).isEqualTo(StopReason.BUDGET);
			}

		}

		@Nested
		class BrokenClocks {

			@Test
			void thatThrowAnErrorFailNoNestedCall() throws Exception {
				FailingTime broken = new FailingTime();
				Retry outer = Retry.builder(policy(Duration.ZERO).deadline(Duration.ofSeconds(1)).build())
					.time(broken)
					.build();
				assertThat(outer.call(() -> {
					broken.failing = true;
					return outer.call(() -> "fine");
				})).isEqualTo("fine");
			}

			@Test
			void thatThrowDoNotOpenTheWayThroughABreaker() {
				FailingTime broken = new FailingTime();
				CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(broken).build();
				Retry retry = Retry.builder(policy(Duration.ZERO).maxAttempts(1).build())
					.time(broken)
					.breaker(breaker)
					.build();
				breaker.open();
				broken.failing = true;
				assertThatThrownBy(() -> retry.call(() -> "never")).isInstanceOf(CircuitOpenException.class);
				broken.failing = false;
				assertThatThrownBy(() -> retry.call(() -> "never")).isInstanceOf(CircuitOpenException.class);
			}

			@Test
			void whoseSleepThrowsAnErrorDoNotHideTheFailure() {
				Retry retry = Retry.builder(policy(Duration.ofMillis(100)).build()).time(new FailingTime()).build();
				assertThatThrownBy(() -> retry.call(() -> {
					throw new IOException("down");
				})).hasMessage("down");
			}

		}

		@Nested
		class Extremes {

			@Test
			void aBreakerOpenForCenturiesKeepsNoCallBeyondItsDeadline() {
				CircuitBreaker breaker = breaker(BreakerSettings.builder().awaited(true));
				Retry inner = retry(policy(Duration.ofMillis(100))).breaker(breaker).build();
				Retry outer = retry(policy(Duration.ofMillis(100)).deadline(Duration.ofSeconds(1))).build();
				assertThatThrownBy(() -> outer.call(() -> {
					InUnusualUse.this.time.advance(Duration.ofSeconds(2));
					breaker.openFor(Duration.ofSeconds(Long.MAX_VALUE));
					return inner.call(() -> "never");
				})).isInstanceOf(CircuitOpenException.class);
				assertThat(InUnusualUse.this.time.delays()).isEmpty();
			}

		}

		/** The system's time until told to fail; never sleeps. */
		private static final class FailingTime implements RetryTime {

			private volatile boolean failing;

			@Override
			public long nanoTime() {
				if (this.failing) {
					throw new AssertionError("broken clock");
				}
				return RetryTime.system().nanoTime();
			}

			@Override
			public void sleep(long nanos) {
				throw new AssertionError("broken sleep");
			}

		}

	}

	private static final class TransactionTimedOut extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	private static final class Answer extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final transient FailureClassification classification;

		Answer(FailureClassification classification) {
			this.classification = classification;
		}

	}

}
