package dev.backoff.test;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Attempt;
import dev.backoff.AttemptTimeoutException;
import dev.backoff.Retry;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.pace.Pace;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** When the clock stands, and when it jumps. */
class VirtualTimeTests extends ClockFixture {

	@Nested
	class Rule1TheClockStandsWhileWorkRuns {

		@Test
		void aReadingIsNeitherZeroNorRound() {
			assertThat(time().nanoTime()).isPositive().matches((reading) -> reading % 1_000 != 0);
			assertThat(time().elapsed()).isZero();
		}

		@Test
		void onlyWaitsTakeTime() {
			Retry retry = retry("orders", Duration.ofSeconds(1));
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry.call(() -> {
				long began = time().nanoTime();
				spin(1);
				assertThat(time().nanoTime()).isEqualTo(began);
				return fail("attempt");
			}))
				.satisfies(
						(ex) -> assertThat(RetriesStoppedException.of(ex).elapsed()).isEqualTo(Duration.ofSeconds(7)));
			assertThat(told()).containsExactly("0 attempt", "1000 attempt", "3000 attempt", "7000 attempt");
		}

		@Test
		void aClockGoesWithIt() throws InterruptedException {
			Clock clock = time().clock();
			Instant began = clock.instant();
			assertThat(began).isBetween(Instant.now().minusSeconds(10), Instant.now());
			time().sleep(Duration.ofDays(30));
			assertThat(clock.instant()).isEqualTo(began.plus(Duration.ofDays(30)));
		}

	}

	@Nested
	class Rule2ACallIsBusyWhileItWorks {

		@Test
		void aBusyCallHoldsTheClock() throws Exception {
			CountDownLatch working = new CountDownLatch(1);
			CountDownLatch go = new CountDownLatch(1);
			Future<Void> busy = threads()
				.submit(() -> retry("busy", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
					working.countDown();
					await(go);
					tell("done");
					return null;
				}));
			await(working);
			Future<Void> waiting = threads()
				.submit(() -> retry("waiting", Duration.ofSeconds(1)).call(() -> fail("waiting")));
			until(() -> told().contains("0 waiting"));
			go.countDown();
			get(busy);
			assertEnds(waiting);
			assertThat(told()).containsExactly("0 waiting", "0 done", "1000 waiting", "3000 waiting", "7000 waiting");
		}

		@Test
		void aRecoveryThatRetriesDoesNotHoldTheClock() throws Exception {
			Retry inner = retry("inner", Duration.ofSeconds(1));
			AtomicInteger calls = new AtomicInteger();
			String result = retry(policy("outer").maxAttempts(1).build()).call(() -> {
				throw new IOException("down");
			}, (context, report) -> inner.call(() -> {
				if (calls.incrementAndGet() < 3) {
					throw new IOException("down");
				}
				return "recovered";
			}));
			assertThat(result).isEqualTo("recovered");
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(3));
		}

	}

	@Nested
	class Rule3TheClockJumpsToWhatIsDueNext {

		@Test
		void butNotForACallThatWaitsForASlot() throws Exception {
			time().patience(SHORT);
			BackoffCalls calls = new BackoffCalls(time());
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 10);
			Retry retry = Retry.builder(policy("orders").deadline(Duration.ofDays(3)).build())
				.time(time())
				.observer(calls)
				.concurrencyLimit(limit)
				.build();
			VirtualTime.Hold hold = time().hold();
			CompletableFuture<String> first = new CompletableFuture<>();
			CompletableFuture<String> holder = retry.callAsync(() -> first);
			CompletableFuture<String> queued = retry.callAsync(() -> CompletableFuture.completedFuture("second"));
			Future<String> blocking = threads().submit(() -> retry.call(() -> "third"));
			until(() -> limit.waiting() >= 2);
			// longer than the core stays in the queue at once
			time().advance(Duration.ofHours(30));
			first.complete("first");
			assertThat(List.of(get(holder), get(queued), get(blocking))).containsExactly("first", "second", "third");
			hold.close();
			assertThat(calls.of("orders")).calls(3).allSucceeded();
			assertThat(calls.of("orders")).call(2).waited("30h").waitSource(1, DelaySource.CONCURRENCY);
			assertThat(calls.of("orders")).call(3).waited("30h").took(Duration.ofHours(30));
		}

		@Test
		void alsoForCallsThatWaitForTurns() throws Exception {
			time().patience(FOREVER);
			BackoffCalls calls = new BackoffCalls(time());
			Pace pace = new Pace("ai", Duration.ofMinutes(1), 10, time(), (held, hold) -> {
			});
			Retry retry = Retry.builder(policy("orders").build()).time(time()).observer(calls).pace(pace).build();
			VirtualTime.Hold hold = time().hold();
			pace.throttled(time().nanoTime(), Duration.ofSeconds(20).toNanos(), time().nanoTime());
			CompletableFuture<String> queued = retry.callAsync(() -> CompletableFuture.completedFuture("first"));
			Future<String> blocking = threads().submit(() -> retry.call(() -> "second"));
			until(() -> pace.status().waiting() >= 2);
			hold.close();
			assertThat(List.of(get(queued), get(blocking))).containsExactly("first", "second");
			assertThat(calls.of("orders")).call(1).waited("20s").waitSource(1, DelaySource.PACE);
			// 0.9 a second
			assertThat(calls.of("orders")).call(2).waitedBetween("21s", "22s").waitSource(1, DelaySource.PACE);
		}

		@Test
		void whatIsDueAtOneMomentHappensInTheOrderInWhichItWasScheduled() throws InterruptedException {
			List<Integer> order = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				int number = i;
				Cancellable unused = time().schedule(() -> order.add(number), 1_000);
			}
			time().sleep(Duration.ofNanos(1_001));
			assertThat(order).hasSize(100).isSorted();
		}

		@Test
		void callsThatWakeAtOneMomentGoOnInTheOrderInWhichTheyBeganToWait() throws Exception {
			time().patience(FOREVER);
			List<String> expected = new ArrayList<>();
			for (int round = 0; round < 20; round++) {
				List<Future<Void>> calls = new ArrayList<>();
				String began = time().elapsed().toMillis() + 1000 + " ";
				try (VirtualTime.Hold hold = time().hold()) {
					for (int i = 0; i < 8; i++) {
						String name = round + "." + i;
						Retry retry = retryBuilder(policy(name).maxAttempts(2).build()).executor(threads()).build();
						calls.add((i % 2 == 0) ? threads().submit(() -> retry.call(() -> fail(name)))
								: retry.callAsync(() -> CompletableFuture.completedFuture(fail(name))));
						hold.untilBegun(i + 1);
						until(() -> !isAnyAtWork());
						expected.add(began + name);
					}
					told().clear();
					time().advance(Duration.ZERO);
				}
				calls.forEach(ClockFixture::assertEnds);
				assertThat(told()).isEqualTo(expected);
				expected.clear();
			}
		}

		@Test
		void whatIsDueAtOnceHappensThoughTheClockIsHeld() throws Exception {
			CountDownLatch ran = new CountDownLatch(2);
			try (VirtualTime.Hold hold = time().hold()) {
				assertThat(hold).isNotNull();
				Cancellable unused = time().schedule(ran::countDown, 0);
				Cancellable unused2 = time().schedule(ran::countDown, -1);
				await(ran);
			}
			assertThat(time().elapsed()).isZero();
		}

	}

	@Nested
	class Rule4TheClockDoesNotJumpForAnEntryWithoutACall {

		@Test
		void butPassesIt() throws InterruptedException {
			Cancellable unused = time().schedule(() -> tell("entry"), 1_000_000);
			Cancellable cancelled = time().schedule(() -> tell("cancelled"), 1_000_000);
			cancelled.cancel();
			cancelled.cancel();
			time().sleep(Duration.ofNanos(999_999));
			assertThat(told()).isEmpty();
			time().sleep(Duration.ofNanos(1));
			time().sleep(Duration.ofSeconds(1));
			assertThat(told()).containsExactly("1 entry");
		}

		@Test
		void theClockStandsAfterItUntilTheCallGoesOn() throws Exception {
			CountDownLatch begun = new CountDownLatch(1);
			try (VirtualTime.Hold hold = time().hold()) {
				assertThat(hold).isNotNull();
				Future<?> call = threads()
					.submit(() -> retry("orders", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
						Cancellable unused = time().schedule(Thread.currentThread()::interrupt, 1_000_000_000);
						begun.countDown();
						try {
							time().sleep(Duration.ofHours(1));
						}
						catch (InterruptedException ex) {
							tell("interrupted");
						}
						return null;
					}));
				await(begun);
				time().advance(Duration.ofSeconds(3));
				assertThat(told()).containsExactly("1000 interrupted");
				get(call);
			}
		}

		@Test
		void anAttemptTimeoutEndsAnAttemptThatSleeps() {
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofSeconds(10)).maxAttempts(3).build());
			assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(() -> retry.call(() -> {
				tell("attempt");
				time().sleep(Duration.ofHours(1));
				return null;
			}));
			assertThat(told()).containsExactly("0 attempt", "11000 attempt", "23000 attempt");
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(33));
		}

		@Test
		void theClockGoesOnAfterTheTimeoutOfACallThatHasEnded() throws Exception {
			time().patience(Duration.ofMinutes(1));
			CountDownLatch retried = new CountDownLatch(1);
			CompletableFuture<Object> cancelled = retry(policy("orders").attemptTimeout(Duration.ofSeconds(1)).build())
				.callAsync(() -> {
					if (Attempt.current().number() == 1) {
						return CompletableFuture.failedFuture(new IOException("down"));
					}
					retried.countDown();
					await(new CountDownLatch(1));
					return new CompletableFuture<>();
				});
			await(retried);
			cancelled.cancel(true);
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> retry("other", Duration.ofSeconds(2)).call(() -> fail("other")));
			assertThat(told()).containsExactly("1000 other", "3000 other", "7000 other", "15000 other");
		}

	}

}
