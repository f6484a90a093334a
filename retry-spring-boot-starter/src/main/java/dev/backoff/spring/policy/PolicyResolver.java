package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * From names and annotations to effective policies, by one configuration. Thread-safe.
 */
final class PolicyResolver implements BackoffPolicies.Candidate {

	private final BackoffConfiguration configuration;

	private final MethodLabels labels;

	private final Placeholders placeholders;

	private final @Nullable ClassLoader classLoader;

	/* As their first user writes them, by canonical name. */
	private final Map<String, String> spellings;

	/* The canonical names that a method or another policy has used. */
	private final Set<String> used = ConcurrentHashMap.newKeySet();

	/* The names of the policies in effect, by canonical name. */
	private final Map<String, String> inEffect = new ConcurrentHashMap<>();

	private final SharedNames shared;

	/** Make the first resolver of an application. */
	PolicyResolver(BackoffConfiguration configuration, MethodLabels labels, Placeholders placeholders,
			@Nullable ClassLoader classLoader) {
		this.configuration = configuration;
		this.labels = labels;
		this.placeholders = placeholders;
		this.classLoader = classLoader;
		this.spellings = new ConcurrentHashMap<>();
		this.shared = new SharedNames(configuration);
	}

	private PolicyResolver(PolicyResolver before, BackoffConfiguration configuration) {
		this.configuration = configuration;
		this.labels = before.labels;
		// an override must not bring in half of a refused refresh
		this.placeholders = configuration.isReadWith(before.configuration) ? before.placeholders
				: before.placeholders.anew();
		this.classLoader = before.classLoader;
		this.spellings = before.spellings;
		this.shared = before.shared.with(configuration);
		if (!configuration.isEnabled()) {
			// nothing is resolved then, and the names stay known
			this.inEffect.putAll(before.inEffect);
		}
	}

	/**
	 * Return a resolver by another configuration, which spells names as this one does.
	 */
	PolicyResolver with(BackoffConfiguration configuration) {
		return new PolicyResolver(this, configuration);
	}

	@Override
	public BackoffConfiguration configuration() {
		return this.configuration;
	}

	@Override
	public @Nullable EffectivePolicy resolve(AnnotatedMethod method, List<Problem> problems) {
		List<Problem> found = new ArrayList<>();
		List<AnnotationValues> annotations = annotations(method, found);
		String written = "";
		for (AnnotationValues annotation : annotations) {
			written = annotation.name().isEmpty() ? written : annotation.name();
		}
		String name = written.isEmpty() ? this.labels.label(method) : written;
		NamedValues<PolicyKey> entry = this.configuration.policy(name);
		if (entry != null) {
			markUsed(entry);
		}
		if (entry == null && !written.isEmpty()) {
			checkName(method, written, annotations.stream().allMatch(AnnotationValues::isEmpty), found);
		}
		EffectivePolicy policy = null;
		if (found.isEmpty()) {
			PolicyLevels levels = levels(found);
			annotations.forEach((annotation) -> levels.add(annotation.values()));
			policy = assemble(written.isEmpty() ? name : spelling(name, entry), entry, levels, found);
		}
		problems.addAll(found);
		return policy;
	}

	@Override
	public EffectivePolicy resolve(String name) {
		List<Problem> problems = new ArrayList<>();
		NamedValues<PolicyKey> entry = this.configuration.policy(name);
		if (entry == null) {
			problems.add(unknown("Policy " + name, name, "."));
			throw new InvalidBackoffException(problems);
		}
		markUsed(entry);
		EffectivePolicy policy = assemble(spelling(name, entry), entry, levels(problems), problems);
		if (policy == null) {
			throw new InvalidBackoffException(problems);
		}
		return policy;
	}

	@Override
	public Optional<EffectivePolicy> peek(String name) {
		NamedValues<PolicyKey> entry = this.configuration.policy(name);
		if (entry == null) {
			return Optional.empty();
		}
		List<Problem> problems = new ArrayList<>();
		PolicyLevels levels = levels(problems);
		levels.add(entry);
		return Optional
			.ofNullable(assembler(spelled(entry), levels, this.shared::known, problems, problems).assemble());
	}

	@Override
	public void check(List<Problem> problems) {
		Set<Problem> found = new LinkedHashSet<>(this.configuration.problems());
		checkMode(found);
		checkValues(levels(problems), found);
		Set<String> inherited = new HashSet<>();
		for (NamedValues<PolicyKey> entry : this.configuration.policies()) {
			ConfigValue inherits = entry.values().get(PolicyKey.INHERITS);
			if (inherits != null) {
				inherited.add(TextValues.canonical(inherits.text()));
			}
		}
		for (NamedValues<PolicyKey> entry : this.configuration.policies()) {
			String name = TextValues.canonical(entry.name());
			List<Problem> ofPolicy = new ArrayList<>();
			PolicyLevels levels = levels(ofPolicy);
			levels.add(entry);
			if (this.used.contains(name) || inherited.contains(name)) {
				checkValues(levels, ofPolicy);
			}
			else {
				assembler(entry.name(), levels, this.shared::known, ofPolicy, ofPolicy).assemble();
			}
			found.addAll(ofPolicy);
		}
		found.stream().filter((problem) -> !problems.contains(problem)).forEach(problems::add);
	}

	private void checkMode(Collection<Problem> problems) {
		if (this.configuration.isWoven() && !ClassUtils.isPresent(BackoffConfiguration.WEAVING, this.classLoader)) {
			problems.add(Problem.ofPlace("Invalid backoff.mode (aspectj)",
					"needs the module dev.backoff:retry-aspectj, which is not on the class path",
					"Add the dependency dev.backoff:retry-aspectj, or remove the key."));
		}
	}

	private void checkValues(PolicyLevels levels, Collection<Problem> problems) {
		List<Problem> found = new ArrayList<>();
		References references = new References(this.configuration, null, this.shared::known);
		new PolicyAssembler("check", levels, references, this.classLoader, found, new ArrayList<>()).assemble();
		problems.addAll(found);
	}

	@Override
	public List<String> names() {
		return this.configuration.policies().stream().map(this::spelled).toList();
	}

	private String spelled(NamedValues<PolicyKey> entry) {
		String spelling = this.spellings.get(TextValues.canonical(entry.name()));
		return (entry.spelled() || spelling == null) ? entry.name() : spelling;
	}

	/** Return a policy's name as it is known, or null if nothing has that name. */
	@Nullable String find(String name) {
		String known = this.inEffect.get(TextValues.canonical(name));
		NamedValues<PolicyKey> entry = this.configuration.policy(name);
		return (known != null) ? known : (entry != null) ? spelled(entry) : null;
	}

	/** Return the names that no method and no other policy has used so far. */
	List<String> unused() {
		return names().stream().filter((name) -> !this.used.contains(TextValues.canonical(name))).toList();
	}

	/** Return the breakers of the configuration that no policy in use has. */
	List<String> unusedBreakers() {
		return this.configuration.breakers()
			.values()
			.stream()
			.map(BreakerEntry::name)
			.filter((name) -> !this.shared.isUsed(Section.BREAKERS, name))
			.toList();
	}

	/** Return the budgets of the configuration that no policy in use has. */
	List<String> unusedBudgets() {
		return this.configuration.budgets()
			.values()
			.stream()
			.map(BudgetEntry::name)
			.filter((name) -> !this.shared.isUsed(Section.BUDGETS, name))
			.toList();
	}

	private List<AnnotationValues> annotations(AnnotatedMethod method, List<Problem> problems) {
		List<AnnotationValues> annotations = new ArrayList<>(2);
		if (method.onType() != null) {
			String type = method.type().getSimpleName();
			annotations.add(AnnotationValues.of(method.onType(), type, type, this.placeholders, problems));
		}
		if (method.onMethod() != null) {
			annotations.add(AnnotationValues.of(method.onMethod(), method.signature(), method.label(),
					this.placeholders, problems));
		}
		return annotations;
	}

	private void checkName(AnnotatedMethod method, String name, boolean bare, List<Problem> problems) {
		boolean near = Nearest.of(name, this.configuration.policyNames()) != null;
		if (bare || near) {
			problems.add(unknown(method.place() + ": invalid value (" + name + ")", name,
					", or give the annotation values of its own."));
		}
	}

	private Problem unknown(String place, String name, String orElse) {
		String nearest = Nearest.of(name, this.configuration.policyNames());
		String define = "efine backoff.policies." + name + orElse;
		return Problem.ofPlace(place, "names a policy that is not defined",
				(nearest != null) ? "Write " + nearest + ", or d" + define : "D" + define);
	}

	private PolicyLevels levels(List<Problem> problems) {
		PolicyLevels levels = new PolicyLevels(this.configuration, problems);
		levels.add(this.configuration.defaults());
		return levels;
	}

	private @Nullable EffectivePolicy assemble(String name, @Nullable NamedValues<PolicyKey> entry, PolicyLevels levels,
			List<Problem> problems) {
		if (entry != null) {
			levels.add(entry);
		}
		else {
			levels.add(this.configuration.overrides().of(name));
		}
		EffectivePolicy policy = assembler(name, levels, this.shared::use, problems, problems).assemble();
		if (policy != null) {
			this.inEffect.put(TextValues.canonical(name), name);
			this.shared.markUsed(Section.BREAKERS, policy.breaker());
			this.shared.markUsed(Section.BUDGETS, policy.budget());
		}
		return policy;
	}

	private PolicyAssembler assembler(String name, PolicyLevels levels, BiFunction<Section<?>, String, String> spelling,
			List<Problem> problems, List<Problem> conflicts) {
		return new PolicyAssembler(name, levels, new References(this.configuration, name, spelling), this.classLoader,
				problems, conflicts);
	}

	/* One spelling for logs and meters, however its users write the name. */
	private String spelling(String name, @Nullable NamedValues<PolicyKey> entry) {
		String first = this.spellings.computeIfAbsent(TextValues.canonical(name), (canonical) -> name);
		return (entry != null && entry.spelled()) ? entry.name() : first;
	}

	private void markUsed(NamedValues<PolicyKey> entry) {
		Map<String, NamedValues<PolicyKey>> lineage = new LinkedHashMap<>();
		NamedValues<PolicyKey> next = entry;
		while (next != null && lineage.putIfAbsent(next.name(), next) == null) {
			this.used.add(TextValues.canonical(next.name()));
			ConfigValue inherits = next.values().get(PolicyKey.INHERITS);
			next = (inherits != null) ? this.configuration.policy(inherits.text()) : null;
		}
	}

}
