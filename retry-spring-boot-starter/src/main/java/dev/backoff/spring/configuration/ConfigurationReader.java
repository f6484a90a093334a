package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.StringUtils;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.spring.configuration.Level.Rank;

/**
 * Read the keys below {@code backoff} into values with their origins.
 * <p>
 * The order of Boot's property sources is kept: for each key the strongest source wins, a
 * list as a whole. Names of policies, breakers, budgets and paces are compared by letters
 * and digits only, so a source overrides the entry that it means in any spelling.
 */
final class ConfigurationReader {

	private final ConfigurableEnvironment environment;

	private final PropertyScan scan;

	private final Map<Section, Map<Name, Map<Key<?>, ConfigValue>>> values = new HashMap<>();

	private final List<Problem> problems = new ArrayList<>();

	private final List<Problem> unknownKeys = new ArrayList<>();

	ConfigurationReader(ConfigurableEnvironment environment) {
		this.environment = environment;
		this.scan = new PropertyScan(environment);
	}

	BackoffConfiguration read() {
		this.scan.keys().forEach(this::addSource);
		Map<Key<?>, ConfigValue> settings = values(Section.SETTINGS, Name.NONE);
		settings.values().forEach((value) -> this.problems.addAll(value.problems()));
		boolean warned = SettingKey.UNKNOWN_KEYS.in(settings) == BackoffProperties.UnknownKeys.WARN;
		if (!warned) {
			this.problems.addAll(this.unknownKeys);
		}
		Map<Name, NamedSettings<BreakerSettings>> breakers = named(Section.BREAKERS,
				(entry) -> OverloadAssembler.breaker(entry, this.problems));
		int instances = SettingKey.INSTANCES.in(settings);
		Map<Name, NamedSettings<BudgetSettings>> budgets = named(Section.BUDGETS,
				(entry) -> OverloadAssembler.budget(entry, instances, this.problems));
		Map<Name, Section.Entry> paces = named(Section.PACES, Function.identity());
		paces.values()
			.forEach((pace) -> pace.values().values().forEach((value) -> this.problems.addAll(value.problems())));
		List<String> warnings = warned ? this.unknownKeys.stream().map(Problem::toString).toList() : List.of();
		return new BackoffConfiguration(Collections.unmodifiableMap(settings),
				Collections.unmodifiableMap(values(Section.DEFAULTS, Name.NONE)),
				named(Section.POLICIES, Function.identity()), breakers, budgets, paces, this.scan.names(),
				this.problems.stream().distinct().toList(), warnings, Overrides.NONE);
	}

	private Map<Key<?>, ConfigValue> values(Section section, Name name) {
		return this.values.computeIfAbsent(section, (any) -> new LinkedHashMap<>())
			.computeIfAbsent(name, (any) -> new TreeMap<>());
	}

	private <E> Map<Name, E> named(Section section, Function<Section.Entry, E> assembler) {
		Map<Name, E> named = new LinkedHashMap<>();
		for (Name name : this.values.getOrDefault(section, Map.of()).keySet()) {
			named.put(name, assembler.apply(new Section.Entry(name.toString(), values(section, name))));
		}
		return Collections.unmodifiableMap(named);
	}

	/** Add the keys of one source, which is weaker than those before. */
	private void addSource(List<SourceProperty> keys) {
		Map<List<Object>, List<SourceProperty>> byMeaning = new LinkedHashMap<>();
		for (SourceProperty key : keys) {
			byMeaning.computeIfAbsent(key.meaning(), (any) -> new ArrayList<>()).add(key);
		}
		byMeaning.values().forEach((elements) -> {
			elements.sort(Comparator.comparingInt(SourceProperty::index));
			add(elements);
		});
		checkSpelling(keys);
	}

	private void add(List<SourceProperty> elements) {
		SourceProperty written = elements.get(0);
		Section section = written.section();
		if (section.isNamed() && !checkName(section, written)) {
			return;
		}
		Map<Key<?>, ConfigValue> values = values(section, this.scan.spelled(section, written.name()));
		String below = String.join(".", written.below());
		Key<?> key = section.keyOf(below);
		String example = section.firstBelow(below);
		if (key != null) {
			// what is wrong but hidden by a stronger source is not reported
			values.computeIfAbsent(key, (unset) -> value(unset, elements));
		}
		else if (example == null) {
			this.unknownKeys.add(UnknownKey.of(section, written));
		}
		else if (!written.isEmpty()) {
			boolean nameless = section.isNamed() && section.keyOf(written.name()) != null;
			this.unknownKeys.add(written.problem("holds keys, not a value",
					nameless ? "It is a key of a " + section.noun() + ": write it below the name of one"
							+ ((section == Section.POLICIES) ? ", or below backoff.defaults." : ".")
							: "Write the keys below it, for instance " + written.key() + "." + example + "."));
		}
	}

	/** Report a name that cannot be one; return whether it can. */
	private boolean checkName(Section section, SourceProperty key) {
		String noun = section.noun();
		if (key.name().isBlank()) {
			this.problems.add(key.problem("is below a " + noun + " without a name", "Give the " + noun + " a name."));
		}
		else if (key.name().chars().anyMatch(Character::isISOControl)) {
			this.problems.add(key.problem("is below a " + noun + " whose name has line breaks or the like",
					"Write the name in one line."));
		}
		else if (section.isReferredTo() && Name.of(key.name()).is("none")) {
			this.problems.add(key.problem("is below a " + noun + " called none, which stands for no " + noun,
					"Give the " + noun + " another name."));
		}
		else {
			return true;
		}
		return false;
	}

	private void reportTwice(SourceProperty one, SourceProperty other) {
		if (one.name().equals(other.name())) {
			this.problems.add(Problem.ofPlace(
					"Keys " + one.property() + " (" + one.origin() + ") and " + other.property() + " (" + other.origin()
							+ ")",
					"keys are compared by letters and digits only, so these two are the same", "Remove one of them."));
		}
	}

	/** Resolve and read a value; null, with a problem, if it has no text. */
	private @Nullable ConfigValue value(Key<?> key, List<SourceProperty> elements) {
		SourceProperty first = elements.get(0);
		for (int i = 1; i < elements.size(); i++) {
			if (elements.get(i).index() == elements.get(i - 1).index()) {
				reportTwice(elements.get(i - 1), elements.get(i));
				return null;
			}
		}
		List<String> written = elements.stream().flatMap((element) -> element.texts().stream()).toList();
		Level level = Level.of((first.section() == Section.DEFAULTS) ? Rank.DEFAULTS : Rank.ENTRY);
		ConfigValue value = new ConfigValue(written, "Invalid " + first.key(), level, first.origin());
		if (!key.isList() && (first.index() >= 0 || written.size() > 1)) {
			this.problems.add(value.problem("must be one value, not a list", "Write one value."));
			return null;
		}
		return value.read(key, this.environment::resolveRequiredPlaceholders, this.problems);
	}

	private void checkSpelling(List<SourceProperty> keys) {
		Map<List<Object>, SourceProperty> first = new HashMap<>();
		Set<String> reported = new HashSet<>();
		for (SourceProperty key : keys) {
			String section = key.section().key();
			SourceProperty before = key.section().isNamed()
					? first.putIfAbsent(List.of(section, Name.of(key.name())), key) : null;
			if (before != null && !key.name().equals(before.name()) && reported.add(section + "." + key.name())) {
				this.problems.add(Problem.ofPlace(
						StringUtils.capitalize(section) + " " + before.name() + " (" + before.origin() + ") and "
								+ key.name() + " (" + key.origin() + ")",
						"names are compared by letters and digits only, so these two are the same",
						"Rename one of them, or merge the two."));
			}
		}
	}

}
