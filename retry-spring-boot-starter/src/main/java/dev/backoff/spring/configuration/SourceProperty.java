package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.io.Resource;
import org.springframework.util.ObjectUtils;

/**
 * One key as a source of configuration has it.
 *
 * @param path the parts of the key after {@code backoff}, as written, without an index
 * @param index the place in a list, or -1
 * @param property the whole key as written
 * @param texts the value, placeholders not resolved; more than one for a value that is a
 * list by itself
 * @param origin where it is written
 */
record SourceProperty(List<String> path, int index, String property, List<String> texts, String origin) {

	private static final Pattern FILE_SOURCE = Pattern.compile(
			"^(?:Config resource ')?(?:file|class path resource|URL) \\[[^\\]]*?((?:[^\\]/\\\\]+[/\\\\])?[^\\]/\\\\]+)]");

	/* Of an index; a list cannot have one with more. */
	private static final int MOST_DIGITS = 6;

	/** Read a key and its value in a file, on the command line or the like. */
	static SourceProperty of(ConfigurationPropertyName name, Object value, @Nullable Origin origin) {
		int size = name.getNumberOfElements();
		String last = name.getElement(size - 1, Form.ORIGINAL);
		boolean indexed = size > 2 && name.isNumericIndex(size - 1) && last.length() <= MOST_DIGITS;
		List<String> path = new ArrayList<>();
		for (int i = 1; i < (indexed ? size - 1 : size); i++) {
			path.add(name.getElement(i, Form.ORIGINAL));
		}
		return new SourceProperty(path, indexed ? Integer.parseInt(last) : -1, written(name), texts(value),
				place(origin));
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
			return elements.isEmpty() ? List.of("") : elements.stream().map(SourceProperty::text).toList();
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
		if (origin instanceof TextResourceOrigin text && text.getResource() != null) {
			String file = file(text.getResource());
			return (text.getLocation() != null) ? file + ":" + (text.getLocation().getLine() + 1) : file;
		}
		if (origin instanceof PropertySourceOrigin source) {
			return switch (source.getPropertySource().getName()) {
				case "commandLineArgs" -> "the command line";
				case "systemProperties" -> "a system property";
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

	private static String file(Resource resource) {
		// with its folder, since two files may have one name
		Matcher file = FILE_SOURCE.matcher(resource.getDescription());
		String name = file.find() ? file.group(1) : resource.getFilename();
		return (name != null) ? name : resource.getDescription();
	}

	/** Return what is equal for all spellings of a key, in a list for all elements. */
	List<Object> meaning() {
		return List.of(section(), Name.of(name()), Name.of(String.join("", below())));
	}

	Section section() {
		return Section.of(this.path);
	}

	/** Return the name that the key is below, empty in a section without names. */
	String name() {
		return section().isNamed() ? this.path.get(1) : "";
	}

	/** Return the parts of the key below its section and its name. */
	List<String> below() {
		return this.path.subList(section().depth(), this.path.size());
	}

	/** Return the whole key as written, without an index. */
	String key() {
		return (this.index < 0) ? this.property : this.property.replaceAll("\\[\\d+]$", "");
	}

	/** Return whether nothing is written after the key. */
	boolean isEmpty() {
		return this.texts.stream().allMatch(String::isBlank);
	}

	Problem problem(String rule, String fix) {
		return Problem.ofValue("Invalid " + key(), String.join(", ", this.texts), this.origin, rule, fix);
	}

}
