package dev.backoff.spring.advice;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import dev.backoff.CallRegistry;
import dev.backoff.annotation.Backoff;
import dev.backoff.fixture.Memory;
import dev.backoff.spring.autoconfigure.BackoffAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** What a waiting call of an annotated method costs: the bytes that it keeps. */
@Tag("allocation") // beside other tests, what these keep is collected in between
class WaitingMethodMemoryTests {

	private static final int CALLS = 20_000;

	private static final CompletableFuture<String> FAILED = CompletableFuture
		.failedFuture(new IllegalStateException("down"));

	private final CompletableFuture<?>[] calls = new CompletableFuture<?>[CALLS];

	@Test
	void isAtMostFourHundredAndTwentyBytesForOneCall() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, BackoffAutoConfiguration.class))
			.withBean(Partner.class)
			.run((context) -> {
				Partner partner = context.getBean(Partner.class);
				CallRegistry waiting = context.getBean(CallRegistry.class);
				Memory.Held held = Memory.heldBy(() -> {
					Arrays.setAll(this.calls, (call) -> partner.call());
					assertThat(waiting.waiting()).isEqualTo(CALLS);
				}, () -> {
					cancel();
					assertThat(waiting.waiting()).isZero();
				});
				assertThat(held.bytes() / CALLS).isBetween(100L, 420L);
				assertThat(held.left() / CALLS).as("less than the smallest object").isLessThan(16);
			});
	}

	private void cancel() {
		for (int i = 0; i < CALLS; i++) {
			assertThat(Objects.requireNonNull(this.calls[i]).cancel(true)).isTrue();
			this.calls[i] = null;
		}
	}

	static class Partner {

		@Backoff(base = "1h", cap = "2h", jitter = "equal", budget = "none", retryOn = IllegalStateException.class)
		public CompletableFuture<String> call() {
			return FAILED;
		}

	}

}
