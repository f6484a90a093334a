package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
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
	static final List<String> TOP_LEVEL_KEYS = List.of("enabled", "retries-enabled", "unknown-keys", "random", "mode",
			"metrics.enabled", "metrics.slo", "metrics.durations", "observation.enabled", "http.hosts",
			"http.attempt-header", "http.deadline-header", "http.idempotency-header", "http.inbound",
			"endpoint.messages", "health.breakers", "shutdown.wait");

	/** Those of them that are on unless they are switched off. */
	private static final Set<String> SWITCHES = Set.of("enabled", "retries-enabled");

	/** Those of them that are lists. */
	static final Set<String> TOP_LEVEL_LISTS = Set.of("metrics.slo", "http.hosts");

	private final ConfigurableEnvironment environment;

	private final ValueReader valueReader;

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
		this.valueReader = new ValueReader(environment, this.problems);
	}

	BackoffConfiguration read() {
		List<ConfigurationPropertySource> sources = new ArrayList<>();
		Map<ConfigurationPropertySource, List<WrittenKey>> listed = new HashMap<>();
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			sources.add(source);
			Object underlying = source.getUnderlyingSource();
			if (!(underlying instanceof SystemEnvironmentPropertySource)
					&& source instanceof IterableConfigurationPropertySource
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
		if (source.containsDescendantOf(PropertyKeys.ROOT) == ConfigurationPropertyState.ABSENT) {
			// such as random numbers, which every application has
			return List.of();
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
			shorthands.add(() -> this.valueReader.put(section.meantBy(key), elements, section.isList(key), values));
		}
		else {
			this.valueReader.put(List.of(key), elements, section.isList(key), values);
		}
	}

	private void addDefault(List<String> path, List<WrittenKey> elements) {
		PolicyKey key = PolicyKey.of(String.join(".", path));
		if (key != null && key != PolicyKey.INHERITS) {
			this.valueReader.put(List.of(key), elements, Section.POLICIES.isList(key), this.defaults);
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
				this.valueReader.put(List.of(known), elements, TOP_LEVEL_LISTS.contains(known), this.settings);
				return;
			}
		}
		WrittenKey key = elements.get(0);
		String below = firstBelow(wanted);
		if (below != null) {
			if (!key.isEmpty()) {
				this.unknownKeys.add(UnknownKey.group(key, below));
			}
			return;
		}
		this.unknownKeys.add(UnknownKey.ofTopLevel(key, TOP_LEVEL_KEYS));
	}

	/** Return a key that stands below the given one, or null. */
	private static @Nullable String firstBelow(String group) {
		Section<?> section = Section.of(group);
		if (section != null) {
			return "<name>." + section.example();
		}
		for (String known : TOP_LEVEL_KEYS) {
			for (int dot = known.indexOf('.'); dot > 0; dot = known.indexOf('.', dot + 1)) {
				if (TextValues.canonical(known.substring(0, dot)).equals(group)) {
					return known.substring(dot + 1);
				}
			}
		}
		return group.equals("defaults") ? Section.POLICIES.example() : null;
	}

	private BackoffConfiguration finish() {
		List<String> warnings = new ArrayList<>();
		Settings parsed = new Settings(setting("enabled", TextValues::flag, true),
				setting("retries-enabled", TextValues::flag, true),
				setting("random", (text) -> TextValues.word(BackoffProperties.RandomKind.class, text),
						BackoffProperties.RandomKind.FAST),
				setting("mode", (text) -> TextValues.word(BackoffProperties.AdviceMode.class, text),
						BackoffProperties.AdviceMode.PROXY),
				setting("metrics.enabled", TextValues::flag, true), list("metrics.slo", TextValues::positiveDuration),
				setting("metrics.durations", TextValues::flag, false),
				setting("observation.enabled", TextValues::flag, false),
				new HttpSettings(list("http.hosts", TextValues::hostPattern),
						setting("http.attempt-header", TextValues::headerName, HttpSettings.ATTEMPT),
						setting("http.deadline-header", TextValues::headerName, HttpSettings.DEADLINE),
						setting("http.idempotency-header", TextValues::headerName, HttpSettings.IDEMPOTENCY),
						setting("http.inbound", TextValues::flag, false)),
				setting("endpoint.messages", TextValues::flag, false),
				setting("health.breakers", TextValues::flag, false),
				setting("shutdown.wait", TextValues::duration, Duration.ZERO), written());
		HeaderNames.check(parsed.http(), this.settings, this.problems);
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

	private Map<String, EffectivePolicy.Value> written() {
		Map<String, EffectivePolicy.Value> written = new LinkedHashMap<>();
		for (String key : TOP_LEVEL_KEYS) {
			ConfigValue value = this.settings.get(key);
			if (value != null) {
				written.put(key, new EffectivePolicy.Value(value.text(), value.origin()));
			}
			else if (SWITCHES.contains(key)) {
				written.put(key, new EffectivePolicy.Value("true", PolicyValues.BUILT_IN));
			}
		}
		return Collections.unmodifiableMap(written);
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
			BackoffProperties.AdviceMode mode, boolean metricsEnabled, List<Duration> slo,
			boolean durations, boolean observationEnabled, HttpSettings http, boolean messagesShown,
			boolean healthOfBreakers, Duration shutdownWait, Map<String, EffectivePolicy.Value> written) {
	}

}
