package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Problem;

/** The strongest values of one policy, those in effect, and their conflicts. */
final class PolicyValues {

	private final PolicyLevels levels;

	private final List<Problem> conflicts = new ArrayList<>();

	private final Map<Key<?>, EffectiveValue> effective = new TreeMap<>();

	PolicyValues(PolicyLevels levels) {
		this.levels = levels;
	}

	@Nullable ConfigValue written(Key<?> key) {
		return this.levels.get(key);
	}

	/** Return the origin of the strongest value of a key. */
	String origin(Key<?> key) {
		ConfigValue written = written(key);
		return (written != null) ? written.origin() : EffectiveValue.BUILT_IN;
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

	/** Put another text into effect, with the level and the origin of what decides. */
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
	}

	List<Problem> conflicts() {
		return this.conflicts;
	}

}
