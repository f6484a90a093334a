package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.PolicyLevels.Ranked;

/**
 * The strongest values of one policy on their way into effect: what is in effect is noted
 * with its origin, what does not fit together as a conflict.
 */
final class PolicyValues {

	static final String BUILT_IN = "built in";

	private final PolicyLevels levels;

	private final List<Problem> conflicts = new ArrayList<>();

	private final Map<PolicyKey, EffectivePolicy.Value> effective = new EnumMap<>(PolicyKey.class);

	PolicyValues(PolicyLevels levels) {
		this.levels = levels;
	}

	/** Return the strongest value of a key, or null. */
	@Nullable Ranked written(PolicyKey key) {
		return this.levels.get(key);
	}

	/** Return where the strongest value of a key comes from. */
	String origin(PolicyKey key) {
		Ranked written = written(key);
		return (written != null) ? written.value().origin() : BUILT_IN;
	}

	/** Return the strength of the strongest value of a key, 0 if nobody wrote one. */
	int strength(PolicyKey key) {
		Ranked written = written(key);
		return (written != null) ? written.strength() : 0;
	}

	/* Neither a preset nor the defaults mean a single policy. */
	boolean isWrittenForIt(PolicyKey key) {
		Ranked written = written(key);
		return written != null && !written.value().origin().startsWith("preset ")
				&& !written.value().place().contains("backoff.defaults.");
	}

	/** Return a value, which is then in effect. */
	<T> T read(PolicyKey key, Function<String, T> parser, T otherwise, String otherwiseText) {
		Ranked written = written(key);
		if (written == null) {
			put(key, otherwiseText, BUILT_IN);
			return otherwise;
		}
		put(key, written.value().text(), written.value().origin());
		return parser.apply(written.value().text());
	}

	/** Put a value into effect, if it is written. */
	void note(PolicyKey key) {
		Ranked written = written(key);
		if (written != null) {
			put(key, written.value().text(), written.value().origin());
		}
	}

	/** Put a value into effect. */
	void put(PolicyKey key, String text, String origin) {
		this.effective.put(key, new EffectivePolicy.Value(text, origin));
	}

	/** Return the value in effect so far. */
	EffectivePolicy.Value inEffect(PolicyKey key) {
		return this.effective.getOrDefault(key, new EffectivePolicy.Value("", BUILT_IN));
	}

	/** Return all values in effect. */
	Map<PolicyKey, EffectivePolicy.Value> effective() {
		return this.effective;
	}

	/** Note that a value is wrong beside others. */
	void conflict(ConfigValue value, String rule, String fix) {
		this.conflicts.add(value.problem(rule, fix));
	}

	/** Return what does not fit together. */
	List<Problem> conflicts() {
		return this.conflicts;
	}

}
