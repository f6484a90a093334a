package dev.backoff.breaker;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The breakers by name. Names are compared by their letters and digits in lower case, as
 * names of policies are: {@code card-payments} is {@code cardPayments}. Immutable and
 * thread-safe.
 *
 * @since 0.1
 */
public final class CircuitBreakers {

	private final Map<String, CircuitBreaker> breakers;

	private CircuitBreakers(Map<String, CircuitBreaker> breakers) {
		this.breakers = Collections.unmodifiableMap(breakers);
	}

	/**
	 * Collect breakers.
	 * @param breakers the breakers, in the order in which they are listed
	 * @return those breakers
	 * @throws IllegalArgumentException if two have the same name
	 */
	public static CircuitBreakers of(Collection<CircuitBreaker> breakers) {
		Map<String, CircuitBreaker> byName = new LinkedHashMap<>();
		for (CircuitBreaker breaker : breakers) {
			CircuitBreaker before = byName.putIfAbsent(canonical(breaker.name()), breaker);
			if (before != null) {
				throw new IllegalArgumentException("Invalid names (" + before.name() + ", " + breaker.name()
						+ "): must differ in a letter or a digit.");
			}
		}
		return new CircuitBreakers(byName);
	}

	/**
	 * Return the breaker of that name.
	 * @param name the name
	 * @return the breaker
	 * @throws IllegalArgumentException if there is none
	 */
	public CircuitBreaker get(String name) {
		return find(name).orElseThrow(
				() -> new IllegalArgumentException("Invalid name (" + name + "): must be " + (this.breakers.isEmpty()
						? "that of a breaker, and there is none" : "one of " + String.join(", ", names())) + "."));
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
	 * Return the breakers.
	 * @return all of them, in order
	 */
	public List<CircuitBreaker> all() {
		return List.copyOf(this.breakers.values());
	}

	/**
	 * Return the names as they were written.
	 * @return all of them, in order
	 */
	public List<String> names() {
		return this.breakers.values().stream().map(CircuitBreaker::name).toList();
	}

	@Override
	public String toString() {
		return "CircuitBreakers " + names();
	}

	/** Return the letters and digits in lower case, by which names are compared. */
	static String canonical(String name) {
		StringBuilder letters = new StringBuilder(name.length());
		name.codePoints()
			.filter(Character::isLetterOrDigit)
			.map(Character::toLowerCase)
			.forEach(letters::appendCodePoint);
		return letters.toString();
	}

}
