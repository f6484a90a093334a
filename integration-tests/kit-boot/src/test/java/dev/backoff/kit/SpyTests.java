package dev.backoff.kit;

import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.util.AopTestUtils;

import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.verify;

/** A spy keeps its proxy, and with it faults and records. */
@SpringBootTest
class SpyTests {

	@MockitoSpyBean
	private PaymentCallbacks callbacks;

	@Test
	void ofAPublisherIsStubbedBehindItsProxy(@Autowired BackoffCalls calls, @Autowired BackoffFaults faults) {
		PaymentCallbacks spy = AopTestUtils.getUltimateTargetObject(this.callbacks);
		doReturn(Mono.just("stubbed")).when(spy).sendReactively(any());
		faults.of("PaymentCallbacks.sendReactively").fails(2);
		StepVerifier.create(this.callbacks.sendReactively(new Payment("t-1"))).expectNext("stubbed").verifyComplete();
		assertThat(calls.of("PaymentCallbacks.sendReactively")).attempts(3).succeeded();
		verify(spy).sendReactively(any());
	}

	@Test
	void isRetried(@Autowired BackoffCalls calls, @Autowired BackoffFaults faults) {
		PaymentCallbacks spy = AopTestUtils.getUltimateTargetObject(this.callbacks);
		doReturn("stubbed").when(spy).send(any());
		faults.of("payment-callback").fails(2);
		assertThat(this.callbacks.send(new Payment("t-1"))).isEqualTo("stubbed");
		assertThat(calls.of("payment-callback")).attempts(3).succeeded();
	}

}
