package dev.backoff;

import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.DriverContract;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** When a budget bars retries after timeouts, and until when. */
class RetriesAfterTimeoutsTests extends CallFixture {

	private final HttpTimeoutException timeout = new HttpTimeoutException("read");

	private final List<String> told = new ArrayList<>();

	private final RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(100, 0.1, 0), time(),
			new RetryBudget.Listener() {

				@Override
				public void barring(RetryBudget budget, boolean barring) {
					RetriesAfterTimeoutsTests.this.told.add(barring ? "barred" : "unbarred");
				}

			});

	private Retry retry() {
		return guarded(policy());
	}

	private Retry guarded(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build()).time(time()).executor(Runnable::run).budget(this.budget).build();
	}

	/* Return how many attempts a call makes that ends so each time. */
	private int attempts(Retry retry, Throwable... failures) {
		ScriptedOperation<String> operation = ScriptedOperation.script();
		for (Throwable failure : failures) {
			operation.fails(failure);
		}
		assertThat(catchThrowable(() -> retry.call(operation))).isNotNull();
		return operation.calls();
	}

	private int attemptsThatTimeOut() {
		return attempts(retry(), this.timeout);
	}

	private void bar() {
		attemptsThatTimeOut();
		attemptsThatTimeOut();
		assertThat(this.budget.strikes()).isGreaterThan(1);
	}

	private void succeed(int times) throws Exception {
		for (int i = 0; i < times; i++) {
			assertThat(retry().call(() -> "fine")).isEqualTo("fine");
		}
	}

	private void assertStrikes(double strikes) {
		assertThat(this.budget.strikes()).isEqualTo(strikes);
	}

	@Nested
	class AStrike {

		@Test
		void isOneForACallWhateverItsRetriesComeTo() {
			assertThat(attemptsThatTimeOut()).isEqualTo(4);
			assertStrikes(1);
			assertThat(told).isEmpty();
		}

		@Test
		void comesFromTheLastAttemptToo() {
			assertThat(attempts(guarded(policy().maxAttempts(2)), timeout)).isEqualTo(2);
			assertStrikes(1);
		}

		@Test
		void comesFromARetryThatTimesOutAfterATimeoutOnly() {
			attempts(retry(), failure(), timeout, failure(), timeout);
			attempts(retry(), timeout, failure(), new HttpConnectTimeoutException("connect"), timeout);
			attempts(retry(), timeout, new HttpConnectTimeoutException("connect"));
			assertStrikes(0);
			attempts(retry(), failure(), timeout, timeout);
			assertStrikes(1);
		}

		@Test
		void isNotCountedForARetryThatNeverRan() {
			time().interruptSleep(1);
			assertThat(attemptsThatTimeOut()).isEqualTo(1);
			assertThat(Thread.interrupted()).isTrue();
			assertStrikes(0);
		}

		@Test
		void isNotCountedForARetryThatIsCancelled() {
			CompletableFuture<CompletableFuture<String>> second = new CompletableFuture<>();
			CompletableFuture<String> result = retry().callAsync(() -> {
				CompletableFuture<String> stage = new CompletableFuture<>();
				boolean first = Attempt.current().number() == 1;
				boolean unused = first ? stage.completeExceptionally(timeout) : second.complete(stage);
				return stage;
			});
			time().runNext();
			assertThat(second).isCompleted();
			result.cancel(true);
			assertThat(second.join()).isCancelled();
			assertStrikes(0);
		}

		@Test
		void isNotCountedForARetryThatTimesOutBeforeItBegins() {
			Queue<Runnable> queue = new ArrayDeque<>();
			Retry busy = Retry.builder(policy().maxAttempts(2).attemptTimeout(Duration.ofMillis(200)).build())
				.time(time())
				.budget(budget)
				.executor(queue::add)
				.build();
			CompletableFuture<String> result = busy.callAsync(() -> CompletableFuture.failedFuture(timeout));
			assertThat(catchThrowable(() -> DriverContract.await(time(), () -> false, result)))
				.isInstanceOf(AttemptTimeoutException.class);
			assertStrikes(0);
			time().runAll();
		}

		@ParameterizedTest
		@ValueSource(booleans = { false, true })
		void isOneForAnInnerAndAnOuterPolicyTogether(boolean asynchronous) {
			Retry outer = guarded(policy().maxAttempts(2).nestedMultiply(true));
			Retry inner = guarded(policy().maxAttempts(2));
			int[] attempts = { 0 };
			Supplier<Throwable> next = () -> (++attempts[0] == 1) ? failure() : timeout;
			CompletableFuture<String> result = asynchronous
					? outer.callAsync(() -> inner.callAsync(() -> CompletableFuture.failedFuture(next.get())))
					: CompletableFuture.failedFuture(catchThrowable(() -> outer.call(() -> inner.call(() -> {
						throw next.get();
					}))));
			time().runAll();
			assertThat(catchThrowable(result::join)).hasCause(timeout);
			assertThat(attempts[0]).isEqualTo(4);
			assertStrikes(1);
		}

	}

	@Nested
	class TheBar {

		@Test
		void refusesRetriesAfterTimeoutsAndNoOthers() {
			bar();
			assertThat(told).containsExactly("barred");
			assertThat(attemptsThatTimeOut()).isEqualTo(1);
			assertThat(attempts(retry(), failure(), timeout)).isEqualTo(2);
			assertThat(attempts(retry(), failure())).isEqualTo(4);
			assertThat(budget.barred()).as("with the second call that brought the bar").isEqualTo(3);
			assertThat(budget.refused()).isZero();
			assertThat(budget.isDry()).isFalse();
		}

		@Test
		void isToldByTheStopReport() {
			bar();
			Retry observed = builder(policy()).budget(budget).build();
			assertThat(attempts(observed, timeout)).isEqualTo(1);
			assertThat(reason()).isEqualTo(StopReason.BUDGET);
			assertThat(report()).hasMessageContaining(
					"BUDGET, the budget gateway permits no retry after a timeout, since such retries have timed out");
		}

		@Test
		void letsRetriesGoOnThatHaveBegunOrWait() throws Exception {
			int[] attempts = { 0 };
			retry().call(() -> {
				if (++attempts[0] == 1) {
					time().whileSleeping((nanos) -> {
						time().whileSleeping((other) -> {
						});
						bar();
					});
					throw timeout;
				}
				return "fine";
			});
			assertThat(attempts[0]).isEqualTo(2);
		}

		@Test
		void endsAfterFortySuccesses() throws Exception {
			bar();
			succeed(38);
			retry().call(ScriptedOperation.<String>script().fails(failure()).returns("fine"));
			assertThat(attemptsThatTimeOut()).isEqualTo(1);
			assertThat(told).containsExactly("barred");
			succeed(1);
			assertThat(told).containsExactly("barred", "unbarred");
			assertStrikes(1);
			assertThat(attemptsThatTimeOut()).isEqualTo(2);
			assertThat(told).containsExactly("barred", "unbarred", "barred");
			succeed(80);
			assertThat(attemptsThatTimeOut()).isEqualTo(4);
			assertThat(told).endsWith("unbarred");
		}

		@Test
		void countsNoMoreThanTwoStrikes() {
			bar();
			attempts(guarded(policy().postponedWhenEmpty(true)), timeout);
			assertStrikes(2);
		}

		@Test
		void isNotEndedByAnswersThatAreNoSuccess() {
			bar();
			for (int i = 0; i < 40; i++) {
				attempts(guarded(policy().abortOn(IOException.class)), failure());
				assertThat(
						catchThrowable(() -> guarded(policy().until((result, context) -> false)).call(() -> "later")))
					.isNull();
			}
			assertStrikes(2);
		}

		@Test
		void losesAStrikeEveryTenMinutesFromTheLastOneOn() {
			bar();
			time().advance(Duration.ofMinutes(10).minusSeconds(1));
			assertThat(attemptsThatTimeOut()).isEqualTo(1);
			time().advance(Duration.ofSeconds(1));
			assertThat(budget.strikes()).isEqualTo(1);
			assertThat(told).containsExactly("barred", "unbarred");
			time().advance(Duration.ofMinutes(10));
			assertStrikes(0);
			bar();
			time().advance(Duration.ofMinutes(25));
			assertThat(attemptsThatTimeOut()).isEqualTo(4);
			assertStrikes(1);
			assertThat(told).endsWith("barred", "unbarred");
		}

		@Test
		void isEndedByAReset() {
			bar();
			budget.reset();
			assertStrikes(0);
			assertThat(told).containsExactly("barred", "unbarred");
		}

		@Test
		void isAlsoOneForACallAfterThreeOfItsOwn() {
			assertThat(attempts(guarded(policy().maxAttempts(10)), timeout)).isEqualTo(4);
			assertStrikes(1);
			assertThat(budget.barred()).isOne();
		}

	}

	@Nested
	class ACallThatWaits {

		private final Retry waiting = guarded(policy().postponedWhenEmpty(true));

		@Test
		void waitsOnceAndIsNotBarred() {
			bar();
			int delays = time().delays().size();
			assertThat(attempts(this.waiting, timeout)).isEqualTo(4);
			assertThat(time().delays().subList(delays, delays + 3)).containsExactly(Duration.ofMillis(100),
					Duration.ofMillis(200), Duration.ofMillis(400));
			assertThat(budget.barred()).as("by the call that brought the bar").isOne();
		}

		@Test
		void letsNoOtherRetryWithoutAToken() {
			bar();
			RetryBudget.Withdrawals succeeding = budget.newCall(0);
			assertThat(succeeding.isBarred(true)).isTrue();
			assertThat(succeeding.tryWithdraw(true, true)).isTrue();
			succeeding.ended(true);
			RetryBudget.Withdrawals other = budget.newCall(0);
			double before = budget.balance();
			assertThat(other.tryWithdraw(true, false)).isTrue();
			assertThat(budget.balance()).isEqualTo(before - 1);
		}

	}

}
