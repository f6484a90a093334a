package dev.backoff.spring.policy;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values below one name of a section.
 *
 * @param <K> the keys
 * @param name the name as it is written
 * @param spelled whether the name is written at all: environment variables have only its
 * letters and digits
 * @param values the values, in the order of the keys
 */
record NamedValues<K extends Enum<K>>(String name, boolean spelled, Map<K, ConfigValue> values) {

	NamedValues {
		values = Collections.unmodifiableMap(new TreeMap<>(values));
	}

}
