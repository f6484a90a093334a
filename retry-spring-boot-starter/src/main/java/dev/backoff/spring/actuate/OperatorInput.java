package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;

/** The values of an operator by key, where an operation has no parameter for them. */
record OperatorInput(Map<String, @Nullable Object> values) {

	/** Return the texts of all keys but one; a value that is no text is refused. */
	Map<String, String> textsWithout(String other) {
		Map<String, String> texts = new LinkedHashMap<>();
		List<Problem> problems = new ArrayList<>();
		this.values.forEach((key, value) -> {
			if (value instanceof Map || value instanceof Iterable || value == null) {
				problems.add(Problem.ofPlace("Invalid " + Problem.oneLine(key), "must be one value",
						"Write text, a number or a switch; DELETE with ?key= ends an override."));
			}
			else if (!isKey(key, other)) {
				texts.put(key, value.toString());
			}
		});
		InvalidBackoffException.throwIfAny(problems);
		return texts;
	}

	/** Return the text of a key, or null if it is absent. */
	@Nullable String text(String key) {
		String[] texts = texts(key);
		if (texts.length > 1) {
			throw refusal("Invalid " + key, "is there twice", "Write it once.");
		}
		return (texts.length == 0) ? null : texts[0];
	}

	/** Return the texts of a key that may be given several times. */
	String[] texts(String key) {
		return this.values.entrySet()
			.stream()
			.filter((entry) -> isKey(entry.getKey(), key))
			.flatMap((entry) -> (entry.getValue() instanceof Collection<?> several) ? several.stream()
					: Stream.ofNullable(entry.getValue()))
			.map(Object::toString)
			.toArray(String[]::new);
	}

	/** Return a time with a unit, zero for none, or null if it is absent. */
	@Nullable Duration limit(String key) {
		String text = text(key);
		return (text == null) ? null : text.strip().equals("none") ? Duration.ZERO : Overrides.limit(key, text);
	}

	/** Return true or false, or null if it is absent. */
	@Nullable Boolean flag(String key) {
		String text = text(key);
		if (text != null && !text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
			throw refusal("Invalid " + key + " (" + Problem.oneLine(text) + ")", "must be true or false",
					"Write one of them.");
		}
		return (text != null) ? Boolean.valueOf(text) : null;
	}

	/** Refuse all keys but the given ones. */
	void refuseOthers(String fix, String... known) {
		List<Problem> problems = new ArrayList<>();
		for (String key : this.values.keySet()) {
			if (List.of(known).stream().noneMatch((other) -> isKey(key, other))) {
				problems.add(Problem.ofPlace("Invalid key (" + Problem.oneLine(key) + ")", "is not known here",
						"Write " + fix + "."));
			}
		}
		InvalidBackoffException.throwIfAny(problems);
	}

	static boolean isKey(String written, String key) {
		return Name.of(written).is(key);
	}

	static InvalidBackoffException refusal(String place, String rule, String fix) {
		return new InvalidBackoffException(List.of(Problem.ofPlace(place, rule, fix)));
	}

}
