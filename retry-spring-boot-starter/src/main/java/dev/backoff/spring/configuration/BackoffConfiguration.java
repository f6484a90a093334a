package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.budget.BudgetSettings;

/**
 * The configuration below {@code backoff}: a snapshot of all values, with the live
 * overrides on top. Entries of sections are in the order in which they are written.
 * Immutable and thread-safe.
 *
 * @param settings the values directly below {@code backoff}
 * @param defaults the values below {@code backoff.defaults}
 * @param policies the policies
 * @param breakers the breakers, with the built-in numbers where they set none
 * @param budgets the budgets, likewise
 * @param paces the paces
 * @param spellings the names of each section as files write them
 * @param problems the problems; an empty list if the configuration can work
 * @param warnings the warnings, which do not stop the start-up, as sentences
 * @param overrides the live overrides, empty in a configuration that has just been read
 * @since 0.1
 */
public record BackoffConfiguration(Map<Key<?>, ConfigValue> settings, Map<Key<?>, ConfigValue> defaults,
		Map<Name, Section.Entry> policies, Map<Name, NamedSettings<BreakerSettings>> breakers,
		Map<Name, NamedSettings<BudgetSettings>> budgets, Map<Name, Section.Entry> paces,
		Map<Section, Map<Name, Name>> spellings, List<Problem> problems, List<String> warnings, Overrides overrides) {

	/** The class that only the module {@code retry-aspectj} has: {@value}. */
	public static final String WEAVING = "dev.backoff.spring.aspectj.AspectJWeaving";

	/** Read the configuration and find its {@link #problems()}. */
	public static BackoffConfiguration read(ConfigurableEnvironment environment) {
		return new ConfigurationReader(environment).read();
	}

	/**
	 * Return the configuration of a context, which is read at the first request. It is no
	 * bean definition, so ahead-of-time processing stores nothing of it.
	 */
	public static BackoffConfiguration of(ConfigurableListableBeanFactory beanFactory, Environment environment) {
		if (beanFactory.getSingleton(Holder.NAME) instanceof Holder holder) {
			return holder.configuration();
		}
		BackoffConfiguration read = read((ConfigurableEnvironment) environment);
		beanFactory.registerSingleton(Holder.NAME, new Holder(read));
		return read;
	}

	/** Return this configuration with other live overrides in place of those it has. */
	public BackoffConfiguration with(Overrides overrides) {
		return new BackoffConfiguration(this.settings, this.defaults, this.policies, this.breakers, this.budgets,
				this.paces, this.spellings, this.problems, this.warnings, overrides);
	}

	/** Return whether both come from one reading of the sources, with any overrides. */
	@SuppressWarnings("ReferenceEquality") // a later reading may be equal
	public boolean isReadWith(BackoffConfiguration other) {
		return this.settings == other.settings;
	}

	/** Return the value of a setting, without overrides. */
	public <T> T get(Key<T> setting) {
		return setting.in(this.settings);
	}

	/** Return whether methods are retried and measured at all, true by default. */
	public boolean isEnabled() {
		return get(SettingKey.ENABLED);
	}

	/** Return whether retries are made, true by default. */
	public boolean isRetriesEnabled() {
		Boolean overridden = this.overrides.retriesEnabled();
		return (overridden != null) ? overridden : get(SettingKey.RETRIES_ENABLED);
	}

	/** Return whether annotated methods are woven instead of proxied. */
	public boolean isWoven() {
		return get(SettingKey.MODE) == BackoffProperties.AdviceMode.ASPECTJ;
	}

	/** Return the headers of calls over HTTP, and the hosts that get them. */
	public HttpSettings http() {
		return new HttpSettings(get(SettingKey.HTTP_HOSTS), get(SettingKey.HTTP_ATTEMPT_HEADER),
				get(SettingKey.HTTP_DEADLINE_HEADER), get(SettingKey.HTTP_IDEMPOTENCY_HEADER));
	}

	/** Return how durable calls are stored and run. */
	public DurableSettings durable() {
		ConfigValue dataSource = this.settings.get(SettingKey.DURABLE_DATA_SOURCE);
		return new DurableSettings(get(SettingKey.DURABLE_WORK), get(SettingKey.DURABLE_STORE),
				(dataSource != null) ? dataSource.text() : null, get(SettingKey.DURABLE_FILE),
				get(SettingKey.DURABLE_TABLE), get(SettingKey.DURABLE_INITIALIZE_SCHEMA),
				get(SettingKey.DURABLE_POLL_INTERVAL), get(SettingKey.DURABLE_HEARTBEAT),
				get(SettingKey.DURABLE_MAX_LOSSES), get(SettingKey.DURABLE_MAX_PAYLOAD),
				get(SettingKey.DURABLE_SHUTDOWN_WAIT));
	}

	/** Return the values in effect of the switches, and of the settings that are set. */
	public Map<String, EffectiveValue> shownSettings() {
		Map<String, EffectiveValue> shown = new LinkedHashMap<>();
		for (Key<?> key : SettingKey.KEYS) {
			ConfigValue written = this.settings.get(key);
			if (written != null) {
				shown.put(key.key(), written.shown());
			}
			else if (key == SettingKey.ENABLED || key == SettingKey.RETRIES_ENABLED) {
				shown.put(key.key(), EffectiveValue.builtIn("true"));
			}
		}
		Boolean overridden = this.overrides.retriesEnabled();
		if (overridden != null) {
			shown.put(SettingKey.RETRIES_ENABLED.key(),
					new EffectiveValue(overridden.toString(), Level.OVERRIDE, Overrides.ORIGIN));
		}
		return Collections.unmodifiableMap(shown);
	}

	/** Return a breaker by its name, with the built-in numbers if it is not defined. */
	public NamedSettings<BreakerSettings> breaker(String name) {
		return this.breakers.getOrDefault(Name.of(name), OverloadAssembler.BREAKER)
			.withName(spelled(Section.BREAKERS, name));
	}

	/** Return a budget by its name, with the built-in numbers if it is not defined. */
	public NamedSettings<BudgetSettings> budget(String name) {
		NamedSettings<BudgetSettings> defined = this.budgets.get(Name.of(name));
		return ((defined != null) ? defined : OverloadAssembler.budget(new Section.Entry("", Map.of()),
				get(SettingKey.INSTANCES), new ArrayList<>()))
			.withName(spelled(Section.BUDGETS, name));
	}

	/** Return a value of a pace, or the built-in one. */
	public <T> T ofPace(String name, Key<T> key) {
		Section.Entry pace = this.paces.get(Name.of(name));
		return key.in((pace != null) ? pace.values() : Map.of());
	}

	/** Return the names of a section, as they are written. */
	public Set<Name> defined(Section section) {
		return ((section == Section.BREAKERS) ? this.breakers
				: (section == Section.BUDGETS) ? this.budgets : (section == Section.PACES) ? this.paces : this.policies)
			.keySet();
	}

	/** Return a name in its section's spelling, or as given if the section lacks it. */
	public String spelled(Section section, String name) {
		Name spelled = this.spellings.getOrDefault(section, Map.of()).get(Name.of(name));
		return (spelled != null) ? spelled.toString() : name;
	}

	/** Return the names of a section, as they are written. */
	public List<String> names(Section section) {
		return defined(section).stream().map(Name::toString).toList();
	}

	/** Return the names of all exception types in lists, even of missing classes. */
	public Set<String> failureTypeNames() {
		Set<String> names = new LinkedHashSet<>();
		Stream.concat(Stream.of(this.defaults), this.policies.values().stream().map(Section.Entry::values))
			.forEach((level) -> level.forEach((key, value) -> {
				if (key == PolicyKey.RETRY_ON || key == PolicyKey.ABORT_ON) {
					names.addAll(value.texts());
				}
			}));
		return Collections.unmodifiableSet(names);
	}

	/** Return the values of a policy by its name in any spelling, or null. */
	public Section.@Nullable Entry policy(String name) {
		return this.policies.get(Name.of(name));
	}

	/** Return a setting, or whether a section has an entry, as a condition writes it. */
	String setting(String key) {
		Key<?> setting = Section.SETTINGS.keyOf(key);
		Object value = (setting != null) ? get(setting) : !this.breakers.isEmpty();
		return value.toString().toLowerCase(Locale.ROOT);
	}

	/**
	 * A breaker or a budget of the configuration, or one with the built-in numbers. Its
	 * name is spelt as in the configuration, or else as its first user spells it.
	 */
	public record NamedSettings<S>(String name, S settings, Map<Key<?>, EffectiveValue> values) {

		NamedSettings<S> withName(String name) {
			return new NamedSettings<>(name, this.settings, this.values);
		}

	}

	/** The singleton that has the configuration of a context. */
	private record Holder(BackoffConfiguration configuration) {

		private static final String NAME = BackoffConfiguration.class.getName();

	}

}
