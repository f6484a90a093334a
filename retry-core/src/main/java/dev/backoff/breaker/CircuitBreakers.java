package dev.backoff.breaker;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Breakers by name. Names are compared by their letters and digits in lower case, like
 * the names of policies: {@code card-payments} equals {@code cardPayments}. Breakers can
 * be added, but not removed. Thread-safe.
 *
 * @since 0.1
 */
public final class CircuitBreakers {

	private final Map<String, CircuitBreaker> breakers = Collections.synchronizedMap(new LinkedHashMap<>());

	private CircuitBreakers() {
	}

	/**
	 * Collect breakers.
	 * @param breakers the breakers, in the order in which they are listed
	 * @return those breakers
	 * @throws IllegalArgumentException if two have the same name
	 */
	public static CircuitBreakers of(Collection<CircuitBreaker> breakers) {
		CircuitBreakers collected = new CircuitBreakers();
		for (CircuitBreaker breaker : breakers) {
			CircuitBreaker before = collected.getOrAdd(breaker);
			if (before != breaker) {
				throw new IllegalArgumentException("Invalid names (" + before.name() + ", " + breaker.name()
						+ "): must differ in a letter or a digit.");
			}
		}
		return collected;
	}

	/**
	 * Add a breaker, unless there already is one with its name.
	 * @param breaker a breaker
	 * @return the breaker that has the name now
	 */
	public CircuitBreaker getOrAdd(CircuitBreaker breaker) {
		CircuitBreaker before = this.breakers.putIfAbsent(canonical(breaker.name()), breaker);
		return (before != null) ? before : breaker;
	}

	/**
	 * Return the breaker of that name.
	 * @param name the name
	 * @return the breaker
	 * @throws IllegalArgumentException if there is none
	 */
	public CircuitBreaker get(String name) {
		return find(name).orElseThrow(() -> new IllegalArgumentException("Invalid name (" + name + "): must be "
				+ (this.breakers.isEmpty() ? "that of a breaker, and there is none" : "one of " + names()) + "."));
	}

	/**
	 * Return the {@linkplain CircuitBreaker#ofKey breaker of a key}.
	 * @param name the name of the breaker that is divided
	 * @param key such as a tenant's id
	 * @return the breaker
	 * @throws IllegalArgumentException if there is none of that name
	 */
	public CircuitBreaker get(String name, Object key) {
		return get(name).ofKey(key);
	}

	/**
	 * Return the breaker of that name, if there is one.
	 * @param name the name
	 * @return the breaker, or empty
	 */
	public Optional<CircuitBreaker> find(String name) {
		return Optional.ofNullable(this.breakers.get(canonical(name)));
	}

	/**
	 * {@return all breakers, in the order in which they were added}
	 */
	public List<CircuitBreaker> all() {
		return List.copyOf(this.breakers.values());
	}

	@Override
	public String toString() {
		return "CircuitBreakers [" + names() + "]";
	}

	private String names() {
		return all().stream().map(CircuitBreaker::name).collect(Collectors.joining(", "));
	}

	/** Return the letters and digits in lower case, by which names are compared. */
	static String canonical(String name) {
		StringBuilder letters = new StringBuilder(name.length());
		// without a stream, since each attempt of a stored call looks for its breaker
		for (int i = 0; i < name.length(); i = name.offsetByCodePoints(i, 1)) {
			int letter = name.codePointAt(i);
			if (Character.isLetterOrDigit(letter)) {
				letters.appendCodePoint(Character.toLowerCase(letter));
			}
		}
		return letters.toString();
	}

}
