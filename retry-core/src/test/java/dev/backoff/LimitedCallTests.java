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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.concurrency.ConcurrencyExceededException;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.Jitter;
import dev.backoff.event.RetriesStoppedException;
import dev.backoff.event.RetryListener;
import dev.backoff.event.StopReason;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.HookedObserver;
import dev.backoff.fixture.Listeners;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** What the contract of the drivers does not show of permits. */
class LimitedCallTests {

	private final ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, ConcurrencyLimit.UNLIMITED);

	private final CallRegistry waiting = new CallRegistry();

	private final Retry retry = retry(policy()).build();

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").base(Duration.ZERO).jitter(Jitter.none()).maxAttempts(3);
	}

	private RetryBuilder retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build()).concurrencyLimit(this.limit).calls(this.waiting).executor(Runnable::run);
	}

	private static <T> CompletableFuture<T> completed(T value) {
		return CompletableFuture.completedFuture(value);
	}

	@Test
	void aRetryHasPermitsOfItsOwnByItsPolicy() {
		Retry own = Retry.builder(policy().concurrency(1).maxWaiting(0).build()).build();
		CompletableFuture<String> running = new CompletableFuture<>();
		CompletableFuture<String> first = own.callAsync(() -> running);
		assertThatThrownBy(() -> own.call(() -> "second")).isInstanceOf(ConcurrencyExceededException.class);
		running.complete("first");
		assertThat(first).isCompletedWithValue("first");
		assertThat(own.call(() -> "second")).isEqualTo("second");
	}

	@Test
	void aRefusedCallIsNotRetriedByACallAroundIt() {
		Retry outer = Retry.builder(policy().base(Duration.ofHours(1)).build()).build();
		Retry inner = Retry.builder(policy().concurrency(1).maxWaiting(0).build()).build();
		CompletableFuture<String> unused = inner.callAsync(CompletableFuture::new);
		assertThatThrownBy(() -> outer.call(() -> inner.call(() -> "inner")))
			.isInstanceOf(ConcurrencyExceededException.class)
			.satisfies((failure) -> assertThat(RetriesStoppedException.of(failure).attempts()).isLessThanOrEqualTo(1));
	}

	@Test
	void aCallThatOutlivesTheAttemptAroundItTakesAPermit() {
		CompletableFuture<String> first = new CompletableFuture<>();
		List<CompletableFuture<String>> inner = new ArrayList<>();
		AtomicInteger attempts = new AtomicInteger();
		this.retry.run(() -> inner.add(this.retry.callAsync(() -> {
			attempts.incrementAndGet();
			return first;
		})));
		assertThat(attempts).as("within the attempt that holds the permit").hasValue(1);
		assertThat(this.limit.active()).isZero();
		assertThat(this.limit.tryAcquire()).isTrue();
		first.completeExceptionally(new IllegalStateException("down"));
		assertThat(attempts).as("after it").hasValue(1);
		assertThat(this.limit.waiting()).isEqualTo(1);
		this.limit.release();
		assertThat(attempts.get()).isGreaterThan(1);
		assertThat(inner.get(0)).isCompletedExceptionally();
		assertThat(this.limit.active()).isZero();
	}

	@Test
	@SuppressWarnings("try") // the scope is open and not used
	void aCallInACapturedContextNeedsNoPermitAsLongAsTheAttemptHoldsOne() throws Exception {
		Retry other = Retry.builder(RetryPolicy.builder("other").build()).build();
		List<RetryContext> captured = new ArrayList<>();
		Operation<Integer, Exception> inner = () -> {
			try (RetryContext.Scope scope = captured.get(0).open()) {
				return this.retry.callAsync(() -> completed(this.limit.active())).getNow(-1);
			}
		};
		ExecutorService elsewhere = Executors.newSingleThreadExecutor();
		try {
			int active = this.retry.call(() -> other.call(() -> {
				captured.add(RetryContext.capture());
				return elsewhere.submit(inner::run).get();
			}));
			assertThat(active).isEqualTo(1);
			assertThat(this.limit.tryAcquire()).isTrue();
			assertThat(elsewhere.submit(inner::run).get()).as("waits for a permit").isEqualTo(-1);
		}
		finally {
			elsewhere.shutdownNow();
		}
	}

	@Test
	void aCallOfAListenerTakesAPermitWhileTheCallWaits() {
		List<Integer> active = new ArrayList<>();
		RetryListener listener = Listeners
			.onRetry((event) -> active.add(LimitedCallTests.this.retry.call(LimitedCallTests.this.limit::active)));
		assertThatThrownBy(() -> retry(policy()).listener(listener).build().run(() -> {
			throw new IllegalStateException("down");
		})).isInstanceOf(IllegalStateException.class);
		assertThat(active).containsExactly(1, 1);
	}

	@Test
	void aCallThatAListenerEndsLeavesTheQueue() {
		RetryListener fatal = Listeners.onRetry((event) -> {
			if (event.delay().isZero() && LimitedCallTests.this.limit.waiting() > 0) {
				throw new OutOfMemoryError("by a listener");
			}
			LimitedCallTests.this.limit.tryAcquire();
		});
		Retry ended = retry(policy()).listener(fatal).build();
		assertThatThrownBy(() -> ended.run(() -> {
			throw new IllegalStateException("down");
		})).isInstanceOf(OutOfMemoryError.class);
		assertThat(this.limit.waiting()).isZero();
		this.limit.release();
		CompletableFuture<Object> later = ended
			.callAsync(() -> CompletableFuture.failedFuture(new IllegalStateException("down")));
		assertThat(later).isCompletedExceptionally();
		assertThat(this.limit.waiting()).isZero();
		assertThat(this.limit.active()).isEqualTo(1);
	}

	@Test
	void aCancelledCallLeavesTheQueue() {
		assertThat(this.limit.tryAcquire()).isTrue();
		CompletableFuture<String> call = this.retry.callAsync(() -> completed("fine"));
		assertThat(call.cancel(true)).isTrue();
		assertThat(this.limit.waiting()).isZero();
		assertThat(this.waiting.waiting()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aCallThatIsCancelledAsItGetsItsPermitHasNoFailure(boolean withBreaker) {
		assertThat(this.limit.tryAcquire()).isTrue();
		List<CompletableFuture<String>> calls = new ArrayList<>();
		List<RetriesStoppedException> reports = new ArrayList<>();
		HookedObserver cancelling = new HookedObserver((what) -> {
			if ("attempt begins".equals(what)) {
				calls.get(0).cancel(true);
			}
		});
		calls.add(retry(policy()).observer(cancelling)
			.breaker(withBreaker ? CircuitBreaker.builder("gateway").build() : null)
			.listener(Listeners.onStop((stop) -> reports.add(stop.report())))
			.build()
			.callAsync(() -> completed("fine")));
		this.limit.release();
		assertThat(reports).singleElement()
			.satisfies((report) -> assertThat(report.reason()).isEqualTo(StopReason.CANCELLED))
			.satisfies((report) -> assertThat(report.failure()).isNull());
		assertThat(this.limit.active()).isZero();
	}

	@Test
	void anInterruptedCallLeavesTheQueue() {
		assertThat(this.limit.tryAcquire()).isTrue();
		VirtualTime time = new VirtualTime().interruptSleep(1);
		Throwable thrown = catchThrowable(() -> retry(policy()).time(time).build().call(() -> "fine"));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(thrown).isInstanceOf(ConcurrencyExceededException.class);
		assertThat(RetriesStoppedException.of(thrown).reason()).isEqualTo(StopReason.INTERRUPTED);
		assertThat(this.limit.waiting()).isZero();
		assertThat(this.limit.active()).isEqualTo(1);
	}

	@Test
	void retriesThatAreSwitchedOffEndInTheQueue() {
		boolean[] enabled = { true };
		Retry switched = retry(policy()).enabledWhen(() -> enabled[0]).build();
		CompletableFuture<String> first = new CompletableFuture<>();
		CompletableFuture<String> retried = switched.callAsync(() -> first);
		this.limit.change(2, ConcurrencyLimit.UNLIMITED);
		assertThat(this.limit.tryAcquire()).isTrue();
		this.limit.change(1, ConcurrencyLimit.UNLIMITED);
		first.completeExceptionally(new IllegalStateException("down"));
		CompletableFuture<String> unbegun = switched.callAsync(() -> completed("fine"));
		assertThat(this.limit.waiting()).isEqualTo(2);
		enabled[0] = false;
		assertThat(this.waiting.retriesAreOff("orders")).isEqualTo(1);
		assertThat(retried).isCompletedExceptionally();
		assertThat(unbegun).isNotDone();
		this.limit.release();
		assertThat(unbegun).isCompletedWithValue("fine");
	}

	@Test
	void veryManyCallsAreServedOneAfterTheOtherOnOneThread() {
		assertThat(this.limit.tryAcquire()).isTrue();
		List<CompletableFuture<String>> calls = new ArrayList<>();
		for (int i = 0; i < 100_000; i++) {
			calls.add(this.retry.callAsync(() -> completed("fine")));
		}
		this.limit.release();
		assertThat(calls).allMatch((call) -> "fine".equals(call.getNow(null)));
		assertThat(this.limit.active()).isZero();
	}

	/* Attempts that fail, time out, are cancelled, interrupted or shut down. */
	@Test
	void neverMakeMoreAttemptsAtOnceThanThereArePermits() throws Exception {
		ConcurrencyLimit permits = new ConcurrencyLimit("orders", 3, 6);
		AtomicInteger running = new AtomicInteger();
		ConcurrentLinkedQueue<Integer> seen = new ConcurrentLinkedQueue<>();
		ExecutorService executor = Executors.newFixedThreadPool(2);
		try {
			Retry retry = Retry.builder(policy().deadline(Duration.ofMillis(20)).build())
				.concurrencyLimit(permits)
				.calls(this.waiting)
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
						// not counted, since its work may go on when its permit is free
						retry.callAsync(() -> completed("fine")).cancel(true);
					}
					else {
						calls.add(retry.callAsync(() -> completed(attempt(running, seen, fails))));
					}
					if (random.nextInt(50) == 0) {
						this.waiting.wake("orders");
						permits.change(1 + random.nextInt(3), 6);
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
		assertThat(permits.active()).isZero();
		assertThat(permits.waiting()).isZero();
		assertThat(this.waiting.waiting()).isZero();
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
