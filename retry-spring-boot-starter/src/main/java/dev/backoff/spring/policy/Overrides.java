package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has set while the application runs: stronger than the configuration,
 * known to this process only, and gone with it. Immutable and thread-safe.
 *
 * @since 0.1
 */
public final class Overrides {

	/** The origin of a value that an operator has set. */
	public static final String ORIGIN = "live override";

	/** The keys of a policy that can be overridden. */
	public static final Set<PolicyKey> KEYS = Collections
		.unmodifiableSet(EnumSet.of(PolicyKey.BASE, PolicyKey.CAP, PolicyKey.MULTIPLIER, PolicyKey.JITTER,
				PolicyKey.MAX_ATTEMPTS, PolicyKey.DEADLINE, PolicyKey.ATTEMPT_TIMEOUT, PolicyKey.ENABLED));

	/** Nothing is overridden. */
	public static final Overrides NONE = new Overrides(Map.of(), null);

	private static final int LONGEST_NAME = 60;

	private final Map<String, OfPolicy> policies;

	private final @Nullable Boolean retriesEnabled;

	private Overrides(Map<String, OfPolicy> policies, @Nullable Boolean retriesEnabled) {
		this.policies = Collections.unmodifiableMap(new TreeMap<>(policies));
		this.retriesEnabled = retriesEnabled;
	}

	/**
	 * Return these overrides and some more of one policy.
	 * @param policy the policy's name
	 * @param values texts by key, which take the place of those of the same keys
	 * @return new overrides, whose values nobody has checked
	 * @throws IllegalArgumentException if a key cannot be overridden
	 */
	public Overrides with(String policy, Map<PolicyKey, String> values) {
		for (PolicyKey key : values.keySet()) {
			if (!KEYS.contains(key)) {
				throw new IllegalArgumentException("Invalid key (" + key.key() + "): must be one of "
						+ String.join(", ", KEYS.stream().map(PolicyKey::key).toList()) + ".");
			}
		}
		Map<PolicyKey, String> merged = new EnumMap<>(PolicyKey.class);
		merged.putAll(values(policy));
		merged.putAll(values);
		return replaced(policy, merged);
	}

	/**
	 * Return these overrides without some of one policy.
	 * @param policy the policy's name
	 * @param keys what is not overridden any more
	 * @return new overrides
	 */
	public Overrides without(String policy, Set<PolicyKey> keys) {
		Map<PolicyKey, String> left = new EnumMap<>(PolicyKey.class);
		left.putAll(values(policy));
		left.keySet().removeAll(keys);
		return replaced(policy, left);
	}

	/**
	 * Read what an operator has written.
	 * @param policy the policy's name
	 * @param written texts by key, in any spelling with the same letters and digits
	 * @param problems gets what is wrong with the keys; values are checked with the
	 * policy they make
	 * @return texts by key
	 */
	public static Map<PolicyKey, String> read(String policy, Map<String, String> written, List<Problem> problems) {
		Map<PolicyKey, String> values = new EnumMap<>(PolicyKey.class);
		written.forEach((name, text) -> {
			PolicyKey key = PolicyKey.of(name);
			if (key == null || !KEYS.contains(key)) {
				problems.add(unknownKey(policy, name, key));
			}
			else if (text.isBlank()) {
				problems.add(Problem.ofPlace("Invalid " + key.key() + " of policy " + policy, "must not be empty",
						"Give it a value, or leave it out."));
			}
			else if (!oneLine(text.strip()).equals(text.strip())) {
				problems.add(Problem.ofValue("Invalid " + key.key() + " of policy " + policy, oneLine(text), "",
						"must be one line of at most " + LONGEST_NAME + " characters", "Write a plain value."));
			}
			else if (values.putIfAbsent(key, text.strip()) != null) {
				problems.add(Problem.ofPlace("Invalid " + oneLine(name) + " of policy " + policy, "is there twice",
						"Write " + key.key() + " once."));
			}
		});
		return values;
	}

	/**
	 * Read how long something is to hold. A bare number would be milliseconds, which
	 * nobody means here.
	 * @param key what it is written as, for a report
	 * @param text a duration with a unit
	 * @return the duration, longer than zero
	 * @throws InvalidBackoffException if it is none
	 */
	public static Duration limit(String key, String text) {
		try {
			if (text.strip().chars().noneMatch(Character::isLetter)) {
				throw new InvalidTextException("must be a duration", "Write a number and a unit, such as 30s or 30m.");
			}
			return TextValues.positiveDuration(text.strip());
		}
		catch (InvalidTextException ex) {
			throw new InvalidBackoffException(
					List.of(Problem.ofValue("Invalid " + key, oneLine(text), "", ex.rule(), ex.fix())));
		}
	}

	private static Problem unknownKey(String policy, String name, @Nullable PolicyKey key) {
		List<String> known = KEYS.stream().map(PolicyKey::key).toList();
		String meant = OtherWords.countRetries(name) ? "max-attempts, which counts the first attempt too"
				: OtherWords.ours(Section.POLICIES, name);
		String near = (meant != null) ? meant : Nearest.of(name, known);
		return Problem.ofPlace("Invalid key (" + oneLine(name) + ") of policy " + policy,
				(key != null) ? "cannot be changed while the application runs" : "is not known",
				(near != null && key == null) ? "Write " + near + "."
						: "Change " + String.join(", ", known.subList(0, known.size() - 1)) + " or "
								+ known.get(known.size() - 1) + ", or restart with another configuration.");
	}

	/**
	 * Return a text that somebody from outside has written, for a report.
	 * @param text any text
	 * @return at most 60 characters of it, none of which is a line break or the like
	 */
	public static String oneLine(String text) {
		String line = text.codePoints()
			.limit(LONGEST_NAME)
			.map((letter) -> isPlain(letter) ? letter : '?')
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
		return (line.length() < text.length()) ? line + "..." : line;
	}

	private static boolean isPlain(int letter) {
		return switch (Character.getType(letter)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

	private Overrides replaced(String policy, Map<PolicyKey, String> values) {
		Map<String, OfPolicy> policies = new LinkedHashMap<>(this.policies);
		String canonical = TextValues.canonical(policy);
		if (values.isEmpty()) {
			policies.remove(canonical);
		}
		else {
			policies.put(canonical, OfPolicy.of(policy, values));
		}
		return new Overrides(policies, this.retriesEnabled);
	}

	/**
	 * Return these overrides with the switch of all retries.
	 * @param enabled whether retries are made, or null for what the configuration says
	 * @return new overrides
	 */
	public Overrides withRetriesEnabled(@Nullable Boolean enabled) {
		return new Overrides(this.policies, enabled);
	}

	/**
	 * {@return whether retries are made; what overrides the configuration, or null if
	 * nothing does}
	 */
	public @Nullable Boolean retriesEnabled() {
		return this.retriesEnabled;
	}

	/**
	 * {@return the names of the policies of which something is overridden; the names in
	 * order}
	 */
	public List<String> policies() {
		return this.policies.values().stream().map(OfPolicy::name).toList();
	}

	/**
	 * Return what is overridden of a policy.
	 * @param policy its name in any spelling
	 * @return an immutable map of texts by key
	 */
	public Map<PolicyKey, String> values(String policy) {
		OfPolicy overridden = this.policies.get(TextValues.canonical(policy));
		return (overridden != null) ? overridden.texts() : Map.of();
	}

	/**
	 * {@return whether nothing is overridden; true if the configuration alone is in
	 * effect}
	 */
	public boolean isEmpty() {
		return this.policies.isEmpty() && this.retriesEnabled == null;
	}

	/** Return the level of a policy that they make. */
	Map<PolicyKey, ConfigValue> of(String policy) {
		if (this.policies.isEmpty()) {
			return Map.of();
		}
		OfPolicy overridden = this.policies.get(TextValues.canonical(policy));
		return (overridden != null) ? overridden.values() : Map.of();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Overrides that && this.policies.equals(that.policies)
				&& Objects.equals(this.retriesEnabled, that.retriesEnabled);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.policies, this.retriesEnabled);
	}

	@Override
	public String toString() {
		return "Overrides " + this.policies.values()
				+ ((this.retriesEnabled != null) ? ", retries-enabled=" + this.retriesEnabled : "");
	}

	private record OfPolicy(String name, Map<PolicyKey, String> texts, Map<PolicyKey, ConfigValue> values) {

		static OfPolicy of(String name, Map<PolicyKey, String> texts) {
			Map<PolicyKey, ConfigValue> values = new EnumMap<>(PolicyKey.class);
			texts.forEach((key, text) -> values.put(key,
					ConfigValue.of(key, List.of(text), "Invalid " + key.key() + " of policy " + name, ORIGIN)));
			return new OfPolicy(name, PolicyKey.inOrder(texts), PolicyKey.inOrder(values));
		}

		@Override
		public String toString() {
			return this.name + " " + this.texts;
		}

	}

}
