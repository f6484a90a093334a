package dev.backoff.spring.configuration;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The values that an operator has set while the application runs. They override the
 * configuration, in this process only. A value is read as in any other source, but its
 * placeholders are not resolved. Immutable and thread-safe.
 *
 * @since 0.1
 */
public record Overrides(List<Entry> values) {

	/* The origin of a value that an operator has set. */
	static final String ORIGIN = "live override";

	/** The keys of a policy that can be overridden. */
	private static final List<Key<?>> KEYS = List.of(PolicyKey.ENABLED, PolicyKey.BASE, PolicyKey.CAP,
			PolicyKey.MULTIPLIER, PolicyKey.JITTER, PolicyKey.MAX_ATTEMPTS, PolicyKey.DEADLINE,
			PolicyKey.ATTEMPT_TIMEOUT, PolicyKey.CONCURRENCY, PolicyKey.MAX_WAITING);

	/** The name for all policies, whose only key is {@link PolicyKey#ENABLED}. */
	public static final String ALL = "";

	public static final Overrides NONE = new Overrides(List.of());

	/**
	 * Return these overrides with new values of one policy or {@link #ALL}, which are not
	 * checked. New values replace values of the same keys. Without an ending, they keep
	 * those of the replaced values or hold until they are reset.
	 */
	public Overrides with(String policy, Map<Key<?>, String> values, @Nullable Ending ending) {
		Stream<Entry> others = this.values.stream()
			.filter((override) -> !override.isOf(policy) || !values.containsKey(override.key()));
		Stream<Entry> more = values.entrySet()
			.stream()
			.map((entry) -> new Entry(policy, entry.getKey(),
					new ConfigValue(List.of(entry.getValue()),
							"Invalid " + entry.getKey().key() + " of policy " + policy, Level.OVERRIDE, ORIGIN)
						.parse(entry.getKey()),
					(ending != null) ? ending : ending(policy, entry.getKey()).orElse(null)));
		return new Overrides(Stream.concat(others, more).toList());
	}

	/** Return these overrides without the overrides of one policy. */
	public Overrides without(String policy) {
		return keep((override) -> !override.isOf(policy));
	}

	/** Return these overrides without the override of one key, in any spelling. */
	public Overrides without(String policy, String name) {
		Key<?> key = Section.POLICIES.keyOf(name);
		if (key == null || !KEYS.contains(key)) {
			throw new InvalidBackoffException(List.of(unknownKey(policy, name, key)));
		}
		return keep((override) -> !override.isOf(policy) || override.key() != key);
	}

	/** Return these overrides without those that end by the given time. */
	public Overrides without(long nanoTime) {
		return keep((override) -> override.ending() == null || override.ending().left(nanoTime) > 0);
	}

	private Overrides keep(Predicate<Entry> kept) {
		return new Overrides(this.values.stream().filter(kept).toList());
	}

	/** Return the end of an override, or empty if it has none. */
	public Optional<Ending> ending(String policy, Key<?> key) {
		return this.values.stream()
			.filter((override) -> override.isOf(policy) && override.key() == key)
			.flatMap((override) -> Stream.ofNullable(override.ending()))
			.findFirst();
	}

	/** Return the first end of an override, or empty if none ends by itself. */
	public Optional<Ending> firstEnd() {
		return this.values.stream()
			.flatMap((override) -> Stream.ofNullable(override.ending()))
			.min((one, other) -> Long.signum(one.left(other.nanoTime())));
	}

	/** Read keys in any spelling. Values are checked later, together with the policy. */
	public static Map<Key<?>, String> read(String policy, Map<String, String> written) {
		List<Problem> problems = new ArrayList<>();
		Map<Key<?>, String> values = new TreeMap<>();
		written.forEach((name, text) -> {
			Key<?> key = Section.POLICIES.keyOf(name);
			if (key == null || !KEYS.contains(key)) {
				problems.add(unknownKey(policy, name, key));
			}
			else if (text.isBlank()) {
				problems.add(Problem.ofPlace("Invalid " + key.key() + " of policy " + policy, "must not be empty",
						"Give it a value, or leave it out."));
			}
			else if (!Problem.oneLine(text.strip()).equals(text.strip())) {
				problems.add(Problem.ofValue("Invalid " + key.key() + " of policy " + policy, Problem.oneLine(text), "",
						"must be one line of at most " + Problem.LONGEST + " characters", "Write a plain value."));
			}
			else if (values.putIfAbsent(key, text.strip()) != null) {
				problems.add(Problem.ofPlace("Invalid " + Problem.oneLine(name) + " of policy " + policy,
						"is there twice", "Write " + key.key() + " once."));
			}
		});
		if (values.isEmpty() && problems.isEmpty()) {
			problems.add(Problem.ofPlace("Policy " + policy, "needs a value to override",
					"Write one, for instance cap, or reset the policy."));
		}
		InvalidBackoffException.throwIfAny(problems);
		return values;
	}

	/** Read a time from outside, above zero and with a unit. */
	public static Duration limit(String key, String text) {
		try {
			return TextValues.positiveDuration(text.strip());
		}
		catch (InvalidTextException ex) {
			throw new InvalidBackoffException(
					List.of(Problem.ofValue("Invalid " + key, Problem.oneLine(text), "", ex.rule(), ex.fix())));
		}
	}

	private static Problem unknownKey(String policy, String name, @Nullable Key<?> key) {
		List<String> known = KEYS.stream().<String>map(Key::key).toList();
		String meant = OtherWords.isRetryCount(name) ? "max-attempts, which counts the first attempt too"
				: OtherWords.meant(Section.POLICIES, name, known);
		return Problem.ofPlace("Invalid key (" + Problem.oneLine(name) + ") of policy " + policy,
				(key != null) ? "cannot be changed while the application runs" : "is not known",
				(meant != null && key == null) ? "Write " + meant + "."
						: "Change " + String.join(", ", known.subList(0, known.size() - 1)) + " or "
								+ known.get(known.size() - 1) + ", or restart with another configuration.");
	}

	/** Return whether retries are made, or null if that is not overridden. */
	public @Nullable Boolean retriesEnabled() {
		ConfigValue overridden = of(ALL).get(PolicyKey.ENABLED);
		return (overridden != null) ? PolicyKey.ENABLED.of(overridden) : null;
	}

	/** Return the names of the policies that have overrides. */
	public Stream<String> policies() {
		return this.values.stream().map(Entry::policy).filter((name) -> !name.equals(ALL)).distinct();
	}

	public boolean isEmpty() {
		return this.values.isEmpty();
	}

	/** Return the values of a policy by key, which are its strongest level. */
	public Map<Key<?>, ConfigValue> of(String policy) {
		if (this.values.isEmpty()) {
			// each decision asks whether retries are switched off
			return Map.of();
		}
		Map<Key<?>, ConfigValue> values = new TreeMap<>();
		this.values.stream()
			.filter((override) -> override.isOf(policy))
			.forEach((override) -> values.put(override.key(), override.value()));
		return values;
	}

	/** The end of an override with a time limit, to be shown and to be measured. */
	public record Ending(Instant until, long nanoTime) {

		/** Return the nanoseconds until then. */
		public long left(long now) {
			return this.nanoTime - now;
		}

	}

	record Entry(String policy, Key<?> key, ConfigValue value, @Nullable Ending ending) {

		boolean isOf(String name) {
			return this.policy.equals(ALL) == name.equals(ALL) && Name.of(this.policy).is(name);
		}

	}

}
