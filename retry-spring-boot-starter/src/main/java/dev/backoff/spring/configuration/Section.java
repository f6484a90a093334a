package dev.backoff.spring.configuration;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A part of the configuration with keys of one kind: the settings directly below
 * {@code backoff}, the defaults, or the same keys below each name of a policy, a breaker,
 * a budget or a pace.
 *
 * @since 0.1
 */
public final class Section {

	static final Section SETTINGS = new Section("", "backoff", SettingKey.KEYS, "");

	static final Section DEFAULTS = new Section("defaults", "the defaults", PolicyKey.KEYS, "base");

	public static final Section POLICIES = new Section("policies", "policy", PolicyKey.KEYS, "base");

	public static final Section BREAKERS = new Section("breakers", "breaker", BreakerKey.KEYS, "failure-rate");

	public static final Section BUDGETS = new Section("budgets", "budget", BudgetKey.KEYS, "tokens");

	public static final Section PACES = new Section("paces", "pace", PaceKey.KEYS, "max-hold");

	static final List<Section> NAMED = List.of(POLICIES, BREAKERS, BUDGETS, PACES);

	static final List<Section> ALL = List.of(SETTINGS, DEFAULTS, POLICIES, BREAKERS, BUDGETS, PACES);

	private final String key;

	private final String noun;

	private final Map<Name, Key<?>> keys = new LinkedHashMap<>();

	private final String example;

	private Section(String key, String noun, List<Key<?>> keys, String example) {
		this.key = key;
		this.noun = noun;
		this.example = example;
		keys.stream()
			.filter((candidate) -> candidate != PolicyKey.INHERITS || !key.equals("defaults"))
			.forEach((candidate) -> this.keys.put(Name.of(candidate.key()), candidate));
	}

	/** Return the section of a key whose parts after {@code backoff} are given. */
	static Section of(List<String> path) {
		Section section = (path.size() > 1) ? of(path.get(0)) : null;
		return (section != null) ? section : SETTINGS;
	}

	/** Return the section that is written like the given text, or null. */
	static @Nullable Section of(String text) {
		Name wanted = Name.of(text);
		return ALL.stream().filter((section) -> section != SETTINGS && wanted.is(section.key)).findFirst().orElse(null);
	}

	/** Return the key below {@code backoff}, empty for the settings. */
	public String key() {
		return this.key;
	}

	/** Return what its names are called: {@code policy}, {@code breaker}. */
	public String noun() {
		return this.noun;
	}

	/** Return whether its keys stand below names. */
	boolean isNamed() {
		return NAMED.contains(this);
	}

	/** Return how many parts of a path come before its keys. */
	int depth() {
		return isNamed() ? 2 : (this == SETTINGS) ? 0 : 1;
	}

	/** Return whether policies refer to its names, so no name may be the word none. */
	boolean isReferredTo() {
		return isNamed() && this != POLICIES;
	}

	public Collection<Key<?>> keys() {
		return this.keys.values();
	}

	List<String> keyTexts() {
		return keys().stream().<String>map(Key::key).toList();
	}

	/** Return the key that is written like the given text, whatever its separators. */
	public @Nullable Key<?> keyOf(String text) {
		return this.keys.get(Name.of(text));
	}

	/** Return the groups of its keys, such as {@code retry-after}. */
	List<String> groups() {
		return keyTexts().stream()
			.filter((text) -> text.indexOf('.') > 0)
			.map((text) -> text.substring(0, text.indexOf('.')))
			.distinct()
			.toList();
	}

	/** Return the first of the keys that stand below the given text, or null. */
	@Nullable String firstBelow(String text) {
		Section section = (this == SETTINGS) ? of(text) : null;
		if (section != null) {
			return section.isNamed() ? "<name>." + section.example : section.example;
		}
		if (text.isEmpty()) {
			return this.example;
		}
		return groups().stream()
			.filter(Name.of(text)::is)
			.flatMap((group) -> keyTexts().stream().filter((key) -> key.startsWith(group + ".")))
			.map((key) -> key.substring(key.indexOf('.') + 1))
			.findFirst()
			.orElse(null);
	}

	/** The values below one name of a section. */
	public record Entry(String name, Map<Key<?>, ConfigValue> values) {
	}

}
