package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What to write instead of a key that means nothing here: the word we have for it, the
 * place where it belongs, or the nearest known key.
 */
final class UnknownKey {

	/*
	 * Attributes of the annotation that no configuration has, and what they are called.
	 */
	private static final Map<String, String> CODE = Map.of("recover", "recover", "recovery", "recover", "fallback",
			"recover", "fallbackmethod", "recover", "retrywhen", "retryWhen", "retryonresult", "retryWhen", "until",
			"until");

	private UnknownKey() {
	}

	/** Report a value where keys are expected. */
	static Problem group(WrittenKey key, String below) {
		return key.problem("holds keys, not a value",
				"Write the keys below it, for instance " + key.key() + "." + below + ".");
	}

	/** Report a key below the defaults. */
	static Problem ofDefaults(WrittenKey key, List<String> path) {
		String rule = "is no key of the defaults";
		String group = (path.size() > 1) ? Section.POLICIES.groupNear(path.get(0)) : null;
		if (group != null) {
			return key.problem(rule, belowGroup(Section.POLICIES, group, path));
		}
		return (PolicyKey.of(String.join(".", path)) == PolicyKey.INHERITS)
				? key.problem(rule, "Remove it: every policy inherits the defaults.")
				: key.problem(rule, policyFix(key, String.join(".", path)));
	}

	/** Report a key below a name of a section. */
	static Problem ofEntry(WrittenKey key, List<String> path, Section<?> section) {
		String rule = "is no key of a " + section.noun();
		String group = (path.size() > 1) ? section.groupNear(path.get(0)) : null;
		if (group != null) {
			return key.problem(rule, belowGroup(section, group, path));
		}
		String name = dottedName(key, section);
		if (name != null) {
			return key.problem(rule, "If the " + section.noun() + " is called " + name
					+ ", write its name in brackets and quotes: \"[" + name + "]\".");
		}
		String written = String.join(".", path);
		return key.problem(rule, (section == Section.POLICIES) ? policyFix(key, written) : known(section, written));
	}

	private static String belowGroup(Section<?> section, String group, List<String> path) {
		List<String> known = section.keyTexts().stream().filter((text) -> text.startsWith(group + ".")).toList();
		String rest = group + "." + String.join(".", path.subList(1, path.size()));
		String nearest = Nearest.of(rest, known);
		return (nearest != null) ? "Write " + nearest + " instead of " + String.join(".", path) + "."
				: "Known keys below " + group + ": " + String.join(", ", known) + ".";
	}

	private static String policyFix(WrittenKey key, String written) {
		String attribute = CODE.get(TextValues.canonical(written));
		if (attribute != null) {
			return "Write it as " + attribute + " of @Backoff: it belongs to the code.";
		}
		String retries = attempts(written, key.texts().get(0));
		String elsewhere = (retries != null) ? retries : elsewhere(written);
		return (elsewhere != null) ? elsewhere : known(Section.POLICIES, written);
	}

	/* What policies share has keys of its own, and policies only name it. */
	private static @Nullable String elsewhere(String written) {
		int dot = written.indexOf('.');
		Section<?> grouped = (dot > 0) ? OtherWords.section(written.substring(0, dot)) : null;
		for (Section<?> section : List.of(Section.BREAKERS, Section.BUDGETS)) {
			String define = "Define it below backoff." + section.key() + ".<name>";
			if (section == grouped) {
				return define + ", and write " + section.noun() + ": <name>.";
			}
			if (section.keyOf(written) != null) {
				String degraded = "when-degraded." + written;
				return define + ((PolicyKey.of(degraded) != null) ? ", or write " + degraded + "." : ".");
			}
		}
		return null;
	}

	private static String known(Section<?> section, String written) {
		String ours = OtherWords.ours(section, written);
		String nearest = (ours != null) ? ours : Nearest.of(written, section.keyTexts());
		return (nearest != null) ? "Write " + nearest + " instead of " + written + "."
				: "Known keys: " + String.join(", ", section.keyTexts()) + ".";
	}

	private static @Nullable String group(String written, Collection<String> topLevelKeys) {
		List<String> groups = new ArrayList<>(Section.ALL.stream().map(Section::key).toList());
		groups.add("defaults");
		topLevelKeys.stream()
			.filter((key) -> key.indexOf('.') > 0)
			.forEach((key) -> groups.add(key.substring(0, key.indexOf('.'))));
		Section<?> section = OtherWords.section(written);
		return (section != null) ? section.key() : Nearest.of(written, groups);
	}

	/* Who counts retries and not attempts finds out what the number is here. */
	private static @Nullable String attempts(String written, String value) {
		if (!OtherWords.countRetries(written)) {
			return null;
		}
		String most = value.matches("\\d{1,6}") ? (Integer.parseInt(value) + 1) + " as max-attempts" : "max-attempts";
		return "Write " + most + ": it counts the first attempt too (retries + 1).";
	}

	/* A name with a dot and without brackets looks like a name and a key that has one. */
	private static @Nullable String dottedName(WrittenKey key, Section<?> section) {
		List<String> path = key.path();
		for (int end = 3; end < path.size(); end++) {
			if (section.keyOf(String.join(".", path.subList(end, path.size()))) != null) {
				return String.join(".", path.subList(1, end));
			}
		}
		return null;
	}

	/** Return the key that is left when its group is forgotten, else the nearest one. */
	private static @Nullable String nearest(String written, Collection<String> topLevelKeys) {
		String wanted = TextValues.canonical(written);
		for (String key : topLevelKeys) {
			int dot = key.indexOf('.');
			if (dot > 0 && TextValues.canonical(key.substring(dot + 1)).equals(wanted)) {
				return key;
			}
		}
		return Nearest.of(written, topLevelKeys);
	}

	/** Report a key directly below {@code backoff}. */
	static Problem ofTopLevel(WrittenKey key, Collection<String> known) {
		List<String> path = key.path();
		String written = String.join(".", path);
		String nearest = nearest(written, known);
		PolicyKey ofPolicy = PolicyKey.of(written);
		String group = (path.size() > 1) ? group(path.get(0), known) : null;
		String elsewhere = (path.size() == 1) ? elsewhere(written) : null;
		String fix;
		if (ofPolicy != null) {
			fix = "Write backoff.defaults." + ofPolicy.key() + ", or the key below a policy.";
		}
		else if (nearest != null) {
			fix = "Write backoff." + nearest + ".";
		}
		else if (group != null && !path.get(0).equals(group)) {
			fix = "Write backoff." + group + "." + String.join(".", path.subList(1, path.size())) + ".";
		}
		else if (elsewhere != null) {
			fix = elsewhere;
		}
		else {
			List<String> all = new ArrayList<>(known);
			all.add("defaults.*");
			Section.ALL.forEach((section) -> all.add(section.key() + ".*"));
			fix = "Known keys: " + String.join(", ", all) + ".";
		}
		return key.problem("is no key of backoff", fix);
	}

}
