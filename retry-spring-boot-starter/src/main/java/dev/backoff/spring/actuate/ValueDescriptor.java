package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.EffectiveValue;

/** A value as a configuration writes it, and the place that it comes from. */
record ValueDescriptor(String value, String origin) {

	static @Nullable ValueDescriptor of(@Nullable EffectiveValue value) {
		return (value != null) ? new ValueDescriptor(value.text(), value.origin()) : null;
	}

	/** Describe values, in brief those that are not built in. */
	static <K> Map<String, ValueDescriptor> of(Map<K, EffectiveValue> values, Function<K, String> names,
			boolean brief) {
		Map<String, ValueDescriptor> described = new LinkedHashMap<>();
		values.forEach((key, value) -> {
			if (!brief || !value.origin().startsWith(EffectiveValue.BUILT_IN)) {
				described.put(names.apply(key), new ValueDescriptor(value.text(), value.origin()));
			}
		});
		return described;
	}

}
