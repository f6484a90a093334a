package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Listeners;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an operator does to asynchronous calls that wait; time stands still. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of calls is told to the
												// listener
class WaitingOperationsTests extends CallFixture {

	private final AtomicInteger attempts = new AtomicInteger();

	private boolean enabled = true;

	@AfterEach
	void everyWaitHasEnded() {
		assertThat(recorder().lines("waited")).hasSameSizeAs(recorder().lines("waiting"));
	}

	private static RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name)
			.jitter(Jitter.none())
			.base(Duration.ofHours(1))
			.cap(Duration.ofHours(1))
			.maxAttempts(3);
	}

	private RetryBuilder switched(RetryPolicyBuilder policy) {
		return builder(policy).enabledWhen(() -> this.enabled);
	}

	private CompletionStage<String> fail() {
		this.attempts.incrementAndGet();
		return CompletableFuture.failedFuture(failure());
	}

	private CompletableFuture<String> call(String policy) {
		return call(switched(policy(policy)));
	}

	private CompletableFuture<String> call(RetryBuilder retry) {
		return retry.build().callAsync(this::fail);
	}

	@Nested
	class Looking {

		@AfterEach
		void shutDown() {
			waiting().shutDown();
		}

		@Test
		void showsTheOldestFirst() {
			for (String policy : List.of("orders", "payments", "orders", "orders")) {
				time().advance(Duration.ofMinutes(1));
				call(policy);
			}
			time().advance(Duration.ofMinutes(10));
			assertThat(waiting().oldestWaiting(2)).containsExactly(shown("orders", 1, 47, 13),
					shown("payments", 1, 48, 12));
			assertThat(waiting().oldestWaiting(100)).hasSize(4);
			assertThat(waiting().oldestWaiting(0)).isEmpty();
			assertThat(waiting().waiting()).isEqualTo(4);
		}

		private static CallRegistry.WaitingCall shown(String policy, int attempt, int dueIn, int elapsed) {
			return new CallRegistry.WaitingCall(policy, "OrderService.place", attempt, Duration.ofMinutes(dueIn),
					Duration.ofMinutes(elapsed));
		}

		@Test
		void showsNoAttemptWhereTheFirstIsStillToCome() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(switched(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			assertThat(waiting().oldestWaiting(1)).containsExactly(shown("orders", 0, 65, 0));
			assertThat(waiting().retriesAreOff(null)).isZero();
		}

		@Test
		void showsACallThatIsOverdueAsDueNow() {
			call("orders");
			time().advance(Duration.ofHours(2));
			assertThat(waiting().oldestWaiting(1)).containsExactly(shown("orders", 1, 0, 120));
		}

	}

	private CircuitBreaker awaited() {
		return CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().awaited(true).build())
			.time(time())
			.build();
	}

	@Nested
	class Waking {

		@Test
		void endsTheWaitsOfAPolicyAndOfNoOther() {
			call("orders");
			call("orders");
			call("payments");
			assertThat(waiting().wake("orders")).isEqualTo(2);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(5);
			assertThat(time().elapsed()).isZero();
			assertThat(waiting().wake(null)).isEqualTo(3);
			assertThat(waiting().wake("others")).isZero();
			waiting().shutDown();
		}

		@Test
		void asksTheBreakerForTheFirstAttempt() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(switched(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			waiting().wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(0);
			assertThat(waiting().waiting()).isEqualTo(1);
			breaker.reset();
			waiting().wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			waiting().shutDown();
		}

		@Test
		void asksTheDeadline() {
			call(switched(policy("orders").deadline(Duration.ofHours(2))));
			time().advance(Duration.ofHours(3));
			waiting().wake("orders");
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void takesTheTokenThatWasWaitedForOnce() {
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 0.000001), time(),
					RetryBudget.Listener.NONE);
			budget.tryWithdraw();
			call(switched(policy("orders").postponedWhenEmpty(true)).budget(budget));
			waiting().wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			budget.reset();
			waiting().wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			assertThat(budget.balance()).isZero();
			waiting().shutDown();
		}

	}

	@Test
	void aCallThatIsWokenTwiceWhileTheExecutorIsBusyGoesOnOnce() {
		List<Runnable> taken = new ArrayList<>();
		call(switched(policy("orders")).executor(taken::add));
		waiting().wake("orders");
		waiting().wake("orders");
		List.copyOf(taken).forEach(Runnable::run);
		assertThat(this.attempts).hasValue(2);
		waiting().shutDown();
		List.copyOf(taken).forEach(Runnable::run);
	}

	@Nested
	class SwitchingOff {

		@Test
		void endsWaitsAtOnce() {
			CompletableFuture<String> call = call("orders");
			WaitingOperationsTests.this.enabled = false;
			assertThat(waiting().retriesAreOff("payments")).isZero();
			assertThat(waiting().retriesAreOff("orders")).isEqualTo(1);
			assertThatThrownBy(call::join).hasCause(failure());
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(time().elapsed()).isZero();
		}

		@Test
		void leavesThoseThatAskForAResult() {
			List<String> results = new ArrayList<>(List.of("pending", "done"));
			CompletableFuture<String> call = switched(
					policy("orders").until((result, context) -> "done".equals(result)))
				.build()
				.callAsync(() -> CompletableFuture.completedFuture(results.remove(0)));
			WaitingOperationsTests.this.enabled = false;
			assertThat(waiting().retriesAreOff(null)).isZero();
			time().runAll();
			assertThat(call).isCompletedWithValue("done");
		}

		@Test
		void endsAWaitThatIsAboutToBegin() {
			CompletableFuture<String> call = call(switched(policy("orders"))
				.listener(Listeners.onRetry((event) -> WaitingOperationsTests.this.enabled = false)));
			assertThatThrownBy(call::join).hasCause(failure());
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(time().pending()).isZero();
		}

		@Test
		void andOnAgainLetsTheWokenGoOn() {
			call("orders");
			waiting().retriesAreOff(null);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			waiting().shutDown();
		}

	}

}
