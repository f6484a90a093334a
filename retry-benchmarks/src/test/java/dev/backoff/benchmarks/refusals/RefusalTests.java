package dev.backoff.benchmarks.refusals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalTests {

	/* It checks each call's reason itself; how long it takes is only reported. */
	@ParameterizedTest
	@EnumSource
	void isWhatIsMeasured(Refusal refusal) {
		Refusal.Times times = refusal.measure();
		assertThat(times.median()).isPositive();
		assertThat(times.p99()).isGreaterThanOrEqualTo(times.median());
		assertThat(times.p9999()).isGreaterThanOrEqualTo(times.p99());
	}

}
