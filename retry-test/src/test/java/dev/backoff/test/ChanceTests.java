package dev.backoff.test;

import java.util.List;
import java.util.stream.DoubleStream;

import org.junit.jupiter.api.Test;

import dev.backoff.delay.RandomSource;

import static org.assertj.core.api.Assertions.assertThat;

class ChanceTests {

	@Test
	void threeDrawAlwaysTheSame() {
		assertThat(draws(Chance.LEAST, 1)).containsOnly(0.0);
		assertThat(draws(Chance.MIDDLE, 1)).containsOnly(0.5);
		assertThat(draws(Chance.GREATEST, 1)).containsOnly(Math.nextDown(1.0));
	}

	@Test
	void aSeedDecidesAllDraws() {
		assertThat(draws(Chance.SEEDED, 1)).isEqualTo(draws(Chance.SEEDED, 1))
			.isNotEqualTo(draws(Chance.SEEDED, 2))
			.allMatch((draw) -> draw >= 0 && draw < 1)
			.doesNotHaveDuplicates();
	}

	private static List<Double> draws(Chance chance, long seed) {
		RandomSource source = chance.source(seed);
		return DoubleStream.generate(source::next).limit(100).boxed().toList();
	}

}
