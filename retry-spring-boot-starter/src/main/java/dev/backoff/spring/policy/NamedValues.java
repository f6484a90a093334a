package dev.backoff.spring.policy;

import java.util.Map;

/**
 * The values below one name of a section. The name is as written; environment variables
 * have only its letters and digits.
 */
record NamedValues<K extends Enum<K>>(String name, Map<K, ConfigValue> values) {
}
