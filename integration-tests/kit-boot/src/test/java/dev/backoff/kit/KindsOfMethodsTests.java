package dev.backoff.kit;

import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

import dev.backoff.annotation.Backoff;
import dev.backoff.test.BackoffCalls;
import dev.backoff.test.BackoffFaults;
import dev.backoff.test.VirtualTime;

import static org.assertj.core.api.Assertions.assertThat;

/** Methods that give their result later wait in virtual time like all others. */
@SpringBootTest
@Import(KindsOfMethodsTests.Around.class)
class KindsOfMethodsTests {

	private final Payment payment = new Payment("t-1");

	@Autowired
	private PaymentCallbacks callbacks;

	@Autowired
	private Around around;

	@Autowired
	private BackoffCalls calls;

	@Autowired
	private BackoffFaults faults;

	@Autowired
	private VirtualTime time;

	@BeforeEach
	void fail() {
		for (String method : new String[] { "sendLater", "sendReactively", "sendTwice", "sendInBackground" }) {
			this.faults.of("PaymentCallbacks." + method).fails(1).losesTheAnswer(1);
		}
	}

	@Test
	void aFutureIsJoined() {
		assertThat(this.callbacks.sendLater(this.payment).join()).isEqualTo("noticed");
		assertRetried("sendLater");
	}

	@Test
	void aMonoIsVerifiedWithoutVirtualTimeOfReactor() {
		StepVerifier.create(this.callbacks.sendReactively(this.payment)).expectNext("noticed").verifyComplete();
		assertRetried("sendReactively");
	}

	@Test
	void aFluxIsVerifiedWithoutVirtualTimeOfReactor() {
		StepVerifier.create(this.callbacks.sendTwice(this.payment))
			.expectNext("first noticed", "second noticed")
			.verifyComplete();
		assertRetried("sendTwice");
	}

	@Test
	void workInTheBackgroundIsJoined() {
		assertThat(this.callbacks.sendInBackground(this.payment).join()).isEqualTo("noticed");
		assertRetried("sendInBackground");
	}

	@Test
	void aCallOfAPublisherInsideAnotherCostsNoPatience() {
		this.time.patience(Duration.ofDays(1));
		StepVerifier.create(this.around.send(this.payment)).expectNext("noticed").verifyComplete();
		this.time.patience(Duration.ofSeconds(10));
		assertRetried("sendReactively");
		assertThat(this.calls.of("Around.send")).succeededOnFirstAttempt().took(Duration.ofMillis(150));
	}

	private void assertRetried(String method) {
		assertThat(this.calls.of("PaymentCallbacks." + method)).attempts(3)
			.waited("50ms", "100ms")
			.succeeded()
			.sameKeyAtEachAttempt();
		assertThat(this.time.elapsed()).isEqualTo(Duration.ofMillis(150));
	}

	/** Makes a call on a thread of Reactor. */
	static class Around {

		private final PaymentCallbacks callbacks;

		Around(PaymentCallbacks callbacks) {
			this.callbacks = callbacks;
		}

		@Backoff(base = "1s")
		Mono<String> send(Payment payment) {
			return Mono.just(payment).publishOn(Schedulers.boundedElastic()).flatMap(this.callbacks::sendReactively);
		}

	}

}
