package dev.backoff.kit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import dev.backoff.Retry;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.Chance;
import dev.backoff.test.FaultScript;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Virtual time, faults and records without Spring. */
class PlainTests {

	private final VirtualTime time = new VirtualTime();

	private final BackoffCalls calls = new BackoffCalls(this.time);

	private final FaultScript faults = new FaultScript(this.time);

	private final Retry retry = Retry
		.builder(RetryPolicy.builder("orders").base(Duration.ofHours(1)).cap(Duration.ofDays(1)).build())
		.time(this.time)
		.random(Chance.MIDDLE.source(1))
		.observer(this.calls)
		.build();

	@Test
	void waitsInVirtualTime() throws Exception {
		this.faults.takes(Duration.ofSeconds(3)).times(1).fails(1).losesTheAnswer(1);
		assertThat(this.retry.call(this.faults.around(() -> "placed"))).isEqualTo("placed");
		assertThat(this.retry.call(this.faults.around(() -> "placed again"))).isEqualTo("placed again");
		assertThat(this.calls.of("orders")).calls(2).allSucceeded().retries(2);
		assertThat(this.calls.of("orders")).call(1).took(Duration.ofSeconds(3));
		assertThat(this.calls.of("orders")).call(2).waited("30m", "1h").took(Duration.ofMinutes(90));
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofMinutes(90).plusSeconds(3));
	}

	@Test
	void joinsFutures() {
		this.faults.losesTheAnswer(1);
		CompletableFuture<String> placed = this.retry
			.callAsync(() -> this.faults.around(() -> CompletableFuture.completedFuture("placed")).run());
		assertThat(placed.join()).isEqualTo("placed");
		assertThat(this.calls.of("orders")).attempts(2);
	}

	@Test
	void namesTheMissingLibrary() {
		assertThatIllegalStateException().isThrownBy(() -> this.faults.answers(503))
			.withMessage("This step needs spring-web, which is not there. Add it, or write "
					+ "fails(n, YourException::new).");
	}

}
