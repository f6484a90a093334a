package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.RecordingListener;
import dev.backoff.fixture.RecordingRecorder;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an operator does to asynchronous calls that wait; time stands still. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of calls is told to the
												// listener
class WaitingOperationsTests {

	private final VirtualTime time = new VirtualTime();

	private final CallRegistry waiting = new CallRegistry();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	private final AtomicInteger attempts = new AtomicInteger();

	private boolean enabled = true;

	@AfterEach
	void leavesNothingBehind() {
		assertThat(this.waiting.waiting()).as("waiting calls").isZero();
		assertThat(this.recorder.lines("waited")).hasSameSizeAs(this.recorder.lines("waiting"));
	}

	private static RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name)
			.jitter(Jitter.none())
			.base(Duration.ofHours(1))
			.cap(Duration.ofHours(1))
			.maxAttempts(3);
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build())
			.method("OrderService.place")
			.time(this.time)
			.executor(Runnable::run)
			.enabledWhen(() -> this.enabled)
			.calls(this.waiting)
			.listener(this.listener)
			.recorder(this.recorder);
	}

	private CompletionStage<String> fail() {
		this.attempts.incrementAndGet();
		return CompletableFuture.failedFuture(this.failure);
	}

	private CompletableFuture<String> call(String policy) {
		return call(retry(policy(policy)));
	}

	private CompletableFuture<String> call(RetryBuilder retry) {
		return retry.build().callAsync(this::fail);
	}

	private StopReason reason() {
		return this.listener.story().reason();
	}

	@Nested
	class Looking {

		@AfterEach
		void shutDown() {
			WaitingOperationsTests.this.waiting.shutDown();
		}

		@Test
		void showsTheOldestFirst() {
			for (String policy : List.of("orders", "payments", "orders", "orders")) {
				WaitingOperationsTests.this.time.advance(Duration.ofMinutes(1));
				call(policy);
			}
			WaitingOperationsTests.this.time.advance(Duration.ofMinutes(10));
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 2))
				.containsExactly(shown("orders", 1, 47, 13), shown("orders", 1, 49, 11));
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting(null, 2))
				.containsExactly(shown("orders", 1, 47, 13), shown("payments", 1, 48, 12));
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 100)).hasSize(3);
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 0)).isEmpty();
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("payments", 10)).hasSize(1);
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("others", 10)).isEmpty();
			assertThat(WaitingOperationsTests.this.waiting.waiting()).isEqualTo(4);
		}

		private static CallRegistry.WaitingCall shown(String policy, int attempt, int dueIn, int elapsed) {
			return new CallRegistry.WaitingCall(policy, "OrderService.place", attempt, Duration.ofMinutes(dueIn),
					Duration.ofMinutes(elapsed));
		}

		@Test
		void showsTheAttemptThatIsOver() {
			call("orders");
			WaitingOperationsTests.this.time.runNext();
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 1))
				.containsExactly(shown("orders", 2, 60, 60));
		}

		@Test
		void showsNoAttemptWhereTheFirstIsStillToCome() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(retry(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 1))
				.containsExactly(shown("orders", 0, 65, 0));
			assertThat(WaitingOperationsTests.this.waiting.retriesAreOff(null)).isZero();
		}

		@Test
		void showsACallThatIsOverdueAsDueNow() {
			call("orders");
			WaitingOperationsTests.this.time.advance(Duration.ofHours(2));
			assertThat(WaitingOperationsTests.this.waiting.oldestWaiting("orders", 1))
				.containsExactly(shown("orders", 1, 0, 120));
		}

	}

	private CircuitBreaker awaited() {
		return CircuitBreaker.builder("gateway")
			.settings(BreakerSettings.builder().awaited(true).build())
			.time(this.time)
			.build();
	}

	@Nested
	class Waking {

		@Test
		void endsTheWaitsOfAPolicyAndOfNoOther() {
			call("orders");
			call("orders");
			call("payments");
			assertThat(WaitingOperationsTests.this.waiting.wake("orders")).isEqualTo(2);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(5);
			assertThat(WaitingOperationsTests.this.time.elapsed()).isZero();
			assertThat(WaitingOperationsTests.this.waiting.wake(null)).isEqualTo(3);
			assertThat(WaitingOperationsTests.this.waiting.wake("others")).isZero();
			WaitingOperationsTests.this.waiting.shutDown();
		}

		@Test
		void ofTheLastWaitEndsTheCallAsEver() {
			CompletableFuture<String> call = call("orders");
			WaitingOperationsTests.this.waiting.wake("orders");
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			assertThat(WaitingOperationsTests.this.time.pending()).isZero();
		}

		@Test
		void asksTheBreaker() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(WaitingOperationsTests.this.time).build();
			call(retry(policy("orders")).breaker(breaker));
			breaker.forceOpen();
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
		}

		@Test
		void asksTheBreakerForTheFirstAttempt() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(retry(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(0);
			assertThat(WaitingOperationsTests.this.waiting.waiting()).isEqualTo(1);
			breaker.reset();
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			WaitingOperationsTests.this.waiting.shutDown();
		}

		@Test
		void asksTheDeadline() {
			call(retry(policy("orders").deadline(Duration.ofHours(2))));
			WaitingOperationsTests.this.time.advance(Duration.ofHours(3));
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void takesTheTokenThatWasWaitedForOnce() {
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 0.000001),
					WaitingOperationsTests.this.time, RetryBudget.Listener.NONE);
			budget.tryWithdraw();
			call(retry(policy("orders").postponedWhenEmpty(true)).budget(budget));
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			budget.reset();
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			assertThat(budget.balance()).isZero();
			WaitingOperationsTests.this.waiting.shutDown();
		}

		@Test
		void isRefusedAsEverByAnExecutorThatRefuses() {
			CompletableFuture<String> call = call(retry(policy("orders")).executor((task) -> {
				throw new RejectedExecutionException("full");
			}));
			WaitingOperationsTests.this.waiting.wake("orders");
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.REJECTED);
		}

	}

	/** An executor that runs what it has taken when it is told to. */
	@Nested
	class WhileTheExecutorIsBusy {

		private final Queue<Runnable> taken = new ArrayDeque<>();

		private final Executor executor = this.taken::add;

		private void runTaken() {
			for (Runnable next = this.taken.poll(); next != null; next = this.taken.poll()) {
				next.run();
			}
		}

		@Test
		void aCallThatIsWokenTwiceGoesOnOnce() {
			call(retry(policy("orders")).executor(this.executor));
			WaitingOperationsTests.this.waiting.wake("orders");
			WaitingOperationsTests.this.waiting.wake("orders");
			WaitingOperationsTests.this.time.runNext();
			runTaken();
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			WaitingOperationsTests.this.waiting.shutDown();
			runTaken();
		}

	}

	@Nested
	class SwitchingOff {

		@Test
		void endsWaitsAtOnce() {
			CompletableFuture<String> call = call("orders");
			WaitingOperationsTests.this.enabled = false;
			assertThat(WaitingOperationsTests.this.waiting.retriesAreOff("payments")).isZero();
			assertThat(WaitingOperationsTests.this.waiting.retriesAreOff("orders")).isEqualTo(1);
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(WaitingOperationsTests.this.time.elapsed()).isZero();
		}

		@Test
		void leavesThoseThatAskForAResult() {
			List<String> results = new ArrayList<>(List.of("pending", "done"));
			CompletableFuture<String> call = retry(policy("orders").until((result, context) -> "done".equals(result)))
				.build()
				.callAsync(() -> CompletableFuture.completedFuture(results.remove(0)));
			WaitingOperationsTests.this.enabled = false;
			assertThat(WaitingOperationsTests.this.waiting.retriesAreOff(null)).isZero();
			WaitingOperationsTests.this.time.runAll();
			assertThat(call).isCompletedWithValue("done");
		}

		@Test
		void endsAWaitThatIsAboutToBegin() {
			CompletableFuture<String> call = call(retry(policy("orders")).listener(new RetryListener() {

				@Override
				public void onRetry(RetryEvent.Scheduled event) {
					WaitingOperationsTests.this.enabled = false;
				}

			}));
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.DISABLED);
			assertThat(WaitingOperationsTests.this.time.pending()).isZero();
		}

		@Test
		void andOnAgainLetsTheWokenGoOn() {
			call("orders");
			WaitingOperationsTests.this.waiting.retriesAreOff(null);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			WaitingOperationsTests.this.waiting.shutDown();
		}

	}

}
