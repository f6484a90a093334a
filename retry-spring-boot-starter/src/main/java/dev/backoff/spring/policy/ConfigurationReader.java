package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
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
	static final List<String> TOP_LEVEL_KEYS = List.of("enabled", "retries-enabled", "unknown-keys", "random",
			"metrics.enabled", "metrics.slo", "metrics.calls", "http.hosts", "http.attempt-header",
			"http.deadline-header", "http.idempotency-header", "http.inbound");

	/** Those of them that are lists. */
	static final Set<String> TOP_LEVEL_LISTS = Set.of("metrics.slo", "http.hosts");

	private static final Set<String> GROUPS = Set.of("policies", "defaults", "metrics", "http");

	private final ConfigurableEnvironment environment;

	/* The names of policies as they are spelled, by what is compared of them. */
	private final Map<String, String> names = new LinkedHashMap<>();

	private final Map<PolicyKey, ConfigValue> defaults = new LinkedHashMap<>();

	private final Map<String, Map<PolicyKey, ConfigValue>> policies = new LinkedHashMap<>();

	private final Map<String, ConfigValue> settings = new LinkedHashMap<>();

	private final List<Problem> problems = new ArrayList<>();

	private final List<Problem> unknownKeys = new ArrayList<>();

	ConfigurationReader(ConfigurableEnvironment environment) {
		this.environment = environment;
	}

	BackoffConfiguration read() {
		List<ConfigurationPropertySource> sources = new ArrayList<>();
		Map<ConfigurationPropertySource, List<WrittenKey>> listed = new HashMap<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			sources.add(source);
			Object underlying = source.getUnderlyingSource();
			if (!(underlying instanceof SystemEnvironmentPropertySource)
					&& underlying instanceof EnumerablePropertySource<?> enumerable) {
				List<WrittenKey> keys = PropertyKeys.in(enumerable);
				keys.forEach(this::noteName);
				listed.put(source, keys);
			}
		}
		for (ConfigurationPropertySource source : sources) {
			List<WrittenKey> keys = listed.get(source);
			addSource((keys != null) ? keys : askedOf(source));
		}
		return finish();
	}

	/** Return the keys of a source that only the names of the others explain. */
	private List<WrittenKey> askedOf(ConfigurationPropertySource source) {
		if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables) {
			return EnvironmentKeys.in(variables, this.names.keySet(), TOP_LEVEL_KEYS);
		}
		return PropertyKeys.lookUp(source, this.names.values(), TOP_LEVEL_KEYS);
	}

	private void noteName(WrittenKey key) {
		String policy = key.policy();
		if (policy != null) {
			this.names.putIfAbsent(TextValues.canonical(policy), policy);
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
		Set<String> reported = new HashSet<>();
		for (WrittenKey key : keys) {
			String name = key.policy();
			WrittenKey before = (name != null) ? first.putIfAbsent(TextValues.canonical(name), key) : null;
			if (name != null && before != null && !name.equals(before.policy()) && reported.add(name)) {
				this.problems.add(Problem.ofPlace(
						"Policies " + before.policy() + " (" + before.origin() + ") and " + name + " (" + key.origin()
								+ ")",
						"names are compared by letters and digits only, so these two are the same",
						"Rename one of them, or merge the two."));
			}
		}
	}

	private void add(List<WrittenKey> elements) {
		WrittenKey key = elements.get(0);
		List<String> path = key.path();
		String policy = key.policy();
		if (policy != null && policy.isBlank()) {
			this.problems.add(key.problem("is below a policy without a name", "Give the policy a name."));
		}
		else if (policy != null && policy.chars().anyMatch(Character::isISOControl)) {
			this.problems.add(key.problem("is below a policy whose name has line breaks or the like",
					"Write the name in one line."));
		}
		else if (policy != null) {
			String name = TextValues.canonical(policy);
			Map<PolicyKey, ConfigValue> values = this.policies.computeIfAbsent(name, (any) -> new LinkedHashMap<>());
			if (path.size() > 2) {
				addPolicyKey(path.subList(2, path.size()), elements, values);
			}
			else if (!key.isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(key, "base"));
			}
		}
		else if (TextValues.canonical(path.get(0)).equals("defaults") && path.size() > 1) {
			addPolicyKey(path.subList(1, path.size()), elements, this.defaults);
		}
		else {
			addSetting(String.join(".", path), elements);
		}
	}

	private void addPolicyKey(List<String> path, List<WrittenKey> elements, Map<PolicyKey, ConfigValue> values) {
		String written = String.join(".", path);
		PolicyKey key = PolicyKey.of(written);
		if (key != null && (key != PolicyKey.INHERITS || values != this.defaults)) {
			put(key, elements, key.isList(), values);
		}
		else if (PolicyKey.isGroup(written)) {
			if (!elements.get(0).isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(elements.get(0), "enabled"));
			}
		}
		else {
			this.unknownKeys.add(UnknownKey.ofPolicy(elements.get(0), path));
		}
	}

	private void addSetting(String written, List<WrittenKey> elements) {
		String wanted = TextValues.canonical(written);
		for (String known : TOP_LEVEL_KEYS) {
			if (TextValues.canonical(known).equals(wanted)) {
				put(known, elements, TOP_LEVEL_LISTS.contains(known), this.settings);
				return;
			}
		}
		WrittenKey key = elements.get(0);
		if (GROUPS.contains(wanted)) {
			if (!key.isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(key, wanted.equals("policies") ? "<name>.base"
						: wanted.equals("metrics") ? "enabled" : wanted.equals("http") ? "hosts" : "base"));
			}
			return;
		}
		this.unknownKeys.add(UnknownKey.ofTopLevel(key, TOP_LEVEL_KEYS));
	}

	private <K> void put(K key, List<WrittenKey> elements, boolean list, Map<K, ConfigValue> values) {
		List<WrittenKey> whole = elements.stream().filter((element) -> element.index() < 0).toList();
		if (whole.size() > 1) {
			reportTwice(whole.get(0), whole.get(1));
			return;
		}
		ConfigValue value = value(elements, list);
		if (value != null) {
			values.putIfAbsent(key, value);
		}
	}

	private void reportTwice(WrittenKey one, WrittenKey other) {
		if (Objects.equals(one.policy(), other.policy())) {
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

	private BackoffConfiguration finish() {
		List<String> warnings = new ArrayList<>();
		Settings parsed = new Settings(setting("enabled", TextValues::flag, true),
				setting("retries-enabled", TextValues::flag, true),
				setting("random", (text) -> TextValues.word(BackoffProperties.RandomKind.class, text),
						BackoffProperties.RandomKind.FAST),
				setting("metrics.enabled", TextValues::flag, true), list("metrics.slo", TextValues::positiveDuration),
				setting("metrics.calls", (text) -> TextValues.word(BackoffProperties.CallMeter.class, text),
						BackoffProperties.CallMeter.COUNTER),
				new HttpSettings(list("http.hosts", TextValues::hostPattern),
						setting("http.attempt-header", TextValues::headerName, HttpSettings.ATTEMPT),
						setting("http.deadline-header", TextValues::headerName, HttpSettings.DEADLINE),
						setting("http.idempotency-header", TextValues::headerName, HttpSettings.IDEMPOTENCY),
						setting("http.inbound", TextValues::flag, false)));
		if (setting("unknown-keys", (text) -> TextValues.word(BackoffProperties.UnknownKeys.class, text),
				BackoffProperties.UnknownKeys.ERROR) == BackoffProperties.UnknownKeys.WARN) {
			this.unknownKeys.forEach((problem) -> warnings.add(problem.toString()));
		}
		else {
			this.problems.addAll(this.unknownKeys);
		}
		Map<String, PolicyEntry> entries = new LinkedHashMap<>();
		this.policies.forEach((canonical, values) -> {
			String spelling = this.names.get(canonical);
			entries.put(canonical,
					new PolicyEntry((spelling != null) ? spelling : canonical, spelling != null, values));
		});
		return new BackoffConfiguration(parsed, this.defaults, entries, this.problems, warnings);
	}

	private <T> List<T> list(String key, Function<String, T> parser) {
		ConfigValue value = this.settings.get(key);
		if (value == null) {
			return List.of();
		}
		List<T> elements = new ArrayList<>();
		for (String text : value.texts()) {
			try {
				elements.add(parser.apply(text));
			}
			catch (InvalidTextException ex) {
				this.problems.add(value.withTexts(List.of(text)).problem(ex));
			}
		}
		return List.copyOf(elements);
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
			boolean metricsEnabled, List<Duration> slo, BackoffProperties.CallMeter callMeter, HttpSettings http) {
	}

}
