package dev.backoff.test;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffFaultsTests {

	private final BackoffFaults faults = new BackoffFaults(new VirtualTime(), 1,
			() -> List.of("payments-send", "Payments.send"));

	@Test
	void doNotReachANameThatDiffersInPunctuation() {
		FaultScript policy = this.faults.of("payments-send").fails();
		assertThat(this.faults.find("others", "Payments.send")).isNull();
		assertThat(this.faults.find("payments-send", "Payments.send")).isSameAs(policy);
		FaultScript method = this.faults.of("Payments.send").fails();
		assertThat(this.faults.find("payments-send", "Payments.send")).isSameAs(method);
		assertThat(this.faults.find("payments-send", "Others.send")).isSameAs(policy);
	}

}
