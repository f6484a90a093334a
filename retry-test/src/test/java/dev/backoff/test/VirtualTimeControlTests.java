package dev.backoff.test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Attempt;
import dev.backoff.AttemptTimeoutException;
import dev.backoff.Retry;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Holds, advances and sleeps. */
class VirtualTimeControlTests extends ClockFixture {

	@Nested
	class KeepersOfCalls {

		@Test
		void holdTheClockWhileTheyAreAtWork() throws Exception {
			time().workBegins();
			time().workBegins();
			Future<?> advance = threads().submit(() -> time().advance(Duration.ofHours(1)));
			time().workEnds();
			assertThat(time().elapsed()).isZero();
			time().workEnds();
			get(advance);
			assertThat(time().elapsed()).isEqualTo(Duration.ofHours(1));
		}

		@Test
		void areNotJumpedFor() throws Exception {
			BackoffCalls calls = new BackoffCalls(time());
			calls.callStored("orders", "place", "k-1", 0);
			Cancellable unused = time().schedule(() -> tell("due"), 1_000_000);
			Thread.sleep(10);
			assertThat(time().elapsed()).isZero();
			time().sleep(Duration.ofHours(1));
			assertThat(told()).containsExactly("1 due");
			assertThat(calls.of("orders")).calls(1);
		}

	}

	@Nested
	class Rule7AHoldStopsTheClock {

		@Test
		@SuppressWarnings("try") // to close twice does nothing
		void untilItIsClosed() throws Exception {
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = time().hold()) {
				for (int i = 0; i < 20; i++) {
					Retry retry = retry("orders", Duration.ofSeconds(1));
					calls.add(threads().submit(() -> retry.call(() -> fail("attempt"))));
				}
				until(() -> told().size() >= 20);
				VirtualTime.Hold another = time().hold();
				hold.close();
				assertThat(time().elapsed()).isZero();
				another.close();
			}
			calls.forEach(ClockFixture::assertEnds);
			List<String> expected = new ArrayList<>();
			for (int millis : List.of(0, 1000, 3000, 7000)) {
				expected.addAll(Collections.nCopies(20, millis + " attempt"));
			}
			assertThat(told()).isEqualTo(expected);
		}

		@Test
		void untilAllCallsHaveBegun() throws Exception {
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = time().hold()) {
				for (int i = 0; i < 20; i++) {
					calls.add(threads().submit(() -> {
						spin(1);
						return retry("orders", Duration.ofSeconds(1)).call(() -> fail("attempt"));
					}));
				}
				hold.untilBegun(20);
			}
			calls.forEach(ClockFixture::assertEnds);
			assertThat(told().subList(0, 20)).containsOnly("0 attempt");
		}

		@Test
		void orForThePatience() throws InterruptedException {
			time().patience(Duration.ofMillis(25));
			try (VirtualTime.Hold hold = time().hold()) {
				retry("orders", Duration.ofSeconds(1)).run(() -> {
				});
				hold.untilBegun(1);
				assertThatIllegalStateException().isThrownBy(() -> hold.untilBegun(2))
					.withMessage("Invalid number of calls (2): 1 have begun in this hold after 25 ms. Give each "
							+ "call a thread of its own, since one that waits keeps its thread.");
			}
		}

		@Test
		void fromSeveralThreads() throws Exception {
			List<Future<VirtualTime.Hold>> holds = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				holds.add(threads().submit(time()::hold));
			}
			List<VirtualTime.Hold> held = new ArrayList<>();
			for (Future<VirtualTime.Hold> hold : holds) {
				held.add(get(hold));
			}
			CompletableFuture<Object> call = retry("orders", Duration.ofSeconds(1)).callAsync(() -> {
				throw new IOException("down");
			});
			for (VirtualTime.Hold hold : held) {
				assertThat(time().elapsed()).isZero();
				threads().submit(hold::close).get(60, TimeUnit.SECONDS);
			}
			assertEnds(call);
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(7));
		}

		@Test
		void butNotAnAdvance() throws Exception {
			try (VirtualTime.Hold hold = time().hold()) {
				assertThat(hold).isNotNull();
				Retry retry = retry("orders", Duration.ofSeconds(1));
				Future<Void> call = threads().submit(() -> retry.call(() -> fail("attempt")));
				until(() -> !told().isEmpty());
				time().advance(Duration.ofMillis(2999));
				assertThat(told()).containsExactly("0 attempt", "1000 attempt");
				assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(2999));
				time().advance(Duration.ofMillis(1));
				assertThat(told()).last().isEqualTo("3000 attempt");
				time().advance(Duration.ofDays(1));
				assertEnds(call);
			}
		}

		@Test
		void aCallOnTheThreadThatHoldsTheClockFailsAtItsFirstWait() {
			String problem = "This thread holds the clock, so that its wait would never end: close the hold before, or "
					+ "call on another thread.";
			VirtualTime.Hold hold = time().hold();
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> retry("orders", Duration.ofSeconds(1)).call(() -> fail("attempt")))
				.satisfies((ex) -> assertThat(RetriesStoppedException.of(ex)).hasRootCauseMessage(problem)
					.extracting(RetriesStoppedException::reason)
					.isEqualTo(StopReason.NOT_RETRYABLE));
			hold.close();
		}

		@Test
		void tellsTheThreadThatWaitsWithinItForACall() throws Exception {
			time().patience(Duration.ofMillis(5));
			CompletableFuture<String> told = new CompletableFuture<>();
			Logger logger = warnings("Virtual time has stood for 5 ms ", told::complete);
			VirtualTime.Hold hold = time().hold();
			Future<Object> call = threads()
				.submit(() -> retry("waits", Duration.ofSeconds(1)).call(() -> fail("waits")));
			assertThat(get(told)).isEqualTo("Virtual time has stood for 5 ms of real time: it is held, and all calls "
					+ "wait. Close the hold before you wait for them.");
			logger.setFilter(null);
			hold.close();
			assertEnds(call);
		}

		@Test
		void anotherTestBeginsWithoutIt() throws InterruptedException {
			time().sleep(Duration.ofSeconds(1));
			VirtualTime.Hold hold = time().hold();
			time().reset();
			assertThat(time().elapsed()).isZero();
			time().sleep(Duration.ofSeconds(2));
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(2));
			hold.close();
		}

	}

	@Nested
	class Advancing {

		@Test
		void needsNoCall() {
			time().advance(Duration.ofDays(365));
			time().advance(Duration.ZERO);
			assertThat(time().elapsed()).isEqualTo(Duration.ofDays(365));
			assertThatIllegalArgumentException().isThrownBy(() -> time().advance(Duration.ofSeconds(-1)))
				.withMessage("Invalid duration (-1s): must not be negative.");
		}

		@Test
		void goesOnThoughItsThreadWorksForACall() {
			String result = retry("orders", Duration.ofSeconds(1)).call(() -> {
				time().advance(Duration.ofSeconds(3));
				return "done";
			});
			assertThat(result).isEqualTo("done");
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(3));
		}

		@Test
		void goesOnThoughTheThreadIsInterrupted() {
			Thread.currentThread().interrupt();
			time().advance(Duration.ofHours(5));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(time().elapsed()).isEqualTo(Duration.ofHours(5));
		}

		@Test
		void endsWhereItShouldThoughATimeoutIsOverdueInRealTime() throws Exception {
			time().patience(SHORT);
			CountDownLatch working = new CountDownLatch(1);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(20)).maxAttempts(1).build());
			VirtualTime.Hold hold = time().hold();
			Future<Void> call = threads().submit(() -> retry.<Void, Exception>call(() -> {
				working.countDown();
				new CountDownLatch(1).await();
				return null;
			}));
			await(working);
			time().advance(Duration.ofMillis(10));
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(10));
			hold.close();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(call))
				.withCauseInstanceOf(AttemptTimeoutException.class);
		}

		@Test
		void leavesNoInterruptOfAJobToTheNextOne() {
			for (int hours = 1; hours <= 2; hours++) {
				time().scheduleJob(() -> {
					tell(String.valueOf(Thread.currentThread().isInterrupted()));
					Thread.currentThread().interrupt();
				}, Duration.ofHours(hours));
			}
			time().advance(Duration.ofHours(2));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(told()).containsExactly("3600000 false", "7200000 false");
		}

		@Test
		void doesNotWaitLongAfterAJobThatSlept() {
			time().scheduleJob(() -> {
				try {
					time().sleep(Duration.ofMinutes(1));
				}
				catch (InterruptedException ex) {
					tell("interrupted");
				}
				tell("slept");
			}, Duration.ofHours(1));
			long began = System.nanoTime();
			time().advance(Duration.ofHours(2));
			assertThat(System.nanoTime() - began).isLessThan(LONG.toNanos());
			assertThat(told()).containsExactly("3660000 slept");
		}

		@Test
		void takesTurnsWithAnAdvanceOnAnotherThread() throws Exception {
			List<Future<?>> advances = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				advances.add(threads().submit(() -> time().advance(Duration.ofHours(1))));
			}
			for (Future<?> advance : advances) {
				get(advance);
			}
			assertThat(time().elapsed()).isBetween(Duration.ofHours(1), Duration.ofHours(50));
		}

	}

	@Test
	void twoTimesDoNotDisturbEachOther() {
		VirtualTime other = new VirtualTime().patience(LONG);
		Retry inner = Retry.builder(policy("inner").maxAttempts(2).build())
			.time(other)
			.observer(new BackoffCalls(other))
			.build();
		Retry outer = retry(policy("outer").maxAttempts(1).build());
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> outer.call(() -> {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> inner.call(() -> fail("inner")));
			throw new IllegalStateException("another failure than that inside");
		}));
		assertThat(other.elapsed()).isEqualTo(Duration.ofSeconds(1));
		assertThat(time().elapsed()).isZero();
	}

	@Nested
	class Sleeping {

		@Test
		void endsWhenTheThreadIsInterrupted() throws Exception {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> time().sleep(Duration.ZERO));
			assertThat(Thread.interrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> time().sleep(Duration.ofSeconds(1)));
			assertThat(Thread.interrupted()).isFalse();
			assertThat(time().elapsed()).isZero();
		}

		@Test
		void endsEarlyAtTheEndOfItsTest() throws Exception {
			VirtualTime time = time();
			VirtualTime.Hold hold = time.hold();
			Future<Duration> woken = threads().submit(() -> {
				time.sleep(Duration.ofHours(1));
				return time.elapsed();
			});
			until(() -> time.get(time.agenda::wake));
			assertThat(get(woken)).isZero();
			assertThat(time.get(time.agenda::wake)).isFalse();
			hold.close();
		}

		@Test
		void worksOnTheThreadThatMovesTheClock() throws Exception {
			Retry inner = retry("inner", Duration.ofSeconds(1));
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<Object> result = retryBuilder(policy("outer").build()).executor(Runnable::run)
				.build()
				.callAsync(() -> {
					if (attempts.getAndIncrement() == 0) {
						throw new IOException("down");
					}
					tell(Thread.currentThread().getName());
					time().advance(Duration.ofSeconds(1));
					assertThatExceptionOfType(IOException.class).isThrownBy(() -> inner.call(() -> fail("inner")));
					return CompletableFuture.completedFuture("done");
				});
			assertThat(get(result)).isEqualTo("done");
			assertThat(told()).containsExactly("1000 backoff-virtual-time", "2000 inner", "3000 inner", "5000 inner",
					"9000 inner");
		}

		@Test
		void isNotKeptFromCallsByAnAttemptThatBlocksTheThreadOfATask() throws Exception {
			time().patience(SHORT);
			Retry inner = retryBuilder(policy("inner").build()).executor(threads()).build();
			CompletableFuture<Object> result = retryBuilder(policy("outer").maxAttempts(2).build())
				.executor(Runnable::run)
				.build()
				.callAsync(() -> {
					if (Attempt.current().number() == 1) {
						throw new IOException("down");
					}
					return CompletableFuture.completedFuture(join(inner));
				});
			assertThat(get(result)).isEqualTo("done");
		}

		@Test
		void survivesATaskThatFailsAndLeavesAnInterruptBehind() throws InterruptedException {
			Cancellable unused = time().schedule(() -> {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("on purpose");
			}, 1);
			Cancellable next = time().schedule(() -> tell(String.valueOf(Thread.currentThread().isInterrupted())), 1);
			time().sleep(Duration.ofSeconds(1));
			time().sleep(Duration.ofSeconds(1));
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(2));
			next.cancel();
			assertThat(told()).containsExactly("0 false");
		}

	}

}
