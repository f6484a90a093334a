package dev.backoff.test;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.AttemptTimeoutException;
import dev.backoff.Retry;
import dev.backoff.RetryContext;
import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.time.RetryTime.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What the clock does where calls take real time. */
class VirtualTimePatienceTests extends ClockFixture {

	@Nested
	class Rule5ACallThatSeemsBusyIsNotWaitedForForEver {

		@Test
		void ifItWaitsForACallOnAThreadThatDoesNotKnowIt() throws Exception {
			time().patience(SHORT);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			Retry outer = retry(policy("outer").maxAttempts(1).build());
			Future<Void> call = threads().submit(() -> outer.call(() -> {
				assertEnds(threads().submit(() -> inner.call(() -> fail("inner"))));
				return null;
			}));
			get(call);
			assertThat(told()).containsExactly("0 inner", "1000 inner", "3000 inner", "7000 inner");
		}

		@Test
		void butAPauseOfTheWholeProcessIsNotCounted() throws Exception {
			time().patience(Duration.ofSeconds(1));
			VirtualTime.Hold hold = time().hold();
			Future<Void> waiting = threads()
				.submit(() -> retry("waiting", Duration.ofSeconds(1)).call(() -> fail("waiting")));
			until(() -> !told().isEmpty());
			retry("busy", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
				hold.close();
				// the clock can do as little as in a process that is stopped
				time().locked(() -> spin(1200));
				spin(10);
				tell("busy");
				return null;
			});
			assertEnds(waiting);
			assertThat(told()).containsExactly("0 waiting", "0 busy", "1000 waiting", "3000 waiting", "7000 waiting");
		}

		@Test
		void butATickThatComesLateIsNotCounted() throws Exception {
			time().patience(FOREVER);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(2)).maxAttempts(1).build());
			CompletableFuture<Object> call = retry.callAsync(() -> new CompletableFuture<>());
			tick(1_000, Duration.ofMillis(101));
			assertThat(call).isNotDone();
			tick(40, Duration.ofMillis(100));
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(call))
				.withCauseInstanceOf(AttemptTimeoutException.class);
		}

		private void tick(int times, Duration each) {
			for (int i = 0; i < times; i++) {
				time().locked(() -> time().count(each.toNanos()));
			}
		}

		@Test
		void andAWarningNamesItAndWhatItsThreadDoes() throws Exception {
			time().patience(SHORT);
			CompletableFuture<String> told = new CompletableFuture<>();
			Logger logger = warnings("OrderService.place ", told::complete);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			retryBuilder(policy("outer").build()).method("OrderService.place").build().<Void, Exception>call(() -> {
				assertEnds(threads().submit(() -> inner.call(() -> fail("inner"))));
				return null;
			});
			assertThat(get(told))
				.startsWith("OrderService.place (policy outer) has worked for 500 ms of real time while others "
						+ "wait, so virtual time goes on without it until it ends. If it waits for a call on an "
						+ "executor of its own, carry RetryContext there. If it really takes so long, hold or advance "
						+ "the time around it, or set another VirtualTime.patience. Its thread ")
				.contains("LockSupport.park");
			logger.setFilter(null);
		}

		@Test
		void butACallWithTheContextOfTheOneAroundItCostsNoPatience() throws Exception {
			time().patience(FOREVER);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			retry("outer", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
				RetryContext context = RetryContext.capture();
				assertEnds(threads().submit(context.wrap((Callable<Void>) () -> inner.call(() -> fail("inner")))));
				return null;
			});
			assertThat(told()).containsExactly("0 inner", "1000 inner", "3000 inner", "7000 inner");
		}

		@Test
		void patienceIsAboveZero() {
			assertThatIllegalArgumentException().isThrownBy(() -> time().patience(Duration.ZERO))
				.withMessage("Invalid patience (0ms): must be above zero.");
		}

	}

	@Nested
	class Rule6ATimeoutAlsoHappensInRealTime {

		@Test
		void andTheClockIsMovedToIt() {
			time().patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(10)).maxAttempts(2).build());
			CountDownLatch never = new CountDownLatch(1);
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> retry.call(() -> never.await(60, TimeUnit.SECONDS)));
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(1020));
		}

		@Test
		void againAfterAWhileWithoutCalls() {
			time().patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(10)).maxAttempts(1).build());
			for (int i = 0; i < 2; i++) {
				CountDownLatch never = new CountDownLatch(1);
				assertThatExceptionOfType(AttemptTimeoutException.class)
					.isThrownBy(() -> retry.call(() -> never.await(60, TimeUnit.SECONDS)));
				spin(20);
			}
		}

		@Test
		void ofAsynchronousAttemptsToo() {
			time().patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(10)).maxAttempts(2).build());
			CompletableFuture<Object> result = retry.callAsync(() -> new CompletableFuture<>());
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(result))
				.withCauseInstanceOf(AttemptTimeoutException.class);
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(1020));
		}

		@Test
		void ofAttemptsAroundACallThatHangsToo() {
			time().patience(SHORT);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			Retry outer = retry(policy("outer").attemptTimeout(Duration.ofMillis(10)).maxAttempts(1).build());
			CountDownLatch never = new CountDownLatch(1);
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> outer.call(() -> inner.call(() -> never.await(60, TimeUnit.SECONDS))));
			assertThat(time().elapsed()).isEqualTo(Duration.ofMillis(10));
		}

		@Test
		void beforeAWaitOfAnotherCallCarriesTheClockPastIt() throws Exception {
			CountDownLatch working = new CountDownLatch(1);
			Retry slow = retry(policy("slow").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			Future<Void> call = threads().submit(() -> slow.<Void, Exception>call(() -> {
				working.countDown();
				spin(20);
				tell("slow");
				return null;
			}));
			await(working);
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> retry("other", Duration.ofHours(1)).call(() -> fail("other")));
			get(call);
			assertThat(told()).containsExactly("0 other", "0 slow", "3600000 other", "10800000 other",
					"25200000 other");
		}

		@Test
		void butNotWithoutEnd() {
			time().patience(SHORT);
			Retry inner = retry("inner", Duration.ofHours(2));
			Retry outer = retry(policy("outer").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> outer.call(() -> get(threads().submit(() -> inner.call(() -> fail("inner"))))));
			time().advance(Duration.ofDays(1));
		}

		@Test
		void butNotWithoutEndForACallInAQueue() {
			time().patience(SHORT);
			Retry retry = retry(policy("orders").maxAttempts(1).deadline(Duration.ofSeconds(1)).concurrency(1).build());
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(() -> retry.call(() -> get(threads().submit(() -> retry.call(() -> "inside")))))
				.withCauseInstanceOf(ConcurrencyExceededException.class);
			assertThat(time().elapsed()).isEqualTo(Duration.ofSeconds(1));
		}

		@Test
		void unlessAThreadSleepsThatMayBeItsStub() {
			time().patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> retry.call(() -> get(threads().submit(() -> {
					time().sleep(Duration.ofHours(2));
					return null;
				}))));
		}

		@Test
		void butNotBeforeThePatienceEnds() {
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofNanos(1)).build());
			assertThat(retry.<String, RuntimeException>call(() -> {
				spin(1);
				return "done";
			})).isEqualTo("done");
			assertThat(time().elapsed()).isZero();
		}

		@Test
		void butNothingElseDoes() throws InterruptedException {
			time().patience(SHORT);
			Cancellable unused = time().schedule(() -> tell("entry"), 1_000_000);
			Thread.sleep(10);
			retry("orders", Duration.ofSeconds(1)).call(() -> {
				Thread.sleep(10);
				return "done";
			});
			assertThat(told()).isEmpty();
			assertThat(time().elapsed()).isZero();
		}

	}

}
