package dev.backoff.breaker;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CircuitOpenExceptionTests {

	@Test
	void tellsSinceWhenAndForHowLong() {
		CircuitOpenException ex = new CircuitOpenException("payments", "open", Duration.ofSeconds(2),
				Duration.ofMillis(18_500));
		assertThat(ex)
			.hasMessage("Circuit breaker payments is open since 2 s, for another 18.5 s; the call was not made.");
		assertThat(ex.breaker()).isEqualTo("payments");
		assertThat(ex.openFor()).isEqualTo(Duration.ofSeconds(2));
		assertThat(ex.timeToProbe()).isEqualTo(Duration.ofMillis(18_500));
	}

	@Test
	void leavesOutWhatIsUnknown() {
		assertThat(new CircuitOpenException("payments", "half-open", null, null))
			.hasMessage("Circuit breaker payments is half-open; the call was not made.");
		assertThat(new CircuitOpenException("payments", "forced-open", Duration.ofMinutes(5), null))
			.hasMessage("Circuit breaker payments is forced-open since 5 min; the call was not made.");
		assertThat(new CircuitOpenException("payments", "open", null, Duration.ofSeconds(3)))
			.hasMessage("Circuit breaker payments is open for another 3 s; the call was not made.");
		assertThat(new CircuitOpenException("payments", "open", null, null).timeToProbe()).isNull();
		assertThat(new CircuitOpenException("payments", "open", null, null).openFor()).isNull();
	}

	@Test
	void takesTheLargestDurations() {
		Duration largest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
		assertThat(new CircuitOpenException("payments", "open", largest, largest).timeToProbe()).isEqualTo(largest);
	}

}
