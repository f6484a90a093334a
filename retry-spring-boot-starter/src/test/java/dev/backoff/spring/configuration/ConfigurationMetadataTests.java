package dev.backoff.spring.configuration;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import dev.backoff.annotation.Backoff;
import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.DurationText;

import static org.assertj.core.api.Assertions.assertThat;

/** The schema, what IDEs are told of it, and what is really read, are one. */
class ConfigurationMetadataTests {

	private final Metadata metadata = Metadata.ofAll();

	@Test
	void everyKeyBelowANameIsReadAndTheOtherWayRound() {
		Map.of(BackoffProperties.Policy.class, Section.POLICIES, BackoffProperties.Breaker.class, Section.BREAKERS,
				BackoffProperties.Budget.class, Section.BUDGETS, BackoffProperties.Pace.class, Section.PACES)
			.forEach((type, section) -> assertThat(keys(type)).containsExactlyInAnyOrderElementsOf(section.keyTexts()));
	}

	@Test
	void statedDefaultsOfBreakersBudgetsAndPacesAreThoseInEffect() {
		BackoffConfiguration nothing = BackoffConfiguration.read(new StandardEnvironment());
		Map<String, String> breaker = new TreeMap<>();
		nothing.breaker("any").values().forEach((key, value) -> breaker.put(key.key(), value.value()));
		// it is as long as open-for, whatever that is
		assertThat(breaker.remove("half-open-timeout")).isEqualTo("30s");
		assertThat(stated(BackoffProperties.Breaker.class)).isEqualTo(breaker);
		Map<String, String> budget = new TreeMap<>();
		nothing.budget("any").values().forEach((key, value) -> budget.put(key.key(), value.value()));
		assertThat(stated(BackoffProperties.Budget.class)).isEqualTo(budget);
		assertThat(stated(BackoffProperties.Pace.class)).isEqualTo(Map.of("max-hold", "1m", "max-waiting", "1000"));
		assertThat(nothing.ofPace("any", PaceKey.MAX_HOLD)).isEqualTo(Duration.ofMinutes(1));
		assertThat(nothing.ofPace("any", PaceKey.MAX_WAITING)).isEqualTo(1000);
	}

	@Test
	void everyOtherKeyIsReadAndTheOtherWayRound() {
		Set<String> keys = allKeys();
		keys.removeIf((key) -> key.startsWith("defaults.") || Section.of(key) != null);
		assertThat(keys).containsExactlyInAnyOrderElementsOf(Section.SETTINGS.keyTexts());
	}

	@Test
	void statedDefaultsOfSettingsAreThoseInEffect() {
		Map<String, String> stated = stated(BackoffProperties.class);
		Metadata.ofDurable()
			.named("properties")
			.forEach((name, property) -> stated.put(name.substring("backoff.".length()),
					String.valueOf(property.get("defaultValue"))));
		assertThat(SettingKey.KEYS.stream().filter((key) -> key.builtInText() != null))
			.allSatisfy((key) -> assertThat(stated).containsEntry(key.key(), key.builtInText()));
	}

	@Test
	void everyAttributeIsAKeyUnlessItBelongsToTheCode() {
		assertThat(Arrays.stream(Backoff.class.getDeclaredMethods()).map(Method::getName))
			.filteredOn((attribute) -> Section.POLICIES.keyOf(attribute) == null)
			.containsExactlyInAnyOrder("value", "retryWhen", "until", "recover", "key", "per");
	}

	@Test
	void keysOfDurableCallsAreDescribedInTheirModuleOnly() {
		assertThat(Metadata.ofDurable().named("properties").keySet()).isNotEmpty()
			.allMatch((name) -> name.startsWith("backoff.durable."));
		assertThat(Metadata.ofStarter().named("properties").keySet())
			.noneMatch((name) -> name.startsWith("backoff.durable."));
	}

	@Test
	void theSwitchOfTheHealthIsDescribed() {
		assertThat(named("properties")).containsKey("management.health.backoffbreakers.enabled");
	}

	@Test
	void everyKeyIsDescribed() {
		Set<String> expected = allKeys();
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
			policy.values().forEach((key, value) -> inEffect.put(key.key(), value.value()));
			// by default the policy's name, which no default can state
			assertThat(inEffect.remove("budget")).isEqualTo("Orders.place");
			assertThat(stated).isEqualTo(inEffect);
		});
	}

	@Test
	void everyKeyBelowANameIsDescribed() {
		for (Class<?> type : List.of(BackoffProperties.Policy.class, BackoffProperties.Breaker.class,
				BackoffProperties.Budget.class, BackoffProperties.Pace.class)) {
			Map<String, Map<String, Object>> properties = Metadata.ofEntries(type).named("properties");
			assertThat(properties.keySet()).isEqualTo(keys(type));
			properties.forEach((name, property) -> assertThat(property.get("description")).as(name)
				.asString()
				.matches("(?s)(?!The |A |An )[A-Z].*\\."));
		}
	}

	@Test
	void hintsAreMerged() {
		assertThat(named("hints").keySet()).contains("backoff.policies.keys", "backoff.breakers.keys",
				"backoff.budgets.keys", "backoff.paces.keys", "backoff.defaults.jitter");
		assertThat(named("hints").get("backoff.defaults.retry-on")).containsEntry("providers",
				List.of(Map.of("name", "class-reference", "parameters", Map.of("target", "java.lang.Throwable"))));
	}

	@Test
	void hintsBelowTheNameOfAPolicyAreThoseOfTheDefaults() {
		String defaults = "backoff.defaults.";
		Map<String, Map<String, Object>> ofDefaults = new TreeMap<>();
		named("hints").forEach((name, hint) -> {
			if (name.startsWith(defaults)) {
				Map<String, Object> below = new HashMap<>(hint);
				below.put("name", name.substring(defaults.length()));
				ofDefaults.put(name.substring(defaults.length()), below);
			}
		});
		assertThat(Metadata.ofEntries(BackoffProperties.Policy.class).named("hints")).hasSizeGreaterThan(10)
			.isEqualTo(ofDefaults);
	}

	@Test
	void hintsAreOfKeysThatThereAre() {
		Set<String> keys = new TreeSet<>(named("properties").keySet());
		keys.addAll(List.of("backoff.policies.keys", "backoff.breakers.keys", "backoff.budgets.keys",
				"backoff.paces.keys"));
		assertThat(keys).containsAll(named("hints").keySet());
	}

	@Test
	void everyWordOfAnEnumerationIsExplained() {
		named("properties").forEach((name, property) -> {
			Class<?> type = ClassUtils.resolveClassName(String.valueOf(property.get("type")).replaceAll("<.*", ""),
					null);
			if (name.startsWith("backoff.") && type.isEnum()) {
				assertThat(hinted(name)).as(name)
					.containsExactlyElementsOf(Arrays.stream(type.getEnumConstants())
						.map((word) -> word.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
						.toList());
			}
		});
		named("hints").forEach((name, hint) -> this.metadata.hinted(name)
			.forEach((value) -> assertThat(value.get("description")).as(name).asString().endsWith(".")));
	}

	@Test
	void hintedValuesCanBeWritten() {
		assertThat(hinted("backoff.defaults.jitter")).isNotEmpty().allSatisfy(TextValues::jitter);
		assertThat(hinted("backoff.defaults.max-attempts")).isNotEmpty().allSatisfy(OverloadValues::attempts);
		assertThat(hinted("backoff.defaults.deadline")).isNotEmpty().allSatisfy(TextValues::durationOrNone);
		assertThat(hinted("backoff.defaults.ladder")).isNotEmpty()
			.allSatisfy((text) -> TextValues.ladder(List.of(text.split(", *"))));
		assertThat(hinted("backoff.defaults.idempotent")).isNotEmpty().allSatisfy(OverloadValues::idempotency);
		assertThat(hinted("backoff.http.hosts")).isNotEmpty().allSatisfy(TextValues::hostPattern);
		for (String header : List.of("attempt", "deadline", "idempotency")) {
			assertThat(hinted("backoff.http." + header + "-header")).hasSize(1).allSatisfy(TextValues::headerName);
		}
		assertThat(hinted("backoff.defaults.preset"))
			.containsExactlyElementsOf(Arrays.stream(Preset.values()).map(Preset::key).toList());
	}

	@Test
	void presetsAreDescribedByTheirNumbers() {
		this.metadata.hinted("backoff.defaults.preset").forEach((hint) -> {
			Preset preset = Preset.valueOf(hint.get("value").toString().toUpperCase(Locale.ROOT).replace('-', '_'));
			RetryPolicy policy = RetryPolicy.builder("preset").preset(preset).build();
			boolean limited = policy.maxAttempts() != RetryPolicy.UNLIMITED_ATTEMPTS;
			assertThat(hint.get("description").toString().replace(" ", "").replace("min", "m"))
				.startsWith((limited ? policy.maxAttempts() : "Unlimited") + "attemptsfrom"
						+ DurationText.exact(policy.rule().baseNanos()))
				.contains("cap" + DurationText.exact(policy.rule().capNanos()));
		});
	}

	private List<String> hinted(String property) {
		return this.metadata.hinted(property).stream().map((value) -> String.valueOf(value.get("value"))).toList();
	}

	private Map<String, Map<String, Object>> named(String section) {
		return this.metadata.named(section);
	}

	/*
	 * Those of the schema and those of the durable module, which the starter reads too.
	 */
	private static Set<String> allKeys() {
		Set<String> keys = keys(BackoffProperties.class);
		Metadata.ofDurable()
			.named("properties")
			.keySet()
			.forEach((name) -> keys.add(name.substring("backoff.".length())));
		return keys;
	}

	private static Set<String> keys(Class<?> type) {
		Set<String> keys = new TreeSet<>();
		for (RecordComponent component : type.getRecordComponents()) {
			String key = key(component);
			if (component.getType().isRecord()) {
				keys(component.getType()).forEach((nested) -> keys.add(key + "." + nested));
			}
			else {
				keys.add(key);
			}
		}
		return keys;
	}

	private static String key(RecordComponent component) {
		Name name = ReflectionUtils.findField(component.getDeclaringRecord(), component.getName())
			.getAnnotation(Name.class);
		return (name != null) ? name.value()
				: component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	private static Map<String, String> stated(Class<?> type) {
		Map<String, String> stated = new TreeMap<>();
		Parameter[] parameters = type.getDeclaredConstructors()[0].getParameters();
		RecordComponent[] components = type.getRecordComponents();
		for (int i = 0; i < components.length; i++) {
			DefaultValue value = parameters[i].getAnnotation(DefaultValue.class);
			String key = key(components[i]);
			if (components[i].getType().isRecord()) {
				stated(components[i].getType()).forEach((nested, text) -> stated.put(key + "." + nested, text));
			}
			else if (value != null && value.value().length > 0) {
				stated.put(key, value.value()[0]);
			}
		}
		return stated;
	}

	public static class Orders {

		@Backoff
		public void place() {
		}

	}

}
