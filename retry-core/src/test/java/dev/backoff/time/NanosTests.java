package dev.backoff.time;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NanosTests {

	private static final Duration LARGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

	private static final Duration SMALLEST = Duration.ofSeconds(Long.MIN_VALUE);

	@Test
	void tellsDurationsInNanoseconds() {
		assertThat(Nanos.of(Duration.ZERO)).isZero();
		assertThat(Nanos.of(Duration.ofNanos(1))).isEqualTo(1);
		assertThat(Nanos.of(Duration.ofMillis(-5))).isEqualTo(-5_000_000);
		assertThat(Nanos.of(Duration.ofNanos(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE - 1);
	}

	@Test
	void saturatesDurationsOnBothSides() {
		assertThat(Nanos.of(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo(Nanos.UNLIMITED);
		assertThat(Nanos.of(LARGEST)).isEqualTo(Nanos.UNLIMITED);
		assertThat(Nanos.of(SMALLEST)).isEqualTo(-Long.MAX_VALUE);
	}

	@Test
	void addsAndSaturates() {
		assertThat(Nanos.plus(0, 0)).isZero();
		assertThat(Nanos.plus(2, 3)).isEqualTo(5);
		assertThat(Nanos.plus(Long.MAX_VALUE, 0)).isEqualTo(Long.MAX_VALUE);
		assertThat(Nanos.plus(Long.MAX_VALUE - 1, 1)).isEqualTo(Long.MAX_VALUE);
		assertThat(Nanos.plus(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
		assertThat(Nanos.plus(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void multipliesAndSaturates() {
		assertThat(Nanos.times(0, Long.MAX_VALUE)).isZero();
		assertThat(Nanos.times(Long.MAX_VALUE, 0)).isZero();
		assertThat(Nanos.times(7, 6)).isEqualTo(42);
		assertThat(Nanos.times(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
		// 2^62 · 2 only changes the sign, 2^62 · 4 is zero in the low word
		assertThat(Nanos.times(1L << 62, 2)).isEqualTo(Long.MAX_VALUE);
		assertThat(Nanos.times(1L << 62, 4)).isEqualTo(Long.MAX_VALUE);
		assertThat(Nanos.times(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
	}

}
