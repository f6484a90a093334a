package dev.backoff;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.throttle.ConcurrencyExceededException;
import dev.backoff.throttle.Throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What the contract of the drivers does not show of slots and turns. */
@Timeout(120)
class ThrottledCallTests {

	private final Throttle throttle = new Throttle("orders", 1, Throttle.UNLIMITED);

	private final WaitingCalls waiting = new WaitingCalls();

	private final Retry retry = retry(policy()).build();

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").base(Duration.ZERO).jitter(Jitter.none()).maxAttempts(3);
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build()).throttle(this.throttle).waitingCalls(this.waiting).executor(Runnable::run);
	}

	private static <T> CompletableFuture<T> completed(T value) {
		return CompletableFuture.completedFuture(value);
	}

	@Test
	void aRetryHasSlotsOfItsOwnByItsPolicy() {
		Retry own = Retry.of(policy().concurrency(1).maxWaiting(0).build());
		CompletableFuture<String> running = new CompletableFuture<>();
		CompletableFuture<String> first = own.callAsync(() -> running);
		assertThatThrownBy(() -> own.call(() -> "second")).isInstanceOf(ConcurrencyExceededException.class);
		running.complete("first");
		assertThat(first).isCompletedWithValue("first");
		assertThat(own.call(() -> "second")).isEqualTo("second");
	}

	@Test
	void aRefusedCallIsNotRetriedByACallAroundIt() {
		Retry outer = Retry.of(policy().base(Duration.ofHours(1)).build());
		Retry inner = Retry.of(policy().concurrency(1).maxWaiting(0).build());
		CompletableFuture<String> unused = inner.callAsync(CompletableFuture::new);
		assertThatThrownBy(() -> outer.call(() -> inner.call(() -> "inner")))
			.isInstanceOf(ConcurrencyExceededException.class)
			.satisfies((failure) -> assertThat(RetriesStoppedException.of(failure).attempts()).isLessThanOrEqualTo(1));
	}

	@Test
	void aCallThatOutlivesTheAttemptAroundItTakesASlot() {
		CompletableFuture<String> first = new CompletableFuture<>();
		List<CompletableFuture<String>> inner = new ArrayList<>();
		AtomicInteger attempts = new AtomicInteger();
		this.retry.run(() -> inner.add(this.retry.callAsync(() -> {
			attempts.incrementAndGet();
			return first;
		})));
		assertThat(attempts).as("within the attempt that holds the slot").hasValue(1);
		assertThat(this.throttle.active()).isZero();
		assertThat(this.throttle.tryAcquire()).isTrue();
		first.completeExceptionally(new IllegalStateException("down"));
		assertThat(attempts).as("after it").hasValue(1);
		assertThat(this.throttle.waiting()).isEqualTo(1);
		this.throttle.release();
		assertThat(attempts.get()).isGreaterThan(1);
		assertThat(inner.get(0)).isCompletedExceptionally();
		assertThat(this.throttle.active()).isZero();
	}

	@Test
	@SuppressWarnings("try") // the scope is open and not used
	void aCallInACapturedContextNeedsNoSlotAsLongAsTheAttemptHoldsOne() throws Exception {
		Retry other = Retry.of(RetryPolicy.defaults("other"));
		List<RetryContext> captured = new ArrayList<>();
		Operation<Integer, Exception> inner = () -> {
			try (RetryContext.Scope scope = captured.get(0).open()) {
				return this.retry.callAsync(() -> completed(this.throttle.active())).getNow(-1);
			}
		};
		ExecutorService elsewhere = Executors.newSingleThreadExecutor();
		try {
			int active = this.retry.call(() -> other.call(() -> {
				captured.add(RetryContext.capture());
				return elsewhere.submit(inner::run).get();
			}));
			assertThat(active).isEqualTo(1);
			assertThat(this.throttle.tryAcquire()).isTrue();
			assertThat(elsewhere.submit(inner::run).get()).as("waits for a slot").isEqualTo(-1);
		}
		finally {
			elsewhere.shutdownNow();
		}
	}

	@Test
	void aCallOfAListenerTakesASlotWhileTheCallWaits() {
		List<Integer> active = new ArrayList<>();
		RetryListener listener = new RetryListener() {

			@Override
			public void onRetry(RetryEvent.Scheduled event) {
				active.add(ThrottledCallTests.this.retry.call(ThrottledCallTests.this.throttle::active));
			}

		};
		assertThatThrownBy(() -> retry(policy()).listener(listener).build().run(() -> {
			throw new IllegalStateException("down");
		})).isInstanceOf(IllegalStateException.class);
		assertThat(active).containsExactly(1, 1);
	}

	@Test
	void aCallThatAListenerEndsLeavesTheQueue() {
		RetryListener fatal = new RetryListener() {

			@Override
			public void onRetry(RetryEvent.Scheduled event) {
				if (event.delay().isZero() && ThrottledCallTests.this.throttle.waiting() > 0) {
					throw new OutOfMemoryError("by a listener");
				}
				ThrottledCallTests.this.throttle.tryAcquire();
			}

		};
		Retry ended = retry(policy()).listener(fatal).build();
		assertThatThrownBy(() -> ended.run(() -> {
			throw new IllegalStateException("down");
		})).isInstanceOf(OutOfMemoryError.class);
		assertThat(this.throttle.waiting()).isZero();
		this.throttle.release();
		CompletableFuture<Object> later = ended
			.callAsync(() -> CompletableFuture.failedFuture(new IllegalStateException("down")));
		assertThat(later).isCompletedExceptionally();
		assertThat(this.throttle.waiting()).isZero();
		assertThat(this.throttle.active()).isEqualTo(1);
	}

	@Test
	void moreSlotsServeWaitingCallsAtOnce() {
		assertThat(this.throttle.tryAcquire()).isTrue();
		List<CompletableFuture<String>> calls = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			calls.add(this.retry.callAsync(() -> completed("fine")));
		}
		assertThat(calls).noneMatch(CompletableFuture::isDone);
		this.throttle.change(2, 0);
		assertThat(calls).allSatisfy((call) -> assertThat(call).isCompletedWithValue("fine"));
		assertThat(this.waiting.count()).isZero();
	}

	@Test
	void aCancelledCallLeavesTheQueue() {
		assertThat(this.throttle.tryAcquire()).isTrue();
		CompletableFuture<String> call = this.retry.callAsync(() -> completed("fine"));
		assertThat(call.cancel(true)).isTrue();
		assertThat(this.throttle.waiting()).isZero();
		assertThat(this.waiting.count()).isZero();
	}

	@Test
	void anInterruptedCallLeavesTheQueue() {
		assertThat(this.throttle.tryAcquire()).isTrue();
		VirtualTime time = new VirtualTime().interruptSleep(1);
		Throwable thrown = catchThrowable(() -> retry(policy()).time(time).build().call(() -> "fine"));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(thrown).isInstanceOf(ConcurrencyExceededException.class);
		assertThat(RetriesStoppedException.of(thrown).reason()).isEqualTo(StopReason.INTERRUPTED);
		assertThat(this.throttle.waiting()).isZero();
		assertThat(this.throttle.active()).isEqualTo(1);
	}

	@Test
	void retriesThatAreSwitchedOffEndInTheQueue() {
		boolean[] enabled = { true };
		Retry switched = retry(policy()).enabledWhen(() -> enabled[0]).build();
		CompletableFuture<String> first = new CompletableFuture<>();
		CompletableFuture<String> retried = switched.callAsync(() -> first);
		this.throttle.change(2, Throttle.UNLIMITED);
		assertThat(this.throttle.tryAcquire()).isTrue();
		this.throttle.change(1, Throttle.UNLIMITED);
		first.completeExceptionally(new IllegalStateException("down"));
		CompletableFuture<String> unbegun = switched.callAsync(() -> completed("fine"));
		assertThat(this.throttle.waiting()).isEqualTo(2);
		enabled[0] = false;
		assertThat(this.waiting.switchedOff("orders")).isEqualTo(1);
		assertThat(retried).isCompletedExceptionally();
		assertThat(unbegun).isNotDone();
		this.throttle.release();
		assertThat(unbegun).isCompletedWithValue("fine");
	}

	@Test
	void veryManyCallsAreServedOneAfterTheOtherOnOneThread() {
		assertThat(this.throttle.tryAcquire()).isTrue();
		List<CompletableFuture<String>> calls = new ArrayList<>();
		for (int i = 0; i < 100_000; i++) {
			calls.add(this.retry.callAsync(() -> completed("fine")));
		}
		this.throttle.release();
		assertThat(calls).allMatch((call) -> "fine".equals(call.getNow(null)));
		assertThat(this.throttle.active()).isZero();
	}

	/*
	 * Attempts that fail, time out, are cancelled or interrupted, wait and are shut down.
	 */
	@Test
	void neverMakeMoreAttemptsAtOnceThanThereAreSlots() throws Exception {
		Throttle slots = new Throttle("orders", 3, 6);
		AtomicInteger running = new AtomicInteger();
		ConcurrentLinkedQueue<Integer> seen = new ConcurrentLinkedQueue<>();
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			Retry retry = Retry.builder(policy().deadline(Duration.ofMillis(20)).build())
				.throttle(slots)
				.waitingCalls(this.waiting)
				.executor(executor)
				.build();
			Crowd.of(8, (number) -> {
				Random random = new Random(number);
				List<CompletableFuture<Integer>> calls = new ArrayList<>();
				for (int i = 0; i < 2_000; i++) {
					boolean fails = random.nextInt(3) == 0;
					if (i % 2 == 0) {
						Throwable unused = catchThrowable(() -> retry.call(() -> attempt(running, seen, fails)));
					}
					else if (i % 3 == 0) {
						// not counted, since its work may go on when its slot is free
						retry.callAsync(() -> completed("fine")).cancel(true);
					}
					else {
						calls.add(retry.callAsync(() -> completed(attempt(running, seen, fails))));
					}
					if (random.nextInt(50) == 0) {
						this.waiting.wake("orders");
					}
				}
				if (number == 0) {
					this.waiting.shutDown();
				}
				assertThat(calls).allSatisfy((call) -> {
					Throwable unused = catchThrowable(call::join);
					assertThat(call).isDone();
				});
			});
		}
		finally {
			executor.shutdown();
			assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(seen).isNotEmpty().allMatch((count) -> count <= 3);
		assertThat(slots.active()).isZero();
		assertThat(slots.waiting()).isZero();
		assertThat(this.waiting.count()).isZero();
	}

	private static int attempt(AtomicInteger running, ConcurrentLinkedQueue<Integer> seen, boolean fails) {
		int count = running.incrementAndGet();
		try {
			seen.add(count);
			Thread.onSpinWait();
			if (fails) {
				throw new IllegalStateException("down");
			}
			return count;
		}
		finally {
			running.decrementAndGet();
		}
	}

}
