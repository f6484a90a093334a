package dev.backoff.benchmarks.layers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class NestedLayersTests {

	@Test
	void oursDoNotMultiply() {
		assertThat(NestedLayers.BACKOFF.leafCalls()).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BACKOFF")
	void othersDoAndOursIfTold(NestedLayers layers) {
		assertThat(layers.leafCalls()).isEqualTo(27);
	}

}
