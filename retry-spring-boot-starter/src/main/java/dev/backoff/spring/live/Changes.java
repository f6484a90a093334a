package dev.backoff.spring.live;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

/**
 * The values in effect at one moment, to be compared with another moment. Values of
 * methods are under the name of their policy; equal changes of several methods are one.
 */
final class Changes {

	/* What belongs to no method. */
	private static final String ITSELF = "";

	/* By subject, and by method: annotations differ. */
	private final Map<String, Map<String, Map<String, EffectiveValue>>> values = new TreeMap<>();

	private Changes() {
	}

	/** Return the values of policies and of the methods that use them. */
	static Changes of(PolicyResolver policies, List<PolicyUse> uses) {
		Changes moment = new Changes();
		Set<Name> named = new HashSet<>();
		for (PolicyUse use : uses) {
			named.add(Name.of(use.policy().name()));
			moment.put("policy " + use.policy().name(), use.method(), texts(use.policy().values()));
		}
		policies.names()
			.stream()
			.filter((name) -> !named.contains(Name.of(name)))
			.flatMap((name) -> policies.peek(name).stream())
			.forEach((policy) -> moment.put("policy " + policy.name(), ITSELF, texts(policy.values())));
		BackoffConfiguration configuration = policies.configuration();
		configuration.breakers()
			.values()
			.forEach((entry) -> moment.put("breaker " + entry.name(), ITSELF, texts(entry.values())));
		configuration.budgets()
			.values()
			.forEach((entry) -> moment.put("budget " + entry.name(), ITSELF, texts(entry.values())));
		configuration.paces().values().forEach((entry) -> {
			Map<String, EffectiveValue> shown = new LinkedHashMap<>();
			entry.values().forEach((key, value) -> shown.put(key.key(), value.shown()));
			moment.put("pace " + entry.name(), ITSELF, shown);
		});
		moment.put("backoff", ITSELF, configuration.shownSettings());
		return moment;
	}

	private void put(String subject, String method, Map<String, EffectiveValue> values) {
		this.values.computeIfAbsent(subject, (name) -> new LinkedHashMap<>()).put(method, values);
	}

	private static Map<String, EffectiveValue> texts(Map<Key<?>, EffectiveValue> values) {
		Map<String, EffectiveValue> texts = new LinkedHashMap<>();
		values.forEach((key, value) -> texts.put(key.key(), value));
		return texts;
	}

	/** Return the values with another text later. */
	List<ValueChange> until(Changes later) {
		Set<String> subjects = new LinkedHashSet<>(this.values.keySet());
		subjects.addAll(later.values.keySet());
		Set<ValueChange> changes = new LinkedHashSet<>();
		for (String subject : subjects) {
			Map<String, Map<String, EffectiveValue>> before = this.values.getOrDefault(subject, Map.of());
			Map<String, Map<String, EffectiveValue>> now = later.values.getOrDefault(subject, Map.of());
			Set<String> both = new LinkedHashSet<>(before.keySet());
			both.retainAll(now.keySet());
			if (both.isEmpty() && (before.containsKey(ITSELF) || now.containsKey(ITSELF))) {
				// the subject, or its first or last use, is new or gone
				compare(subject, any(before), any(now), changes);
			}
			both.forEach((method) -> compare(subject, before.getOrDefault(method, Map.of()),
					now.getOrDefault(method, Map.of()), changes));
		}
		return List.copyOf(changes);
	}

	private static Map<String, EffectiveValue> any(Map<String, Map<String, EffectiveValue>> byMethod) {
		return byMethod.values().stream().findFirst().orElse(Map.of());
	}

	private static void compare(String subject, Map<String, EffectiveValue> before, Map<String, EffectiveValue> now,
			Set<ValueChange> changes) {
		Set<String> keys = new LinkedHashSet<>(before.keySet());
		keys.addAll(now.keySet());
		for (String key : keys) {
			ValueChange change = new ValueChange(subject, key, before.get(key), now.get(key));
			if (!Objects.equals(text(change.before()), text(change.now())) && change.isWritten()) {
				changes.add(change);
			}
		}
	}

	private static @Nullable String text(@Nullable EffectiveValue value) {
		return (value != null) ? value.value() : null;
	}

}
