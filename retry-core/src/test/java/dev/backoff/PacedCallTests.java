package dev.backoff;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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

	private final ConcurrencyLimit limit = new ConcurrencyLimit("ai", 1, 10);

	private final CircuitBreaker breaker = CircuitBreaker.builder("ai").time(time()).build();

	private static RetryPolicyBuilder policyOfPace() {
		return policy().classifiers(
				List.of((failure) -> (failure instanceof Throttled throttled) ? throttled.classification() : null));
	}

	private RetryBuilder paced() {
		return builder(policyOfPace()).pace(this.pace);
	}

	private CompletableFuture<String> start(RetryBuilder paced) {
		return paced.build().callAsync(this::newStage);
	}

	/* As if another call had been refused. */
	private void hold(int seconds) {
		long now = time().nanoTime();
		this.pace.throttled(now, Duration.ofSeconds(seconds).toNanos(), now);
	}

	private void throttle(int seconds) {
		lastStage().completeExceptionally(new Throttled(Duration.ofSeconds(seconds)));
	}

	private void untilAttempt(int number) {
		while (stages().size() < number) {
			time().runNext();
		}
	}

	private void completes(CompletableFuture<String> result) {
		lastStage().complete("done");
		assertThat(result).isCompletedWithValue("done");
		assertThat(this.limit.active()).isZero();
	}

	private void stops(CompletableFuture<?> result, StopReason reason, String why) {
		assertThat(result).isDone();
		assertThat(((CompletionException) catchThrowable(result::join)).getCause())
			.isInstanceOf(stages().isEmpty() ? PacedException.class : Throttled.class);
		assertThat(reason()).isEqualTo(reason);
		assertThat(report()).hasMessageContaining(why);
		assertThat(this.pace.status().waiting()).isZero();
		time().runAll();
	}

	@Test
	void nothingTold_madeAtOnce() {
		completes(start(paced()));
		assertThat(time().delays()).isEmpty();
	}

	@Test
	void held_madeAfterTheHoldAndNotWokenBefore() {
		hold(20);
		CompletableFuture<String> result = start(paced());
		assertThat(stages()).isEmpty();
		assertThat(waiting().waiting()).isEqualTo(1);
		assertThat(waiting().wake(null)).isZero();
		untilAttempt(1);
		assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(20));
		completes(result);
		assertThat(recorder().lines()).contains("waiting pace 0ms", "waited", "paced 20s");
	}

	@Test
	void holdBeyondTheDeadline_refusedAtOnce() {
		hold(20);
		stops(start(builder(policyOfPace().deadline(Duration.ofSeconds(10))).pace(this.pace)), StopReason.DEADLINE,
				"the next wait of 20 s does not fit into the 10 s left");
	}

	@Test
	void deadlineOverWhileWaiting_stopsWithoutATurn() {
		// a rate of 0.9 a second
		hold(0);
		CompletableFuture<String> result = start(
				builder(policyOfPace().deadline(Duration.ofSeconds(1))).pace(this.pace));
		time().runNext();
		assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(1));
		stops(result, StopReason.DEADLINE, "no turn came in time");
	}

	@Test
	void queueFull_refusedAndNotRetriedOutside() {
		this.pace.change(Duration.ofMinutes(1), 0);
		hold(20);
		Retry outer = Retry.builder(policy().build()).build();
		assertThatThrownBy(() -> outer.call(() -> paced().build().call(() -> "done")))
			.isInstanceOf(PacedException.class);
		assertThat(reason()).isEqualTo(StopReason.PACE);
		assertThat(report().attempts()).isZero();
		assertThat(paced().build().call(() -> "done", (context, report) -> report.reason().tag())).isEqualTo("pace");
	}

	@Test
	void breakerOpen_noTurn() {
		this.breaker.forceOpen();
		hold(20);
		assertThatThrownBy(() -> paced().breaker(this.breaker).build().call(() -> "done"))
			.isInstanceOf(CircuitOpenException.class);
	}

	@ParameterizedTest
	@EnumSource(names = { "CANCELLED", "SHUTDOWN", "INTERRUPTED" })
	void endsWhileWaiting_leavesTheQueue(StopReason reason) {
		hold(20);
		if (reason == StopReason.INTERRUPTED) {
			time().interruptSleep(time().delays().size() + 2);
			assertThatThrownBy(() -> paced().build().call(() -> "done")).isInstanceOf(PacedException.class);
			assertThat(Thread.interrupted()).isTrue();
		}
		else {
			CompletableFuture<String> result = start(paced());
			if (reason == StopReason.CANCELLED) {
				result.cancel(true);
			}
			waiting().shutDown();
		}
		assertThat(reason()).isEqualTo(reason);
		assertThat(this.pace.status().waiting()).isZero();
		time().runAll();
		assertThat(stages()).isEmpty();
	}

	@Test
	void throttledWithAHint_oneWaitForItsTurnFreeOfBudgetAndUncounted() {
		RetryBudget empty = RetryBudget.of("ai", new BudgetSettings(0, 0, 0), time(), RetryBudget.Listener.NONE);
		CompletableFuture<String> result = start(paced().budget(empty).breaker(this.breaker));
		throttle(10);
		assertThat(this.breaker.counts().total()).isZero();
		assertThat(time().elapsed()).isZero();
		untilAttempt(2);
		assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(10));
		lastStage().completeExceptionally(failure());
		assertThat(result).isCompletedExceptionally();
		assertThat(reason()).isEqualTo(StopReason.BUDGET);
		assertThat(report().waits())
			.containsExactly(new RetriesStoppedException.Wait(Duration.ofSeconds(10), DelaySource.PACE));
	}

	@ParameterizedTest
	@CsvSource({ "true, HINT, 60", "false, ATTEMPTS_EXHAUSTED, 0" })
	void hintTooLongOrOff_othersAreHeldForTheLongestOrNot(boolean enabled, StopReason reason, int held) {
		CompletableFuture<String> result = start(
				builder(policyOfPace().retryAfterEnabled(enabled).maxAttempts(enabled ? 4 : 1)).pace(this.pace));
		throttle(24 * 3600);
		assertThat(this.pace.status().held()).isEqualTo(Duration.ofSeconds(held));
		assertThat(this.pace.status().perSecond()).isPositive();
		stops(result, reason, "");
	}

	@Test
	void throttledWithoutAHint_itsOwnDelayThenItsTurn() {
		CompletableFuture<String> result = start(paced());
		lastStage().completeExceptionally(new Throttled(null));
		untilAttempt(2);
		completes(result);
		assertThat(recorder().lines()).contains("waiting policy 1s", "waiting pace 0ms");
	}

	@Test
	void throttled_beforeFirstAttempts() {
		hold(0);
		CompletableFuture<String> first = start(paced());
		untilAttempt(1);
		CompletableFuture<String> second = start(paced());
		throttle(10);
		untilAttempt(2);
		completes(first);
		assertThat(second.cancel(true)).isTrue();
		time().runAll();
	}

	@Test
	void queueFullForARetry_lastFailure() {
		CompletableFuture<String> result = start(paced());
		this.pace.change(Duration.ofMinutes(1), 0);
		throttle(10);
		stops(result, StopReason.PACE, "the queue of the pace is full");
	}

	@Test
	void waitsForATurn_holdsNoPermit() {
		hold(20);
		CompletableFuture<String> result = start(paced().concurrencyLimit(this.limit));
		assertThat(this.limit.active()).isZero();
		untilAttempt(1);
		assertThat(this.limit.active()).isEqualTo(1);
		completes(result);
	}

	@Test
	void permitComesInAHold_turnIsVoid() {
		assertThat(this.limit.tryAcquire()).isTrue();
		CompletableFuture<String> result = start(paced().concurrencyLimit(this.limit));
		hold(20);
		this.limit.release();
		assertThat(stages()).isEmpty();
		assertThat(this.limit.active()).isZero();
		untilAttempt(1);
		assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(20));
		completes(result);
	}

	@Test
	void quotaTold_pacesByTheInnermostPace() {
		List<QuotaReading> told = List.of(new QuotaReading("requests", 100, 0, Duration.ofSeconds(50), true, true));
		Attempt.current().quota(told);
		assertThat(this.pace.status().quotas()).as("outside a call").isEmpty();
		Retry inner = retry(policy());
		paced().build().run(() -> inner.run(() -> Attempt.current().quota(told)));
		assertThat(this.pace.status().untilTurn()).isEqualTo(Duration.ofSeconds(50));
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
