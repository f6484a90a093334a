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
 * list as a whole. Names of policies, breakers and budgets are compared by letters and
 * digits only, so a source overrides the one it means however it spells it.
 */
final class ConfigurationReader {

	/** The keys that stand directly below {@code backoff}. */
	static final List<String> TOP_LEVEL_KEYS = List.of("enabled", "retries-enabled", "unknown-keys", "random",
			"metrics.enabled", "metrics.slo", "metrics.calls", "health.breakers");

	/* What stands below backoff and holds keys, with one of these. */
	private static final Map<String, String> GROUPS = Map.of("policies", "<name>.base", "breakers",
			"<name>.failure-rate", "budgets", "<name>.tokens", "defaults", "base", "metrics", "enabled", "health",
			"breakers");

	private final ConfigurableEnvironment environment;

	private final Map<PolicyKey, ConfigValue> defaults = new LinkedHashMap<>();

	private final SectionEntries<PolicyKey> policies = new SectionEntries<>(Section.POLICIES);

	private final SectionEntries<BreakerKey> breakers = new SectionEntries<>(Section.BREAKERS);

	private final SectionEntries<BudgetKey> budgets = new SectionEntries<>(Section.BUDGETS);

	private final List<SectionEntries<?>> sections = List.of(this.policies, this.breakers, this.budgets);

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
			return EnvironmentKeys.in(variables, this.sections, TOP_LEVEL_KEYS);
		}
		return PropertyKeys.lookUp(source, this.sections, TOP_LEVEL_KEYS);
	}

	private void noteName(WrittenKey key) {
		Section<?> section = key.section();
		String name = key.name();
		if (section != null && name != null) {
			entries(section).spell(name);
		}
	}

	private SectionEntries<?> entries(Section<?> section) {
		return this.sections.get(Section.ALL.indexOf(section));
	}

	/** Add the keys of one source, which is weaker than those before. */
	private void addSource(List<WrittenKey> keys) {
		Map<String, List<WrittenKey>> byPath = new LinkedHashMap<>();
		for (WrittenKey key : keys) {
			byPath.computeIfAbsent(key.canonicalPath(), (path) -> new ArrayList<>()).add(key);
		}
		List<Runnable> shorthands = new ArrayList<>();
		byPath.values().forEach((elements) -> {
			elements.sort(Comparator.comparingInt(WrittenKey::index));
			add(elements, shorthands);
		});
		// what a source writes in full wins over its shorthand
		shorthands.forEach(Runnable::run);
		checkSpelling(keys);
	}

	private void checkSpelling(List<WrittenKey> keys) {
		Map<String, WrittenKey> first = new LinkedHashMap<>();
		Set<String> reported = new HashSet<>();
		for (WrittenKey key : keys) {
			Section<?> section = key.section();
			String name = key.name();
			if (section == null || name == null) {
				continue;
			}
			WrittenKey before = first.putIfAbsent(section.key() + "." + TextValues.canonical(name), key);
			if (before != null && !name.equals(before.name()) && reported.add(section.key() + "." + name)) {
				this.problems.add(Problem.ofPlace(
						StringUtils.capitalize(section.key()) + " " + before.name() + " (" + before.origin() + ") and "
								+ name + " (" + key.origin() + ")",
						"names are compared by letters and digits only, so these two are the same",
						"Rename one of them, or merge the two."));
			}
		}
	}

	private void add(List<WrittenKey> elements, List<Runnable> shorthands) {
		WrittenKey key = elements.get(0);
		List<String> path = key.path();
		Section<?> section = key.section();
		if (section != null) {
			addEntry(entries(section), elements, shorthands);
		}
		else if (TextValues.canonical(path.get(0)).equals("defaults") && path.size() > 1) {
			addDefault(path.subList(1, path.size()), elements);
		}
		else {
			addSetting(String.join(".", path), elements);
		}
	}

	private <K extends Enum<K> & SectionKey> void addEntry(SectionEntries<K> entries, List<WrittenKey> elements,
			List<Runnable> shorthands) {
		WrittenKey key = elements.get(0);
		String noun = entries.section().noun();
		String name = key.path().get(1);
		if (name.isBlank()) {
			this.problems.add(key.problem("is below a " + noun + " without a name", "Give the " + noun + " a name."));
		}
		else if (name.chars().anyMatch(Character::isISOControl)) {
			this.problems.add(key.problem("is below a " + noun + " whose name has line breaks or the like",
					"Write the name in one line."));
		}
		else if (entries.section().isReferredTo() && TextValues.canonical(name).equals("none")) {
			this.problems.add(key.problem("is below a " + noun + " called none, which stands for no " + noun,
					"Give the " + noun + " another name."));
		}
		else {
			Map<K, ConfigValue> values = entries.below(name);
			if (key.path().size() > 2) {
				addBelow(entries.section(), elements, values, shorthands);
			}
			else if (!key.isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(key, entries.section().example()));
			}
		}
	}

	private <K extends Enum<K> & SectionKey> void addBelow(Section<K> section, List<WrittenKey> elements,
			Map<K, ConfigValue> values, List<Runnable> shorthands) {
		List<String> path = elements.get(0).path().subList(2, elements.get(0).path().size());
		K key = section.keyOf(String.join(".", path));
		if (key == null) {
			addUnknown(section, String.join(".", path), elements.get(0),
					(written) -> UnknownKey.ofEntry(written, path, section));
		}
		else if (section.isShorthand(key)) {
			shorthands.add(() -> put(section.meantBy(key), elements, section.isList(key), values));
		}
		else {
			put(List.of(key), elements, section.isList(key), values);
		}
	}

	private void addDefault(List<String> path, List<WrittenKey> elements) {
		PolicyKey key = PolicyKey.of(String.join(".", path));
		if (key != null && key != PolicyKey.INHERITS) {
			put(List.of(key), elements, Section.POLICIES.isList(key), this.defaults);
		}
		else {
			addUnknown(Section.POLICIES, String.join(".", path), elements.get(0),
					(written) -> UnknownKey.ofDefaults(written, path));
		}
	}

	private void addUnknown(Section<?> section, String path, WrittenKey key, Function<WrittenKey, Problem> report) {
		String below = section.firstBelow(path);
		if (below == null) {
			this.unknownKeys.add(report.apply(key));
		}
		else if (!key.isEmpty()) {
			this.unknownKeys.add(UnknownKey.group(key, below));
		}
	}

	private void addSetting(String written, List<WrittenKey> elements) {
		String wanted = TextValues.canonical(written);
		for (String known : TOP_LEVEL_KEYS) {
			if (TextValues.canonical(known).equals(wanted)) {
				put(List.of(known), elements, known.equals("metrics.slo"), this.settings);
				return;
			}
		}
		WrittenKey key = elements.get(0);
		String below = GROUPS.get(wanted);
		if (below != null) {
			if (!key.isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(key, below));
			}
			return;
		}
		this.unknownKeys.add(UnknownKey.ofTopLevel(key, TOP_LEVEL_KEYS));
	}

	private <K> void put(List<K> keys, List<WrittenKey> elements, boolean list, Map<K, ConfigValue> values) {
		List<WrittenKey> whole = elements.stream().filter((element) -> element.index() < 0).toList();
		if (whole.size() > 1) {
			reportTwice(whole.get(0), whole.get(1));
			return;
		}
		ConfigValue value = value(elements, list);
		if (value != null) {
			keys.forEach((key) -> values.putIfAbsent(key, value));
		}
	}

	private void reportTwice(WrittenKey one, WrittenKey other) {
		if (Objects.equals(one.name(), other.name())) {
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
				setting("metrics.enabled", TextValues::flag, true), slo(),
				setting("metrics.calls", (text) -> TextValues.word(BackoffProperties.CallMeter.class, text),
						BackoffProperties.CallMeter.COUNTER),
				setting("health.breakers", TextValues::flag, false));
		if (setting("unknown-keys", (text) -> TextValues.word(BackoffProperties.UnknownKeys.class, text),
				BackoffProperties.UnknownKeys.ERROR) == BackoffProperties.UnknownKeys.WARN) {
			this.unknownKeys.forEach((problem) -> warnings.add(problem.toString()));
		}
		else {
			this.problems.addAll(this.unknownKeys);
		}
		Map<String, PolicyEntry> policyEntries = new LinkedHashMap<>();
		this.policies.forEach((canonical, spelling, values) -> policyEntries.put(canonical,
				new PolicyEntry((spelling != null) ? spelling : canonical, spelling != null, values)));
		Map<String, BreakerEntry> breakerEntries = new LinkedHashMap<>();
		this.breakers.forEach((canonical, spelling, values) -> breakerEntries.put(canonical, BreakerAssembler
			.assemble((spelling != null) ? spelling : canonical, spelling != null, values, this.problems)));
		Map<String, BudgetEntry> budgetEntries = new LinkedHashMap<>();
		this.budgets.forEach((canonical, spelling, values) -> budgetEntries.put(canonical, BudgetAssembler
			.assemble((spelling != null) ? spelling : canonical, spelling != null, values, this.problems)));
		return new BackoffConfiguration(parsed,
				new BackoffConfiguration.Sections(this.defaults, policyEntries, breakerEntries, budgetEntries),
				this.problems, warnings);
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
			boolean metricsEnabled, List<Duration> slo, BackoffProperties.CallMeter callMeter,
			boolean healthOfBreakers) {
	}

}
