package dev.backoff.benchmarks.herd;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.backoff.delay.Jitter;

import static org.assertj.core.api.Assertions.assertThat;

class HerdTests {

	private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

	@Test
	void staysTogetherWithoutJitter() {
		assertThat(Herd.run(Jitter.none(), 1).fullestBinShare(HALF_A_SECOND)).isEqualTo(1);
	}

	@Test
	void isSpreadByFullJitter() {
		assertThat(Herd.run(Jitter.full(), 1).fullestBinShare(HALF_A_SECOND)).isBetween(0.01, 0.036);
	}

	@Test
	void countsEachRetry() {
		Herd herd = Herd.run(Jitter.full(), 1);
		assertThat(IntStream.range(0, herd.bins()).map(herd::requests).sum()).isEqualTo(8 * Herd.CLIENTS);
	}

}
