package dev.backoff.test;

import java.io.IOException;
import java.text.MessageFormat;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import dev.backoff.Attempt;
import dev.backoff.AttemptTimeoutException;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.RetryContext;
import dev.backoff.CallRegistry;
import dev.backoff.delay.Jitter;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.time.Cancellable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class VirtualTimeTests {

	private static final Duration LONG = Duration.ofSeconds(5);

	/* Where patience ends, longer than a thread waits for a processor. */
	private static final Duration SHORT = Duration.ofMillis(500);

	/* Where nothing may cost patience. */
	private static final Duration FOREVER = Duration.ofDays(1);

	private final VirtualTime time = new VirtualTime().patience(LONG);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<String> told = Collections.synchronizedList(new ArrayList<>());

	@AfterEach
	void threadsEnd() {
		assertThat(this.threads.shutdownNow()).isEmpty();
	}

	/** With waits of 1 s, 2 s, 4 s. */
	private RetryPolicyBuilder policy(String name) {
		return RetryPolicy.builder(name)
			.base(Duration.ofSeconds(1))
			.cap(Duration.ofHours(10))
			.jitter(Jitter.none())
			.maxAttempts(4);
	}

	private Retry retry(RetryPolicy policy) {
		return retryBuilder(policy).build();
	}

	private RetryBuilder retryBuilder(RetryPolicy policy) {
		return Retry.builder(policy).time(this.time).observer(new BackoffCalls(this.time));
	}

	private Retry retry(String name, Duration base) {
		return retry(policy(name).base(base).build());
	}

	private void tell(String what) {
		this.told.add(this.time.elapsed().toMillis() + " " + what);
	}

	private Void fail(String what) throws IOException {
		tell(what);
		throw new IOException(what);
	}

	private static void spin(int millis) {
		long end = System.nanoTime() + millis * 1_000_000L;
		while (System.nanoTime() < end) {
			Thread.onSpinWait();
		}
	}

	private static Logger warnings(Consumer<String> warned) {
		Logger logger = Logger.getLogger(VirtualTime.class.getName());
		logger.setFilter((line) -> {
			warned.accept(MessageFormat.format(line.getMessage(), line.getParameters()));
			return false;
		});
		return logger;
	}

	private static void await(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
	}

	private static <T> T get(Future<T> future) throws Exception {
		return future.get(60, TimeUnit.SECONDS);
	}

	/* In two seconds. */
	private static String join(Retry retry) {
		return retry.callAsync(() -> {
			if (Attempt.current().number() < 2) {
				throw new IOException("down");
			}
			return CompletableFuture.completedFuture("done");
		}).join();
	}

	private static void assertEnds(Future<?> failing) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(failing))
			.withCauseInstanceOf(IOException.class);
	}

	@Nested
	class Rule1TheClockStandsWhileWorkRuns {

		@Test
		void aReadingIsNeitherZeroNorRound() {
			assertThat(VirtualTimeTests.this.time.nanoTime()).isPositive().matches((reading) -> reading % 1_000 != 0);
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

		@Test
		void onlyWaitsTakeTime() {
			Retry retry = retry("orders", Duration.ofSeconds(1));
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry.call(() -> {
				long began = VirtualTimeTests.this.time.nanoTime();
				spin(1);
				assertThat(VirtualTimeTests.this.time.nanoTime()).isEqualTo(began);
				return fail("attempt");
			}))
				.satisfies(
						(ex) -> assertThat(RetriesStoppedException.of(ex).elapsed()).isEqualTo(Duration.ofSeconds(7)));
			assertThat(VirtualTimeTests.this.told).containsExactly("0 attempt", "1000 attempt", "3000 attempt",
					"7000 attempt");
		}

		@Test
		void aClockGoesWithIt() throws InterruptedException {
			Clock clock = VirtualTimeTests.this.time.clock();
			Instant began = clock.instant();
			assertThat(began).isBetween(Instant.now().minusSeconds(10), Instant.now());
			VirtualTimeTests.this.time.sleep(Duration.ofDays(30));
			assertThat(clock.instant()).isEqualTo(began.plus(Duration.ofDays(30)));
		}

	}

	@Nested
	class Rule2ACallIsBusyWhileItWorks {

		@Test
		void aBusyCallHoldsTheClock() throws Exception {
			CountDownLatch working = new CountDownLatch(1);
			CountDownLatch go = new CountDownLatch(1);
			Future<Void> busy = VirtualTimeTests.this.threads
				.submit(() -> retry("busy", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
					working.countDown();
					await(go);
					tell("done");
					return null;
				}));
			await(working);
			Future<Void> waiting = VirtualTimeTests.this.threads
				.submit(() -> retry("waiting", Duration.ofSeconds(1)).call(() -> fail("waiting")));
			while (!VirtualTimeTests.this.told.contains("0 waiting")) {
				Thread.onSpinWait();
			}
			go.countDown();
			get(busy);
			assertEnds(waiting);
			assertThat(VirtualTimeTests.this.told).containsExactly("0 waiting", "0 done", "1000 waiting",
					"3000 waiting", "7000 waiting");
		}

		@Test
		void aCallAroundAnotherDoesNotHoldTheClock() {
			Retry inner = retry("inner", Duration.ofMillis(1));
			Retry outer = retry(policy("outer").maxAttempts(1).build());
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> outer.call(() -> {
				try {
					return inner.call(() -> fail("inner"));
				}
				catch (IOException ex) {
					throw new IllegalStateException("another failure than that inside");
				}
			}));
			assertThat(VirtualTimeTests.this.told).containsExactly("0 inner", "1 inner", "3 inner", "7 inner");
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(7));
		}

		@Test
		void aRecoveryThatRetriesDoesNotHoldTheClock() throws Exception {
			Retry inner = retry("inner", Duration.ofSeconds(1));
			AtomicInteger calls = new AtomicInteger();
			String result = retry(policy("outer").maxAttempts(1).build()).call(() -> {
				throw new IOException("down");
			}, (context, story) -> inner.call(() -> {
				if (calls.incrementAndGet() < 3) {
					throw new IOException("down");
				}
				return "recovered";
			}));
			assertThat(result).isEqualTo("recovered");
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(3));
		}

		@Test
		void anAttemptThatSleepsDoesNotHoldTheClock() throws Exception {
			String result = retry("slow", Duration.ofSeconds(1)).call(() -> {
				VirtualTimeTests.this.time.sleep(Duration.ofMinutes(1));
				return "slow";
			});
			assertThat(result).isEqualTo("slow");
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMinutes(1));
		}

		@Test
		void anAsynchronousCallInsideCountsToo() throws Exception {
			Retry inner = retry("inner", Duration.ofSeconds(1));
			CompletableFuture<Object> result = retry("outer", Duration.ofSeconds(1))
				.callAsync(() -> inner.callAsync(() -> CompletableFuture.supplyAsync(() -> {
					tell("inner");
					if (VirtualTimeTests.this.told.size() < 4) {
						throw new IllegalStateException("down");
					}
					return "done";
				})));
			assertThat(get(result)).isEqualTo("done");
			assertThat(VirtualTimeTests.this.told).containsExactly("0 inner", "1000 inner", "3000 inner", "7000 inner");
		}

	}

	@Nested
	class Rule3TheClockJumpsToWhatIsDueNext {

		@Test
		void whenAllCallsWait() throws Exception {
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				for (int seconds : List.of(5, 3, 4)) {
					Retry retry = retry(policy(seconds + "s").base(Duration.ofSeconds(seconds)).maxAttempts(2).build());
					calls.add(VirtualTimeTests.this.threads.submit(() -> retry.call(() -> fail(seconds + "s"))));
				}
				assertThat(hold).isNotNull();
				while (VirtualTimeTests.this.told.size() < 3) {
					Thread.onSpinWait();
				}
			}
			calls.forEach(VirtualTimeTests::assertEnds);
			assertThat(VirtualTimeTests.this.told).endsWith("3000 3s", "4000 4s", "5000 5s");
		}

		@Test
		void butNotForACallThatWaitsForASlot() throws Exception {
			VirtualTimeTests.this.time.patience(SHORT);
			BackoffCalls calls = new BackoffCalls(VirtualTimeTests.this.time);
			ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, 10);
			Retry retry = Retry.builder(policy("orders").deadline(Duration.ofDays(3)).build())
				.time(VirtualTimeTests.this.time)
				.observer(calls)
				.concurrencyLimit(limit)
				.build();
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			CompletableFuture<String> first = new CompletableFuture<>();
			CompletableFuture<String> holder = retry.callAsync(() -> first);
			CompletableFuture<String> queued = retry.callAsync(() -> CompletableFuture.completedFuture("second"));
			Future<String> blocking = VirtualTimeTests.this.threads.submit(() -> retry.call(() -> "third"));
			while (limit.waiting() < 2) {
				Thread.onSpinWait();
			}
			// longer than the core stays in the queue at once
			VirtualTimeTests.this.time.advance(Duration.ofHours(30));
			first.complete("first");
			assertThat(List.of(get(holder), get(queued), get(blocking))).containsExactly("first", "second", "third");
			hold.close();
			assertThat(calls.of("orders")).calls(3).allSucceeded();
			assertThat(calls.of("orders")).call(2).waited("30h").waitSource(1, DelaySource.CONCURRENCY);
			assertThat(calls.of("orders")).call(3).waited("30h").took(Duration.ofHours(30));
		}

		@Test
		void whatIsDueAtOneMomentHappensInTheOrderInWhichItWasScheduled() throws InterruptedException {
			List<Integer> order = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				int number = i;
				Cancellable unused = VirtualTimeTests.this.time.schedule(() -> order.add(number), 1_000);
			}
			VirtualTimeTests.this.time.sleep(Duration.ofNanos(1_001));
			assertThat(order).hasSize(100).isSorted();
		}

		@Test
		void callsThatWakeAtOneMomentGoOnInTheOrderInWhichTheyBeganToWait() throws Exception {
			VirtualTimeTests.this.time.patience(FOREVER);
			List<String> expected = new ArrayList<>();
			for (int round = 0; round < 20; round++) {
				List<Future<Void>> calls = new ArrayList<>();
				String began = VirtualTimeTests.this.time.elapsed().toMillis() + 1000 + " ";
				try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
					assertThat(hold).isNotNull();
					for (int i = 0; i < 8; i++) {
						CallRegistry waiting = new CallRegistry();
						String name = round + "." + i;
						Retry retry = retryBuilder(policy(name).maxAttempts(2).build()).calls(waiting)
							.executor(VirtualTimeTests.this.threads)
							.build();
						calls
							.add((i % 2 == 0) ? VirtualTimeTests.this.threads.submit(() -> retry.call(() -> fail(name)))
									: retry.callAsync(() -> CompletableFuture.completedFuture(fail(name))));
						while (waiting.waiting() == 0) {
							Thread.onSpinWait();
						}
						expected.add(began + name);
					}
					VirtualTimeTests.this.told.clear();
					VirtualTimeTests.this.time.advance(Duration.ZERO);
				}
				calls.forEach(VirtualTimeTests::assertEnds);
				assertThat(VirtualTimeTests.this.told).isEqualTo(expected);
				expected.clear();
			}
		}

		@Test
		void whatIsDueAtOnceHappensThoughTheClockIsHeld() throws Exception {
			CountDownLatch ran = new CountDownLatch(2);
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				assertThat(hold).isNotNull();
				Cancellable unused = VirtualTimeTests.this.time.schedule(ran::countDown, 0);
				Cancellable unused2 = VirtualTimeTests.this.time.schedule(ran::countDown, -1);
				await(ran);
			}
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

	}

	@Nested
	class Rule4TheClockDoesNotJumpForAnEntryWithoutACall {

		@Test
		void butPassesIt() throws InterruptedException {
			Cancellable unused = VirtualTimeTests.this.time.schedule(() -> tell("entry"), 1_000_000);
			Cancellable cancelled = VirtualTimeTests.this.time.schedule(() -> tell("cancelled"), 1_000_000);
			cancelled.cancel();
			cancelled.cancel();
			VirtualTimeTests.this.time.sleep(Duration.ofNanos(999_999));
			assertThat(VirtualTimeTests.this.told).isEmpty();
			VirtualTimeTests.this.time.sleep(Duration.ofNanos(1));
			VirtualTimeTests.this.time.sleep(Duration.ofSeconds(1));
			assertThat(VirtualTimeTests.this.told).containsExactly("1 entry");
		}

		@Test
		void theClockStandsAfterItUntilTheCallGoesOn() throws Exception {
			CountDownLatch begun = new CountDownLatch(1);
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				assertThat(hold).isNotNull();
				Future<?> call = VirtualTimeTests.this.threads
					.submit(() -> retry("orders", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
						Cancellable unused = VirtualTimeTests.this.time.schedule(Thread.currentThread()::interrupt,
								1_000_000_000);
						begun.countDown();
						try {
							VirtualTimeTests.this.time.sleep(Duration.ofHours(1));
						}
						catch (InterruptedException ex) {
							tell("interrupted");
						}
						return null;
					}));
				await(begun);
				VirtualTimeTests.this.time.advance(Duration.ofSeconds(3));
				assertThat(VirtualTimeTests.this.told).containsExactly("1000 interrupted");
				get(call);
			}
		}

		@Test
		void anAttemptTimeoutEndsAnAttemptThatSleeps() {
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofSeconds(10)).maxAttempts(3).build());
			assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(() -> retry.call(() -> {
				tell("attempt");
				VirtualTimeTests.this.time.sleep(Duration.ofHours(1));
				return null;
			}));
			assertThat(VirtualTimeTests.this.told).containsExactly("0 attempt", "11000 attempt", "23000 attempt");
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(33));
		}

		@Test
		void anAttemptThatTakesExactlyItsTimeoutTimesOut() {
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofSeconds(10)).maxAttempts(1).build());
			for (int i = 0; i < 100; i++) {
				assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(() -> retry.call(() -> {
					VirtualTimeTests.this.time.sleep(Duration.ofSeconds(10));
					return null;
				}));
			}
		}

		@Test
		void theClockGoesOnAfterTheTimeoutOfACallThatHasEnded() throws Exception {
			VirtualTimeTests.this.time.patience(Duration.ofMinutes(1));
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
			assertThat(VirtualTimeTests.this.told).containsExactly("1000 other", "3000 other", "7000 other",
					"15000 other");
		}

		@Test
		void anOperatorEndsAWait() throws Exception {
			CallRegistry waiting = new CallRegistry();
			Retry orders = retryBuilder(policy("orders").base(Duration.ofMinutes(10)).build()).calls(waiting).build();
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				assertThat(hold).isNotNull();
				for (int i = 0; i < 3; i++) {
					calls.add(VirtualTimeTests.this.threads.submit(() -> orders.call(() -> fail("orders"))));
				}
				while (waiting.waiting() < 3) {
					Thread.onSpinWait();
				}
				VirtualTimeTests.this.told.clear();
				assertThat(waiting.wake("orders")).isEqualTo(3);
				VirtualTimeTests.this.time.advance(Duration.ofMinutes(1));
				assertThat(VirtualTimeTests.this.told).containsExactly("0 orders", "0 orders", "0 orders");
				waiting.shutDown();
				calls.forEach(VirtualTimeTests::assertEnds);
			}
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMinutes(1));
		}

	}

	@Nested
	class Rule5ACallThatSeemsBusyIsNotWaitedForForEver {

		@Test
		void ifItWaitsForACallOnAThreadThatDoesNotKnowIt() throws Exception {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			Retry outer = retry(policy("outer").maxAttempts(1).build());
			Future<Void> call = VirtualTimeTests.this.threads.submit(() -> outer.call(() -> {
				assertEnds(VirtualTimeTests.this.threads.submit(() -> inner.call(() -> fail("inner"))));
				return null;
			}));
			get(call);
			assertThat(VirtualTimeTests.this.told).containsExactly("0 inner", "1000 inner", "3000 inner", "7000 inner");
		}

		@Test
		void butAPauseOfTheWholeProcessIsNotCounted() throws Exception {
			VirtualTimeTests.this.time.patience(Duration.ofSeconds(1));
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			Future<Void> waiting = VirtualTimeTests.this.threads
				.submit(() -> retry("waiting", Duration.ofSeconds(1)).call(() -> fail("waiting")));
			while (VirtualTimeTests.this.told.isEmpty()) {
				Thread.onSpinWait();
			}
			retry("busy", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
				hold.close();
				// the clock can do as little as in a process that is stopped
				VirtualTimeTests.this.time.locked(() -> spin(1200));
				spin(10);
				tell("busy");
				return null;
			});
			assertEnds(waiting);
			assertThat(VirtualTimeTests.this.told).containsExactly("0 waiting", "0 busy", "1000 waiting",
					"3000 waiting", "7000 waiting");
		}

		@Test
		void butATickThatComesLateIsNotCounted() throws Exception {
			VirtualTimeTests.this.time.patience(FOREVER);
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
				VirtualTimeTests.this.time.locked(() -> VirtualTimeTests.this.time.count(each.toNanos()));
			}
		}

		@Test
		void andAWarningNamesItAndWhatItsThreadDoes() throws Exception {
			VirtualTimeTests.this.time.patience(SHORT);
			CompletableFuture<String> told = new CompletableFuture<>();
			Logger logger = warnings(told::complete);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			retryBuilder(policy("outer").build()).method("OrderService.place").build().<Void, Exception>call(() -> {
				assertEnds(VirtualTimeTests.this.threads.submit(() -> inner.call(() -> fail("inner"))));
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
			VirtualTimeTests.this.time.patience(FOREVER);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			retry("outer", Duration.ofSeconds(1)).<Void, Exception>call(() -> {
				RetryContext context = RetryContext.capture();
				assertEnds(VirtualTimeTests.this.threads
					.submit(context.wrap((Callable<Void>) () -> inner.call(() -> fail("inner")))));
				return null;
			});
			assertThat(VirtualTimeTests.this.told).containsExactly("0 inner", "1000 inner", "3000 inner", "7000 inner");
		}

		@Test
		void patienceIsAboveZero() {
			assertThatIllegalArgumentException().isThrownBy(() -> VirtualTimeTests.this.time.patience(Duration.ZERO))
				.withMessage("Invalid patience (0ms): must be above zero.");
		}

	}

	@Nested
	class Rule6ATimeoutAlsoHappensInRealTime {

		@Test
		void andTheClockIsMovedToIt() {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(10)).maxAttempts(2).build());
			CountDownLatch never = new CountDownLatch(1);
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> retry.call(() -> never.await(60, TimeUnit.SECONDS)));
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(1020));
		}

		@Test
		void againAfterAWhileWithoutCalls() {
			VirtualTimeTests.this.time.patience(SHORT);
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
			VirtualTimeTests.this.time.patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(10)).maxAttempts(2).build());
			CompletableFuture<Object> result = retry.callAsync(() -> new CompletableFuture<>());
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(result))
				.withCauseInstanceOf(AttemptTimeoutException.class);
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(1020));
		}

		@Test
		void ofAttemptsAroundACallThatHangsToo() {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry inner = retry("inner", Duration.ofSeconds(1));
			Retry outer = retry(policy("outer").attemptTimeout(Duration.ofMillis(10)).maxAttempts(1).build());
			CountDownLatch never = new CountDownLatch(1);
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> outer.call(() -> inner.call(() -> never.await(60, TimeUnit.SECONDS))));
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(10));
		}

		@Test
		void beforeAWaitOfAnotherCallCarriesTheClockPastIt() throws Exception {
			CountDownLatch working = new CountDownLatch(1);
			Retry slow = retry(policy("slow").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			Future<Void> call = VirtualTimeTests.this.threads.submit(() -> slow.<Void, Exception>call(() -> {
				working.countDown();
				spin(20);
				tell("slow");
				return null;
			}));
			await(working);
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> retry("other", Duration.ofHours(1)).call(() -> fail("other")));
			get(call);
			assertThat(VirtualTimeTests.this.told).containsExactly("0 other", "0 slow", "3600000 other",
					"10800000 other", "25200000 other");
		}

		@Test
		void butNotWithoutEnd() {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry inner = retry("inner", Duration.ofHours(2));
			Retry outer = retry(policy("outer").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(() -> outer
				.call(() -> get(VirtualTimeTests.this.threads.submit(() -> inner.call(() -> fail("inner"))))));
			VirtualTimeTests.this.time.advance(Duration.ofDays(1));
		}

		@Test
		void butNotWithoutEndForACallInAQueue() {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry retry = retry(policy("orders").maxAttempts(1).deadline(Duration.ofSeconds(1)).concurrency(1).build());
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(
					() -> retry.call(() -> get(VirtualTimeTests.this.threads.submit(() -> retry.call(() -> "inside")))))
				.withCauseInstanceOf(ConcurrencyExceededException.class);
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(1));
		}

		@Test
		void unlessAThreadSleepsThatMayBeItsStub() {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofHours(1)).maxAttempts(1).build());
			assertThatExceptionOfType(AttemptTimeoutException.class)
				.isThrownBy(() -> retry.call(() -> get(VirtualTimeTests.this.threads.submit(() -> {
					VirtualTimeTests.this.time.sleep(Duration.ofHours(2));
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
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

		@Test
		void butNothingElseDoes() throws InterruptedException {
			VirtualTimeTests.this.time.patience(SHORT);
			Cancellable unused = VirtualTimeTests.this.time.schedule(() -> tell("entry"), 1_000_000);
			Thread.sleep(10);
			retry("orders", Duration.ofSeconds(1)).call(() -> {
				Thread.sleep(10);
				return "done";
			});
			assertThat(VirtualTimeTests.this.told).isEmpty();
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

	}

	@Nested
	class KeepersOfCalls {

		@Test
		void holdTheClockWhileTheyAreAtWork() throws Exception {
			VirtualTimeTests.this.time.workBegins();
			VirtualTimeTests.this.time.workBegins();
			Future<?> advance = VirtualTimeTests.this.threads
				.submit(() -> VirtualTimeTests.this.time.advance(Duration.ofHours(1)));
			VirtualTimeTests.this.time.workEnds();
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
			VirtualTimeTests.this.time.workEnds();
			get(advance);
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofHours(1));
		}

		@Test
		void areNotJumpedFor() throws Exception {
			BackoffCalls calls = new BackoffCalls(VirtualTimeTests.this.time);
			calls.callKept("orders", "place", "k-1", 0);
			Cancellable unused = VirtualTimeTests.this.time.schedule(() -> tell("due"), 1_000_000);
			Thread.sleep(10);
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
			VirtualTimeTests.this.time.sleep(Duration.ofHours(1));
			assertThat(VirtualTimeTests.this.told).containsExactly("1 due");
			assertThat(calls.of("orders")).calls(1);
		}

	}

	@Nested
	class Rule7AHoldStopsTheClock {

		@Test
		@SuppressWarnings("try") // to close twice does nothing
		void untilItIsClosed() throws Exception {
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				for (int i = 0; i < 20; i++) {
					Retry retry = retry("orders", Duration.ofSeconds(1));
					calls.add(VirtualTimeTests.this.threads.submit(() -> retry.call(() -> fail("attempt"))));
				}
				while (VirtualTimeTests.this.told.size() < 20) {
					Thread.onSpinWait();
				}
				VirtualTime.Hold another = VirtualTimeTests.this.time.hold();
				hold.close();
				assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
				another.close();
			}
			calls.forEach(VirtualTimeTests::assertEnds);
			List<String> expected = new ArrayList<>();
			for (int millis : List.of(0, 1000, 3000, 7000)) {
				expected.addAll(Collections.nCopies(20, millis + " attempt"));
			}
			assertThat(VirtualTimeTests.this.told).isEqualTo(expected);
		}

		@Test
		void untilAllCallsHaveBegun() throws Exception {
			List<Future<Void>> calls = new ArrayList<>();
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				for (int i = 0; i < 20; i++) {
					calls.add(VirtualTimeTests.this.threads.submit(() -> {
						spin(1);
						return retry("orders", Duration.ofSeconds(1)).call(() -> fail("attempt"));
					}));
				}
				hold.untilBegun(20);
			}
			calls.forEach(VirtualTimeTests::assertEnds);
			assertThat(VirtualTimeTests.this.told.subList(0, 20)).containsOnly("0 attempt");
		}

		@Test
		void orForThePatience() throws InterruptedException {
			VirtualTimeTests.this.time.patience(Duration.ofMillis(25));
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
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
				holds.add(VirtualTimeTests.this.threads.submit(VirtualTimeTests.this.time::hold));
			}
			List<VirtualTime.Hold> held = new ArrayList<>();
			for (Future<VirtualTime.Hold> hold : holds) {
				held.add(get(hold));
			}
			CompletableFuture<Object> call = retry("orders", Duration.ofSeconds(1)).callAsync(() -> {
				throw new IOException("down");
			});
			for (VirtualTime.Hold hold : held) {
				assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
				VirtualTimeTests.this.threads.submit(hold::close).get(60, TimeUnit.SECONDS);
			}
			assertEnds(call);
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(7));
		}

		@Test
		void butNotAnAdvance() throws Exception {
			try (VirtualTime.Hold hold = VirtualTimeTests.this.time.hold()) {
				assertThat(hold).isNotNull();
				Retry retry = retry("orders", Duration.ofSeconds(1));
				Future<Void> call = VirtualTimeTests.this.threads.submit(() -> retry.call(() -> fail("attempt")));
				while (VirtualTimeTests.this.told.isEmpty()) {
					Thread.onSpinWait();
				}
				VirtualTimeTests.this.time.advance(Duration.ofMillis(2999));
				assertThat(VirtualTimeTests.this.told).containsExactly("0 attempt", "1000 attempt");
				assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(2999));
				VirtualTimeTests.this.time.advance(Duration.ofMillis(1));
				assertThat(VirtualTimeTests.this.told).last().isEqualTo("3000 attempt");
				VirtualTimeTests.this.time.advance(Duration.ofDays(1));
				assertEnds(call);
			}
		}

		@Test
		void aCallOnTheThreadThatHoldsTheClockFailsAtItsFirstWait() {
			String problem = "This thread holds the clock, so that its wait would never end: close the hold before, or "
					+ "call on another thread.";
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> retry("orders", Duration.ofSeconds(1)).call(() -> fail("attempt")))
				.satisfies((ex) -> assertThat(RetriesStoppedException.of(ex)).hasRootCauseMessage(problem)
					.extracting(RetriesStoppedException::reason)
					.isEqualTo(StopReason.NOT_RETRYABLE));
			hold.close();
		}

		@Test
		void tellsTheThreadThatWaitsWithinItForACall() throws Exception {
			VirtualTimeTests.this.time.patience(Duration.ofMillis(5));
			CompletableFuture<String> told = new CompletableFuture<>();
			Logger logger = warnings(told::complete);
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			Future<Object> call = VirtualTimeTests.this.threads
				.submit(() -> retry("waits", Duration.ofSeconds(1)).call(() -> fail("waits")));
			assertThat(get(told)).isEqualTo("Virtual time has stood for 5 ms of real time: it is held, and all calls "
					+ "wait. Close the hold before you wait for them.");
			logger.setFilter(null);
			hold.close();
			assertEnds(call);
		}

		@Test
		void anotherTestBeginsWithoutIt() throws InterruptedException {
			VirtualTimeTests.this.time.sleep(Duration.ofSeconds(1));
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			VirtualTimeTests.this.time.reset();
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
			VirtualTimeTests.this.time.sleep(Duration.ofSeconds(2));
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(2));
			hold.close();
		}

	}

	@Nested
	class Advancing {

		@Test
		void needsNoCall() {
			VirtualTimeTests.this.time.advance(Duration.ofDays(365));
			VirtualTimeTests.this.time.advance(Duration.ZERO);
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofDays(365));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> VirtualTimeTests.this.time.advance(Duration.ofSeconds(-1)))
				.withMessage("Invalid duration (-1s): must not be negative.");
		}

		@Test
		void goesOnThoughItsThreadWorksForACall() {
			String result = retry("orders", Duration.ofSeconds(1)).call(() -> {
				VirtualTimeTests.this.time.advance(Duration.ofSeconds(3));
				return "done";
			});
			assertThat(result).isEqualTo("done");
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(3));
		}

		@Test
		void goesOnThoughTheThreadIsInterrupted() {
			Thread.currentThread().interrupt();
			VirtualTimeTests.this.time.advance(Duration.ofHours(5));
			assertThat(Thread.interrupted()).isTrue();
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofHours(5));
		}

		@Test
		void endsWhereItShouldThoughATimeoutIsOverdueInRealTime() throws Exception {
			VirtualTimeTests.this.time.patience(SHORT);
			CountDownLatch working = new CountDownLatch(1);
			Retry retry = retry(policy("orders").attemptTimeout(Duration.ofMillis(20)).maxAttempts(1).build());
			VirtualTime.Hold hold = VirtualTimeTests.this.time.hold();
			Future<Void> call = VirtualTimeTests.this.threads.submit(() -> retry.<Void, Exception>call(() -> {
				working.countDown();
				new CountDownLatch(1).await();
				return null;
			}));
			await(working);
			VirtualTimeTests.this.time.advance(Duration.ofMillis(10));
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofMillis(10));
			hold.close();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(call))
				.withCauseInstanceOf(AttemptTimeoutException.class);
		}

		@Test
		void leavesNoInterruptOfAJobToTheNextOne() {
			for (int hours = 1; hours <= 2; hours++) {
				VirtualTimeTests.this.time.scheduleJob(() -> {
					tell(String.valueOf(Thread.currentThread().isInterrupted()));
					Thread.currentThread().interrupt();
				}, Duration.ofHours(hours));
			}
			VirtualTimeTests.this.time.advance(Duration.ofHours(2));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(VirtualTimeTests.this.told).containsExactly("3600000 false", "7200000 false");
		}

		@Test
		void doesNotWaitLongAfterAJobThatSlept() {
			VirtualTimeTests.this.time.scheduleJob(() -> {
				try {
					VirtualTimeTests.this.time.sleep(Duration.ofMinutes(1));
				}
				catch (InterruptedException ex) {
					tell("interrupted");
				}
				tell("slept");
			}, Duration.ofHours(1));
			long began = System.nanoTime();
			VirtualTimeTests.this.time.advance(Duration.ofHours(2));
			assertThat(System.nanoTime() - began).isLessThan(LONG.toNanos());
			assertThat(VirtualTimeTests.this.told).containsExactly("3660000 slept");
		}

		@Test
		void takesTurnsWithAnAdvanceOnAnotherThread() throws Exception {
			List<Future<?>> advances = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				advances.add(VirtualTimeTests.this.threads
					.submit(() -> VirtualTimeTests.this.time.advance(Duration.ofHours(1))));
			}
			for (Future<?> advance : advances) {
				get(advance);
			}
			assertThat(VirtualTimeTests.this.time.elapsed()).isBetween(Duration.ofHours(1), Duration.ofHours(50));
		}

	}

	@Nested
	class TwoTimes {

		@Test
		void doNotDisturbEachOther() {
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
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

	}

	@Nested
	class Sleeping {

		@Test
		void endsWhenTheThreadIsInterrupted() throws Exception {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> VirtualTimeTests.this.time.sleep(Duration.ZERO));
			assertThat(Thread.interrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> VirtualTimeTests.this.time.sleep(Duration.ofSeconds(1)));
			assertThat(Thread.interrupted()).isFalse();
			assertThat(VirtualTimeTests.this.time.elapsed()).isZero();
		}

		@Test
		void endsEarlyAtTheEndOfItsTest() throws Exception {
			VirtualTime time = VirtualTimeTests.this.time;
			VirtualTime.Hold hold = time.hold();
			Future<Duration> woken = VirtualTimeTests.this.threads.submit(() -> {
				time.sleep(Duration.ofHours(1));
				return time.elapsed();
			});
			while (!time.get(time.agenda::wake)) {
				Thread.onSpinWait();
			}
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
					VirtualTimeTests.this.time.advance(Duration.ofSeconds(1));
					assertThatExceptionOfType(IOException.class).isThrownBy(() -> inner.call(() -> fail("inner")));
					return CompletableFuture.completedFuture("done");
				});
			assertThat(get(result)).isEqualTo("done");
			assertThat(VirtualTimeTests.this.told).containsExactly("1000 backoff-virtual-time", "2000 inner",
					"3000 inner", "5000 inner", "9000 inner");
		}

		@Test
		void isNotKeptFromCallsByAnAttemptThatBlocksTheThreadOfATask() throws Exception {
			VirtualTimeTests.this.time.patience(SHORT);
			Retry inner = retryBuilder(policy("inner").build()).executor(VirtualTimeTests.this.threads).build();
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
			Cancellable unused = VirtualTimeTests.this.time.schedule(() -> {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("on purpose");
			}, 1);
			Cancellable next = VirtualTimeTests.this.time
				.schedule(() -> tell(String.valueOf(Thread.currentThread().isInterrupted())), 1);
			VirtualTimeTests.this.time.sleep(Duration.ofSeconds(1));
			VirtualTimeTests.this.time.sleep(Duration.ofSeconds(1));
			assertThat(VirtualTimeTests.this.time.elapsed()).isEqualTo(Duration.ofSeconds(2));
			next.cancel();
			assertThat(VirtualTimeTests.this.told).containsExactly("0 false");
		}

	}

}
