package dev.backoff.budget;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.SkippedTime;
import dev.backoff.fixture.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RetryBudgetTests extends BudgetFixture {

	@Nested
	class ByDefault {

		private final RetryBudget budget = budget(BudgetSettings.DEFAULTS);

		@Test
		void holdsFiftyRetries() {
			assertThat(this.budget.balance()).isEqualTo(50);
			assertThat(drain(this.budget)).isEqualTo(50);
			assertThat(this.budget.balance()).isZero();
		}

		@Test
		void paysOneRetryForTenSecondsExactly() {
			drain(this.budget);
			pass(Duration.ofSeconds(10).minusNanos(1_000));
			assertThat(this.budget.tryWithdraw()).isFalse();
			pass(Duration.ofNanos(1_000));
			assertThat(this.budget.tryWithdraw()).isTrue();
			assertThat(this.budget.tryWithdraw()).isFalse();
		}

		/* calls a second, each of which fails four times */
		@ParameterizedTest
		@ValueSource(ints = { 1, 10, 200, 5_000 })
		void grantsFiftyRetriesAndThenSixAMinuteWhateverTheTraffic(int rate) {
			long retries = 0;
			double most = 0;
			for (int call = 0; call <= rate * 600; call++) {
				for (int attempt = 1; attempt < 4 && this.budget.tryWithdraw(); attempt++) {
					retries++;
				}
				most = Math.max(most, retries - (50 + 0.1 * call / rate));
				pass(Duration.ofSeconds(1).dividedBy(rate));
			}
			assertThat(most).as("retries above 50 + 0.1 x seconds").isLessThan(1e-9);
			assertThat(retries).isEqualTo(50 + 600 / 10);
		}

		@Test
		void forgetsNothingOfAClockThatIsReadOften() {
			drain(this.budget);
			for (int i = 0; i < 10_000; i++) {
				pass(Duration.ofMillis(1));
				this.budget.balance();
				assertThat(this.budget.tryWithdraw()).isEqualTo(i == 9_999);
			}
		}

	}

	@Nested
	class RunningDry {

		private final RetryBudget budget = budget(settings(4, 1, 0));

		@Test
		void isToldOnceAndCountedEachTime() {
			assertThat(drain(this.budget)).isEqualTo(4);
			drain(this.budget);
			drain(this.budget);
			assertTold("dry orders");
			assertThat(this.budget.refused()).isEqualTo(3);
			assertThat(this.budget.isDry()).isTrue();
		}

		@Test
		void isOverWhenTheBucketIsHalfFull() {
			drain(this.budget);
			this.budget.deposit();
			drain(this.budget);
			assertTold("dry orders");
			this.budget.deposit();
			this.budget.deposit();
			assertTold("dry orders", "recovered orders");
			drain(this.budget);
			assertTold("dry orders", "recovered orders", "dry orders");
		}

		@Test
		void isOverWhenTimeHasFilledTheBucket() {
			RetryBudget filling = budget(settings(4, 0, 1));
			drain(filling);
			pass(Duration.ofSeconds(2));
			assertThat(filling.isDry()).isFalse();
			assertTold("dry orders", "recovered orders");
		}

		@Test
		void isOverWhenARetryFindsThatTimeHasFilledTheBucket() {
			RetryBudget filling = budget(settings(4, 0, 1));
			drain(filling);
			pass(Duration.ofSeconds(4));
			drain(filling);
			assertTold("dry orders", "recovered orders", "dry orders");
		}

		@Test
		void isNotOverBeforeARetryCanBePaid() {
			RetryBudget small = budget(settings(1, 0.25, 0));
			drain(small);
			for (int i = 0; i < 3; i++) {
				small.deposit();
				assertThat(small.tryWithdraw()).isFalse();
			}
			assertTold("dry orders");
			small.deposit();
			assertTold("dry orders", "recovered orders");
		}

		@Test
		void isNeverOverForABucketThatHoldsNothing() {
			RetryBudget none = budget(settings(0, 1, 1));
			for (int i = 0; i < 3; i++) {
				assertThat(none.tryWithdraw()).isFalse();
				none.deposit();
				assertThat(none.isDry()).isTrue();
			}
			assertTold("dry orders");
		}

		@Test
		void survivesAListenerThatThrows() {
			RetryBudget hostile = RetryBudget.of("orders", settings(1, 1, 0), RetryBudgetTests.this.time,
					new RetryBudget.Listener() {

						@Override
						public void ranDry(RetryBudget budget) {
							throw new IllegalStateException("listener");
						}

						@Override
						public void recovered(RetryBudget budget) {
							throw new AssertionError("listener");
						}

					});
			assertThat(drain(hostile)).isEqualTo(1);
			hostile.deposit();
			assertThat(hostile.tryWithdraw()).isTrue();
		}

	}

	@Nested
	class Clocks {

		private static RetryBudget readingTime(BudgetSettings settings, LongSupplier reading) {
			return RetryBudget.of("orders", settings, new SkippedTime(reading), RetryBudget.Listener.NONE);
		}

		@Test
		void thatStepBackTakeNothingButTime() {
			RetryBudget budget = budget(settings(2, 1, 1));
			drain(budget);
			pass(Duration.ofSeconds(-100));
			assertThat(budget.balance()).isZero();
			assertThat(budget.tryWithdraw()).isFalse();
			budget.deposit();
			assertThat(budget.tryWithdraw()).isTrue();
			pass(Duration.ofSeconds(101));
			assertThat(budget.tryWithdraw()).isTrue();
		}

		@Test
		void countTimeOnceWhereOthersEmptyAndFillTheBucketAfterAReading() {
			AtomicReference<Runnable> afterReading = new AtomicReference<>(() -> {
			});
			VirtualTime time = RetryBudgetTests.this.time;
			RetryBudget budget = readingTime(settings(1, 0.1, 1), () -> {
				long reading = time.nanoTime();
				afterReading.getAndSet(() -> {
				}).run();
				return reading;
			});
			afterReading.set(() -> {
				assertThat(budget.tryWithdraw()).isTrue();
				time.advance(Duration.ofSeconds(1));
				budget.deposit();
			});
			// a token at the start and one by time
			assertThat(budget.tryWithdraw()).isTrue();
			assertThat(budget.tryWithdraw()).isFalse();
		}

		@Test
		void thatWrapAroundAreComparedByDifference() {
			long[] now = { Long.MAX_VALUE - 5 };
			RetryBudget budget = readingTime(settings(10, 0, 1), () -> now[0]);
			drain(budget);
			now[0] += Duration.ofSeconds(3).toNanos();
			assertThat(budget.balance()).isEqualTo(3);
		}

		@Test
		void reachFurtherThanAnybodyWaits() {
			RetryBudget budget = budget(settings(BudgetSettings.MOST, 0, BudgetSettings.MOST_PER_SECOND));
			budget.tryWithdraw();
			pass(Duration.ofDays(365 * 14));
			assertThat(budget.balance()).isEqualTo(BudgetSettings.MOST);
			assertThat(budget.tryWithdraw()).isTrue();
		}

	}

	@Nested
	class Calls {

		private final RetryBudget budget = budget(settings(3, 0.1, 0));

		private RetryBudget.Withdrawals call() {
			return this.budget.newCall(0);
		}

		/* Return a call that has found no token, and waits. */
		private RetryBudget.Withdrawals waiting() {
			RetryBudget.Withdrawals waiting = call();
			assertThat(waiting.tryWithdraw(true, false)).isFalse();
			return waiting;
		}

		/*
		 * Of an empty budget, so many that wait, after one more that waited has
		 * succeeded.
		 */
		private List<RetryBudget.Withdrawals> waitingAfterASuccess(int number) {
			drain(this.budget);
			RetryBudget.Withdrawals succeeding = waiting();
			List<RetryBudget.Withdrawals> others = Stream.generate(this::waiting).limit(number).toList();
			succeeding.ended(true);
			return others;
		}

		@Test
		void thatSucceedPutBackWhatTheirRetriesTook() {
			RetryBudget.Withdrawals call = call();
			assertThat(call.tryWithdraw(false, false)).isTrue();
			assertThat(call.tryWithdraw(false, false)).isTrue();
			call().tryWithdraw(false, false);
			call.ended(true);
			assertThat(this.budget.balance()).isEqualTo(2.1);
		}

		@Test
		void putBackNothingThatWasTakenAfterATimeout() {
			RetryBudget.Withdrawals call = call();
			call.tryWithdraw(false, true);
			call.tryWithdraw(false, true);
			call.ended(true);
			assertThat(this.budget.balance()).isEqualTo(1.1);
		}

		@Test
		void putBackWhatWasTakenAfterATimeoutIfAnAnswerWasRetriedToo() {
			call().tryWithdraw(false, false);
			RetryBudget.Withdrawals call = call();
			call.tryWithdraw(false, true);
			call.tryWithdraw(false, false);
			call.ended(true);
			assertThat(this.budget.balance()).isEqualTo(2.1);
		}

		@Test
		void thatFailPutBackNothing() {
			RetryBudget.Withdrawals call = call();
			call.tryWithdraw(false, false);
			call.ended(false);
			assertThat(this.budget.balance()).isEqualTo(2);
		}

		@Test
		void thatSucceedAfterAWaitLetTheNextOneGoWithoutAToken() {
			List<RetryBudget.Withdrawals> waiting = waitingAfterASuccess(2);
			assertThat(call().tryWithdraw(false, false)).as("one that does not wait").isFalse();
			assertThat(waiting.get(0).tryWithdraw(true, false)).isTrue();
			waiting.get(0).ended(true);
			assertThat(waiting.get(1).tryWithdraw(true, false)).isTrue();
			assertThat(this.budget.balance()).isEqualTo(0.2);
		}

		@Test
		void goWithoutATokenOneAtATime() {
			List<RetryBudget.Withdrawals> waiting = waitingAfterASuccess(3);
			assertThat(waiting.get(0).tryWithdraw(true, false)).isTrue();
			waiting.get(1).ended(true);
			assertThat(waiting.get(2).tryWithdraw(true, false)).as("while the first one runs").isFalse();
			waiting.get(0).ended(true);
			assertThat(waiting.get(2).tryWithdraw(true, false)).isTrue();
		}

		@Test
		void goWithoutATokenUntilThreeInARowFail() {
			List<RetryBudget.Withdrawals> waiting = waitingAfterASuccess(2);
			assertThat(waiting.get(0).tryWithdraw(true, false)).isTrue();
			assertThat(waiting.get(0).tryWithdraw(true, false)).as("before its next wait").isFalse();
			assertThat(waiting.get(0).tryWithdraw(true, false)).as("after it").isTrue();
			waiting.get(0).ended(false);
			assertThat(waiting.get(1).tryWithdraw(true, false)).isTrue();
			waiting.get(1).ended(false);
			assertThat(waiting().tryWithdraw(true, false)).isFalse();
			assertThat(this.budget.balance()).isEqualTo(0.1);
		}

		@Test
		void goWithoutATokenOnlyUntilOneTimesOut() {
			List<RetryBudget.Withdrawals> waiting = waitingAfterASuccess(2);
			assertThat(waiting.get(0).tryWithdraw(true, false)).isTrue();
			assertThat(waiting.get(0).tryWithdraw(true, true)).isFalse();
			assertThat(waiting.get(1).tryWithdraw(true, false)).isFalse();
		}

		@Test
		void goWithoutATokenOnlyUntilTheBucketIsFull() {
			RetryBudget.Withdrawals second = waitingAfterASuccess(1).get(0);
			for (int i = 0; i < 30; i++) {
				this.budget.deposit();
			}
			assertThat(second.tryWithdraw(true, false)).isTrue();
			assertThat(this.budget.balance()).isEqualTo(2);
		}

		@Test
		void thatWaitedTakeATokenOrNoneIfTheyNoLongerWait() {
			RetryBudget.Withdrawals second = waitingAfterASuccess(1).get(0);
			assertThat(second.tryWithdraw(false, false)).isFalse();
		}

		@Test
		void goWithoutATokenAgainAfterAReset() {
			assertThat(waitingAfterASuccess(1).get(0).tryWithdraw(true, false)).isTrue();
			this.budget.reset();
			assertThat(waitingAfterASuccess(1).get(0).tryWithdraw(true, false)).isTrue();
		}

		/* Retries <= initial + deposits and refunds + retries without a token. */
		@Test
		void payForEachRetryUnderManyThreads() {
			RetryBudget shared = budget(settings(10, 0.3, 0));
			AtomicLong retries = new AtomicLong();
			AtomicLong tenthsPutBack = new AtomicLong();
			AtomicLong free = new AtomicLong();
			Crowd.of(32, (number) -> {
				for (int round = 0; round < 2_000; round++) {
					boolean timedOut = round % 3 == 0;
					RetryBudget.Withdrawals call = shared.newCall(0);
					boolean waited = !call.tryWithdraw(true, timedOut);
					boolean taken = !waited || call.tryWithdraw(true, timedOut);
					boolean succeeded = round % 4 != 0;
					retries.addAndGet(taken ? 1 : 0);
					tenthsPutBack.addAndGet(!succeeded ? 0 : (taken && !timedOut) ? 13 : 3);
					free.addAndGet((succeeded && waited) ? 1 : 0);
					call.ended(succeeded);
				}
			});
			assertThat(retries.get() + shared.balance())
				.isLessThanOrEqualTo(10 + tenthsPutBack.get() / 10.0 + free.get() + 1e-6);
		}

	}

	@Test
	void holdsNoTokenOrOneAtLeast() {
		assertThat(drain(budget(settings(1, 0, 0)))).isEqualTo(1);
		assertThatThrownBy(() -> settings(0.5, 1, 1)).isInstanceOf(IllegalArgumentException.class)
			.hasMessage("Invalid tokens (0.5): must not be below 1, or no retry could ever be paid.");
	}

}
