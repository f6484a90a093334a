package dev.backoff.spring.policy;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import org.springframework.core.env.PropertyResolver;

/**
 * Resolve the placeholders of annotations: each time anew, so that they follow a changed
 * configuration, but for those of attributes that say which policy it is and what it
 * shares. Thread-safe.
 */
final class Placeholders {

	private static final Set<PolicyKey> ONCE = EnumSet.of(PolicyKey.PRESET, PolicyKey.BREAKER, PolicyKey.BUDGET,
			PolicyKey.CLASSIFIER);

	private final PropertyResolver resolver;

	private final Map<String, String> first = new ConcurrentHashMap<>();

	Placeholders(PropertyResolver resolver) {
		this.resolver = resolver;
	}

	/** Return what resolves the text of an attribute. */
	UnaryOperator<String> of(PolicyKey key) {
		return ONCE.contains(key) ? ofName() : this.resolver::resolveRequiredPlaceholders;
	}

	/** Return what resolves the name of a policy. */
	UnaryOperator<String> ofName() {
		return (text) -> this.first.computeIfAbsent(text, this.resolver::resolveRequiredPlaceholders);
	}

}
