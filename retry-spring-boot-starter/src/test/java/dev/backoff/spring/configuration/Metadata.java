package dev.backoff.spring.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.contentOf;

/** What IDEs are told of the keys. */
record Metadata(Map<String, Object> content) {

	private static final Path DURABLE = Path.of("..", "retry-durable-spring-boot-starter", "src", "main", "resources",
			"META-INF", "additional-spring-configuration-metadata.json");

	/** Read what the starter and the durable module tell of all keys. */
	static Metadata ofAll() {
		Map<String, Object> all = new TreeMap<>(ofStarter().content);
		Metadata durable = ofDurable();
		for (String section : List.of("properties", "hints")) {
			List<Map<String, Object>> both = new ArrayList<>(elements(all, section));
			both.addAll(elements(durable.content, section));
			all.put(section, both);
		}
		return new Metadata(all);
	}

	/** Read what the starter tells of its keys. */
	static Metadata ofStarter() {
		return read("META-INF/spring-configuration-metadata.json", "\"backoff.enabled\"");
	}

	/** Read what the durable module tells of its keys. */
	static Metadata ofDurable() {
		return new Metadata(
				JsonParserFactory.getJsonParser().parseMap(contentOf(DURABLE.toFile(), StandardCharsets.UTF_8)));
	}

	/** Read what is told of the keys below the names of breakers or budgets. */
	static Metadata ofEntries(Class<?> type) {
		return read("META-INF/spring/configuration-metadata/" + type.getName() + ".json", "{");
	}

	/** Return the elements of a section by their name, in alphabetical order. */
	Map<String, Map<String, Object>> named(String section) {
		Map<String, Map<String, Object>> named = new TreeMap<>();
		elements(this.content, section).forEach((element) -> named.put(String.valueOf(element.get("name")), element));
		return named;
	}

	/** Return the values that a property is hinted to have, each with its description. */
	List<Map<String, Object>> hinted(String property) {
		return elements(named("hints").getOrDefault(property, Map.of()), "values");
	}

	/** Return whether a property may have other values than its hints. */
	boolean isOpen(String property) {
		return elements(named("hints").getOrDefault(property, Map.of()), "providers").stream()
			.anyMatch((provider) -> "any".equals(provider.get("name")));
	}

	@SuppressWarnings("unchecked") // it is JSON
	private static List<Map<String, Object>> elements(Map<String, Object> owner, String name) {
		return (List<Map<String, Object>>) owner.getOrDefault(name, List.of());
	}

	private static Metadata read(String name, String part) {
		try {
			List<Map<String, Object>> found = new ArrayList<>();
			for (URL file : Collections.list(Metadata.class.getClassLoader().getResources(name))) {
				try (InputStream stream = file.openStream()) {
					String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
					if (text.contains(part)) {
						found.add(JsonParserFactory.getJsonParser().parseMap(text));
					}
				}
			}
			if (found.size() != 1) {
				throw new AssertionError(name + " is there " + found.size() + " times");
			}
			return new Metadata(found.get(0));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
