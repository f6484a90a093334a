package dev.backoff.spring.configuration;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class EffectiveValueTests {

	@Test
	void isTextAndOriginInJson() {
		assertThat(new JsonMapper().writeValueAsString(EffectiveValue.builtIn("1s")))
			.isEqualTo("{\"value\":\"1s\",\"origin\":\"built in\"}");
	}

}
