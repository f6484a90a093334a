package dev.backoff.sample.gateway;

import tools.jackson.databind.json.JsonMapper;

/** Write the answers of the gateway. */
final class Json {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private Json() {
	}

	static String write(Object value) {
		return MAPPER.writeValueAsString(value);
	}

}
