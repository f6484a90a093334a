package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.Collection;
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
 * overrides on top. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class BackoffConfiguration {

	/** The class that only the module {@code retry-aspectj} has: {@value}. */
	public static final String WEAVING = "dev.backoff.spring.aspectj.AspectJWeaving";

	private final Reading read;

	private final Overrides overrides;

	BackoffConfiguration(Reading read, Overrides overrides) {
		this.read = read;
		this.overrides = overrides;
	}

	/** Read the configuration and find its {@link #problems()}. */
	public static BackoffConfiguration read(ConfigurableEnvironment environment) {
		return new ConfigurationReader(environment).read();
	}

	/**
	 * Return the configuration of a context, which is read at the first request. It is no
	 * bean definition, so ahead-of-time processing stores nothing of it.
	 */
	public static BackoffConfiguration of(@Nullable ConfigurableListableBeanFactory beanFactory,
			Environment environment) {
		if (beanFactory != null && beanFactory.getSingleton(Holder.NAME) instanceof Holder holder) {
			return holder.configuration();
		}
		BackoffConfiguration read = read((ConfigurableEnvironment) environment);
		if (beanFactory != null) {
			beanFactory.registerSingleton(Holder.NAME, new Holder(read));
		}
		return read;
	}

	/** Return this configuration with other live overrides in place of those it has. */
	public BackoffConfiguration with(Overrides overrides) {
		return new BackoffConfiguration(this.read, overrides);
	}

	/** Return whether both come from one reading of the sources, with any overrides. */
	@SuppressWarnings("ReferenceEquality") // a later reading may be equal
	public boolean isReadWith(BackoffConfiguration other) {
		return this.read == other.read;
	}

	/** Return the live overrides, empty in a configuration that has just been read. */
	public Overrides overrides() {
		return this.overrides;
	}

	/** Return the value of a setting, without overrides. */
	public <T> T get(Key<T> setting) {
		return setting.in(this.read.settings());
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
		ConfigValue dataSource = this.read.settings().get(SettingKey.DURABLE_DATA_SOURCE);
		return new DurableSettings(get(SettingKey.DURABLE_WORK), get(SettingKey.DURABLE_STORE),
				(dataSource != null) ? dataSource.text() : null, get(SettingKey.DURABLE_FILE),
				get(SettingKey.DURABLE_TABLE), get(SettingKey.DURABLE_INITIALIZE_SCHEMA),
				get(SettingKey.DURABLE_POLL_INTERVAL), get(SettingKey.DURABLE_HEARTBEAT),
				get(SettingKey.DURABLE_MAX_LOSSES), get(SettingKey.DURABLE_MAX_PAYLOAD),
				get(SettingKey.DURABLE_SHUTDOWN_WAIT));
	}

	/** Return the values in effect of the switches, and of the settings that are set. */
	public Map<String, EffectiveValue> settings() {
		Map<String, EffectiveValue> settings = new LinkedHashMap<>();
		for (Key<?> key : SettingKey.KEYS) {
			ConfigValue written = this.read.settings().get(key);
			if (written != null) {
				settings.put(key.key(), written.shown());
			}
			else if (key == SettingKey.ENABLED || key == SettingKey.RETRIES_ENABLED) {
				settings.put(key.key(), EffectiveValue.builtIn("true"));
			}
		}
		Boolean overridden = this.overrides.retriesEnabled();
		if (overridden != null) {
			settings.put(SettingKey.RETRIES_ENABLED.key(),
					new EffectiveValue(overridden.toString(), Level.OVERRIDE, Overrides.ORIGIN));
		}
		return Collections.unmodifiableMap(settings);
	}

	/** Return the problems; an empty list if the configuration can work. */
	public List<Problem> problems() {
		return this.read.problems();
	}

	/** Return the warnings, which do not stop the start-up, as sentences. */
	public List<String> warnings() {
		return this.read.warnings();
	}

	/** Return the breakers that are defined below {@code backoff.breakers}. */
	public Map<Name, NamedSettings<BreakerSettings>> breakers() {
		return this.read.breakers();
	}

	/** Return a breaker by its name, with the built-in numbers if it is not defined. */
	public NamedSettings<BreakerSettings> breaker(String name) {
		return this.read.breakers()
			.getOrDefault(Name.of(name), OverloadAssembler.BREAKER)
			.withName(spelled(Section.BREAKERS, name));
	}

	/** Return the budgets that are defined below {@code backoff.budgets}. */
	public Map<Name, NamedSettings<BudgetSettings>> budgets() {
		return this.read.budgets();
	}

	/** Return a budget by its name, with the built-in numbers if it is not defined. */
	public NamedSettings<BudgetSettings> budget(String name) {
		NamedSettings<BudgetSettings> defined = this.read.budgets().get(Name.of(name));
		return ((defined != null) ? defined : OverloadAssembler.budget(new Section.Entry("", Map.of()),
				get(SettingKey.INSTANCES), new ArrayList<>()))
			.withName(spelled(Section.BUDGETS, name));
	}

	/** Return the paces that are defined below {@code backoff.paces}. */
	public Map<Name, Section.Entry> paces() {
		return this.read.paces();
	}

	/** Return a value of a pace, or the built-in one. */
	public <T> T ofPace(String name, Key<T> key) {
		Section.Entry pace = this.read.paces().get(Name.of(name));
		return key.in((pace != null) ? pace.values() : Map.of());
	}

	/** Return the names of a section, as they are written. */
	public Set<Name> defined(Section section) {
		return ((section == Section.BREAKERS) ? breakers() : (section == Section.BUDGETS) ? budgets()
				: (section == Section.PACES) ? paces() : this.read.policies())
			.keySet();
	}

	/** Return a name in its section's spelling, or as given if the section lacks it. */
	public String spelled(Section section, String name) {
		Name spelled = this.read.spellings().getOrDefault(section, Map.of()).get(Name.of(name));
		return (spelled != null) ? spelled.toString() : name;
	}

	/** Return the names of a section, as they are written. */
	public List<String> names(Section section) {
		return defined(section).stream().map(Name::toString).toList();
	}

	/** Return the names of all exception types in lists, even of missing classes. */
	public Set<String> failureTypeNames() {
		Set<String> names = new LinkedHashSet<>();
		Stream.concat(Stream.of(defaults()), policies().stream().map(Section.Entry::values))
			.forEach((level) -> level.forEach((key, value) -> {
				if (key == PolicyKey.RETRY_ON || key == PolicyKey.ABORT_ON) {
					names.addAll(value.texts());
				}
			}));
		return Collections.unmodifiableSet(names);
	}

	/** Return the values of each policy, in the order in which they are written. */
	public Collection<Section.Entry> policies() {
		return this.read.policies().values();
	}

	/** Return the values below {@code backoff.defaults}. */
	public Map<Key<?>, ConfigValue> defaults() {
		return this.read.defaults();
	}

	/** Return the values of a policy by its name in any spelling, or null. */
	public Section.@Nullable Entry policy(String name) {
		return this.read.policies().get(Name.of(name));
	}

	/** Return a setting, or whether a section has an entry, as a condition writes it. */
	String setting(String key) {
		Key<?> setting = Section.SETTINGS.keyOf(key);
		Object value = (setting != null) ? get(setting) : !breakers().isEmpty();
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

	/** All values of one reading, and the names as files write them. */
	record Reading(Map<Key<?>, ConfigValue> settings, Map<Key<?>, ConfigValue> defaults,
			Map<Name, Section.Entry> policies, Map<Name, NamedSettings<BreakerSettings>> breakers,
			Map<Name, NamedSettings<BudgetSettings>> budgets, Map<Name, Section.Entry> paces,
			Map<Section, Map<Name, Name>> spellings, List<Problem> problems, List<String> warnings) {
	}

}
