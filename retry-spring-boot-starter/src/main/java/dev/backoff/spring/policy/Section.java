package dev.backoff.spring.policy;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A part of the configuration where names stand, with the same keys below each.
 *
 * @param <K> the keys
 */
final class Section<K extends Enum<K> & SectionKey> {

	static final Section<PolicyKey> POLICIES = new Section<>("policies", "policy", PolicyKey.class, "base",
			EnumSet.of(PolicyKey.LADDER, PolicyKey.RETRY_ON, PolicyKey.ABORT_ON), Map.of());

	static final Section<BreakerKey> BREAKERS = new Section<>("breakers", "breaker", BreakerKey.class, "failure-rate",
			Set.of(), Map.of());

	static final Section<BudgetKey> BUDGETS = new Section<>("budgets", "budget", BudgetKey.class, "tokens", Set.of(),
			Map.of(BudgetKey.COST, List.of(BudgetKey.COST_TRANSIENT, BudgetKey.COST_THROTTLED)));

	/** All sections. */
	static final List<Section<?>> ALL = List.of(POLICIES, BREAKERS, BUDGETS);

	private static final int SHORT_WORD = 4;

	private final String key;

	private final String noun;

	private final List<K> keys;

	private final String example;

	private final Set<K> lists;

	private final Map<K, List<K>> shorthands;

	private Section(String key, String noun, Class<K> keys, String example, Set<K> lists, Map<K, List<K>> shorthands) {
		this.key = key;
		this.noun = noun;
		this.keys = List.of(keys.getEnumConstants());
		this.example = example;
		this.lists = lists;
		this.shorthands = shorthands;
	}

	/** Return the section that is written like the given text, or null. */
	static @Nullable Section<?> of(String text) {
		String wanted = TextValues.canonical(text);
		return ALL.stream().filter((section) -> section.key.equals(wanted)).findFirst().orElse(null);
	}

	/** Return the key below {@code backoff}. */
	String key() {
		return this.key;
	}

	/** Return what one of its names stands for. */
	String noun() {
		return this.noun;
	}

	/** Return whether policies name what is here, and none stands for none of it. */
	boolean isReferredTo() {
		return (Section<?>) this != POLICIES;
	}

	/** Return the keys below a name. */
	List<K> keys() {
		return this.keys;
	}

	/** Return the keys below a name as they are written. */
	List<String> keyTexts() {
		return this.keys.stream().map(SectionKey::key).toList();
	}

	/** Return a key that many write. */
	String example() {
		return this.example;
	}

	/** Return the key that is written like the given text, whatever its separators. */
	@Nullable K keyOf(String text) {
		String wanted = TextValues.canonical(text);
		return this.keys.stream()
			.filter((candidate) -> TextValues.canonical(candidate.key()).equals(wanted))
			.findFirst()
			.orElse(null);
	}

	/** Return the first of the keys that stand below the given one, or null. */
	@Nullable String firstBelow(String group) {
		String wanted = TextValues.canonical(group);
		for (K candidate : this.keys) {
			String text = candidate.key();
			int dot = text.indexOf('.');
			if (dot > 0 && TextValues.canonical(text.substring(0, dot)).equals(wanted)) {
				return text.substring(dot + 1);
			}
		}
		return null;
	}

	/**
	 * Return the group of keys that somebody probably meant, or null. A short word may be
	 * anything, so it has to be right.
	 */
	@Nullable String groupNear(String written) {
		List<String> groups = this.keys.stream()
			.map(SectionKey::key)
			.filter((text) -> text.indexOf('.') > 0)
			.map((text) -> text.substring(0, text.indexOf('.')))
			.distinct()
			.toList();
		String nearest = Nearest.of(written, groups);
		return (nearest == null || nearest.length() > SHORT_WORD || firstBelow(written) != null) ? nearest : null;
	}

	/** Return whether the value of a key is a list. */
	boolean isList(K key) {
		return this.lists.contains(key);
	}

	/** Return the keys that a key stands for: itself, unless it is a shorthand. */
	List<K> meantBy(K key) {
		return this.shorthands.getOrDefault(key, List.of(key));
	}

	/** Return whether a key stands for others. */
	boolean isShorthand(K key) {
		return this.shorthands.containsKey(key);
	}

}
