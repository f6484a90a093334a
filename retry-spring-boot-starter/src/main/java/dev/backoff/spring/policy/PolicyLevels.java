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
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;
import dev.backoff.time.DurationText;

/**
 * The values of one policy. Levels are added from the weakest on, and each key keeps its
 * strongest value with the strength of its level. A level's preset is just weaker than
 * the level, and inherited values are weaker than the preset.
 */
final class PolicyLevels {

	private final BackoffConfiguration configuration;

	private final List<Problem> problems;

	private final Map<Key<?>, ConfigValue> strongest = new TreeMap<>();

	private final List<Map.Entry<Key<?>, ConfigValue>> written = new ArrayList<>();

	private final List<ConfigValue> abortOn = new ArrayList<>();

	/* The policy of the configuration and its ancestors, the next one first. */
	private final List<Name> lineage = new ArrayList<>();

	PolicyLevels(BackoffConfiguration configuration, List<Problem> problems) {
		this.configuration = configuration;
		this.problems = problems;
	}

	/** Add a level that is stronger than those before. */
	void add(Map<Key<?>, ConfigValue> values) {
		ConfigValue preset = values.get(PolicyKey.PRESET);
		if (preset != null && preset.problems().isEmpty()) {
			add(values(preset));
		}
		values.forEach((key, value) -> {
			if (key == PolicyKey.ABORT_ON) {
				this.abortOn.add(value);
			}
			this.written.add(Map.entry(key, value));
			this.strongest.put(key, value);
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
		return ConfigValue.of(key, List.of(text), "Invalid " + key.key(), Level.DURABLE_DEFAULT, "durable default");
	}

	/** Add a policy of the configuration, after what it inherits, with its overrides. */
	void addWithAncestors(Section.Entry policy) {
		List<Section.Entry> lineage = lineage(policy);
		lineage.forEach((ancestor) -> this.lineage.add(Name.of(ancestor.name())));
		for (int distance = lineage.size() - 1; distance >= 0; distance--) {
			add(inherited(lineage.get(distance).values(), distance));
			add(inherited(this.configuration.overrides().of(lineage.get(distance).name()), distance));
		}
	}

	private static Map<Key<?>, ConfigValue> inherited(Map<Key<?>, ConfigValue> values, int distance) {
		Map<Key<?>, ConfigValue> inherited = new TreeMap<>();
		values.forEach((key, value) -> inherited.put(key, value.at(value.level().inherited(distance))));
		return inherited;
	}

	private List<Section.Entry> lineage(Section.Entry policy) {
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
			List<String> others = this.configuration.policyNames()
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
		String first = this.configuration.policyNames().stream().filter(members::contains).findFirst().orElse(closing);
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
		boolean unlimited = preset.maxAttempts() == RetryPolicy.UNLIMITED_ATTEMPTS;
		Map<Key<?>, @Nullable Object> numbers = new TreeMap<>();
		// its base is of an exponential, which replaces a ladder of a weaker level
		numbers.put(PolicyKey.SHAPE, "exponential");
		numbers.put(PolicyKey.BASE, DurationText.exact(preset.base()));
		numbers.put(PolicyKey.CAP, DurationText.exact(preset.cap()));
		numbers.put(PolicyKey.MAX_ATTEMPTS, unlimited ? "unlimited" : preset.maxAttempts());
		numbers.put(PolicyKey.DEADLINE, (preset.deadline() != null) ? DurationText.exact(preset.deadline()) : null);
		numbers.put(PolicyKey.MULTIPLIER, preset.multiplier());
		numbers.put(PolicyKey.JITTER, preset.jitter());
		numbers.put(PolicyKey.WHEN_EMPTY, preset.isPostponedWhenEmpty() ? "wait" : null);
		Map<Key<?>, ConfigValue> values = new TreeMap<>();
		numbers.forEach((key, number) -> {
			if (number != null) {
				values.put(key, ConfigValue.of(key, List.of(number.toString()), written.place() + ": its " + key.key(),
						written.level().ofPreset(), "preset " + preset.key() + ", " + written.origin()));
			}
		});
		return values;
	}

	@Nullable ConfigValue get(Key<?> key) {
		return this.strongest.get(key);
	}

	/** Return all values, the shadowed ones included. */
	List<Map.Entry<Key<?>, ConfigValue>> written() {
		return this.written;
	}

	/** Return the names of the policy and its ancestors, the next one first. */
	List<Name> lineage() {
		return this.lineage;
	}

	List<ConfigValue> abortOn() {
		return this.abortOn;
	}

}
