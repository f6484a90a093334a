package dev.backoff;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.Memory;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a waiting asynchronous call costs, as the difference of what is reachable before
 * and after: bytes counted, no time.
 */
@Timeout(300)
class WaitingMemoryTests {

	private static final int CALLS = 100_000;

	private static final CompletionStage<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	private final WaitingCalls waiting = new WaitingCalls();

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("orders")
			.retryOn(IllegalStateException.class)
			.base(Duration.ofHours(1))
			.cap(Duration.ofHours(2))
			.jitter(Jitter.equal())
			.build())
		.waitingCalls(this.waiting)
		.build();

	private final CompletableFuture<?>[] calls = new CompletableFuture<?>[CALLS];

	@AfterEach
	void leaveNothingScheduled() {
		this.waiting.shutDown();
	}

	@Test
	void isAtMostTwoHundredAndTenBytesForOneCall() {
		weighs(() -> FAILED);
	}

	@Test
	void isNoMoreIfAnAttemptHasMadeACallInside() {
		Retry inside = Retry.of(RetryPolicy.defaults("inside"));
		weighs(() -> inside.call(() -> FAILED));
	}

	private void weighs(AsyncOperation<String> operation) {
		start(operation);
		cancel();
		long before = Memory.used();
		int threads = Thread.activeCount();
		start(operation);
		long after = Memory.used();
		assertThat(this.waiting.count()).isEqualTo(CALLS);
		assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 1);
		assertThat((after - before) / CALLS).isBetween(100L, 210L);
		cancel();
		assertThat(this.waiting.count()).isZero();
		assertThat((Memory.used() - before) / CALLS).isLessThanOrEqualTo(1);
	}

	@Test
	void endsWithTheCallsOfWhichNothingIsKept() {
		Object[] arguments = Stream.generate(Object::new).limit(1_000).toArray();
		Reference<?>[] kept = Stream.of(arguments).map(WeakReference::new).toArray(Reference<?>[]::new);
		for (int i = 0; i < arguments.length; i++) {
			this.calls[i] = this.retry.callAsyncOn(arguments[i], (argument, number) -> FAILED, null);
		}
		assertThat(this.waiting.count()).isEqualTo(arguments.length);
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
		assertThat(this.waiting.count()).isZero();
	}

	private void start(AsyncOperation<String> operation) {
		for (int i = 0; i < CALLS; i++) {
			this.calls[i] = this.retry.callAsync(operation);
		}
	}

	private void cancel() {
		for (int i = 0; i < CALLS; i++) {
			assertThat(Objects.requireNonNull(this.calls[i]).cancel(true)).isTrue();
			this.calls[i] = null;
		}
	}

}
