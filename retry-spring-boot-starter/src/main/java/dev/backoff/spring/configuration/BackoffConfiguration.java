package dev.backoff.spring.configuration;

import java.time.Duration;
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
	 * Return the configuration of a context. It is read at the first request and shared
	 * by all conditions and beans. It is not a bean definition, so ahead-of-time
	 * processing stores nothing of it.
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

	/** Return whether methods are retried and measured at all, true by default. */
	public boolean isEnabled() {
		return this.<Boolean>setting(SettingKey.ENABLED);
	}

	/** Return whether retries are made, true by default. */
	public boolean isRetriesEnabled() {
		Boolean overridden = this.overrides.retriesEnabled();
		return (overridden != null) ? overridden : this.<Boolean>setting(SettingKey.RETRIES_ENABLED);
	}

	/** Return the kind of random source, fast by default. */
	public BackoffProperties.RandomKind random() {
		return setting(SettingKey.RANDOM);
	}

	/** Return whether annotated methods are woven instead of proxied. */
	public boolean isWoven() {
		return setting(SettingKey.MODE) == BackoffProperties.AdviceMode.ASPECTJ;
	}

	/** Return whether other retries are logged, true by default. */
	public boolean isOtherRetriesWarned() {
		return setting(SettingKey.OTHER_RETRIES) == BackoffProperties.OtherRetries.WARN;
	}

	/** Return the buckets of the timers, empty by default. */
	public List<Duration> slo() {
		return setting(SettingKey.METRICS_SLO);
	}

	/** Return whether whole calls are timed besides being counted. */
	public boolean isDurations() {
		return this.<Boolean>setting(SettingKey.METRICS_DURATIONS);
	}

	/** Return the headers of calls over HTTP, and the hosts that get them. */
	public HttpSettings http() {
		return new HttpSettings(setting(SettingKey.HTTP_HOSTS), setting(SettingKey.HTTP_ATTEMPT_HEADER),
				setting(SettingKey.HTTP_DEADLINE_HEADER), setting(SettingKey.HTTP_IDEMPOTENCY_HEADER),
				this.<Boolean>setting(SettingKey.HTTP_INBOUND));
	}

	/** Return whether the endpoint shows the messages of failures. */
	public boolean isMessagesShown() {
		return this.<Boolean>setting(SettingKey.ENDPOINT_MESSAGES);
	}

	/** Return whether an open breaker makes the application's health DOWN. */
	public boolean isHealthOfBreakers() {
		return this.<Boolean>setting(SettingKey.HEALTH_BREAKERS);
	}

	/** Return how long closing the application waits for running calls. */
	public Duration shutdownWait() {
		return setting(SettingKey.SHUTDOWN_WAIT);
	}

	/** Return how durable calls are stored and run. */
	public DurableSettings durable() {
		ConfigValue dataSource = this.read.settings().get(SettingKey.DURABLE_DATA_SOURCE);
		return new DurableSettings(this.<Boolean>setting(SettingKey.DURABLE_WORK), setting(SettingKey.DURABLE_STORE),
				(dataSource != null) ? dataSource.text() : null, setting(SettingKey.DURABLE_FILE),
				setting(SettingKey.DURABLE_TABLE), setting(SettingKey.DURABLE_INITIALIZE_SCHEMA),
				setting(SettingKey.DURABLE_POLL_INTERVAL), setting(SettingKey.DURABLE_HEARTBEAT),
				this.<Integer>setting(SettingKey.DURABLE_MAX_LOSSES),
				this.<Integer>setting(SettingKey.DURABLE_MAX_PAYLOAD), setting(SettingKey.DURABLE_SHUTDOWN_WAIT));
	}

	/**
	 * Return the values in effect of the switches, and of the keys directly below
	 * {@code backoff} that are set.
	 */
	public Map<String, EffectiveValue> settings() {
		Map<String, EffectiveValue> settings = new LinkedHashMap<>();
		for (SettingKey key : SettingKey.values()) {
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

	/** Return the names of the policies, as they are written. */
	public List<String> policyNames() {
		return names(Section.POLICIES);
	}

	/** Return the breakers that are defined below {@code backoff.breakers}. */
	public Map<Name, BreakerEntry> breakers() {
		return this.read.breakers();
	}

	/**
	 * Return a breaker by its name in any spelling. A breaker that is not defined has the
	 * built-in numbers.
	 */
	public BreakerEntry breaker(String name) {
		return this.read.breakers()
			.getOrDefault(Name.of(name), OverloadAssembler.BREAKER)
			.withName(spelled(Section.BREAKERS, name));
	}

	/** Return the budgets that are defined below {@code backoff.budgets}. */
	public Map<Name, BudgetEntry> budgets() {
		return this.read.budgets();
	}

	/**
	 * Return a budget by its name in any spelling. A budget that is not defined has the
	 * built-in numbers.
	 */
	public BudgetEntry budget(String name) {
		BudgetEntry defined = this.read.budgets().get(Name.of(name));
		return ((defined != null) ? defined
				: OverloadAssembler.budget(new Section.Entry<BudgetKey>("", Map.of()),
						this.<Integer>setting(SettingKey.INSTANCES), new ArrayList<>()))
			.withName(spelled(Section.BUDGETS, name));
	}

	/** Return the names of a section, as they are written. */
	public Set<Name> defined(Section<?> section) {
		return ((section == Section.BREAKERS) ? this.read.breakers()
				: (section == Section.BUDGETS) ? this.read.budgets() : this.read.policies())
			.keySet();
	}

	/** Return a name in its section's spelling, or as given if the section lacks it. */
	public String spelled(Section<?> section, String name) {
		Name spelled = this.read.spellings().getOrDefault(section, Map.of()).get(Name.of(name));
		return (spelled != null) ? spelled.toString() : name;
	}

	/** Return the names of a section, as they are written. */
	public List<String> names(Section<?> section) {
		return defined(section).stream().map(Name::toString).toList();
	}

	/**
	 * Return the names of all exception types in lists below {@code backoff.defaults} and
	 * {@code backoff.policies}, even of classes that do not exist.
	 */
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
	public Collection<Section.Entry<PolicyKey>> policies() {
		return this.read.policies().values();
	}

	/** Return the values below {@code backoff.defaults}. */
	public Map<PolicyKey, ConfigValue> defaults() {
		return this.read.defaults();
	}

	/** Return the values of a policy by its name in any spelling, or null. */
	public Section.@Nullable Entry<PolicyKey> policy(String name) {
		return this.read.policies().get(Name.of(name));
	}

	@SuppressWarnings("TypeParameterUnusedInFormals") // the key knows the type
	private <T> T setting(SettingKey key) {
		return ConfigValue.read(this.read.settings(), key);
	}

	/** Return a setting, or whether a section has an entry, as a condition writes it. */
	String setting(String key) {
		SettingKey setting = Section.SETTINGS.keyOf(key);
		Object value = (setting != null) ? setting(setting) : !breakers().isEmpty();
		return value.toString().toLowerCase(Locale.ROOT);
	}

	/** The singleton that has the configuration of a context. */
	private record Holder(BackoffConfiguration configuration) {

		private static final String NAME = BackoffConfiguration.class.getName();

	}

	/** All values of one reading, and the names as files write them. */
	record Reading(Map<SettingKey, ConfigValue> settings, Map<PolicyKey, ConfigValue> defaults,
			Map<Name, Section.Entry<PolicyKey>> policies, Map<Name, BreakerEntry> breakers,
			Map<Name, BudgetEntry> budgets, Map<Section<?>, Map<Name, Name>> spellings, List<Problem> problems,
			List<String> warnings) {
	}

}
