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
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an operator does to asynchronous calls that wait; time stands still. */
@Timeout(60)
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of calls is told to the
												// listener
class WaitingOperationsTests {

	private final VirtualTime time = new VirtualTime();

	private final WaitingCalls waiting = new WaitingCalls();

	private final RecordingListener listener = new RecordingListener();

	private final RecordingRecorder recorder = new RecordingRecorder();

	private final IOException failure = new IOException("down");

	private final AtomicInteger attempts = new AtomicInteger();

	private boolean enabled = true;

	@AfterEach
	void leavesNothingBehind() {
		assertThat(this.waiting.count()).as("waiting calls").isZero();
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
			.waitingCalls(this.waiting)
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
		void stop() {
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void showsTheOldestFirst() {
			for (String policy : List.of("orders", "payments", "orders", "orders")) {
				WaitingOperationsTests.this.time.advance(Duration.ofMinutes(1));
				call(policy);
			}
			WaitingOperationsTests.this.time.advance(Duration.ofMinutes(10));
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 2))
				.containsExactly(shown("orders", 1, 47, 13), shown("orders", 1, 49, 11));
			assertThat(WaitingOperationsTests.this.waiting.oldest(null, 2)).containsExactly(shown("orders", 1, 47, 13),
					shown("payments", 1, 48, 12));
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 100)).hasSize(3);
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 0)).isEmpty();
			assertThat(WaitingOperationsTests.this.waiting.oldest("payments", 10)).hasSize(1);
			assertThat(WaitingOperationsTests.this.waiting.oldest("others", 10)).isEmpty();
			assertThat(WaitingOperationsTests.this.waiting.count()).isEqualTo(4);
		}

		private static WaitingCall shown(String policy, int attempt, int dueIn, int elapsed) {
			return new WaitingCall(policy, "OrderService.place", attempt, Duration.ofMinutes(dueIn),
					Duration.ofMinutes(elapsed));
		}

		@Test
		void showsTheAttemptThatIsOver() {
			call("orders");
			WaitingOperationsTests.this.time.runNext();
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 1))
				.containsExactly(shown("orders", 2, 60, 60));
		}

		@Test
		void showsNoAttemptWhereTheFirstIsStillToCome() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(retry(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 1))
				.containsExactly(shown("orders", 0, 65, 0));
			assertThat(WaitingOperationsTests.this.waiting.switchedOff(null)).isZero();
		}

		@Test
		void showsACallThatIsOverdueAsDueNow() {
			call("orders");
			WaitingOperationsTests.this.time.advance(Duration.ofHours(2));
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 1))
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
			assertThat(WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO)).isEqualTo(2);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(5);
			assertThat(WaitingOperationsTests.this.time.elapsed()).isZero();
			assertThat(WaitingOperationsTests.this.waiting.wake(null, Duration.ZERO)).isEqualTo(3);
			assertThat(WaitingOperationsTests.this.waiting.wake("others", Duration.ZERO)).isZero();
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void ofTheLastWaitEndsTheCallAsEver() {
			CompletableFuture<String> call = call("orders");
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
			assertThat(WaitingOperationsTests.this.time.pending()).isZero();
		}

		@Test
		void isSpreadEvenlyFromTheOldestOn() {
			IntStream.range(0, 4).forEach((number) -> call("orders"));
			assertThat(WaitingOperationsTests.this.waiting.wake("orders", Duration.ofMinutes(4))).isEqualTo(4);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(5);
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 3)).extracting(WaitingCall::dueIn)
				.containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(3));
			for (int minute = 1; minute <= 3; minute++) {
				WaitingOperationsTests.this.time.advance(Duration.ofMinutes(1));
				assertThat(WaitingOperationsTests.this.time.runDue()).isEqualTo(1);
				assertThat(WaitingOperationsTests.this.attempts).hasValue(5 + minute);
			}
			WaitingOperationsTests.this.waiting.stop(null);
			assertThat(WaitingOperationsTests.this.time.pending()).isZero();
		}

		@Test
		void isNeverLaterThanTheWaitWasToEnd() {
			call("orders");
			call("orders");
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ofHours(10));
			assertThat(WaitingOperationsTests.this.waiting.oldest("orders", 1)).extracting(WaitingCall::dueIn)
				.containsExactly(Duration.ofHours(1));
			WaitingOperationsTests.this.time.advance(Duration.ofHours(1));
			WaitingOperationsTests.this.time.runDue();
			assertThat(WaitingOperationsTests.this.attempts).hasValue(5);
			assertThat(WaitingOperationsTests.this.time.elapsed()).isEqualTo(Duration.ofHours(1));
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void comesToNothingForACallThatHasEndedMeanwhile() {
			call("orders");
			CompletableFuture<String> cancelled = call("orders");
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ofMinutes(2));
			cancelled.cancel(true);
			WaitingOperationsTests.this.time.advance(Duration.ofMinutes(2));
			WaitingOperationsTests.this.time.runDue();
			assertThat(WaitingOperationsTests.this.attempts).hasValue(3);
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void leavesWaitsThatCannotBeScheduledAnew() {
			call("orders");
			call("orders");
			IllegalStateException broken = new IllegalStateException("no time");
			WaitingOperationsTests.this.time.failWith(broken);
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ofMinutes(2));
			assertThat(WaitingOperationsTests.this.listener.hookFailures()).extracting(RetryEvent.HookFailed::hook)
				.containsOnly("time");
			assertThat(WaitingOperationsTests.this.waiting.count()).isEqualTo(1);
			WaitingOperationsTests.this.time.advance(Duration.ofHours(1));
			WaitingOperationsTests.this.time.runDue();
			assertThat(WaitingOperationsTests.this.waiting.count()).isZero();
		}

		@Test
		void refusesANegativeSpread() {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> WaitingOperationsTests.this.waiting.wake(null, Duration.ofSeconds(-1)))
				.withMessage("Invalid spread (-1s): must not be negative.");
		}

		@Test
		void asksTheBreaker() {
			CircuitBreaker breaker = CircuitBreaker.builder("gateway").time(WaitingOperationsTests.this.time).build();
			call(retry(policy("orders")).breaker(breaker));
			breaker.forceOpen();
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(reason()).isEqualTo(StopReason.BREAKER_OPEN);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
		}

		@Test
		void asksTheBreakerForTheFirstAttempt() {
			CircuitBreaker breaker = awaited();
			breaker.openFor(Duration.ofMinutes(5));
			call(retry(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(0);
			assertThat(WaitingOperationsTests.this.waiting.count()).isEqualTo(1);
			breaker.reset();
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void asksTheDeadline() {
			call(retry(policy("orders").deadline(Duration.ofHours(2))));
			WaitingOperationsTests.this.time.advance(Duration.ofHours(3));
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(reason()).isEqualTo(StopReason.DEADLINE);
		}

		@Test
		void takesTheTokenThatWasWaitedForOnce() {
			RetryBudget budget = RetryBudget.of("gateway", new BudgetSettings(1, 0, 0.000001),
					WaitingOperationsTests.this.time, RetryBudget.Listener.NONE);
			budget.tryWithdraw();
			call(retry(policy("orders").postponedWhenEmpty(true)).budget(budget));
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
			budget.reset();
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			assertThat(budget.balance()).isZero();
			WaitingOperationsTests.this.waiting.stop(null);
		}

		@Test
		void isRefusedAsEverByAnExecutorThatRefuses() {
			CompletableFuture<String> call = call(retry(policy("orders")).executor((task) -> {
				throw new RejectedExecutionException("full");
			}));
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.REJECTED);
		}

	}

	@Nested
	class Stopping {

		@Test
		void endsTheCallsOfAPolicyAndOfNoOther() {
			List<CompletableFuture<String>> orders = Stream.generate(() -> call("orders")).limit(3).toList();
			CompletableFuture<String> payments = call("payments");
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isEqualTo(3);
			assertThat(orders)
				.allSatisfy((call) -> assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure));
			assertThat(payments).isNotDone();
			assertThat(WaitingOperationsTests.this.waiting.stop(null)).isEqualTo(1);
			assertThat(WaitingOperationsTests.this.listener.stopped())
				.allSatisfy((event) -> assertThat(event.story().reason()).isEqualTo(StopReason.STOPPED));
			assertThat(WaitingOperationsTests.this.time.pending()).isZero();
		}

		@Test
		void concernsNoCallThatWaitsLater() {
			WaitingOperationsTests.this.waiting.stop(null);
			CompletableFuture<String> call = call("orders");
			assertThat(call).isNotDone();
			WaitingOperationsTests.this.waiting.stop(null);
			assertThat(call).isDone();
		}

		@Test
		void endsOnAnotherThreadWhereTheExecutorRefuses() {
			CompletableFuture<String> call = call(retry(policy("orders")).executor((task) -> {
				throw new RejectedExecutionException("full");
			}));
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isEqualTo(1);
			assertThatThrownBy(call::join).hasCause(WaitingOperationsTests.this.failure);
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
		}

		@Test
		void throwsWhatTheBreakerSaidWhereThereWasNoAttempt() {
			CircuitBreaker breaker = awaited();
			breaker.forceOpen();
			CompletableFuture<String> call = call(
					retry(policy("orders").deadline(Duration.ofHours(5))).breaker(breaker));
			WaitingOperationsTests.this.waiting.stop("orders");
			assertThatThrownBy(call::join).hasMessageContaining("gateway");
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
			assertThat(WaitingOperationsTests.this.listener.story().attempts()).isZero();
		}

	}

	/** An executor that runs what it has taken when it is told to. */
	@Nested
	class WhileTheExecutorIsBusy {

		private final Queue<Runnable> taken = new ArrayDeque<>();

		private final Executor executor = this.taken::add;

		private final CompletableFuture<String> call = call(retry(policy("orders")).executor(this.executor));

		private void runTaken() {
			for (Runnable next = this.taken.poll(); next != null; next = this.taken.poll()) {
				next.run();
			}
		}

		@Test
		void aCallIsStoppedOnce() {
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isEqualTo(1);
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isZero();
			assertThat(this.call).isNotDone();
			runTaken();
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
		}

		@Test
		void aCallThatIsStoppedIsNotRetriedWhenItIsDue() {
			WaitingOperationsTests.this.waiting.stop("orders");
			WaitingOperationsTests.this.time.runNext();
			runTaken();
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
		}

		@Test
		void aCallThatIsDueMayStillBeStopped() {
			WaitingOperationsTests.this.time.runNext();
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isEqualTo(1);
			runTaken();
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(1);
		}

		@Test
		void aCallThatIsStoppedEndsAtTheShutdownThoughTheExecutorDropsIt() {
			WaitingOperationsTests.this.waiting.stop("orders");
			this.taken.clear();
			WaitingOperationsTests.this.waiting.shutDown(Runnable::run);
			assertThat(this.call).isDone();
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
		}

		@Test
		void aCallThatIsStoppedAndThenCancelledEndsOnce() {
			WaitingOperationsTests.this.waiting.stop("orders");
			assertThat(this.call.cancel(true)).isTrue();
			runTaken();
			assertThat(reason()).isEqualTo(StopReason.STOPPED);
			assertThat(this.call).isCancelled();
		}

		@Test
		void aCallThatWasCancelledIsNotStopped() {
			assertThat(this.call.cancel(true)).isTrue();
			assertThat(WaitingOperationsTests.this.waiting.stop("orders")).isZero();
			assertThat(reason()).isEqualTo(StopReason.CANCELLED);
		}

		@Test
		void aCallThatIsWokenTwiceGoesOnOnce() {
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			WaitingOperationsTests.this.waiting.wake("orders", Duration.ZERO);
			WaitingOperationsTests.this.time.runNext();
			runTaken();
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			WaitingOperationsTests.this.waiting.stop(null);
			runTaken();
		}

	}

	@Nested
	class SwitchingOff {

		@Test
		void endsWaitsAtOnce() {
			CompletableFuture<String> call = call("orders");
			WaitingOperationsTests.this.enabled = false;
			assertThat(WaitingOperationsTests.this.waiting.switchedOff("payments")).isZero();
			assertThat(WaitingOperationsTests.this.waiting.switchedOff("orders")).isEqualTo(1);
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
			assertThat(WaitingOperationsTests.this.waiting.switchedOff(null)).isZero();
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
			WaitingOperationsTests.this.waiting.switchedOff(null);
			assertThat(WaitingOperationsTests.this.attempts).hasValue(2);
			WaitingOperationsTests.this.waiting.stop(null);
		}

	}

}
