package dev.backoff.spring.policy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import org.springframework.core.env.PropertyResolver;

import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.PolicyKey;

/**
 * Resolve the placeholders of annotations once for each reading of the configuration, so
 * that they change together with it. Placeholders in the names of the policy and of what
 * it shares are resolved only once. Thread-safe.
 */
record Placeholders(PropertyResolver resolver, Map<String, String> first, Map<String, String> now) {

	private static final Set<Key<?>> ONCE = Set.of(PolicyKey.PRESET, PolicyKey.BREAKER, PolicyKey.BUDGET,
			PolicyKey.PACE, PolicyKey.CLASSIFIER);

	Placeholders(PropertyResolver resolver) {
		this(resolver, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
	}

	/** Return placeholders for a later reading of the configuration. */
	Placeholders anew() {
		return new Placeholders(this.resolver, this.first, new ConcurrentHashMap<>());
	}

	/** Return the resolver of an attribute. */
	UnaryOperator<String> of(Key<?> key) {
		return ONCE.contains(key) ? ofName() : (text) -> resolve(text, this.now);
	}

	/** Return the resolver of the name of a policy. */
	UnaryOperator<String> ofName() {
		return (text) -> resolve(text, this.first);
	}

	/* No lock is held while property sources answer. */
	private String resolve(String text, Map<String, String> resolved) {
		String known = resolved.get(text);
		if (known != null) {
			return known;
		}
		String made = this.resolver.resolveRequiredPlaceholders(text);
		String before = resolved.putIfAbsent(text, made);
		return (before != null) ? before : made;
	}

}
