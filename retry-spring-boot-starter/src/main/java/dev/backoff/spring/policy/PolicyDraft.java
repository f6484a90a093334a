package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.policy.Preset;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;
import dev.backoff.time.DurationText;

/**
 * The values of one policy while it is made. Levels are added from the weakest on, and
 * each key keeps its strongest value. Then values are put into effect, and those that do
 * not fit others become conflicts.
 */
final class PolicyDraft {

	private final BackoffConfiguration configuration;

	private final List<Problem> problems;

	private final Map<Key<?>, ConfigValue> strongest = new TreeMap<>();

	private final List<Map.Entry<Key<?>, ConfigValue>> all = new ArrayList<>();

	/* The policy of the configuration and its ancestors, the next one first. */
	private final List<Name> lineage = new ArrayList<>();

	/* A value that is wrong by itself is a problem, one that does not fit a conflict. */
	private final List<Problem> conflicts;

	private boolean conflicting;

	private final Map<Key<?>, EffectiveValue> effective = new TreeMap<>();

	PolicyDraft(BackoffConfiguration configuration, List<Problem> problems, List<Problem> conflicts) {
		this.configuration = configuration;
		this.problems = problems;
		this.conflicts = conflicts;
	}

	/** Add a level that is stronger than those before. */
	void add(Map<Key<?>, ConfigValue> values) {
		add(values, 0);
	}

	private void add(Map<Key<?>, ConfigValue> values, int distance) {
		ConfigValue preset = values.get(PolicyKey.PRESET);
		if (preset != null && preset.problems().isEmpty()) {
			add(values(preset), distance);
		}
		values.forEach((key, value) -> {
			ConfigValue inherited = value.inherited(distance);
			this.all.add(Map.entry(key, inherited));
			this.strongest.put(key, inherited);
		});
	}

	/** Let the defaults of durable policies take the place of the built-in ones. */
	void addDurableDefaults(String policy) {
		ConfigValue preset = durableDefault(PolicyKey.PRESET, "background");
		Map<Key<?>, ConfigValue> defaults = new TreeMap<>(values(preset));
		defaults.put(PolicyKey.PRESET, preset);
		Map.of(PolicyKey.ATTEMPT_TIMEOUT, "10m", PolicyKey.NESTED, "multiply", PolicyKey.BUDGET, "none",
				PolicyKey.BREAKER, policy, PolicyKey.RETRY_AFTER_MAX, "24h", PolicyKey.CONCURRENCY, "8",
				PolicyKey.IDEMPOTENT, "true")
			.forEach((key, text) -> defaults.put(key, durableDefault(key, text)));
		defaults.forEach((key, value) -> this.strongest.putIfAbsent(key, value));
	}

	private static ConfigValue durableDefault(Key<?> key, String text) {
		return new ConfigValue(List.of(text), "Invalid " + key.key(), Level.DURABLE_DEFAULT, "durable default")
			.parse(key);
	}

	/** Add a policy of the configuration, after what it inherits, with its overrides. */
	void addWithAncestors(Section.Entry policy) {
		List<Section.Entry> lineage = lineage(policy);
		lineage.forEach((ancestor) -> this.lineage.add(Name.of(ancestor.name())));
		for (int distance = lineage.size() - 1; distance >= 0; distance--) {
			add(lineage.get(distance).values(), distance);
			add(this.configuration.overrides().of(lineage.get(distance).name()), distance);
		}
	}

	/** Return a policy of the configuration and its ancestors, the next one first. */
	List<Section.Entry> lineage(Section.Entry policy) {
		List<Section.Entry> lineage = new ArrayList<>();
		Set<String> seen = new LinkedHashSet<>();
		Section.Entry next = policy;
		while (next != null) {
			lineage.add(next);
			seen.add(next.name());
			ConfigValue inherits = next.values().get(PolicyKey.INHERITS);
			next = (inherits != null) ? ancestor(inherits, seen) : null;
		}
		return lineage;
	}

	private Section.@Nullable Entry ancestor(ConfigValue inherits, Set<String> seen) {
		Section.Entry ancestor = this.configuration.policy(inherits.text());
		if (ancestor == null) {
			List<String> others = this.configuration.names(Section.POLICIES)
				.stream()
				.filter((name) -> !seen.contains(name))
				.toList();
			String nearest = Nearest.of(inherits.text(), others);
			this.problems.add(inherits.problem("names a policy that is not defined", (nearest != null)
					? "Write " + nearest + "."
					: "Define backoff.policies." + inherits.text() + ", or remove the key." + Nearest.allOf(others)));
			return null;
		}
		if (seen.contains(ancestor.name())) {
			reportCircle(List.copyOf(seen), ancestor.name());
			return null;
		}
		return ancestor;
	}

	/** Report a circle once, from whichever of its policies it is found. */
	private void reportCircle(List<String> seen, String closing) {
		List<String> members = seen.subList(seen.indexOf(closing), seen.size());
		String first = Collections.min(members);
		List<String> circle = new ArrayList<>(members);
		Collections.rotate(circle, -circle.indexOf(first));
		Section.Entry last = this.configuration.policy(circle.get(circle.size() - 1));
		ConfigValue inherits = (last != null) ? last.values().get(PolicyKey.INHERITS) : null;
		if (inherits != null) {
			this.problems
				.add(inherits.problem("closes a circle: " + String.join(" inherits ", circle) + " inherits " + first,
						"Remove one of these inherits keys."));
		}
	}

	private static Map<Key<?>, ConfigValue> values(ConfigValue written) {
		Preset preset = PolicyKey.PRESET.of(written);
		Preset.Numbers set = preset.numbers();
		boolean unlimited = set.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		Map<Key<?>, @Nullable Object> numbers = new TreeMap<>();
		// its base is of an exponential, which replaces a ladder of a weaker level
		numbers.put(PolicyKey.SHAPE, "exponential");
		numbers.put(PolicyKey.BASE, DurationText.exact(set.base()));
		numbers.put(PolicyKey.CAP, DurationText.exact(set.cap()));
		numbers.put(PolicyKey.MAX_ATTEMPTS, unlimited ? "unlimited" : set.maxAttempts());
		numbers.put(PolicyKey.DEADLINE, (set.deadline() != null) ? DurationText.exact(set.deadline()) : null);
		numbers.put(PolicyKey.MULTIPLIER, set.multiplier());
		numbers.put(PolicyKey.JITTER, set.jitter());
		numbers.put(PolicyKey.WHEN_EMPTY, set.isPostponedWhenEmpty() ? "wait" : null);
		Map<Key<?>, ConfigValue> values = new TreeMap<>();
		numbers.forEach((key, number) -> {
			if (number != null) {
				values.put(key,
						new ConfigValue(List.of(number.toString()), written.place() + ": its " + key.key(),
								written.level().ofPreset(), "preset " + preset.key() + ", " + written.origin())
							.parse(key));
			}
		});
		return values;
	}

	/** Return all values, the shadowed ones included. */
	List<Map.Entry<Key<?>, ConfigValue>> all() {
		return this.all;
	}

	/** Return the names of the policy and its ancestors, the next one first. */
	List<Name> lineage() {
		return this.lineage;
	}

	/** Return all values of a key, the weakest first. */
	List<ConfigValue> all(Key<?> key) {
		return this.all.stream().filter((entry) -> entry.getKey() == key).map(Map.Entry::getValue).toList();
	}

	/** Return the strongest value of a key, or null if none is written. */
	@Nullable ConfigValue written(Key<?> key) {
		return this.strongest.get(key);
	}

	/** Return the origin of the strongest value of a key. */
	String origin(Key<?> key) {
		return ConfigValue.origin(this.strongest, key);
	}

	/** Return the level of the strongest value of a key. */
	Level level(Key<?> key) {
		ConfigValue written = written(key);
		return (written != null) ? written.level() : Level.BUILT_IN;
	}

	/** Return the strongest value of a key, its default if it is not written. */
	<T> T get(Key<T> key) {
		ConfigValue written = written(key);
		return (written != null) ? key.of(written) : key.builtIn();
	}

	/** Put the value of a key into effect, its default if it is not written. */
	<T> T read(Key<T> key) {
		return read(key, key.builtIn(), String.valueOf(key.builtInText()));
	}

	/** Put the value of a key into effect, or another one if it is not written. */
	<T> T read(Key<T> key, T otherwise, String otherwiseText) {
		ConfigValue written = written(key);
		if (written == null) {
			this.effective.put(key, EffectiveValue.builtIn(otherwiseText));
			return otherwise;
		}
		note(key);
		return key.of(written);
	}

	/** Put a value into effect, if it is written. */
	void note(Key<?> key) {
		ConfigValue written = written(key);
		if (written != null) {
			this.effective.put(key, written.shown());
		}
	}

	/** Put a value into effect. */
	void put(Key<?> key, String text, Level level, String origin) {
		this.effective.put(key, new EffectiveValue(text, level, origin));
	}

	/** Put a text into effect, with the level and the origin of what decides. */
	void put(Key<?> key, String text, @Nullable ConfigValue decisive) {
		this.effective.put(key, (decisive == null) ? EffectiveValue.builtIn(text)
				: new EffectiveValue(text, decisive.level(), decisive.origin()));
	}

	/** Put a default into effect, with a remark after its origin. */
	void putBuiltIn(Key<?> key, String text, String remark) {
		put(key, text, Level.BUILT_IN, EffectiveValue.BUILT_IN + remark);
	}

	/** Return the value in effect so far. */
	EffectiveValue inEffect(Key<?> key) {
		return this.effective.getOrDefault(key, EffectiveValue.builtIn(""));
	}

	Map<Key<?>, EffectiveValue> effective() {
		return Collections.unmodifiableMap(this.effective);
	}

	/** Report that a value does not fit others. */
	void conflict(ConfigValue value, String rule, String fix) {
		this.conflicts.add(value.problem(rule, fix));
		this.conflicting = true;
	}

	boolean hasConflicts() {
		return this.conflicting;
	}

}
