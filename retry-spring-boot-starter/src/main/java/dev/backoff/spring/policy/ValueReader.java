package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.PropertyResolver;
import org.springframework.util.StringUtils;

/** From keys as they are written to values, with placeholders resolved. */
final class ValueReader {

	private final PropertyResolver environment;

	private final List<Problem> problems;

	ValueReader(PropertyResolver environment, List<Problem> problems) {
		this.environment = environment;
		this.problems = problems;
	}

	/** Keep a value below some keys, unless a stronger source has set them. */
	<K> void put(List<K> keys, List<WrittenKey> elements, boolean list, Map<K, ConfigValue> values) {
		List<WrittenKey> whole = elements.stream().filter((element) -> element.index() < 0).toList();
		if (whole.size() > 1) {
			reportTwice(whole.get(0), whole.get(1));
			return;
		}
		ConfigValue value = value(elements, list);
		if (value != null) {
			keys.forEach((key) -> values.putIfAbsent(key, value));
		}
	}

	private void reportTwice(WrittenKey one, WrittenKey other) {
		if (Objects.equals(one.name(), other.name())) {
			this.problems.add(Problem.ofPlace(
					"Keys " + one.property() + " (" + one.origin() + ") and " + other.property() + " (" + other.origin()
							+ ")",
					"keys are compared by letters and digits only, so these two are the same", "Remove one of them."));
		}
	}

	/**
	 * Resolve the placeholders of a value; null, with a problem, if that is impossible.
	 */
	private @Nullable ConfigValue value(List<WrittenKey> elements, boolean list) {
		WrittenKey first = elements.get(0);
		List<String> written = elements.stream().flatMap((element) -> element.texts().stream()).toList();
		ConfigValue value = new ConfigValue(written, "Invalid " + first.key(), first.origin());
		if (!list && (first.index() >= 0 || written.size() > 1)) {
			this.problems.add(value.problem("must be one value, not a list", "Write one value."));
			return null;
		}
		List<String> texts = new ArrayList<>();
		for (String text : written) {
			String resolved = PlaceholderText.resolve(text, this.environment::resolveRequiredPlaceholders, value,
					this.problems);
			if (resolved == null) {
				return null;
			}
			texts.addAll(
					list ? Arrays.asList(StringUtils.commaDelimitedListToStringArray(resolved)) : List.of(resolved));
		}
		List<String> stripped = texts.stream().map(String::strip).filter((text) -> !list || !text.isEmpty()).toList();
		if (!list && stripped.get(0).isEmpty()) {
			this.problems.add(value.problem("must not be empty", "Give it a value, or remove the key."));
			return null;
		}
		return value.withTexts(stripped);
	}

}
