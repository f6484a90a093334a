package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;

/** The arguments of an operator, read key by key; a key that is left over is an error. */
final class Written {

	private final Map<String, String> texts = new LinkedHashMap<>();

	Written(@Nullable Map<String, ?> written) {
		List<Problem> problems = new ArrayList<>();
		((written != null) ? written : Map.<String, Object>of()).forEach((key, value) -> {
			if (value instanceof Map || value instanceof Iterable || value == null) {
				problems.add(Problem.ofPlace("Invalid " + Overrides.oneLine(key), "must be one value",
						"Write text, a number or a switch."));
			}
			else {
				this.texts.put(key, value.toString());
			}
		});
		refuse(problems);
	}

	/** Take a text, or null if it is absent. */
	@Nullable String take(String key) {
		String wanted = BackoffConfiguration.canonicalName(key);
		for (String name : List.copyOf(this.texts.keySet())) {
			if (BackoffConfiguration.canonicalName(name).equals(wanted)) {
				return this.texts.remove(name);
			}
		}
		return null;
	}

	/** Take a time with a unit, or null if it is absent. */
	@Nullable Duration takeLimit(String key) {
		String text = take(key);
		return (text != null) ? Overrides.limit(key, text) : null;
	}

	/** Take true or false, or null if it is absent. */
	@Nullable Boolean takeSwitch(String key) {
		String text = take(key);
		if (text == null) {
			return null;
		}
		if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
			throw refusal("Invalid " + key + " (" + Overrides.oneLine(text) + ")", "must be true or false",
					"Write one of them.");
		}
		return Boolean.valueOf(text);
	}

	Map<String, String> rest() {
		return Map.copyOf(this.texts);
	}

	/** Refuse the texts that were not taken. */
	void refuseRest(String known) {
		List<Problem> problems = new ArrayList<>();
		this.texts.keySet()
			.forEach((key) -> problems.add(Problem.ofPlace("Invalid key (" + Overrides.oneLine(key) + ")",
					"is not known here", "Write " + known + ".")));
		refuse(problems);
	}

	static InvalidBackoffException refusal(String place, String rule, String fix) {
		return new InvalidBackoffException(List.of(Problem.ofPlace(place, rule, fix)));
	}

	private static void refuse(List<Problem> problems) {
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(problems);
		}
	}

}
