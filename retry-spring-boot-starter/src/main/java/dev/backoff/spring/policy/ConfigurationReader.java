package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

import dev.backoff.spring.policy.BackoffConfiguration.PolicyEntry;

/**
 * Read what is written below {@code backoff}, with the origin of each value.
 * <p>
 * The order of Boot's property sources is kept: for each key the strongest source wins, a
 * list as a whole. Names of policies are compared by letters and digits only, so a source
 * overrides the policy it means however it spells it.
 */
final class ConfigurationReader {

	/** The keys that stand directly below {@code backoff}. */
	private static final List<String> TOP_LEVEL_KEYS = List.of("enabled", "retries-enabled", "unknown-keys", "random",
			"metrics.enabled", "metrics.slo", "metrics.calls");

	private final ConfigurableEnvironment environment;

	private final Map<PolicyKey, ConfigValue> defaults = new LinkedHashMap<>();

	private final Map<String, PolicyUnderWay> policies = new LinkedHashMap<>();

	private final Map<String, ConfigValue> settings = new LinkedHashMap<>();

	private final List<Problem> problems = new ArrayList<>();

	private final List<Problem> unknownKeys = new ArrayList<>();

	ConfigurationReader(ConfigurableEnvironment environment) {
		this.environment = environment;
	}

	BackoffConfiguration read() {
		List<List<WrittenKey>> sources = new ArrayList<>();
		Set<String> names = new LinkedHashSet<>();
		List<SystemEnvironmentPropertySource> variables = new ArrayList<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource underlying) {
				variables.add(underlying);
				sources.add(new ArrayList<>());
			}
			else if (source instanceof IterableConfigurationPropertySource iterable) {
				List<WrittenKey> keys = PropertyKeys.in(iterable);
				keys.forEach((key) -> noteName(key, names));
				variables.add(null);
				sources.add(keys);
			}
		}
		for (int i = 0; i < sources.size(); i++) {
			SystemEnvironmentPropertySource underlying = variables.get(i);
			sources.get(i)
				.addAll((underlying != null) ? EnvironmentKeys.in(underlying, names, TOP_LEVEL_KEYS) : List.of());
			addSource(sources.get(i));
		}
		return finish();
	}

	private static void noteName(WrittenKey key, Set<String> names) {
		if (key.path().size() > 1 && key.path().get(0).equals("policies")) {
			names.add(TextValues.canonical(key.path().get(1)));
		}
	}

	/** Add the keys of one source, which is weaker than those before. */
	private void addSource(List<WrittenKey> keys) {
		Map<String, List<WrittenKey>> byPath = new LinkedHashMap<>();
		for (WrittenKey key : keys) {
			byPath.computeIfAbsent(key.canonicalPath(), (path) -> new ArrayList<>()).add(key);
		}
		byPath.values().forEach((elements) -> {
			elements.sort(Comparator.comparingInt(WrittenKey::index));
			add(elements);
		});
		checkSpelling(keys);
	}

	private void checkSpelling(List<WrittenKey> keys) {
		Map<String, WrittenKey> first = new LinkedHashMap<>();
		for (WrittenKey key : keys) {
			if (key.path().size() < 2 || !key.path().get(0).equals("policies")) {
				continue;
			}
			String name = key.path().get(1);
			WrittenKey before = first.putIfAbsent(TextValues.canonical(name), key);
			if (before != null && !before.path().get(1).equals(name)) {
				Problem problem = Problem.ofPlace(
						"Policies " + before.path().get(1) + " (" + before.origin() + ") and " + name + " ("
								+ key.origin() + ")",
						"names are compared by letters and digits only, so these two are the same",
						"Rename one of them, or merge the two.");
				if (this.problems.stream()
					.noneMatch((known) -> known.fix().equals(problem.fix())
							&& known.message().startsWith("Policies " + before.path().get(1) + " "))) {
					this.problems.add(problem);
				}
			}
		}
	}

	private void add(List<WrittenKey> elements) {
		WrittenKey key = elements.get(0);
		List<String> path = key.path();
		String head = TextValues.canonical(path.get(0));
		if (head.equals("policies") && path.size() > 1) {
			PolicyUnderWay policy = this.policies.computeIfAbsent(TextValues.canonical(path.get(1)),
					(name) -> new PolicyUnderWay(path.get(1), new LinkedHashMap<>()));
			if (path.size() > 2) {
				addPolicyKey(path.subList(2, path.size()), elements, policy.values(), true);
			}
			else if (!key.texts().get(0).isEmpty()) {
				this.unknownKeys.add(problem(key, "a policy is a map of keys, not a value",
						"Write the keys below it, for instance " + key.property() + ".base."));
			}
		}
		else if (head.equals("defaults") && path.size() > 1) {
			addPolicyKey(path.subList(1, path.size()), elements, this.defaults, false);
		}
		else {
			addSetting(String.join(".", path), elements);
		}
	}

	private void addPolicyKey(List<String> path, List<WrittenKey> elements, Map<PolicyKey, ConfigValue> values,
			boolean policy) {
		String written = String.join(".", path);
		PolicyKey key = PolicyKey.of(written);
		if (key == null || (key == PolicyKey.INHERITS && !policy)) {
			this.unknownKeys.add(unknownPolicyKey(written, elements.get(0)));
			return;
		}
		ConfigValue value = value(elements, key.isList());
		if (value != null) {
			values.putIfAbsent(key, value);
		}
	}

	private Problem unknownPolicyKey(String written, WrittenKey key) {
		String ours = Nearest.ourWord(written);
		List<String> known = Arrays.stream(PolicyKey.values()).map(PolicyKey::key).toList();
		String nearest = (ours != null) ? ours : Nearest.of(written, known);
		if (nearest != null) {
			return problem(key, "is no key of a policy", "Write " + nearest + ".");
		}
		return problem(key, "is no key of a policy", written.contains(".")
				? "If the dot belongs to the policy's name, write the name in brackets, as in \"[OrderService.place]\"; known keys: "
						+ String.join(", ", known) + "."
				: "Known keys: " + String.join(", ", known) + ".");
	}

	private void addSetting(String written, List<WrittenKey> elements) {
		String wanted = TextValues.canonical(written);
		for (String known : TOP_LEVEL_KEYS) {
			if (TextValues.canonical(known).equals(wanted)) {
				ConfigValue value = value(elements, known.equals("metrics.slo"));
				if (value != null) {
					this.settings.putIfAbsent(known, value);
				}
				return;
			}
		}
		String nearest = Nearest.of(written, TOP_LEVEL_KEYS);
		List<String> known = new ArrayList<>(TOP_LEVEL_KEYS);
		known.addAll(List.of("defaults.*", "policies.*"));
		this.unknownKeys.add(problem(elements.get(0), "is no key of backoff", (nearest != null)
				? "Write backoff." + nearest + "." : "Known keys: " + String.join(", ", known) + "."));
	}

	/**
	 * Resolve the placeholders of a value; null, with a problem, if that is impossible.
	 */
	private @Nullable ConfigValue value(List<WrittenKey> elements, boolean list) {
		WrittenKey first = elements.get(0);
		List<String> written = elements.stream().flatMap((element) -> element.texts().stream()).toList();
		ConfigValue value = new ConfigValue(written, "Invalid " + propertyWithoutIndex(first), first.origin());
		if (!list && elements.size() > 1) {
			this.problems.add(value.problem("must be one value, not a list", "Write one value."));
			return null;
		}
		List<String> texts = new ArrayList<>();
		for (String text : written) {
			String resolved = PlaceholderText.resolve(text, this.environment, value, this.problems);
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

	private static String propertyWithoutIndex(WrittenKey key) {
		return (key.index() < 0) ? key.property() : key.property().replaceAll("(\\[\\d+]|_\\d+)$", "");
	}

	private static Problem problem(WrittenKey key, String rule, String fix) {
		return Problem.ofValue("Invalid " + propertyWithoutIndex(key), String.join(", ", key.texts()), key.origin(),
				rule, fix);
	}

	private BackoffConfiguration finish() {
		List<String> warnings = new ArrayList<>();
		Settings parsed = new Settings(setting("enabled", TextValues::flag, true),
				setting("retries-enabled", TextValues::flag, true),
				setting("random", (text) -> TextValues.word(BackoffProperties.RandomKind.class, text),
						BackoffProperties.RandomKind.FAST),
				setting("metrics.enabled", TextValues::flag, true), slo(),
				setting("metrics.calls", (text) -> TextValues.word(BackoffProperties.CallMeter.class, text),
						BackoffProperties.CallMeter.COUNTER));
		if (setting("unknown-keys", (text) -> TextValues.word(BackoffProperties.UnknownKeys.class, text),
				BackoffProperties.UnknownKeys.ERROR) == BackoffProperties.UnknownKeys.WARN) {
			this.unknownKeys.forEach((problem) -> warnings.add(problem.toString()));
		}
		else {
			this.problems.addAll(this.unknownKeys);
		}
		Map<String, PolicyEntry> entries = new LinkedHashMap<>();
		this.policies.forEach((name, policy) -> entries.put(name, new PolicyEntry(policy.name(), policy.values())));
		return new BackoffConfiguration(parsed, this.defaults, entries, this.problems, warnings);
	}

	private List<Duration> slo() {
		ConfigValue value = this.settings.get("metrics.slo");
		if (value == null) {
			return List.of();
		}
		List<Duration> buckets = new ArrayList<>();
		for (String text : value.texts()) {
			try {
				buckets.add(TextValues.positiveDuration(text));
			}
			catch (InvalidTextException ex) {
				this.problems.add(value.withTexts(List.of(text)).problem(ex));
			}
		}
		return List.copyOf(buckets);
	}

	private <T> T setting(String key, Function<String, T> parser, T otherwise) {
		ConfigValue value = this.settings.get(key);
		if (value == null) {
			return otherwise;
		}
		try {
			return parser.apply(value.text());
		}
		catch (InvalidTextException ex) {
			this.problems.add(value.problem(ex));
			return otherwise;
		}
	}

	/** The values directly below {@code backoff}. */
	record Settings(boolean enabled, boolean retriesEnabled, BackoffProperties.RandomKind random,
			boolean metricsEnabled, List<Duration> slo, BackoffProperties.CallMeter callMeter) {
	}

	private record PolicyUnderWay(String name, Map<PolicyKey, ConfigValue> values) {
	}

}
