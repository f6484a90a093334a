package dev.backoff.spring.actuate;

import org.junit.jupiter.api.Test;

import dev.backoff.spring.actuate.PolicyDescriptions.SlotsDescriptor;
import dev.backoff.spring.actuate.PolicyDescriptions.ThrottleDescriptor;
import dev.backoff.spring.safety.OverloadSafety.PolicyThrottles;
import dev.backoff.throttle.Throttle;

import static org.assertj.core.api.Assertions.assertThat;

class ThrottleDescriptorTests {

	@Test
	void isOfAttemptsAndOfRecoveries() {
		Throttle attempts = new Throttle("orders", 2, 20);
		Throttle recoveries = new Throttle("orders", 5, Throttle.UNLIMITED);
		assertThat(attempts.tryAcquire()).isTrue();
		assertThat(ThrottleDescriptor.of(new PolicyThrottles(attempts, recoveries)))
			.isEqualTo(new ThrottleDescriptor(new SlotsDescriptor(2, 1, 0, 20), new SlotsDescriptor(5, 0, 0, null)));
	}

	@Test
	void isNotThereWithoutALimit() {
		Throttle unlimited = new Throttle("orders", Throttle.UNLIMITED, Throttle.UNLIMITED);
		assertThat(ThrottleDescriptor.of(new PolicyThrottles(null, null))).isNull();
		assertThat(ThrottleDescriptor.of(new PolicyThrottles(unlimited, null))).isNull();
	}

}
