package dev.backoff;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;
import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;

import static org.assertj.core.api.Assertions.assertThat;

class RetryDelaysTests {

	private final VirtualTime time = new VirtualTime();

	private static RetryPolicyBuilder policy() {
		return RetryPolicy.builder("orders").jitter(Jitter.none());
	}

	private Retry retry(RetryPolicyBuilder policy) {
		return Retry.builder(policy.build()).time(this.time).random(() -> 0.5).build();
	}

	private List<Duration> all(Retry retry) {
		List<Duration> all = new ArrayList<>();
		Supplier<Duration> delays = retry.delays();
		for (Duration next = delays.get(); next != null && all.size() < 20; next = delays.get()) {
			all.add(next);
			this.time.advance(next);
		}
		return all;
	}

	@Test
	void areThoseOfThePolicy() {
		assertThat(all(retry(policy()))).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200),
				Duration.ofMillis(400));
	}

	@Test
	void areDrawnFromItsChance() {
		assertThat(all(retry(RetryPolicy.builder("orders").maxAttempts(3)))).containsExactly(Duration.ofMillis(50),
				Duration.ofMillis(100));
	}

	@Test
	void buildOnEachOtherWhereTheJitterDoes() {
		List<Duration> delays = all(retry(policy().jitter(Jitter.decorrelated()).maxAttempts(4)));
		assertThat(delays).containsExactly(Duration.ofMillis(200), Duration.ofMillis(350), Duration.ofMillis(575));
	}

	@Test
	void areNoneWithASingleAttempt() {
		assertThat(all(retry(policy().maxAttempts(1)))).isEmpty();
	}

	@Test
	void endWhereTheNextAttemptDoesNotFitBeforeTheDeadline() {
		assertThat(all(retry(policy().deadline(Duration.ofMillis(310)).maxAttempts(9))))
			.containsExactly(Duration.ofMillis(100));
		assertThat(all(retry(policy().deadline(Duration.ofMillis(311)).maxAttempts(9)))).hasSize(2);
	}

	@Test
	void neverEndWithoutALimit() {
		assertThat(all(retry(policy().maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS)))).hasSize(20)
			.last()
			.isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void endWhereRetriesAreSwitchedOff() {
		boolean[] enabled = { true };
		Retry retry = Retry.builder(policy().build()).time(this.time).enabledWhen(() -> enabled[0]).build();
		Supplier<Duration> delays = retry.delays();
		assertThat(delays.get()).isNotNull();
		enabled[0] = false;
		assertThat(delays.get()).isNull();
		assertThat(all(retry(policy().enabled(false)))).isEmpty();
	}

	@Test
	void followASwitchFromTheNextCallOn() {
		Retry retry = retry(policy());
		Supplier<Duration> before = retry.delays();
		retry.switchTo(retry(policy().base(Duration.ofSeconds(1))));
		assertThat(before.get()).isEqualTo(Duration.ofMillis(100));
		assertThat(retry.delays().get()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void areAskedForFailuresThatAreWorthIt() {
		Retry retry = retry(policy().abortOn(IllegalStateException.class));
		assertThat(retry.isRetryable(new IOException("reset"))).isTrue();
		assertThat(retry.isRetryable(new IllegalStateException("closed"))).isFalse();
		assertThat(retry.isRetryable(new IllegalArgumentException("wrong"))).isFalse();
		assertThat(retry.isRetryable(new OutOfMemoryError("full"))).isFalse();
	}

}
