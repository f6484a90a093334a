package dev.backoff.kit;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doReturn;

/** A spy keeps its proxy, and with it faults and records. */
@SpringBootTest
class SpyTests {

	@MockitoSpyBean
	private PaymentCallbacks callbacks;

	@Test
	void isRetried(@Autowired BackoffCalls calls, @Autowired BackoffFaults faults) {
		doReturn("stubbed").when(this.callbacks).send(any());
		calls.clear();
		faults.of("payment-callback").fails(2);
		assertThat(this.callbacks.send(new Payment("t-1"))).isEqualTo("stubbed");
		assertThat(calls.of("payment-callback")).attempts(3).succeeded();
	}

}
