package dev.backoff.spring.policy;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.PolicyLevels.Ranked;

/**
 * The breaker and the budget of a policy. Both have the policy's name unless the policy
 * names others, which have to be defined.
 */
final class References {

	private static final String NONE = "none";

	private static final Pattern NUMBER = Pattern.compile("\\d+(?:\\.\\d+)?");

	private static final Pattern POLICY_PLACE = Pattern.compile("Invalid backoff\\.policies\\.?(.+)\\.[^.]+");

	private final BackoffConfiguration configuration;

	private final @Nullable String policy;

	private final BiFunction<Section<?>, String, String> spelling;

	/** Make references. */
	References(BackoffConfiguration configuration, @Nullable String policy,
			BiFunction<Section<?>, String, String> spelling) {
		this.configuration = configuration;
		this.policy = policy;
		this.spelling = spelling;
	}

	/** Report a name that is neither defined nor the policy's own. */
	void check(PolicyKey key, ConfigValue value, Set<String> lineage, List<Problem> problems) {
		Section<?> section = (key == PolicyKey.BREAKER) ? Section.BREAKERS : Section.BUDGETS;
		String name = TextValues.canonical(value.text());
		boolean own = lineage.contains(name) || (this.policy != null && TextValues.canonical(this.policy).equals(name));
		if (isNone(value.text()) || isDefined(section, name) || own) {
			return;
		}
		String other = otherThanName(section, value);
		if (other != null) {
			problems.add(value.problem("must be the name of a " + section.noun() + ", or none", other));
			return;
		}
		String nearest = Nearest.of(value.text(), names(section));
		problems.add(value.problem("names a " + section.noun() + " that is not defined",
				(nearest != null) ? "Write " + nearest + "."
						: "Define backoff." + section.key() + "." + value.text() + ", or remove it."));
	}

	/** Return what to write instead of a switch or a number, or null. */
	private @Nullable String otherThanName(Section<?> section, ConfigValue value) {
		boolean budget = section == Section.BUDGETS;
		if (budget && NUMBER.matcher(value.text()).matches()) {
			return "Set backoff.budgets." + policyOf(value) + ".tokens.";
		}
		return switch (value.text().toLowerCase(Locale.ROOT)) {
			case "false", "off", "no" -> "Write none to switch it off.";
			case "true", "on", "yes" -> budget ? "Remove it: a budget is on by default."
					: "Define a breaker below backoff.breakers, and write its name.";
			default -> null;
		};
	}

	/* By default its budget has the name of the policy. */
	private String policyOf(ConfigValue value) {
		Matcher written = POLICY_PLACE.matcher(value.place());
		if (written.matches()) {
			return written.group(1);
		}
		String own = value.place().startsWith("@") ? this.policy : null;
		return (own == null) ? "<name>" : (own.indexOf('.') < 0) ? own : "[" + own + "]";
	}

	/** Return the breaker in effect, or null for none. */
	@Nullable String breaker(PolicyValues values) {
		Ranked written = values.written(PolicyKey.BREAKER);
		if (written != null) {
			return named(PolicyKey.BREAKER, written.value(), values);
		}
		if (this.policy == null || !isDefined(Section.BREAKERS, TextValues.canonical(this.policy))) {
			values.put(PolicyKey.BREAKER, NONE, PolicyValues.BUILT_IN);
			return null;
		}
		String name = this.spelling.apply(Section.BREAKERS, this.policy);
		values.put(PolicyKey.BREAKER, name, "the policy's name, defined below backoff.breakers");
		return name;
	}

	/** Return the budget in effect, or null for none. */
	@Nullable String budget(PolicyValues values) {
		Ranked written = values.written(PolicyKey.BUDGET);
		if (written != null) {
			return named(PolicyKey.BUDGET, written.value(), values);
		}
		if (this.policy == null) {
			return null;
		}
		String name = this.spelling.apply(Section.BUDGETS, this.policy);
		values.put(PolicyKey.BUDGET, name, PolicyValues.BUILT_IN);
		return name;
	}

	/** Return the numbers of a budget, or null for none. */
	@Nullable BudgetEntry budgetEntry(@Nullable String name) {
		return (name != null) ? this.configuration.budget(name) : null;
	}

	private @Nullable String named(PolicyKey key, ConfigValue value, PolicyValues values) {
		boolean none = isNone(value.text());
		String name = none ? NONE
				: this.spelling.apply((key == PolicyKey.BREAKER) ? Section.BREAKERS : Section.BUDGETS, value.text());
		values.put(key, name, value.origin());
		return none ? null : name;
	}

	private boolean isDefined(Section<?> section, String canonical) {
		return ((section == Section.BREAKERS) ? this.configuration.breakers() : this.configuration.budgets())
			.containsKey(canonical);
	}

	private List<String> names(Section<?> section) {
		return (section == Section.BREAKERS)
				? this.configuration.breakers().values().stream().map(BreakerEntry::name).toList()
				: this.configuration.budgets().values().stream().map(BudgetEntry::name).toList();
	}

	private static boolean isNone(String text) {
		return TextValues.canonical(text).equals(NONE);
	}

}
