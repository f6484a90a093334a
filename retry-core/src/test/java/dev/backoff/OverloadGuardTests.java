package dev.backoff;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.ScriptedOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What calls share: budget and breaker. */
class OverloadGuardTests extends CallFixture {

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
			return RetryBudget.of("gateway", new BudgetSettings(tokens, perSuccess, perSecond), time(),
					RetryBudget.Listener.NONE);
		}

		@Test
		void keepsWhatAnInterruptedRetryPaid() {
			time().interruptSleep(1);
			fail(() -> builder(policy()).budget(this.budget).build().call(failing()));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.budget.balance()).isEqualTo(1);
		}

		@Test
		void getsSomethingForEachCallThatSucceeds() throws Exception {
			this.budget = budget(2, 0.5, 0);
			this.budget.tryWithdraw();
			this.budget.tryWithdraw();
			Retry retry = builder(policy()).budget(this.budget).build();
			retry.call(() -> "fine");
			retry.call(() -> "fine");
			assertThat(this.budget.balance()).isEqualTo(1);
			fail(() -> retry.call(failing()));
			assertThat(this.budget.balance()).isZero();
			retry.call(() -> "fine");
			retry.call(() -> "fine");
			retry.call(ScriptedOperation.<String>script().fails(failure()).returns("fine"));
			assertThat(this.budget.balance()).as("with the token that its retry took").isEqualTo(1.5);
		}

		@ParameterizedTest
		@MethodSource("dev.backoff.OverloadGuardTests#failuresAndTimeouts")
		void losesTheTokenThatARetryTookAfterATimeout(Throwable first, double balance) throws Exception {
			Retry retry = builder(policy().classifiers(List.of(OverloadGuardTests::classify))).budget(this.budget)
				.build();
			retry.call(ScriptedOperation.<String>script().fails(first).returns("fine"));
			assertThat(this.budget.balance()).isEqualTo(balance);
		}

	}

	@Nested
	class WithABreaker {

		private CircuitBreaker breaker = breaker(BreakerSettings.builder());

		private CircuitBreaker breaker(BreakerSettings.Builder settings) {
			return CircuitBreaker.builder("gateway")
				.settings(settings.minimumCalls(2).probes(1).build())
				.time(time())
				.random(() -> 0.5)
				.build();
		}

		@Test
		void refusesACallBeforeItsFirstAttempt() {
			this.breaker.open();
			ScriptedOperation<String> operation = failing();
			CircuitOpenException refused = (CircuitOpenException) catchThrowable(
					() -> builder(policy()).breaker(this.breaker).build().call(operation));
			assertThat(refused.breaker()).isEqualTo("gateway");
			assertThat(refused.timeToProbe()).isEqualTo(Duration.ofMillis(22_500));
			assertThat(operation.calls()).isZero();
			RetriesStoppedException report = RetriesStoppedException.of(refused);
			assertThat(report).isSameAs(report())
				.hasMessage("Stopped after 0 of 4 attempts in 0 ms: BREAKER_OPEN, the breaker gateway is open "
						+ "(policy orders)");
			assertThat(report.attempts()).isZero();
			assertThat(recorder().lines()).containsExactly("call breaker_open 0ms");
			assertThat(this.breaker.rejected()).isEqualTo(1);
		}

		@Test
		void recoversFromARefusal() throws Exception {
			this.breaker.forceOpen();
			String result = builder(policy()).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "never", (context, report) -> report.reason().tag());
			assertThat(result).isEqualTo("breaker_open");
		}

		@Test
		void takesThePermitWhenTheAttemptStarts() {
			ScriptedOperation<String> operation = failing();
			// somebody else opens it during the wait
			time().whileSleeping((nanos) -> this.breaker.forceOpen());
			assertThatThrownBy(() -> builder(policy()).breaker(this.breaker).build().call(operation))
				.isSameAs(failure());
			assertThat(operation.calls()).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
		}

		@Test
		void countsEachAttempt() throws Exception {
			this.breaker = breaker(BreakerSettings.builder().failureRate(1));
			builder(policy()).breaker(this.breaker)
				.build()
				.call(ScriptedOperation.<String>script().fails(failure()).returns("fine"));
			assertThat(this.breaker.counts().total()).isEqualTo(2);
			assertThat(this.breaker.counts().failed()).isEqualTo(1);
		}

		@Test
		void takesAnAnswerForASuccess() {
			Retry permanent = builder(
					policy().classifiers(List.of((failed) -> FailureClassification.permanent(RetryCause.OTHER))))
				.breaker(this.breaker)
				.build();
			fail(() -> permanent.call(failing()));
			String pending = builder(policy().maxAttempts(3).until((result, context) -> false)).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "pending");
			assertThat(pending).isEqualTo("pending");
			assertThat(this.breaker.counts().total()).isEqualTo(4);
			assertThat(this.breaker.counts().failed()).isZero();
		}

		@Test
		void takesABadResultForAFailure() throws Exception {
			assertThat(builder(policy().retryWhen((result, context) -> true)).breaker(this.breaker)
				.build()
				.<String, RuntimeException>call(() -> "bad")).isEqualTo("bad");
			assertThat(this.breaker.counts().failed()).isEqualTo(2);
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
		}

		static Stream<Throwable> sayingNothing() {
			return Stream.of(new AssertionError(), new StackOverflowError(), new InterruptedException(),
					new CircuitOpenException("inner", "open", null, null));
		}

		@ParameterizedTest
		@MethodSource("sayingNothing")
		void givesThePermitBackAfterWhatSaysNothing(Throwable thrown) {
			this.breaker.openFor(Duration.ofMillis(1));
			time().advance(Duration.ofMillis(1));
			fail(() -> builder(policy()).breaker(this.breaker).build().call(() -> {
				throw thrown;
			}));
			assertThat(Thread.interrupted()).isEqualTo(thrown instanceof InterruptedException);
			assertThat(this.breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
			assertThat(this.breaker.counts().total()).isZero();
			assertThat(this.breaker.isPermitting(time().nanoTime())).isTrue();
		}

		@Test
		void paysForAPostponedRetryOnce() {
			this.breaker = breaker(BreakerSettings.builder().awaited(true).minimumCalls(20));
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(5, 0, 0), time(),
					RetryBudget.Listener.NONE);
			time().whileSleeping((nanos) -> {
				if (time().delays().size() == 1) {
					this.breaker.openFor(Duration.ofSeconds(1));
				}
			});
			List<Double> balances = new ArrayList<>();
			assertThat(catchThrowable(() -> builder(policy()).breaker(this.breaker).budget(budget).build().call(() -> {
				balances.add(budget.balance());
				if (balances.size() == 1) {
					throw failure();
				}
				return "fine";
			}))).isNull();
			assertThat(balances).containsExactly(5.0, 4.0);
			assertThat(time().delays()).containsExactly(Duration.ofMillis(100), Duration.ofMillis(1_200));
			assertThat(budget.balance()).isEqualTo(5);
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
