package dev.backoff.delay;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RandomSourceTests {

	@Test
	void drawFromZeroToOne() {
		for (RandomSource source : new RandomSource[] { RandomSource.threadLocal(), RandomSource.secure() }) {
			Set<Double> draws = new HashSet<>();
			for (int i = 0; i < 100; i++) {
				double draw = source.next();
				assertThat(draw).isGreaterThanOrEqualTo(0).isLessThan(1);
				draws.add(draw);
			}
			assertThat(draws).hasSizeGreaterThan(90);
		}
	}

}
