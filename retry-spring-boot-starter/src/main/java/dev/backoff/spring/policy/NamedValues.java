package dev.backoff.spring.policy;

import java.util.Map;

/**
 * The values below one name of a section.
 *
 * @param <K> the keys
 * @param name the name as it is written; environment variables have only its letters and
 * digits
 * @param values the values, in the order of the keys
 */
record NamedValues<K extends Enum<K>>(String name, Map<K, ConfigValue> values) {
}
