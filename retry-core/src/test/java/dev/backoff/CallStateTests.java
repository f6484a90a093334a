package dev.backoff;

import org.junit.jupiter.api.Test;

import dev.backoff.fixture.VirtualTime;
import dev.backoff.policy.RetryPolicy;

import static org.assertj.core.api.Assertions.assertThat;

class CallStateTests {

	private final VirtualTime time = new VirtualTime();

	private final CallState call = new CallState(null);

	@Test
	void countsNoFurtherThanTheGreatestNumber() {
		begin(RetryPolicy.builder("p").maxAttempts(RetryPolicy.UNLIMITED_ATTEMPTS).build());
		// two billion attempts would take too long
		this.call.attempt = Integer.MAX_VALUE - 1;
		for (int i = 0; i < 3; i++) {
			this.call.beginNext(this.time.nanoTime());
			assertThat(this.call.attempt).isEqualTo(Integer.MAX_VALUE);
		}
	}

	private void begin(RetryPolicy policy) {
		this.call.begin(new CallSettings(policy, "OrderService.place", this.time, () -> null, null, null, null, null),
				this.time.nanoTime());
	}

}
