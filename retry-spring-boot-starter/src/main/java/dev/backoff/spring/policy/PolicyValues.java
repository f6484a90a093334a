package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.PolicyLevels.Ranked;

/** The strongest values of one policy, those in effect, and their conflicts. */
final class PolicyValues {

	static final String BUILT_IN = EffectiveValue.BUILT_IN;

	private final PolicyLevels levels;

	private final List<Problem> conflicts = new ArrayList<>();

	private final Map<PolicyKey, EffectiveValue> effective = new EnumMap<>(PolicyKey.class);

	PolicyValues(PolicyLevels levels) {
		this.levels = levels;
	}

	@Nullable Ranked written(PolicyKey key) {
		return this.levels.get(key);
	}

	/** Return the origin of the strongest value of a key. */
	String origin(PolicyKey key) {
		Ranked written = written(key);
		return (written != null) ? written.value().origin() : BUILT_IN;
	}

	/** Return the strength of the strongest value of a key, 0 if it is not written. */
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

	Set<PolicyKey> writtenForIt() {
		return Stream.of(PolicyKey.values()).filter(this::isWrittenForIt).collect(Collectors.toSet());
	}

	/** Return the strongest value of a key, its default if it is not written. */
	@SuppressWarnings("TypeParameterUnusedInFormals") // the key knows the type
	<T> T strongest(PolicyKey key) {
		Ranked written = written(key);
		return (written != null) ? written.value().value() : key.builtIn();
	}

	/** Put the value of a key into effect, its default if it is not written. */
	@SuppressWarnings("TypeParameterUnusedInFormals") // the key knows the type
	<T> T read(PolicyKey key) {
		return read(key, key.builtIn(), String.valueOf(key.builtInText()));
	}

	/** Put the value of a key into effect, or another one if it is not written. */
	<T> T read(PolicyKey key, T otherwise, String otherwiseText) {
		Ranked written = written(key);
		if (written == null) {
			put(key, otherwiseText, BUILT_IN);
			return otherwise;
		}
		note(key);
		return written.value().value();
	}

	/** Put a value into effect, if it is written. */
	void note(PolicyKey key) {
		Ranked written = written(key);
		if (written != null) {
			this.effective.put(key, written.value().shown());
		}
	}

	/** Put a value into effect. */
	void put(PolicyKey key, String text, String origin) {
		this.effective.put(key, new EffectiveValue(text, origin));
	}

	/** Return the value in effect so far. */
	EffectiveValue inEffect(PolicyKey key) {
		return this.effective.getOrDefault(key, new EffectiveValue("", BUILT_IN));
	}

	Map<PolicyKey, EffectiveValue> effective() {
		return Collections.unmodifiableMap(this.effective);
	}

	/** Report that a value does not fit others. */
	void conflict(ConfigValue value, String rule, String fix) {
		this.conflicts.add(value.problem(rule, fix));
	}

	List<Problem> conflicts() {
		return this.conflicts;
	}

}
