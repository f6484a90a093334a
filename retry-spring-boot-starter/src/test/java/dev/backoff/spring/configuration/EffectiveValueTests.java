package dev.backoff.spring.configuration;

import java.util.Map;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class EffectiveValueTests {

	@Test
	void isTextAndOriginInJson() {
		assertThat(new JsonMapper().convertValue(EffectiveValue.builtIn("1s"), Map.class))
			.isEqualTo(Map.of("value", "1s", "origin", "built in"));
	}

}
