package dev.backoff.kit;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;

/** A slice has virtual time, faults and records as the whole application has. */
@WebMvcTest(PaymentController.class)
@Import({ PaymentCallbacks.class, Merchant.class })
class SliceTests {

	@Test
	void answersAfterRetries(@Autowired MockMvcTester mvc, @Autowired BackoffCalls calls,
			@Autowired BackoffFaults faults) {
		faults.of("payment-callback").refusesConnections().times(2).passes();
		assertThat(mvc.post().uri("/payments/t-1/callback")).hasStatusOk().hasBodyTextEqualTo("noticed");
		assertThat(calls.of("payment-callback")).attempts(3).waited("500ms", "1s").succeeded();
	}

}
