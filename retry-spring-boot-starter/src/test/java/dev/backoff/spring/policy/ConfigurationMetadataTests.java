package dev.backoff.spring.policy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;

import dev.backoff.Preset;
import dev.backoff.annotation.Backoff;

import static org.assertj.core.api.Assertions.assertThat;

/** The schema, what IDEs are told of it, and what is really read, are one. */
class ConfigurationMetadataTests {

	private final Map<String, Object> metadata = metadata();

	@Test
	void everyKeyOfAPolicyIsReadAndTheOtherWayRound() {
		assertThat(keys(BackoffProperties.Policy.class))
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(PolicyKey.values()).map(PolicyKey::key).toList());
	}

	@Test
	void everyOtherKeyIsReadAndTheOtherWayRound() {
		Set<String> keys = keys(BackoffProperties.class);
		keys.removeIf((key) -> key.startsWith("defaults.") || key.equals("policies"));
		assertThat(keys).containsExactlyInAnyOrderElementsOf(ConfigurationReader.TOP_LEVEL_KEYS);
	}

	@Test
	void everyAttributeIsAKeyUnlessItBelongsToTheCode() {
		List<String> attributes = Arrays.stream(PolicyKey.values())
			.map(PolicyKey::attribute)
			.filter(Objects::nonNull)
			.toList();
		assertThat(Arrays.stream(Backoff.class.getDeclaredMethods()).map(Method::getName))
			.filteredOn((attribute) -> !List.of("value", "retryWhen", "until", "recover").contains(attribute))
			.containsExactlyInAnyOrderElementsOf(attributes);
	}

	@Test
	void everyKeyIsDescribed() {
		Set<String> expected = keys(BackoffProperties.class);
		expected.remove("defaults.inherits");
		Map<String, Map<String, Object>> properties = named("properties");
		assertThat(properties.keySet()).filteredOn((name) -> name.startsWith("backoff."))
			.containsExactlyInAnyOrderElementsOf(expected.stream().map((key) -> "backoff." + key).toList());
		properties.forEach((name, property) -> assertThat(property.get("description")).as(name)
			.asString()
			.matches("(?s)(?!The |A |An )[A-Z].*\\."));
		properties.forEach((name, property) -> {
			if ("java.lang.Boolean".equals(property.get("type"))) {
				assertThat(property.get("description")).as(name).asString().startsWith("Whether ");
			}
		});
	}

	@Test
	void statedDefaultsAreThoseInEffect() {
		SmallApplication.of(Orders.class).runWithPolicy((policy) -> {
			Map<String, String> stated = new HashMap<>();
			named("properties").forEach((name, property) -> {
				if (name.startsWith("backoff.defaults.") && property.get("defaultValue") != null) {
					stated.put(name.substring("backoff.defaults.".length()),
							String.valueOf(property.get("defaultValue")));
				}
			});
			Map<String, String> inEffect = new HashMap<>();
			policy.values().forEach((key, value) -> inEffect.put(key.key(), value.text()));
			assertThat(stated).isEqualTo(inEffect);
		});
	}

	@Test
	void hintsAreMerged() {
		Map<String, Map<String, Object>> hints = named("hints");
		assertThat(hints.keySet()).containsExactlyInAnyOrder("backoff.policies.keys", "backoff.defaults.jitter",
				"backoff.defaults.max-attempts", "backoff.defaults.deadline", "backoff.defaults.preset",
				"backoff.defaults.ladder", "backoff.defaults.retry-on", "backoff.defaults.abort-on",
				"backoff.defaults.classifier", "backoff.metrics.slo", "backoff.http.hosts",
				"backoff.http.attempt-header", "backoff.http.deadline-header", "backoff.http.idempotency-header");
		assertThat(hints.get("backoff.defaults.retry-on")).containsEntry("providers",
				List.of(Map.of("name", "class-reference", "parameters", Map.of("target", "java.lang.Throwable"))));
	}

	@Test
	void hintedValuesCanBeWritten() {
		assertThat(hinted("backoff.defaults.jitter")).isNotEmpty().allSatisfy(TextValues::jitter);
		assertThat(hinted("backoff.defaults.max-attempts")).isNotEmpty().allSatisfy(TextValues::attempts);
		assertThat(hinted("backoff.defaults.deadline")).isNotEmpty().allSatisfy(TextValues::deadline);
		assertThat(hinted("backoff.defaults.ladder")).isNotEmpty()
			.allSatisfy((text) -> TextValues.ladder(List.of(text.split(", *"))));
		assertThat(hinted("backoff.http.hosts")).isNotEmpty().allSatisfy(TextValues::hostPattern);
		for (String header : List.of("attempt", "deadline", "idempotency")) {
			assertThat(hinted("backoff.http." + header + "-header")).hasSize(1).allSatisfy(TextValues::headerName);
		}
		assertThat(hinted("backoff.defaults.preset"))
			.containsExactlyElementsOf(Arrays.stream(Preset.values()).map(Preset::key).toList());
	}

	private List<String> hinted(String property) {
		return elements(named("hints").get(property), "values").stream()
			.map((value) -> String.valueOf(value.get("value")))
			.toList();
	}

	private Map<String, Map<String, Object>> named(String section) {
		Map<String, Map<String, Object>> named = new HashMap<>();
		elements(this.metadata, section).forEach((element) -> named.put(String.valueOf(element.get("name")), element));
		return named;
	}

	@SuppressWarnings("unchecked") // it is JSON
	private static List<Map<String, Object>> elements(Map<String, Object> owner, String name) {
		return (List<Map<String, Object>>) owner.get(name);
	}

	private static Set<String> keys(Class<?> type) {
		Set<String> keys = new TreeSet<>();
		for (RecordComponent component : type.getRecordComponents()) {
			String key = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
			if (component.getType().isRecord()) {
				keys(component.getType()).forEach((nested) -> keys.add(key + "." + nested));
			}
			else {
				keys.add(key);
			}
		}
		return keys;
	}

	private static Map<String, Object> metadata() {
		try {
			List<Map<String, Object>> found = new ArrayList<>();
			for (URL file : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
				.getResources("META-INF/spring-configuration-metadata.json"))) {
				try (InputStream stream = file.openStream()) {
					String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
					if (text.contains("\"backoff.enabled\"")) {
						found.add(JsonParserFactory.getJsonParser().parseMap(text));
					}
				}
			}
			assertThat(found).hasSize(1);
			return found.get(0);
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
	}

	public static class Orders {

		@Backoff
		public void place() {
		}

	}

}
