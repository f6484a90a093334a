package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The configuration below {@code backoff}: a snapshot of all its values, with the live
 * overrides over them. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class BackoffConfiguration {

	/** The class that is there if the module {@code retry-aspectj} is: {@value}. */
	public static final String WEAVING = "dev.backoff.spring.aspectj.AspectJWeaving";

	private static final List<SettingKey> SWITCHES = List.of(SettingKey.ENABLED, SettingKey.RETRIES_ENABLED);

	private final Map<SettingKey, ConfigValue> settings;

	private final Map<PolicyKey, ConfigValue> defaults;

	private final Map<String, NamedValues<PolicyKey>> policies;

	private final Map<String, BreakerEntry> breakers;

	private final Map<String, BudgetEntry> budgets;

	private final List<Problem> problems;

	private final List<String> warnings;

	private final Overrides overrides;

	/* The same in all snapshots of one reading. */
	private final Object reading;

	/* The maps by canonical name. */
	BackoffConfiguration(Map<SettingKey, ConfigValue> settings, Map<PolicyKey, ConfigValue> defaults,
			Map<String, NamedValues<PolicyKey>> policies, Map<String, BreakerEntry> breakers,
			Map<String, BudgetEntry> budgets, List<Problem> problems, List<String> warnings) {
		this.settings = Collections.unmodifiableMap(new TreeMap<>(settings));
		this.defaults = Collections.unmodifiableMap(new TreeMap<>(defaults));
		this.policies = Collections.unmodifiableMap(policies);
		this.breakers = Collections.unmodifiableMap(breakers);
		this.budgets = Collections.unmodifiableMap(budgets);
		this.problems = problems.stream().distinct().toList();
		this.warnings = List.copyOf(warnings);
		this.overrides = Overrides.NONE;
		this.reading = new Object();
	}

	private BackoffConfiguration(BackoffConfiguration read, Overrides overrides) {
		this.settings = read.settings;
		this.defaults = read.defaults;
		this.policies = read.policies;
		this.breakers = read.breakers;
		this.budgets = read.budgets;
		this.problems = read.problems;
		this.warnings = read.warnings;
		this.overrides = overrides;
		this.reading = read.reading;
	}

	/**
	 * Read the configuration of an application.
	 * @param environment the environment that has it
	 * @return a snapshot, whose {@link #problems()} tell what is wrong with it
	 */
	public static BackoffConfiguration read(ConfigurableEnvironment environment) {
		return new ConfigurationReader(environment).read();
	}

	/**
	 * Return this configuration with other live overrides.
	 * @param overrides take the place of those that it has
	 * @return a new snapshot
	 */
	public BackoffConfiguration with(Overrides overrides) {
		return new BackoffConfiguration(this, overrides);
	}

	/** Return whether both are of one reading, with any overrides. */
	boolean isReadWith(BackoffConfiguration other) {
		return this.reading == other.reading;
	}

	/**
	 * {@return the live overrides, none in a configuration that has just been read}
	 */
	public Overrides overrides() {
		return this.overrides;
	}

	/**
	 * {@return whether methods are retried and measured at all, true by default}
	 */
	public boolean isEnabled() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.ENABLED);
	}

	/**
	 * {@return whether retries are made, true by default}
	 */
	public boolean isRetriesEnabled() {
		Boolean overridden = this.overrides.retriesEnabled();
		return (overridden != null) ? overridden : ConfigValue.<Boolean>read(this.settings, SettingKey.RETRIES_ENABLED);
	}

	/**
	 * {@return the kind of random source, fast by default}
	 */
	public BackoffProperties.RandomKind random() {
		return ConfigValue.read(this.settings, SettingKey.RANDOM);
	}

	/**
	 * {@return whether annotated methods are woven instead of proxied}
	 */
	public boolean isWoven() {
		return ConfigValue.read(this.settings, SettingKey.MODE) == BackoffProperties.AdviceMode.ASPECTJ;
	}

	/**
	 * {@return whether meters are published, true by default}
	 */
	public boolean isMetricsEnabled() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.METRICS_ENABLED);
	}

	/**
	 * {@return the buckets of the timers, empty by default}
	 */
	public List<Duration> slo() {
		return ConfigValue.read(this.settings, SettingKey.METRICS_SLO);
	}

	/**
	 * {@return whether whole calls are timed besides being counted}
	 */
	public boolean isDurations() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.METRICS_DURATIONS);
	}

	/**
	 * {@return whether calls and attempts are observed}
	 */
	public boolean isObservationEnabled() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.OBSERVATION_ENABLED);
	}

	/**
	 * {@return the headers of calls over HTTP, and the hosts that get them}
	 */
	public HttpSettings http() {
		Map<SettingKey, ConfigValue> settings = this.settings;
		return new HttpSettings(ConfigValue.read(settings, SettingKey.HTTP_HOSTS),
				ConfigValue.read(settings, SettingKey.HTTP_ATTEMPT_HEADER),
				ConfigValue.read(settings, SettingKey.HTTP_DEADLINE_HEADER),
				ConfigValue.read(settings, SettingKey.HTTP_IDEMPOTENCY_HEADER),
				ConfigValue.<Boolean>read(settings, SettingKey.HTTP_INBOUND));
	}

	/**
	 * {@return whether the endpoint shows the messages of failures}
	 */
	public boolean isMessagesShown() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.ENDPOINT_MESSAGES);
	}

	/**
	 * {@return whether an open breaker makes the application's health bad}
	 */
	public boolean isHealthOfBreakers() {
		return ConfigValue.<Boolean>read(this.settings, SettingKey.HEALTH_BREAKERS);
	}

	/**
	 * {@return how long closing the application waits for running calls}
	 */
	public Duration shutdownWait() {
		return ConfigValue.read(this.settings, SettingKey.SHUTDOWN_WAIT);
	}

	/**
	 * Return the keys directly below {@code backoff} that are written, and the switches,
	 * as they are in effect.
	 * @return an immutable map of values with their origins by key
	 */
	public Map<String, EffectivePolicy.Value> settings() {
		Map<String, EffectivePolicy.Value> settings = new LinkedHashMap<>();
		for (SettingKey key : SettingKey.values()) {
			ConfigValue written = this.settings.get(key);
			if (written != null) {
				settings.put(key.key(), written.shown());
			}
			else if (SWITCHES.contains(key)) {
				settings.put(key.key(), EffectivePolicy.Value.builtIn("true"));
			}
		}
		Boolean overridden = this.overrides.retriesEnabled();
		if (overridden != null) {
			settings.put(SettingKey.RETRIES_ENABLED.key(),
					new EffectivePolicy.Value(overridden.toString(), Overrides.ORIGIN));
		}
		return Collections.unmodifiableMap(settings);
	}

	/**
	 * {@return what is wrong, empty for a configuration that can work}
	 */
	public List<Problem> problems() {
		return this.problems;
	}

	/**
	 * {@return what is odd and does not stop the start-up, as sentences}
	 */
	public List<String> warnings() {
		return this.warnings;
	}

	/**
	 * {@return the names of the policies, as they are written}
	 */
	public List<String> policyNames() {
		return this.policies.values().stream().map(NamedValues::name).toList();
	}

	/**
	 * {@return the breakers that are defined below {@code backoff.breakers}, by
	 * {@linkplain BackoffPolicies#canonicalName canonical name}}
	 */
	public Map<String, BreakerEntry> breakers() {
		return this.breakers;
	}

	/**
	 * Return a breaker, whether it is defined or not.
	 * @param name its name in any spelling
	 * @return the definition, else a breaker of this name with the built-in numbers
	 */
	public BreakerEntry breaker(String name) {
		BreakerEntry entry = this.breakers.get(TextValues.canonical(name));
		if (entry == null) {
			return BreakerAssembler.assemble(new NamedValues<BreakerKey>(name, false, Map.of()), new ArrayList<>());
		}
		return entry.spelled() ? entry : entry.withName(name);
	}

	/**
	 * {@return the budgets that are defined below {@code backoff.budgets}, by
	 * {@linkplain BackoffPolicies#canonicalName canonical name}}
	 */
	public Map<String, BudgetEntry> budgets() {
		return this.budgets;
	}

	/**
	 * Return a budget, whether it is defined or not.
	 * @param name its name in any spelling
	 * @return the definition, else a budget of this name with the built-in numbers
	 */
	public BudgetEntry budget(String name) {
		BudgetEntry entry = this.budgets.get(TextValues.canonical(name));
		if (entry == null) {
			return BudgetAssembler.builtIn(name);
		}
		return entry.spelled() ? entry : entry.withName(name);
	}

	/** Return the name of a breaker or a budget as it is written here, else as given. */
	String spelling(Section<?> section, String name) {
		return (section == Section.BREAKERS) ? breaker(name).name() : budget(name).name();
	}

	/**
	 * Return the exception types that lists below {@code backoff.defaults} and
	 * {@code backoff.policies} name.
	 * @return the names as they are written, of classes that exist or not
	 */
	public Set<String> failureTypeNames() {
		Set<String> names = new LinkedHashSet<>();
		List<Map<PolicyKey, ConfigValue>> levels = new ArrayList<>(List.of(this.defaults));
		this.policies.values().forEach((policy) -> levels.add(policy.values()));
		for (Map<PolicyKey, ConfigValue> level : levels) {
			for (PolicyKey key : List.of(PolicyKey.RETRY_ON, PolicyKey.ABORT_ON)) {
				ConfigValue list = level.get(key);
				names.addAll((list != null) ? list.texts() : List.of());
			}
		}
		return Collections.unmodifiableSet(names);
	}

	Collection<NamedValues<PolicyKey>> policies() {
		return this.policies.values();
	}

	Map<PolicyKey, ConfigValue> defaults() {
		return this.defaults;
	}

	/** Return the policy whose name has the same letters and digits, or null. */
	@Nullable NamedValues<PolicyKey> policy(String name) {
		return this.policies.get(TextValues.canonical(name));
	}

}
