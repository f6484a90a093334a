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

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.ConfigurableEnvironment;

/**
 * What the configuration says below {@code backoff}: a snapshot, read once and whole.
 * Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class BackoffConfiguration {

	/** The class that is there if the module {@code retry-aspectj} is: {@value}. */
	public static final String WEAVING = "dev.backoff.spring.aspectj.AspectJWeaving";

	private final ConfigurationReader.Settings settings;

	private final Sections sections;

	private final List<Problem> problems;

	private final List<String> warnings;

	private final Overrides overrides;

	/* Stands for the moment at which it was read. */
	private final Object reading;

	BackoffConfiguration(ConfigurationReader.Settings settings, Sections sections, List<Problem> problems,
			List<String> warnings) {
		this(settings, sections, problems.stream().distinct().toList(), List.copyOf(warnings), Overrides.NONE,
				new Object());
	}

	private BackoffConfiguration(ConfigurationReader.Settings settings, Sections sections, List<Problem> problems,
			List<String> warnings, Overrides overrides, Object reading) {
		this.settings = settings;
		this.sections = sections;
		this.problems = problems;
		this.warnings = warnings;
		this.overrides = overrides;
		this.reading = reading;
	}

	/**
	 * Read the configuration of an application.
	 * @param environment where it is
	 * @return a snapshot; what is wrong with it is among its {@link #problems()}
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
		return new BackoffConfiguration(this.settings, this.sections, this.problems, this.warnings, overrides,
				this.reading);
	}

	/** Return whether both were read at the same moment, whatever overrides them. */
	boolean isReadWith(BackoffConfiguration other) {
		return this.reading == other.reading;
	}

	/**
	 * {@return what overrides the configuration now; none in what is read}
	 */
	public Overrides overrides() {
		return this.overrides;
	}

	/**
	 * {@return whether methods are retried and measured at all; true by default}
	 */
	public boolean isEnabled() {
		return this.settings.enabled();
	}

	/**
	 * {@return whether retries are made; true by default}
	 */
	public boolean isRetriesEnabled() {
		Boolean overridden = this.overrides.retriesEnabled();
		return (overridden != null) ? overridden : this.settings.retriesEnabled();
	}

	/**
	 * {@return the kind of random source; fast by default}
	 */
	public BackoffProperties.RandomKind random() {
		return this.settings.random();
	}

	/**
	 * {@return whether annotated methods are woven instead of proxied; false by default}
	 */
	public boolean isWoven() {
		return this.settings.mode() == BackoffProperties.AdviceMode.ASPECTJ;
	}

	/**
	 * {@return whether meters are published; true by default}
	 */
	public boolean isMetricsEnabled() {
		return this.settings.metricsEnabled();
	}

	/**
	 * {@return the buckets of the timers; an immutable list, empty by default}
	 */
	public List<Duration> slo() {
		return this.settings.slo();
	}

	/** {@return whether whole calls are timed besides being counted} */
	public boolean isDurations() {
		return this.settings.durations();
	}

	/**
	 * {@return whether calls and attempts are observed; false by default}
	 */
	public boolean isObservationEnabled() {
		return this.settings.observationEnabled();
	}

	/**
	 * {@return what calls over HTTP tell and are told; by default nothing}
	 */
	public HttpSettings http() {
		return this.settings.http();
	}

	/**
	 * {@return whether the endpoint shows what the failures of stopped calls say; false
	 * by default}
	 */
	public boolean isMessagesShown() {
		return this.settings.messagesShown();
	}

	/**
	 * {@return whether an open breaker makes the application's health bad; false by
	 * default}
	 */
	public boolean isHealthOfBreakers() {
		return this.settings.healthOfBreakers();
	}

	/**
	 * {@return how long closing the application waits for running calls; zero by default}
	 */
	public Duration shutdownWait() {
		return this.settings.shutdownWait();
	}

	/**
	 * {@return the keys directly below {@code backoff} that are written, and the
	 * switches, as they are in effect; an immutable map of values with their origins by
	 * key}
	 */
	public Map<String, EffectivePolicy.Value> settings() {
		Boolean overridden = this.overrides.retriesEnabled();
		if (overridden == null) {
			return this.settings.written();
		}
		Map<String, EffectivePolicy.Value> settings = new LinkedHashMap<>(this.settings.written());
		settings.put("retries-enabled", new EffectivePolicy.Value(overridden.toString(), Overrides.ORIGIN));
		return Collections.unmodifiableMap(settings);
	}

	/**
	 * {@return what is wrong; an immutable list, empty for a configuration that can work}
	 */
	public List<Problem> problems() {
		return this.problems;
	}

	/**
	 * {@return what is odd and does not stop the start-up; an immutable list of
	 * sentences}
	 */
	public List<String> warnings() {
		return this.warnings;
	}

	/**
	 * {@return the names of the policies, as they are written; an immutable list}
	 */
	public List<String> policyNames() {
		return this.sections.policies().values().stream().map(PolicyEntry::name).toList();
	}

	/**
	 * {@return the breakers that are defined below {@code backoff.breakers}; an immutable
	 * map by {@linkplain BackoffPolicies#canonicalName canonical name}}
	 */
	public Map<String, BreakerEntry> breakers() {
		return this.sections.breakers();
	}

	/**
	 * Return a breaker, whether it is defined or not.
	 * @param name its name in any spelling
	 * @return what is defined, else a breaker of this name with the numbers that are
	 * built in
	 */
	public BreakerEntry breaker(String name) {
		BreakerEntry entry = this.sections.breakers().get(TextValues.canonical(name));
		if (entry == null) {
			return BreakerAssembler.assemble(name, false, Map.of(), new ArrayList<>());
		}
		return entry.spelled() ? entry : entry.withName(name);
	}

	/**
	 * {@return the budgets that are defined below {@code backoff.budgets}; an immutable
	 * map by {@linkplain BackoffPolicies#canonicalName canonical name}}
	 */
	public Map<String, BudgetEntry> budgets() {
		return this.sections.budgets();
	}

	/**
	 * Return a budget, whether it is defined or not.
	 * @param name its name in any spelling
	 * @return what is defined, else a budget of this name with the numbers that are built
	 * in
	 */
	public BudgetEntry budget(String name) {
		BudgetEntry entry = this.sections.budgets().get(TextValues.canonical(name));
		if (entry == null) {
			return BudgetAssembler.builtIn(name);
		}
		return entry.spelled() ? entry : entry.withName(name);
	}

	/** Return the name of a breaker or a budget as it is written here, else as given. */
	String spelling(Section<?> section, String name) {
		String canonical = TextValues.canonical(name);
		if (section == Section.BREAKERS) {
			BreakerEntry breaker = this.sections.breakers().get(canonical);
			return (breaker != null && breaker.spelled()) ? breaker.name() : name;
		}
		BudgetEntry budget = this.sections.budgets().get(canonical);
		return (budget != null && budget.spelled()) ? budget.name() : name;
	}

	/**
	 * {@return the exception types that lists below {@code backoff.defaults} and {@code
	 * backoff.policies} name; what is written there, whether there is such a class or
	 * not}
	 */
	public Set<String> failureTypeNames() {
		Set<String> names = new LinkedHashSet<>();
		List<Map<PolicyKey, ConfigValue>> levels = new ArrayList<>(List.of(defaults()));
		entries().forEach((entry) -> levels.add(entry.values()));
		for (Map<PolicyKey, ConfigValue> level : levels) {
			for (PolicyKey key : List.of(PolicyKey.RETRY_ON, PolicyKey.ABORT_ON)) {
				ConfigValue list = level.get(key);
				names.addAll((list != null) ? list.texts() : List.of());
			}
		}
		return Collections.unmodifiableSet(names);
	}

	Collection<PolicyEntry> entries() {
		return this.sections.policies().values();
	}

	Map<PolicyKey, ConfigValue> defaults() {
		return this.sections.defaults();
	}

	/** Return the policy whose name has the same letters and digits, or null. */
	@Nullable PolicyEntry policy(String name) {
		return this.sections.policies().get(TextValues.canonical(name));
	}

	/**
	 * One policy below {@code backoff.policies}.
	 *
	 * @param name its name as it is written
	 * @param spelled whether the name is written at all; environment variables tell only
	 * its letters and digits
	 * @param values what it sets
	 */
	record PolicyEntry(String name, boolean spelled, Map<PolicyKey, ConfigValue> values) {

		PolicyEntry {
			values = PolicyKey.inOrder(values);
		}

	}

	/**
	 * What stands below names, each map by canonical name.
	 *
	 * @param defaults the values of all policies that set none of their own
	 * @param policies the policies
	 * @param breakers the breakers
	 * @param budgets the budgets
	 */
	record Sections(Map<PolicyKey, ConfigValue> defaults, Map<String, PolicyEntry> policies,
			Map<String, BreakerEntry> breakers, Map<String, BudgetEntry> budgets) {

		Sections {
			defaults = PolicyKey.inOrder(defaults);
			policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
			breakers = Collections.unmodifiableMap(new LinkedHashMap<>(breakers));
			budgets = Collections.unmodifiableMap(new LinkedHashMap<>(budgets));
		}

	}

}
