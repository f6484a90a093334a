package dev.backoff.spring.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Report a key that is not known, with the text to write instead: our word for it, the
 * place where it belongs, or the nearest known key.
 */
final class UnknownKey {

	/* Attributes of the annotation that no configuration has, by other words for them. */
	private static final Map<Name, String> CODE = OtherWords
		.byOtherWord(Map.of("recover", "recover recovery fallback fallbackmethod", "retryWhen",
				"retrywhen retryonresult", "until", "until", "per", "per"));

	private UnknownKey() {
	}

	static Problem of(Section section, SourceProperty key) {
		String written = String.join(".", key.below());
		if (section == Section.SETTINGS) {
			return key.problem("is no key of backoff", settingFix(key.path(), written));
		}
		return key.problem("is no key of " + (section.isNamed() ? "a " : "") + section.noun(),
				fix(section, key, written));
	}

	private static String fix(Section section, SourceProperty key, String written) {
		String group = (key.below().size() > 1) ? Nearest.of(key.below().get(0), section.groups()) : null;
		if (group != null) {
			return belowGroup(section, group, key.below());
		}
		String name = section.isNamed() ? dottedName(key, section) : null;
		if (name != null) {
			return "If the " + section.noun() + " is called " + name + ", write its name in brackets and quotes: \"["
					+ name + "]\".";
		}
		if (section == Section.DEFAULTS && OtherWords.meant(section, written, List.of("inherits")) != null) {
			return "Remove it: every policy inherits the defaults.";
		}
		return section.isReferredTo() ? known(section, written) : policyFix(key, written);
	}

	private static String belowGroup(Section section, String group, List<String> path) {
		List<String> known = section.keyTexts().stream().filter((text) -> text.startsWith(group + ".")).toList();
		String rest = group + "." + String.join(".", path.subList(1, path.size()));
		String nearest = Nearest.of(rest, known);
		return (nearest != null) ? "Write " + nearest + " instead of " + String.join(".", path) + "."
				: "Known keys below " + group + ": " + String.join(", ", known) + ".";
	}

	/* Without brackets, a name with a dot reads as a name and a longer key. */
	private static @Nullable String dottedName(SourceProperty key, Section section) {
		List<String> path = key.path();
		for (int end = 3; end < path.size(); end++) {
			if (section.keyOf(String.join(".", path.subList(end, path.size()))) != null) {
				return String.join(".", path.subList(1, end));
			}
		}
		return null;
	}

	private static String policyFix(SourceProperty key, String written) {
		String attribute = CODE.get(Name.of(written));
		if (attribute != null) {
			return "Write it as " + attribute + " of @Backoff: it belongs to the code.";
		}
		if (OtherWords.isRetryCount(written)) {
			String value = key.texts().get(0);
			return "Write " + (value.matches("\\d{1,6}") ? (Integer.parseInt(value) + 1) + " as " : "")
					+ "max-attempts: it counts the first attempt too (retries + 1).";
		}
		String elsewhere = elsewhere(written);
		return (elsewhere != null) ? elsewhere : known(key.section(), written);
	}

	/*
	 * Breakers, budgets and paces have sections of their own, and policies only name
	 * them.
	 */
	private static @Nullable String elsewhere(String written) {
		int dot = written.indexOf('.');
		Section grouped = (dot > 0) ? OtherWords.section(written.substring(0, dot)) : null;
		for (Section section : List.of(Section.BREAKERS, Section.BUDGETS, Section.PACES)) {
			String define = "Define it below backoff." + section.key() + ".<name>";
			if (section == grouped) {
				return define + ", and write " + section.noun() + ": <name>.";
			}
			if (section.keyOf(written) != null) {
				return define + ".";
			}
		}
		return null;
	}

	private static String known(Section section, String written) {
		String nearest = OtherWords.meant(section, written, section.keyTexts());
		return (nearest != null) ? "Write " + nearest + " instead of " + written + OtherWords.difference(written) + "."
				: "Known keys: " + String.join(", ", section.keyTexts()) + ".";
	}

	private static String settingFix(List<String> path, String written) {
		Key<?> ofPolicy = Section.DEFAULTS.keyOf(written);
		if (ofPolicy != null) {
			return "Write backoff.defaults." + ofPolicy.key() + ", or the key below a policy.";
		}
		String nearest = nearestSetting(written);
		if (nearest != null) {
			return "Write backoff." + nearest + ".";
		}
		String group = (path.size() > 1) ? groupNear(path.get(0)) : null;
		if (group != null && !path.get(0).equals(group)) {
			return "Write backoff." + group + "." + String.join(".", path.subList(1, path.size())) + ".";
		}
		String elsewhere = (path.size() == 1) ? elsewhere(written) : null;
		return (elsewhere != null) ? elsewhere
				: "Known keys: " + String.join(", ", Section.SETTINGS.keyTexts()) + ", defaults.*, "
						+ String.join(", ", Section.NAMED.stream().map((section) -> section.key() + ".*").toList())
						+ ".";
	}

	/** Return the setting with this name below its group, else the nearest one. */
	private static @Nullable String nearestSetting(String written) {
		Name wanted = Name.of(written);
		return Section.SETTINGS.keyTexts()
			.stream()
			.filter((key) -> wanted.is(key.substring(key.indexOf('.') + 1)))
			.findFirst()
			.orElseGet(() -> Nearest.of(written, Section.SETTINGS.keyTexts()));
	}

	private static @Nullable String groupNear(String written) {
		Section section = OtherWords.section(written);
		List<String> groups = new ArrayList<>(Section.NAMED.stream().map(Section::key).toList());
		groups.add(Section.DEFAULTS.key());
		groups.addAll(Section.SETTINGS.groups());
		return (section != null) ? section.key() : Nearest.of(written, groups);
	}

}
