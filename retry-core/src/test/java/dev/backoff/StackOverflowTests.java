package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.Shape;
import dev.backoff.fixture.Crowd;
import dev.backoff.fixture.StackOverflows;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.RetryTime;
import dev.backoff.window.WindowLength;

import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Overflows of the stack in the library itself, at all places that a wait and a stop
 * pass. They may cost a call, but none that follows.
 */
@Timeout(300)
class StackOverflowTests {

	private final CallRegistry waiting = new CallRegistry();

	private final CircuitBreaker breaker = CircuitBreaker.builder("gateway")
		.settings(BreakerSettings.builder().window(WindowLength.ofCalls(10)).minimumCalls(10).failureRate(1).build())
		.build();

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("orders")
			.shape(Shape.fixed(Duration.ofNanos(1)))
			.attemptTimeout(Duration.ofHours(1))
			.maxAttempts(2)
			.build())
		.calls(this.waiting)
		.breaker(this.breaker)
		.budget(RetryBudget.of("gateway", BudgetSettings.DEFAULTS))
		.executor(Runnable::run)
		.build();

	@Test
	void leaveNothingLocked() {
		StackOverflows.provoke(this::call);
		StackOverflows.provoke(this::callLater);
		Crowd.of(1, (number) -> {
			this.breaker.reset();
			call();
			callLater();
			this.waiting.oldestWaiting("orders", 10);
			CountDownLatch fired = new CountDownLatch(1);
			RetryTime.system().schedule(fired::countDown, 1);
			assertThatCode(fired::await).doesNotThrowAnyException();
		});
	}

	private void call() {
		try {
			this.retry.call(() -> {
				throw new IOException("down");
			});
		}
		catch (IOException | RuntimeException ex) {
			// as it should
		}
	}

	private void callLater() {
		try {
			this.retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down"))).cancel(true);
		}
		catch (RuntimeException ex) {
			// or so
		}
	}

}
