package dev.backoff.kit;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;

import static org.assertj.core.api.Assertions.assertThat;

/** The client and the test on the page for coding assistants. */
@SpringBootTest
class DeliveriesTests {

	@Test
	void keeps(@Autowired Deliveries deliveries, @Autowired BackoffFaults faults, @Autowired BackoffCalls calls) {
		faults.of("deliveries").answers(503); // every attempt
		assertThat(deliveries.order("p1")).isEqualTo("kept after 4 attempts");
		assertThat(calls.of("deliveries")).attempts(4).waited("100ms", "200ms", "400ms").recovered();
	}

	@Test
	void endsAttemptsThatHangOrTakeLong(@Autowired Deliveries deliveries, @Autowired BackoffFaults faults,
			@Autowired BackoffCalls calls) {
		faults.of("deliveries")
			.hangs(Duration.ofSeconds(10))
			.times(1)
			.takes(Duration.ofSeconds(10))
			.times(1)
			.answers(503);
		assertThat(deliveries.order("p1")).isEqualTo("kept after 4 attempts");
		assertThat(calls.of("deliveries")).attempts(4)
			.outcome(1, AttemptOutcome.TIMEOUT)
			.outcome(2, AttemptOutcome.TIMEOUT)
			.waited("100ms", "200ms", "400ms")
			.took(Duration.ofMillis(6_700))
			.recovered();
	}

	@Test
	void ordersWithOneKeyThoughTheAnswerIsLost(@Autowired Deliveries deliveries, @Autowired BackoffFaults faults,
			@Autowired BackoffCalls calls, @Autowired Carrier carrier) {
		faults.of("deliveries").losesTheAnswer(1).passes();
		assertThat(deliveries.order("p1")).isEqualTo("ordered");
		assertThat(calls.of("deliveries")).attempts(2).succeeded().sameKeyAtEachAttempt();
		assertThat(carrier.keys()).hasSize(2).allMatch(carrier.keys().get(0)::equals);
	}

}
