package dev.backoff.spring.policy;

import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.Level.Rank;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;

/**
 * The breaker, the budget and the pace of a policy. By default its budget has the
 * policy's name, and so has its breaker if one of that name is defined. Other names have
 * to be defined, except that of a pace.
 */
record References(BackoffConfiguration configuration, @Nullable String policy,
		BiFunction<Section, String, String> spelling) {

	private static final Name NONE = Name.of("none");

	private static final Pattern NUMBER = Pattern.compile("\\d+(?:\\.\\d+)?");

	private static Section section(Key<?> key) {
		return (key == PolicyKey.BREAKER) ? Section.BREAKERS
				: (key == PolicyKey.BUDGET) ? Section.BUDGETS : Section.PACES;
	}

	/** Report a name that is neither defined nor the policy's own. */
	void check(Key<?> key, ConfigValue value, List<Name> lineage, List<Problem> problems) {
		Section section = section(key);
		Name name = Name.of(value.text());
		boolean own = lineage.contains(name) || (this.policy != null && name.is(this.policy));
		if (name.equals(NONE) || own || this.configuration.defined(section).contains(name)) {
			return;
		}
		String other = otherThanName(section, value.text());
		if (other != null) {
			problems.add(value.problem("must be the name of a " + section.noun() + ", or none", other));
			return;
		}
		if (section == Section.PACES) {
			return;
		}
		String nearest = Nearest.of(value.text(), this.configuration.names(section));
		problems.add(value.problem("names a " + section.noun() + " that is not defined",
				(nearest != null) ? "Write " + nearest + "."
						: "Define backoff." + section.key() + "." + value.text() + ", or remove it."));
	}

	/** Return what to write instead of a switch or a number, or null. */
	private static @Nullable String otherThanName(Section section, String text) {
		boolean pace = section == Section.PACES;
		boolean number = pace ? Character.isDigit(text.charAt(0))
				: section == Section.BUDGETS && NUMBER.matcher(text).matches();
		String name = pace ? "Write a name, such as that of the account at the server."
				: "Define a " + section.noun() + " below backoff." + section.key() + ", and write its name.";
		return switch (text.toLowerCase(Locale.ROOT)) {
			case "false", "off", "no" -> "Write none to switch it off.";
			case "true", "on", "yes" -> name;
			default -> number ? name : null;
		};
	}

	/** Put one of them into effect; return its name, or null for none. */
	@Nullable String putIntoEffect(Key<?> key, PolicyDraft values) {
		ConfigValue written = values.written(key);
		Section section = section(key);
		boolean budget = key == PolicyKey.BUDGET;
		if (written == null && this.policy != null && key != PolicyKey.PACE
				&& (budget || this.configuration.defined(section).contains(Name.of(this.policy)))) {
			String own = this.spelling.apply(section, this.policy);
			values.put(key, own, budget ? Level.BUILT_IN : Level.of(Rank.ENTRY),
					budget ? EffectiveValue.BUILT_IN : "the policy's name, defined below backoff.breakers");
			return own;
		}
		String name = (written == null || NONE.is(written.text())) ? null
				: this.spelling.apply(section, written.text());
		values.put(key, (name != null) ? name : NONE.toString(), written);
		return name;
	}

}
