package dev.backoff.spring.policy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Level.Rank;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;

/**
 * From names and annotations to effective policies, by one configuration, in effect or
 * not. Thread-safe.
 *
 * @since 0.1
 */
public final class PolicyResolver {

	private final BackoffConfiguration configuration;

	private final Placeholders placeholders;

	private final @Nullable ClassLoader classLoader;

	/* Types with annotated methods by simple name. */
	private final Map<String, Set<Class<?>>> types;

	/* The names as their first user writes them. */
	private final Map<Reference, String> first;

	/* The names that policies inherit, read once and not for each policy. */
	private final Set<Name> inherited;

	private final Set<Reference> used = ConcurrentHashMap.newKeySet();

	/* The names of the policies in effect. */
	private final Map<Name, String> inEffect = new ConcurrentHashMap<>();

	/** Make the first resolver of an application. */
	PolicyResolver(BackoffConfiguration configuration, Placeholders placeholders, @Nullable ClassLoader classLoader) {
		this.configuration = configuration;
		this.placeholders = placeholders;
		this.classLoader = classLoader;
		this.types = new ConcurrentHashMap<>();
		this.first = new ConcurrentHashMap<>();
		this.inherited = inherited(configuration);
	}

	/** Make a resolver by another configuration, which spells names as the one before. */
	PolicyResolver(PolicyResolver before, BackoffConfiguration configuration) {
		this.configuration = configuration;
		// an override must not bring in half of a refused refresh
		this.placeholders = configuration.isReadWith(before.configuration) ? before.placeholders
				: before.placeholders.anew();
		this.classLoader = before.classLoader;
		this.types = before.types;
		this.first = before.first;
		this.inherited = inherited(configuration);
		if (!configuration.isEnabled()) {
			// nothing is resolved then, and the names stay known
			this.inEffect.putAll(before.inEffect);
		}
	}

	/** Return the configuration. */
	public BackoffConfiguration configuration() {
		return this.configuration;
	}

	/** Return the effective policy of a method, or null if there are problems. */
	public @Nullable EffectivePolicy resolve(AnnotatedMethod method, List<Problem> problems) {
		List<Problem> found = new ArrayList<>();
		List<AnnotationValues> annotations = annotations(method, found);
		String written = "";
		for (AnnotationValues annotation : annotations) {
			written = annotation.name().isEmpty() ? written : annotation.name();
		}
		String name = written.isEmpty() ? label(method) : written;
		Section.Entry entry = this.configuration.policy(name);
		if (entry != null) {
			markUsed(entry);
		}
		if (entry == null && !written.isEmpty()) {
			checkName(method, written, annotations.stream().allMatch(AnnotationValues::isEmpty), found);
		}
		EffectivePolicy policy = null;
		if (found.isEmpty()) {
			policy = use(written.isEmpty() ? name : use(Section.POLICIES, name), annotations, entry, found);
		}
		problems.addAll(found);
		return policy;
	}

	/** Return the effective policy of a name. */
	public EffectivePolicy resolve(String name) {
		List<Problem> problems = new ArrayList<>();
		Section.Entry entry = this.configuration.policy(name);
		if (entry == null) {
			problems.add(unknown("Policy " + name, name, "."));
			throw new InvalidBackoffException(problems);
		}
		markUsed(entry);
		EffectivePolicy policy = use(use(Section.POLICIES, name), List.of(), entry, problems);
		if (policy == null) {
			throw new InvalidBackoffException(problems);
		}
		return policy;
	}

	/** Return the policy of a name if it is complete, without counting it as used. */
	public Optional<EffectivePolicy> peek(String name) {
		Section.Entry entry = this.configuration.policy(name);
		if (entry == null) {
			return Optional.empty();
		}
		List<Problem> problems = new ArrayList<>();
		return Optional
			.ofNullable(make(known(Section.POLICIES, entry.name()), List.of(), entry, this::known, problems, problems));
	}

	/**
	 * Check the whole configuration, after the methods are resolved. Whether values fit
	 * together is checked only for policies that nothing uses or inherits so far, because
	 * an annotation or an heir may complete the others.
	 */
	public void check(List<Problem> problems) {
		Set<Problem> found = new LinkedHashSet<>(this.configuration.problems());
		checkMode(found);
		List<Problem> ofDefaults = new ArrayList<>();
		make(null, List.of(), null, this::known, ofDefaults, new ArrayList<>());
		found.addAll(ofDefaults);
		for (Section.Entry entry : this.configuration.policies().values()) {
			List<Problem> ofPolicy = new ArrayList<>();
			make(entry.name(), List.of(), entry, this::known, ofPolicy,
					isCompleted(entry.name()) ? new ArrayList<>() : ofPolicy);
			found.addAll(ofPolicy);
		}
		this.configuration.paces()
			.values()
			.stream()
			.filter((pace) -> !isUsed(Section.PACES, pace.name()))
			.forEach((pace) -> pace.values()
				.values()
				.forEach((value) -> found.add(value.problem("is of a pace that no policy names",
						"Write pace: " + pace.name() + " below the policy of its calls, or remove it."))));
		found.stream().filter((problem) -> !problems.contains(problem)).forEach(problems::add);
	}

	/** Return whether a policy known so far has a pace. */
	public boolean isPaced() {
		return this.used.stream().anyMatch((reference) -> reference.section() == Section.PACES);
	}

	/**
	 * Return whether a method uses a policy or another inherits it, which may add values.
	 */
	public boolean isCompleted(String policy) {
		return isUsed(Section.POLICIES, policy) || this.inherited.contains(Name.of(policy));
	}

	private static Set<Name> inherited(BackoffConfiguration configuration) {
		return configuration.policies()
			.values()
			.stream()
			.flatMap((entry) -> Stream.ofNullable(entry.values().get(PolicyKey.INHERITS)))
			.map((inherits) -> Name.of(inherits.text()))
			.collect(Collectors.toSet());
	}

	private void checkMode(Collection<Problem> problems) {
		if (this.configuration.isWoven() && !ClassUtils.isPresent(BackoffConfiguration.WEAVING, this.classLoader)) {
			problems.add(Problem.ofPlace("Invalid backoff.mode (aspectj)",
					"needs the module dev.backoff:retry-aspectj, which is not on the class path",
					"Add the dependency dev.backoff:retry-aspectj, or remove the key."));
		}
	}

	/** Return the names below {@code backoff.policies}, in their known spelling. */
	public List<String> names() {
		return names(Section.POLICIES).toList();
	}

	private Stream<String> names(Section section) {
		return this.configuration.defined(section).stream().map((name) -> known(section, name.toString()));
	}

	/** Return a policy's name as it is known, or null if nothing has that name. */
	@Nullable String find(String name) {
		String known = this.inEffect.get(Name.of(name));
		Section.Entry entry = this.configuration.policy(name);
		return (known != null) ? known : (entry != null) ? known(Section.POLICIES, name) : null;
	}

	/** Return the names of a section that no method and no policy in use has so far. */
	public List<String> unused(Section section) {
		return names(section).filter((name) -> !isUsed(section, name)).toList();
	}

	private boolean isUsed(Section section, String name) {
		return this.used.contains(Reference.to(section, name));
	}

	private void markUsed(Section section, @Nullable String name) {
		if (name != null) {
			this.used.add(Reference.to(section, name));
		}
	}

	/** Note the first spelling, then spell a name as {@link #known} does. */
	private String use(Section section, String name) {
		this.first.putIfAbsent(Reference.to(section, name), name);
		return known(section, name);
	}

	/*
	 * One spelling for logs and meters: the configuration's, else that of the first user.
	 */
	private String known(Section section, String name) {
		return this.configuration.spelled(section, this.first.getOrDefault(Reference.to(section, name), name));
	}

	/** Make a type known for labels; return false if another has its simple name. */
	public boolean announce(Class<?> type) {
		Set<Class<?>> namesakes = this.types.computeIfAbsent(type.getSimpleName(),
				(name) -> ConcurrentHashMap.newKeySet());
		namesakes.add(type);
		return namesakes.size() == 1;
	}

	/** Return a method's label, with the package if another type has the simple name. */
	public String label(AnnotatedMethod method) {
		return announce(method.type()) ? method.label()
				: method.type().getName() + "." + AnnotatedMethod.name(method.method());
	}

	private List<AnnotationValues> annotations(AnnotatedMethod method, List<Problem> problems) {
		List<AnnotationValues> annotations = new ArrayList<>(2);
		if (method.onType() != null) {
			String type = method.type().getSimpleName();
			annotations.add(AnnotationValues.of(method.onType(), Rank.TYPE, type, type, this.placeholders, problems));
		}
		if (method.onMethod() != null) {
			annotations.add(AnnotationValues.of(method.onMethod(), Rank.METHOD, method.signature(), method.label(),
					this.placeholders, problems));
		}
		return annotations;
	}

	private void checkName(AnnotatedMethod method, String name, boolean bare, List<Problem> problems) {
		String place = method.place() + ": invalid value (" + name + ")";
		String near = Nearest.ofName(name, this.configuration.names(Section.POLICIES));
		if (bare) {
			problems.add(unknown(place, name, ", or give the annotation values such as base or idempotent."));
		}
		else if (near != null) {
			problems.add(Problem.ofPlace(place,
					"names a policy that is not defined, and is so near to " + near + origin(near)
							+ " that one of them may be misspelt",
					"Write " + near + " here, or " + name + " there. To have both, define backoff.policies." + name
							+ " too."));
		}
	}

	private String origin(String policy) {
		Section.Entry defined = this.configuration.policy(policy);
		return (defined == null) ? ""
				: defined.values().values().stream().findFirst().map((value) -> " (" + value.origin() + ")").orElse("");
	}

	private Problem unknown(String place, String name, String orElse) {
		List<String> names = this.configuration.names(Section.POLICIES);
		String nearest = Nearest.ofName(name, names);
		String define = "efine backoff.policies." + name + orElse;
		return Problem.ofPlace(place, "names a policy that is not defined",
				(nearest != null) ? "Write " + nearest + ", or d" + define : "D" + define + Nearest.allOf(names));
	}

	/** Make a policy that is used from now on. */
	private @Nullable EffectivePolicy use(String name, List<AnnotationValues> annotations,
			Section.@Nullable Entry entry, List<Problem> problems) {
		EffectivePolicy policy = make(name, annotations, entry, this::use, problems, problems);
		if (policy != null) {
			this.inEffect.put(Name.of(name), name);
			markUsed(Section.BREAKERS, policy.breaker());
			markUsed(Section.BUDGETS, policy.budget());
		}
		return policy;
	}

	/** Make a policy, or the defaults if the name is null. */
	private @Nullable EffectivePolicy make(@Nullable String name, List<AnnotationValues> annotations,
			Section.@Nullable Entry entry, BiFunction<Section, String, String> spelling, List<Problem> problems,
			List<Problem> conflicts) {
		PolicyDraft draft = new PolicyDraft(this.configuration, problems, conflicts);
		draft.add(this.configuration.defaults());
		annotations.forEach((annotation) -> draft.add(annotation.values()));
		if (entry != null) {
			draft.addWithAncestors(entry);
		}
		else if (name != null) {
			draft.add(this.configuration.overrides().of(name));
		}
		EffectivePolicy policy = new PolicyAssembler((name != null) ? name : "defaults", draft,
				new References(this.configuration, name, spelling), new FailureTypes(this.classLoader, problems),
				problems)
			.assemble();
		markUsed(Section.PACES, (policy != null) ? policy.pace() : null);
		return policy;
	}

	private void markUsed(Section.Entry entry) {
		new PolicyDraft(this.configuration, new ArrayList<>(), new ArrayList<>()).lineage(entry)
			.forEach((used) -> markUsed(Section.POLICIES, used.name()));
	}

	private record Reference(Section section, Name name) {

		static Reference to(Section section, String name) {
			return new Reference(section, Name.of(name));
		}

	}

}
