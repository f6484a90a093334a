package dev.backoff;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.fixture.Memory;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;

import static org.assertj.core.api.Assertions.assertThat;

/** What a waiting asynchronous call costs: the difference of the bytes reachable. */
@Tag("long")
class WaitingMemoryTests {

	private static final int CALLS = 10_000;

	private static final CompletionStage<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	private final CallRegistry waiting = new CallRegistry();

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("orders")
			.retryOn(IllegalStateException.class)
			.base(Duration.ofHours(1))
			.cap(Duration.ofHours(2))
			.jitter(Jitter.equal())
			.build())
		.calls(this.waiting)
		.build();

	private final CompletableFuture<?>[] calls = new CompletableFuture<?>[CALLS];

	@AfterEach
	void leaveNothingScheduled() {
		this.waiting.shutDown();
	}

	@Test
	void isAtMostThreeHundredAndFortyBytesForOneCall() {
		weighs(() -> FAILED);
	}

	@Test
	void isNoMoreIfAnAttemptHasMadeACallInside() {
		Retry inside = Retry.builder(RetryPolicy.builder("inside").build()).build();
		weighs(() -> inside.call(() -> FAILED));
	}

	@Test
	void isAtMostEightyBytesMoreForEachRetryThatIsKept() {
		Retry retried = Retry
			.builder(RetryPolicy.builder("orders")
				.retryOn(IllegalStateException.class)
				.shape(Shape.ladder(List.of(Duration.ZERO, Duration.ZERO, Duration.ofHours(1))))
				.jitter(Jitter.none())
				.build())
			.calls(this.waiting)
			.executor(Runnable::run)
			.build();
		assertThat(weight(retried, () -> FAILED)).isBetween(200L, 340L + 2 * 80L);
	}

	@Test
	void isAtMostSixtyBytesMoreInTheQueueForAPermit() {
		ConcurrencyLimit limit = new ConcurrencyLimit("orders", 1, ConcurrencyLimit.UNLIMITED);
		assertThat(limit.tryAcquire()).isTrue();
		Retry throttled = Retry.builder(RetryPolicy.builder("orders").build())
			.calls(this.waiting)
			.concurrencyLimit(limit)
			.build();
		assertThat(weight(throttled, () -> FAILED)).isBetween(100L, weight(this.retry, () -> FAILED) + 60);
	}

	@Test
	void isNoMoreInTheQueueForATurnThanInThatForAPermit() {
		Pace pace = new Pace("orders", Duration.ofDays(1), ConcurrencyLimit.UNLIMITED, RetryTime.system(),
				(held, hold) -> {
				});
		long now = RetryTime.system().nanoTime();
		pace.throttled(now, Duration.ofHours(1).toNanos(), now);
		Retry paced = Retry.builder(RetryPolicy.builder("orders").build()).calls(this.waiting).pace(pace).build();
		assertThat(weight(paced, () -> FAILED)).isBetween(100L, weight(this.retry, () -> FAILED) + 60);
		pace.release();
	}

	private void weighs(AsyncOperation<String> operation) {
		assertThat(weight(this.retry, operation)).isBetween(100L, 340L);
	}

	private long weight(Retry retry, AsyncOperation<String> operation) {
		int threads = Thread.activeCount();
		Memory.Held held = Memory.heldBy(() -> {
			Arrays.setAll(this.calls, (call) -> retry.callAsync(operation));
			assertThat(this.waiting.waiting()).isEqualTo(CALLS);
		}, () -> {
			cancel();
			assertThat(this.waiting.waiting()).isZero();
		});
		assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
		assertThat(held.left() / CALLS).as("less than the smallest object").isLessThan(16);
		return (held.bytes() - Math.max(0, held.left())) / CALLS;
	}

	@Test
	void endsWithTheCallsOfWhichNothingIsKept() {
		Object[] arguments = Stream.generate(Object::new).limit(1_000).toArray();
		Reference<?>[] kept = Stream.of(arguments).map(WeakReference::new).toArray(Reference<?>[]::new);
		for (int i = 0; i < arguments.length; i++) {
			this.calls[i] = this.retry.callAsyncOn(arguments[i], (argument, number) -> FAILED, null);
		}
		assertThat(this.waiting.waiting()).isEqualTo(arguments.length);
		for (int i = 0; i < arguments.length; i++) {
			// the results themselves are still there
			assertThat(this.calls[i].cancel(true)).isTrue();
		}
		arguments = null;
		for (Reference<?> argument : kept) {
			while (argument.get() != null) {
				System.gc();
			}
		}
		assertThat(this.waiting.waiting()).isZero();
	}

	private void cancel() {
		for (int i = 0; i < CALLS; i++) {
			assertThat(Objects.requireNonNull(this.calls[i]).cancel(true)).isTrue();
			this.calls[i] = null;
		}
	}

}
