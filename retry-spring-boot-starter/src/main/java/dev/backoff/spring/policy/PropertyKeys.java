package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.Resource;
import org.springframework.util.ObjectUtils;

/** The keys below {@code backoff} in a file, on the command line or the like. */
final class PropertyKeys {

	/** What all of them stand below. */
	static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("backoff");

	private static final Pattern FILE_SOURCE = Pattern
		.compile("^(?:Config resource ')?(?:file|class path resource|URL) \\[(?:[^\\]]*[/\\\\])?([^\\]/\\\\]+)]");

	/* Of an index; what has more is none that a list can have. */
	private static final int MOST_DIGITS = 6;

	private PropertyKeys() {
	}

	/*
	 * Not by way of Boot's names: two spellings of one key are equal there, and the
	 * second would get the value and the line of the first.
	 */
	static List<WrittenKey> in(EnumerablePropertySource<?> source) {
		List<WrittenKey> keys = new ArrayList<>();
		for (String property : source.getPropertyNames()) {
			ConfigurationPropertyName name = name(property);
			Object value = (name != null && ROOT.isAncestorOf(name)) ? source.getProperty(property) : null;
			if (name != null && value != null) {
				keys.add(key(name, value, PropertySourceOrigin.get(source, property)));
			}
		}
		return keys;
	}

	private static @Nullable ConfigurationPropertyName name(String property) {
		// with a dash in it, as Boot allows, it is the same word
		return property.regionMatches(true, 0, "back", 0, "back".length())
				? ConfigurationPropertyName.adapt(property, '.') : null;
	}

	/** Ask a source that cannot list its keys for all that it can have. */
	static List<WrittenKey> lookUp(ConfigurationPropertySource source, List<SectionEntries<?>> sections,
			Collection<String> topLevelKeys) {
		List<WrittenKey> keys = new ArrayList<>();
		topLevelKeys.forEach((key) -> lookUp(source, ROOT.append(key), keys));
		lookUp(source, ROOT.append("defaults"), Section.POLICIES, keys);
		for (SectionEntries<?> entries : sections) {
			for (String name : entries.spellings()) {
				boolean plain = name.indexOf('.') < 0 && ConfigurationPropertyName.isValid(name);
				lookUp(source, ROOT.append(entries.section().key()).append(plain ? name : "[" + name + "]"),
						entries.section(), keys);
			}
		}
		return keys;
	}

	private static void lookUp(ConfigurationPropertySource source, ConfigurationPropertyName parent, Section<?> section,
			List<WrittenKey> keys) {
		section.keyTexts().forEach((key) -> lookUp(source, parent.append(key), keys));
	}

	private static void lookUp(ConfigurationPropertySource source, ConfigurationPropertyName name,
			List<WrittenKey> keys) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		if (property != null) {
			keys.add(key(name, property.getValue(), property.getOrigin()));
			return;
		}
		for (int i = 0; property != null || i == 0; i++) {
			ConfigurationPropertyName element = name.append("[" + i + "]");
			property = source.getConfigurationProperty(element);
			if (property != null) {
				keys.add(key(element, property.getValue(), property.getOrigin()));
			}
		}
	}

	private static WrittenKey key(ConfigurationPropertyName name, Object value, @Nullable Origin origin) {
		int size = name.getNumberOfElements();
		boolean indexed = size > 2 && name.isLastElementIndexed() && name.isNumericIndex(size - 1)
				&& name.getElement(size - 1, Form.ORIGINAL).length() <= MOST_DIGITS;
		List<String> path = new ArrayList<>();
		for (int i = 1; i < (indexed ? size - 1 : size); i++) {
			path.add(name.getElement(i, Form.ORIGINAL));
		}
		int index = indexed ? Integer.parseInt(name.getElement(size - 1, Form.ORIGINAL)) : -1;
		return new WrittenKey(path, index, written(name), texts(value), place(origin));
	}

	private static String written(ConfigurationPropertyName name) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < name.getNumberOfElements(); i++) {
			String element = name.getElement(i, Form.ORIGINAL);
			boolean plain = element.matches("[\\w-]+") && !name.isNumericIndex(i);
			text.append(plain ? ((i == 0) ? element : "." + element) : "[" + element + "]");
		}
		return text.toString();
	}

	private static List<String> texts(Object value) {
		if (value instanceof Collection<?> elements) {
			return elements.isEmpty() ? List.of("") : elements.stream().map(PropertyKeys::text).toList();
		}
		if (ObjectUtils.isArray(value)) {
			return texts(Arrays.asList(ObjectUtils.toObjectArray(value)));
		}
		return List.of(text(value).strip());
	}

	private static String text(@Nullable Object value) {
		return (value instanceof Class<?> type) ? type.getName() : String.valueOf(value);
	}

	private static String place(@Nullable Origin written) {
		Origin origin = (written instanceof PropertySourceOrigin wrapper && wrapper.getOrigin() != null)
				? wrapper.getOrigin() : written;
		if (origin instanceof SystemEnvironmentOrigin variable) {
			return "the environment variable " + variable.getProperty();
		}
		if (origin instanceof TextResourceOrigin text) {
			String file = file(text.getResource());
			return (text.getLocation() != null) ? file + ":" + (text.getLocation().getLine() + 1) : file;
		}
		if (origin instanceof PropertySourceOrigin source) {
			return switch (source.getPropertySource().getName()) {
				case "commandLineArgs" -> "the command line";
				case "systemProperties" -> "a system property";
				case "spring.application.json" -> "SPRING_APPLICATION_JSON";
				default -> place(source.getPropertySource().getName());
			};
		}
		return (origin != null) ? origin.toString() : "an unknown place";
	}

	/* An empty entry has no line, and Boot's name of its file is a sentence. */
	private static String place(String source) {
		Matcher file = FILE_SOURCE.matcher(source);
		return file.find() ? file.group(1) : "the property source " + source;
	}

	private static String file(@Nullable Resource resource) {
		if (resource == null) {
			return "a file";
		}
		String name = resource.getFilename();
		return (name != null) ? name : resource.getDescription();
	}

}
