package dev.backoff;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.failure.FailureClassification;
import dev.backoff.failure.RetryCause;
import dev.backoff.fixture.ScriptedOperation;
import dev.backoff.pace.Pace;
import dev.backoff.pace.PacedException;
import dev.backoff.pace.QuotaReading;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Calls that wait for their turns, asynchronous unless a test says otherwise. */
class PacedCallTests extends AsyncCallFixture {

	private final Pace pace = new Pace("ai", Duration.ofMinutes(1), 3, time(), (pace, hold) -> {
	});

	private static RetryPolicyBuilder paced() {
		return policy().classifiers(
				List.of((failure) -> (failure instanceof Throttled throttled) ? throttled.classification() : null));
	}

	private RetryBuilder retry() {
		return builder(paced()).pace(this.pace);
	}

	private Retry pacedRetry() {
		return retry().build();
	}

	private CompletableFuture<String> start() {
		return pacedRetry().callAsync(this::newStage);
	}

	/* As if another call had been refused. */
	private void hold(int seconds) {
		long now = time().nanoTime();
		this.pace.throttled(now, Duration.ofSeconds(seconds).toNanos(), now);
	}

	private void throttle(int seconds) {
		lastStage().completeExceptionally(new Throttled(Duration.ofSeconds(seconds)));
	}

	private static Throwable failure(CompletableFuture<?> result) {
		assertThat(result).isDone();
		return ((CompletionException) catchThrowable(result::join)).getCause();
	}

	@Nested
	class AFirstAttempt {

		@Test
		void nothingTold_madeAtOnce() {
			CompletableFuture<String> result = start();
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(time().delays()).isEmpty();
		}

		@Test
		void held_madeAfterTheHold() {
			hold(20);
			CompletableFuture<String> result = start();
			assertThat(stages()).isEmpty();
			assertThat(waiting().waiting()).isEqualTo(1);
			while (stages().isEmpty()) {
				time().runNext();
			}
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(20));
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(recorder().lines()).contains("waiting pace 0ms", "waited", "paced 20s");
		}

		@Test
		void heldAndBlocking_madeAfterTheHold() {
			hold(20);
			time().whileSleeping((nanos) -> time().runDue());
			assertThat(pacedRetry().call(() -> "done")).isEqualTo("done");
			assertThat(recorder().lines()).contains("waiting pace 0ms", "waited", "attempt 1 success 0ms");
		}

		@Test
		void holdBeyondTheDeadline_refusedAtOnce() {
			hold(20);
			CompletableFuture<String> result = builder(paced().deadline(Duration.ofSeconds(10)))
				.pace(PacedCallTests.this.pace)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			assertThat(failure(result)).isInstanceOf(PacedException.class);
			assertThat(report().reason()).isEqualTo(StopReason.DEADLINE);
			assertThat(report()).hasMessageContaining("the next wait of 20 s does not fit into the 10 s left");
			assertThat(time().elapsed()).isZero();
			time().runAll();
		}

		@Test
		void deadlineOverWhileWaiting_stopsWithoutATurn() {
			// a rate of 0.18 a second
			hold(0);
			CompletableFuture<String> result = builder(paced().deadline(Duration.ofSeconds(3)))
				.pace(PacedCallTests.this.pace)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			time().runNext();
			assertThat(failure(result)).isInstanceOf(PacedException.class);
			assertThat(report()).hasMessageContaining("no turn came in time");
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(3));
			time().runAll();
		}

		@Test
		void queueFull_refusedAndNotRetriedOutside() {
			PacedCallTests.this.pace.change(Duration.ofMinutes(1), 0);
			hold(20);
			Retry outer = Retry.of(policy().build());
			assertThatThrownBy(() -> outer.call(() -> pacedRetry().call(() -> "done")))
				.isInstanceOf(PacedException.class);
			assertThat(reason()).isEqualTo(StopReason.PACE);
			assertThat(report().attempts()).isZero();
			assertThat(pacedRetry().call(() -> "done", (context, report) -> report.reason().tag())).isEqualTo("pace");
		}

		@Test
		void breakerOpen_noTurn() {
			CircuitBreaker breaker = CircuitBreaker.builder("ai").time(time()).build();
			breaker.forceOpen();
			hold(20);
			assertThatThrownBy(() -> retry().breaker(breaker).build().call(() -> "done"))
				.isInstanceOf(CircuitOpenException.class);
		}

		@Test
		void cancelled_leavesTheQueue() {
			hold(20);
			CompletableFuture<String> result = start();
			result.cancel(true);
			assertThat(PacedCallTests.this.pace.status().waiting()).isZero();
			assertThat(reason()).isEqualTo(StopReason.CANCELLED);
			time().runAll();
			assertThat(stages()).isEmpty();
		}

		@Test
		void shutDown_leavesTheQueue() {
			hold(20);
			CompletableFuture<String> result = start();
			waiting().shutDown();
			assertThat(failure(result)).isInstanceOf(PacedException.class);
			assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
			assertThat(PacedCallTests.this.pace.status().waiting()).isZero();
			time().runAll();
		}

		@Test
		void interruptedAndBlocking_leavesTheQueue() {
			hold(20);
			time().interruptSleep(time().delays().size() + 2);
			assertThatThrownBy(() -> pacedRetry().call(() -> "done")).isInstanceOf(PacedException.class);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
			assertThat(PacedCallTests.this.pace.status().waiting()).isZero();
			time().runAll();
		}

		@Test
		void woken_keepsItsPlace() {
			hold(20);
			CompletableFuture<String> unused = start();
			assertThat(waiting().wake(null)).isZero();
			waiting().shutDown();
			time().runAll();
		}

	}

	@Nested
	class ARetry {

		private final RetryBudget empty = RetryBudget.of("ai", new BudgetSettings(0, 0, 0), time(),
				RetryBudget.Listener.NONE);

		@Test
		void throttledWithAHint_oneWaitForItsTurnFreeOfBudget() {
			CompletableFuture<String> result = retry().budget(this.empty)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			throttle(10);
			assertThat(time().elapsed()).isZero();
			while (stages().size() < 2) {
				time().runNext();
			}
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(10));
			lastStage().completeExceptionally(failure());
			assertThat(failure(result)).isSameAs(failure());
			assertThat(reason()).isEqualTo(StopReason.BUDGET);
			assertThat(report().waits())
				.containsExactly(new RetriesStoppedException.Wait(Duration.ofSeconds(10), DelaySource.PACE));
		}

		@Test
		void throttledAndBlocking_waitsForItsTurn() throws Exception {
			time().whileSleeping((nanos) -> time().runDue());
			ScriptedOperation<String> operation = ScriptedOperation.<String>script()
				.fails(new Throttled(Duration.ofSeconds(10)))
				.does(() -> "done");
			assertThat(pacedRetry().call(operation)).isEqualTo("done");
			assertThat(recorder().lines()).contains("waiting pace 0ms");
		}

		@Test
		void throttledForEver_attemptsCount() {
			CompletableFuture<String> result = start();
			for (int attempt = 1; attempt <= 4; attempt++) {
				throttle(10);
				while (stages().size() == attempt && attempt < 4) {
					time().runNext();
				}
			}
			assertThat(failure(result)).isInstanceOf(Throttled.class);
			assertThat(reason()).isEqualTo(StopReason.ATTEMPTS_EXHAUSTED);
		}

		@Test
		void hintTooLong_stopsAndHoldsTheOthers() {
			CompletableFuture<String> result = start();
			throttle(24 * 3600);
			assertThat(failure(result)).isInstanceOf(Throttled.class);
			assertThat(reason()).isEqualTo(StopReason.HINT);
			assertThat(PacedCallTests.this.pace.status().held()).isEqualTo(Duration.ofMinutes(1));
		}

		@Test
		void throttledWithoutAHint_itsOwnDelayThenItsTurn() {
			CompletableFuture<String> result = start();
			lastStage().completeExceptionally(new Throttled(null));
			while (stages().size() < 2) {
				time().runNext();
			}
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(recorder().lines()).contains("waiting policy 1s", "waiting pace 0ms");
		}

		@Test
		void throttled_beforeFirstAttempts() {
			hold(0);
			CompletableFuture<String> first = start();
			while (stages().isEmpty()) {
				time().runNext();
			}
			CompletableFuture<String> second = start();
			throttle(10);
			while (stages().size() < 2) {
				time().runNext();
			}
			lastStage().complete("done");
			assertThat(first).isCompletedWithValue("done");
			assertThat(second).isNotDone();
			second.cancel(true);
			time().runAll();
		}

		@Test
		void throttledWithAHint_notCountedByTheBreaker() {
			CircuitBreaker breaker = CircuitBreaker.builder("ai").time(time()).build();
			CompletableFuture<String> result = retry().breaker(breaker)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			throttle(10);
			assertThat(breaker.counts().total()).isZero();
			result.cancel(true);
			time().runAll();
		}

		@Test
		void hintsOff_nothingHeld() {
			CompletableFuture<String> result = builder(paced().retryAfterEnabled(false)).pace(PacedCallTests.this.pace)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			throttle(10);
			assertThat(PacedCallTests.this.pace.status().held()).isZero();
			assertThat(PacedCallTests.this.pace.status().perSecond()).isPositive();
			result.cancel(true);
			time().runAll();
		}

		@Test
		void queueFull_lastFailure() {
			CompletableFuture<String> result = start();
			PacedCallTests.this.pace.change(Duration.ofMinutes(1), 0);
			throttle(10);
			assertThat(failure(result)).isInstanceOf(Throttled.class);
			assertThat(reason()).isEqualTo(StopReason.PACE);
			assertThat(report()).hasMessageContaining("the queue of the pace is full");
		}

	}

	@Nested
	class APermit {

		private final ConcurrencyLimit limit = new ConcurrencyLimit("ai", 1, 10);

		@Test
		void waitsForATurn_noneHeld() {
			hold(20);
			CompletableFuture<String> result = retry().concurrencyLimit(this.limit)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			assertThat(this.limit.active()).isZero();
			while (stages().isEmpty()) {
				time().runNext();
			}
			assertThat(this.limit.active()).isEqualTo(1);
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(this.limit.active()).isZero();
		}

		@Test
		void comesInAHold_turnIsVoid() {
			assertThat(this.limit.tryAcquire()).isTrue();
			CompletableFuture<String> result = retry().concurrencyLimit(this.limit)
				.build()
				.callAsync(PacedCallTests.this::newStage);
			hold(20);
			this.limit.release();
			assertThat(stages()).isEmpty();
			assertThat(this.limit.active()).isZero();
			while (stages().isEmpty()) {
				time().runNext();
			}
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(20));
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
			assertThat(this.limit.active()).isZero();
		}

	}

	@Nested
	class AReading {

		@Test
		void toldByAnAttempt_paces() {
			CompletableFuture<String> result = pacedRetry().callAsync(() -> {
				Attempt.current()
					.quota(List.of(new QuotaReading("requests", 100, 0, Duration.ofSeconds(50), true, true)));
				return newStage();
			});
			assertThat(PacedCallTests.this.pace.status().untilTurn()).isEqualTo(Duration.ofSeconds(50));
			lastStage().complete("done");
			assertThat(result).isCompletedWithValue("done");
		}

		@Test
		void toldByACallInside_innermostPaceCounts() {
			Retry inner = retry(policy());
			pacedRetry().run(() -> inner.run(() -> Attempt.current()
				.quota(List.of(new QuotaReading("requests", 100, 0, Duration.ofSeconds(50), true, true)))));
			assertThat(PacedCallTests.this.pace.status().quotas()).hasSize(1);
		}

		@Test
		void toldOutsideACall_nothing() {
			Attempt.current().quota(List.of(new QuotaReading("requests", 100, 0, Duration.ofSeconds(50), true, false)));
			assertThat(PacedCallTests.this.pace.status().quotas()).isEmpty();
		}

	}

	private static final class Throttled extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final transient Duration hint;

		Throttled(Duration hint) {
			super("429");
			this.hint = hint;
		}

		FailureClassification classification() {
			FailureClassification throttled = FailureClassification.throttled(RetryCause.HTTP_429);
			return (this.hint != null) ? throttled.withHint(this.hint) : throttled;
		}

	}

}
