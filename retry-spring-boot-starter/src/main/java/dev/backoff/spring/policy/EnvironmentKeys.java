package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The keys below {@code backoff} in environment variables.
 * <p>
 * A variable's underscores say nothing about where a name ends:
 * {@code BACKOFF_POLICIES_PAYMENT_CALLBACK_MAX_ATTEMPTS} and
 * {@code BACKOFF_POLICIES_PAYMENTCALLBACK_MAXATTEMPTS} both mean the policy
 * {@code payment-callback}. So a variable is read from both ends: the longest known key
 * is taken from its end, what remains is the policy. Variables that mean nothing to us
 * are left alone: platforms make some of the like.
 */
final class EnvironmentKeys {

	private static final String PREFIX = "BACKOFF_";

	private EnvironmentKeys() {
	}

	static List<WrittenKey> in(SystemEnvironmentPropertySource source, Collection<String> knownPolicies,
			Collection<String> topLevelKeys) {
		List<WrittenKey> keys = new ArrayList<>();
		for (Map.Entry<String, Object> variable : source.getSource().entrySet()) {
			if (variable.getKey().toUpperCase(Locale.ROOT).startsWith(PREFIX)) {
				WrittenKey key = key(variable.getKey(), String.valueOf(variable.getValue()).strip(), knownPolicies,
						topLevelKeys);
				if (key != null) {
					keys.add(key);
				}
			}
		}
		return keys;
	}

	private static @Nullable WrittenKey key(String variable, String text, Collection<String> knownPolicies,
			Collection<String> topLevelKeys) {
		String name = variable.substring(PREFIX.length());
		int index = -1;
		int last = name.lastIndexOf('_');
		if (last > 0 && name.substring(last + 1).matches("\\d{1,6}")) {
			index = Integer.parseInt(name.substring(last + 1));
			name = name.substring(0, last);
		}
		List<String> path = path(TextValues.canonical(name), index, knownPolicies, topLevelKeys);
		return (path == null) ? null
				: new WrittenKey(path, index, variable, List.of(text), "the environment variable " + variable);
	}

	private static @Nullable List<String> path(String letters, int index, Collection<String> knownPolicies,
			Collection<String> topLevelKeys) {
		for (String key : topLevelKeys) {
			if (letters.equals(TextValues.canonical(key))) {
				return List.of(key);
			}
		}
		if (letters.startsWith("defaults")) {
			PolicyKey key = PolicyKey.of(letters.substring("defaults".length()));
			return (key != null) ? List.of("defaults", key.key()) : null;
		}
		return letters.startsWith("policies") ? policyPath(letters.substring("policies".length()), index, knownPolicies)
				: null;
	}

	private static @Nullable List<String> policyPath(String letters, int index, Collection<String> knownPolicies) {
		List<String> best = null;
		int bestLength = 0;
		for (PolicyKey key : PolicyKey.values()) {
			String end = TextValues.canonical(key.key());
			if (letters.length() > end.length() && letters.endsWith(end) && (index < 0 || key.isList())) {
				String policy = letters.substring(0, letters.length() - end.length());
				// a policy that is defined elsewhere settles what the longest key leaves
				// open
				int length = end.length() + (knownPolicies.contains(policy) ? 1000 : 0);
				if (length > bestLength) {
					bestLength = length;
					best = List.of("policies", policy, key.key());
				}
			}
		}
		return best;
	}

}
