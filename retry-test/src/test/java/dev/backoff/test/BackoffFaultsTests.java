package dev.backoff.test;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BackoffFaultsTests {

	private final BackoffFaults faults = new BackoffFaults(new VirtualTime(), 1,
			() -> List.of("payments-send", "Payments.send", "Letters.send"));

	@Test
	void doNotReachANameThatDiffersInPunctuation() {
		FaultScript policy = this.faults.of("payments-send").fails();
		assertThat(this.faults.find("others", "Payments.send")).isNull();
		assertThat(this.faults.find("payments-send", "Payments.send")).isSameAs(policy);
		FaultScript method = this.faults.of("Payments.send").fails();
		assertThat(this.faults.find("payments-send", "Payments.send")).isSameAs(method);
		assertThat(this.faults.find("payments-send", "Others.send")).isSameAs(policy);
	}

	@Test
	void takeANameInAnySpellingThatIsOfOneOnly() {
		FaultScript script = this.faults.of("letters-send").fails();
		assertThat(this.faults.find("letters", "Letters.send")).isSameAs(script);
		assertThatExceptionOfType(UnrecordedCallError.class).isThrownBy(() -> this.faults.of("PaymentsSend"))
			.withMessageStartingWith("Invalid name (PaymentsSend): must be that of a method with @Backoff");
	}

}
