package dev.backoff.spring.actuate;

import org.junit.jupiter.api.Test;

import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.spring.actuate.PolicyDescriptions.ConcurrencyDescriptor;

import static org.assertj.core.api.Assertions.assertThat;

class ConcurrencyDescriptorTests {

	@Test
	void hasNoMostWaitingWhereAnyNumberMayWait() {
		ConcurrencyLimit attempts = new ConcurrencyLimit("orders", 2, 20);
		assertThat(attempts.tryAcquire()).isTrue();
		assertThat(ConcurrencyDescriptor.of(attempts)).isEqualTo(new ConcurrencyDescriptor(2, 1, 0, 20));
		assertThat(ConcurrencyDescriptor.of(new ConcurrencyLimit("orders", 5, ConcurrencyLimit.UNLIMITED)))
			.isEqualTo(new ConcurrencyDescriptor(5, 0, 0, null));
	}

	@Test
	void isNotThereWithoutALimit() {
		ConcurrencyLimit unlimited = new ConcurrencyLimit("orders", ConcurrencyLimit.UNLIMITED,
				ConcurrencyLimit.UNLIMITED);
		assertThat(ConcurrencyDescriptor.of(null)).isNull();
		assertThat(ConcurrencyDescriptor.of(unlimited)).isNull();
	}

}
