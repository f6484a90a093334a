package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.annotation.Backoff;

/**
 * The page of all keys: a text with places for tables, filled with what IDEs are told.
 * <p>
 * The place {@code {{keys backoff.http}}} gets a table of the keys below, {@code {{policy
 * base}}} the cells of one key of policies, {@code {{words backoff.mode}}} what the
 * values of one key mean, and {@code {{others}}} the table of all keys of groups that
 * have no place of their own.
 */
final class ConfigurationPage {

	private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+) ?([\\w.-]*)}}");

	private static final String DEFAULTS = "backoff.defaults.";

	private final Metadata metadata = Metadata.ofAll();

	private final String template;

	ConfigurationPage(String template) {
		this.template = template;
	}

	String text() {
		Matcher place = PLACE.matcher(this.template);
		return place.replaceAll((found) -> Matcher.quoteReplacement(switch (found.group(1)) {
			case "switches" -> table("backoff.", (key) -> !key.contains("."));
			case "keys" -> keys(found.group(2));
			case "policy" -> cells(found.group(2), this.metadata.named("properties").get(DEFAULTS + found.group(2)));
			case "words" -> words(found.group(2));
			case "others" -> others();
			default -> throw new IllegalStateException(found.group());
		}));
	}

	private String keys(String group) {
		return switch (group) {
			case "backoff.breakers" -> entries(BackoffProperties.Breaker.class);
			case "backoff.budgets" -> entries(BackoffProperties.Budget.class);
			case "backoff.paces" -> entries(BackoffProperties.Pace.class);
			default -> table(group + ".", (key) -> true);
		};
	}

	/** Return the table of the groups that the text does not name. */
	private String others() {
		return table("backoff.", (key) -> key.contains(".") && !key.startsWith("defaults.")
				&& !this.template.contains("{{keys backoff." + key.substring(0, key.indexOf('.')) + "}}"));
	}

	private String table(String prefix, Predicate<String> wanted) {
		Map<String, Map<String, Object>> rows = new LinkedHashMap<>();
		this.metadata.named("properties").forEach((name, property) -> {
			boolean map = String.valueOf(property.get("type")).startsWith("java.util.Map");
			if (name.startsWith(prefix) && wanted.test(name.substring(prefix.length())) && !map) {
				rows.put(name, property);
			}
		});
		return table(rows);
	}

	private String entries(Class<?> type) {
		return table(Metadata.ofEntries(type).named("properties"));
	}

	private String table(Map<String, Map<String, Object>> rows) {
		if (rows.isEmpty()) {
			throw new IllegalStateException("A table without keys");
		}
		List<String> lines = new ArrayList<>(List.of("| key | value | |", "| --- | --- | --- |"));
		rows.forEach((key, property) -> lines.add("| " + cells(key, property) + " |"));
		return String.join("\n", lines);
	}

	private String cells(String key, Map<String, Object> property) {
		Key<?> ofPolicy = String.valueOf(property.get("name")).startsWith(DEFAULTS) ? Section.POLICIES.keyOf(key)
				: null;
		Object value = (ofPolicy != null) ? ofPolicy.builtInText() : property.get("defaultValue");
		return "`%s`%s | %s | %s".formatted(key, isAttribute(ofPolicy) ? "&nbsp;@" : "",
				marked(values(property), value), cell(property.get("description")));
	}

	private static boolean isAttribute(@Nullable Key<?> key) {
		return key != null && Stream.of(Backoff.class.getDeclaredMethods())
			.anyMatch((attribute) -> Section.POLICIES.keyOf(attribute.getName()) == key);
	}

	/** Return the values with the default in bold, which the values may not have. */
	private static String marked(String values, @Nullable Object byDefault) {
		String word = "`" + byDefault + "`";
		return (byDefault == null) ? values
				: values.contains(word) ? values.replace(word, "**" + word + "**") : values + ", **" + word + "**";
	}

	private String values(Map<String, Object> property) {
		String type = String.valueOf(property.get("type"));
		String name = String.valueOf(property.get("name"));
		if (this.template.contains("{{words " + name + "}}")) {
			return "below";
		}
		List<Map<String, Object>> hinted = this.metadata.hinted(name);
		Class<?> known = ClassUtils.resolveClassName(type.replaceAll("<.*", ""), null);
		if (known.isEnum()) {
			return List.of(known.getEnumConstants())
				.stream()
				.map(ConfigurationPage::word)
				.collect(Collectors.joining(", "));
		}
		String examples = hinted.stream()
			.map((value) -> "`" + value.get("value") + "`")
			.collect(Collectors.joining(", "));
		boolean others = this.metadata.isOpen(name);
		return switch (type) {
			case "java.lang.Boolean" -> "`true`, `false`";
			case "java.lang.Integer", "java.lang.Double" -> "number";
			case "java.time.Duration" -> "duration";
			case "java.util.List<java.time.Duration>" -> "durations";
			case "java.util.List<java.lang.Class<? extends java.lang.Throwable>>" -> "class names";
			default -> examples.isEmpty() ? "text" : others ? examples + ", …" : examples;
		};
	}

	private static String word(Object constant) {
		return "`" + constant.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`";
	}

	private String words(String property) {
		List<Map<String, Object>> hinted = this.metadata.hinted(property);
		if (hinted.isEmpty()) {
			throw new IllegalStateException("Nothing is said of the values of " + property);
		}
		return hinted.stream()
			.map((value) -> "- `%s`: %s".formatted(value.get("value"), lowerCase(cell(value.get("description")))))
			.collect(Collectors.joining("\n"));
	}

	private static String lowerCase(String sentence) {
		return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
	}

	private static String cell(Object text) {
		return String.valueOf(text).replace("|", "\\|");
	}

}
