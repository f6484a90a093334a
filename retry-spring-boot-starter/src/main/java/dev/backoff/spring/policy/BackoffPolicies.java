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

import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

import dev.backoff.spring.policy.BackoffConfiguration.PolicyEntry;

/**
 * From names and annotations to effective policies.
 * <p>
 * Who wins, weakest first: built in, {@code backoff.defaults}, the annotation on the
 * type, the annotation on the method, {@code backoff.policies.<name>}. Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffPolicies {

	private final BackoffConfiguration configuration;

	private final PropertyResolver resolver;

	private final @Nullable ClassLoader classLoader;

	private final Map<String, String> spellings = new ConcurrentHashMap<>();

	private final Set<String> used = ConcurrentHashMap.newKeySet();

	private final SharedNames shared;

	private final Map<String, Set<Class<?>>> types = new ConcurrentHashMap<>();

	/**
	 * Make a resolver.
	 * @param configuration what the configuration says
	 * @param resolver resolves placeholders in annotations
	 * @param classLoader finds the exception types that a configuration names
	 */
	public BackoffPolicies(BackoffConfiguration configuration, PropertyResolver resolver,
			@Nullable ClassLoader classLoader) {
		this.configuration = configuration;
		this.shared = new SharedNames(configuration);
		this.resolver = resolver;
		this.classLoader = classLoader;
	}

	/**
	 * Return what the configuration says.
	 * @return the snapshot in effect
	 */
	public BackoffConfiguration configuration() {
		return this.configuration;
	}

	/**
	 * Return the effective policy of a method.
	 * @param method the method with its annotations
	 * @param problems gets what is wrong
	 * @return the policy, or null if there are problems
	 */
	public @Nullable EffectivePolicy resolve(AnnotatedMethod method, List<Problem> problems) {
		List<Problem> found = new ArrayList<>();
		List<AnnotationValues> annotations = annotations(method, found);
		String written = "";
		for (AnnotationValues annotation : annotations) {
			written = annotation.name().isEmpty() ? written : annotation.name();
		}
		String name = written.isEmpty() ? label(method) : written;
		PolicyEntry entry = this.configuration.policy(name);
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

	/**
	 * Return the effective policy of a name, for programmatic calls.
	 * @param name a name below {@code backoff.policies}
	 * @return the policy
	 * @throws InvalidBackoffException if the name is not defined or its values do not fit
	 * together
	 */
	public EffectivePolicy resolve(String name) {
		List<Problem> problems = new ArrayList<>();
		PolicyEntry entry = this.configuration.policy(name);
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

	/**
	 * Return what a name would give, without counting it as used.
	 * @param name a name below {@code backoff.policies}
	 * @return the policy, empty if it is not defined or only an annotation completes it
	 */
	public Optional<EffectivePolicy> peek(String name) {
		PolicyEntry entry = this.configuration.policy(name);
		if (entry == null) {
			return Optional.empty();
		}
		List<Problem> problems = new ArrayList<>();
		PolicyLevels levels = levels(problems);
		levels.add(entry);
		return Optional
			.ofNullable(assembler(spelled(entry), levels, this.shared::known, problems, problems).assemble());
	}

	/**
	 * Return a name as names are compared: its letters and digits, in lower case.
	 * @param name any spelling
	 * @return the same for all spellings of one name
	 */
	public static String canonicalName(String name) {
		return TextValues.canonical(name);
	}

	/**
	 * Check the whole configuration, after the methods are resolved. Each value is
	 * checked by itself; whether values fit together, only for policies that nobody uses
	 * so far: an annotation, or a policy that inherits, may complete the others.
	 * @param problems gets what is wrong
	 */
	public void check(List<Problem> problems) {
		Set<Problem> found = new LinkedHashSet<>(this.configuration.problems());
		checkMode(found);
		checkValues(levels(problems), found);
		Set<String> inherited = new HashSet<>();
		for (PolicyEntry entry : this.configuration.entries()) {
			ConfigValue inherits = entry.values().get(PolicyKey.INHERITS);
			if (inherits != null) {
				inherited.add(TextValues.canonical(inherits.text()));
			}
		}
		for (PolicyEntry entry : this.configuration.entries()) {
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
		if (this.configuration.isWoven() && !ClassUtils.isPresent("org.aspectj.lang.JoinPoint", this.classLoader)) {
			problems
				.add(Problem.ofPlace("Invalid backoff.mode (aspectj)", "needs AspectJ, which is not on the class path",
						"Add the dependency org.aspectj:aspectjweaver, or remove the key."));
		}
	}

	private void checkValues(PolicyLevels levels, Collection<Problem> problems) {
		List<Problem> found = new ArrayList<>();
		References references = new References(this.configuration, null, this.shared::known);
		new PolicyAssembler("check", levels, references, this.classLoader, found, new ArrayList<>()).assemble();
		problems.addAll(found);
	}

	/**
	 * Return the names below {@code backoff.policies}.
	 * @return the names as they are written, or as those who use them write them
	 */
	public List<String> names() {
		return this.configuration.entries().stream().map(this::spelled).toList();
	}

	private String spelled(PolicyEntry entry) {
		String spelling = this.spellings.get(TextValues.canonical(entry.name()));
		return (entry.spelled() || spelling == null) ? entry.name() : spelling;
	}

	/**
	 * Return the names below {@code backoff.policies} that no method and no other policy
	 * has asked for so far.
	 * @return the names as they are written
	 */
	public List<String> unused() {
		return names().stream().filter((name) -> !this.used.contains(TextValues.canonical(name))).toList();
	}

	/**
	 * Return the names below {@code backoff.breakers} that no policy in use has.
	 * @return the names as they are written
	 */
	public List<String> unusedBreakers() {
		return this.configuration.breakers()
			.values()
			.stream()
			.map(BreakerEntry::name)
			.filter((name) -> !this.shared.isUsed(Section.BREAKERS, name))
			.toList();
	}

	/**
	 * Return the names below {@code backoff.budgets} that no policy in use has.
	 * @return the names as they are written
	 */
	public List<String> unusedBudgets() {
		return this.configuration.budgets()
			.values()
			.stream()
			.map(BudgetEntry::name)
			.filter((name) -> !this.shared.isUsed(Section.BUDGETS, name))
			.toList();
	}

	/**
	 * Make a type with annotated methods known, so that labels tell types of the same
	 * simple name apart.
	 * @param type the class or interface
	 * @return false if another type has the same simple name
	 */
	public boolean announce(Class<?> type) {
		Set<Class<?>> namesakes = this.types.computeIfAbsent(type.getSimpleName(),
				(name) -> ConcurrentHashMap.newKeySet());
		namesakes.add(type);
		return namesakes.size() == 1;
	}

	/**
	 * Return the method as meters and logs call it: {@code SimpleClassName.method}, or
	 * with its package where two types share the simple name.
	 * @param method the method
	 * @return its label
	 */
	public String label(AnnotatedMethod method) {
		return announce(method.type()) ? method.label() : method.type().getName() + "." + method.method().getName();
	}

	private List<AnnotationValues> annotations(AnnotatedMethod method, List<Problem> problems) {
		List<AnnotationValues> annotations = new ArrayList<>(2);
		if (method.onType() != null) {
			String type = method.type().getSimpleName();
			annotations.add(AnnotationValues.of(method.onType(), type, type, this.resolver, problems));
		}
		if (method.onMethod() != null) {
			annotations.add(AnnotationValues.of(method.onMethod(), method.signature(), method.label(), this.resolver,
					problems));
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

	private @Nullable EffectivePolicy assemble(String name, @Nullable PolicyEntry entry, PolicyLevels levels,
			List<Problem> problems) {
		if (entry != null) {
			levels.add(entry);
		}
		EffectivePolicy policy = assembler(name, levels, this.shared::use, problems, problems).assemble();
		if (policy != null) {
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

	/* One spelling for all who write the name differently: logs and meters go by it. */
	private String spelling(String name, @Nullable PolicyEntry entry) {
		String first = this.spellings.computeIfAbsent(TextValues.canonical(name), (canonical) -> name);
		return (entry != null && entry.spelled()) ? entry.name() : first;
	}

	private void markUsed(PolicyEntry entry) {
		Map<String, PolicyEntry> lineage = new LinkedHashMap<>();
		PolicyEntry next = entry;
		while (next != null && lineage.putIfAbsent(next.name(), next) == null) {
			this.used.add(TextValues.canonical(next.name()));
			ConfigValue inherits = next.values().get(PolicyKey.INHERITS);
			next = (inherits != null) ? this.configuration.policy(inherits.text()) : null;
		}
	}

}
