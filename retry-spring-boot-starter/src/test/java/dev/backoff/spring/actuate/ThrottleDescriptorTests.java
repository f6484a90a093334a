package dev.backoff.spring.actuate;

import org.junit.jupiter.api.Test;

import dev.backoff.spring.actuate.PolicyDescriptions.SlotsDescriptor;
import dev.backoff.throttle.Throttle;

import static org.assertj.core.api.Assertions.assertThat;

class ThrottleDescriptorTests {

	@Test
	void hasNoMostWaitingWhereAnyNumberMayWait() {
		Throttle attempts = new Throttle("orders", 2, 20);
		assertThat(attempts.tryAcquire()).isTrue();
		assertThat(SlotsDescriptor.of(attempts)).isEqualTo(new SlotsDescriptor(2, 1, 0, 20));
		assertThat(SlotsDescriptor.of(new Throttle("orders", 5, Throttle.UNLIMITED)))
			.isEqualTo(new SlotsDescriptor(5, 0, 0, null));
	}

	@Test
	void isNotThereWithoutALimit() {
		Throttle unlimited = new Throttle("orders", Throttle.UNLIMITED, Throttle.UNLIMITED);
		assertThat(SlotsDescriptor.of(null)).isNull();
		assertThat(SlotsDescriptor.of(unlimited)).isNull();
	}

}
