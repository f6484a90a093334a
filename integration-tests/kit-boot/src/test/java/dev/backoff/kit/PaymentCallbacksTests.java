package dev.backoff.kit;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import dev.backoff.event.StopReason;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;

/** The tests that the README and the page on testing begin with. */
@SpringBootTest
class PaymentCallbacksTests {

	private final Payment payment = new Payment("t-1");

	@Autowired
	private Merchant merchant;

	@Test
	void parksWhatTheMerchantRefusesSixTimes(@Autowired PaymentCallbacks callbacks, @Autowired BackoffCalls calls,
			@Autowired BackoffFaults faults) {
		faults.of("payment-callback").answers(503); // every attempt, until told otherwise
		callbacks.send(this.payment);
		assertThat(calls.of("payment-callback")).attempts(6)
			.waited("500ms", "1s", "2s", "4s", "8s")
			.stopped(StopReason.ATTEMPTS_EXHAUSTED)
			.recovered();
	}

	@Test
	void isAppliedOnceThoughTheAnswerIsLost(@Autowired PaymentCallbacks callbacks, @Autowired BackoffCalls calls,
			@Autowired BackoffFaults faults) {
		// the work is done, then the attempt fails, twice
		faults.of("payment-callback").losesTheAnswer(2).passes();
		callbacks.send(this.payment);
		assertThat(this.merchant.applied()).hasSize(1);
		assertThat(calls.of("PaymentCallbacks.send")).attempts(3).succeeded().sameKeyAtEachAttempt();
	}

}
