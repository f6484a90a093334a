package dev.backoff.spring.advice;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.function.SingletonSupplier;

import dev.backoff.annotation.Backoff;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.Nearest;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.Objections;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyRule;
import dev.backoff.spring.policy.PolicyView;

/** Check annotated methods and plan those that have no problem. */
final class MethodPlanner implements PlannedRetries.Planner<AnnotatedMethod, MethodPlan> {

	private static final Logger logger = LoggerFactory.getLogger(PolicyRule.class);

	private final BackoffPolicies policies;

	private final ConfigurableListableBeanFactory beanFactory;

	private final ReturnTypeAdapters adapters;

	private final Supplier<SubmissionGate> gate;

	private final Supplier<Map<String, PolicyRule>> rules;

	private final Set<Problem> warned = ConcurrentHashMap.newKeySet();

	private final Map<AnnotatedMethod, Boolean> durable = new ConcurrentHashMap<>();

	MethodPlanner(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		this.policies = policies;
		this.beanFactory = beanFactory;
		this.adapters = new ReturnTypeAdapters(beanFactory.getBeanClassLoader(), policies.configuration().isWoven());
		this.rules = SingletonSupplier
			.of(() -> BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, PolicyRule.class, false, false));
		this.gate = SingletonSupplier.of(() -> beanFactory.getBean(SubmissionGate.class));
	}

	/* As it was planned first: the calls of the method that are stored stay durable. */
	private boolean isDurable(AnnotatedMethod annotated, EffectivePolicy policy) {
		return this.durable.computeIfAbsent(annotated, (method) -> policy.isDurable());
	}

	@Override
	public @Nullable MethodPlan plan(AnnotatedMethod annotated, PolicyResolver candidate, List<Problem> problems) {
		int before = problems.size();
		if (!this.policies.configuration().isWoven()) {
			checkProxyable(annotated, problems);
		}
		checkSingle(annotated.method(), annotated.signature(), problems);
		checkSingle(annotated.type(), annotated.type().getSimpleName(), problems);
		List<Problem> ofPolicy = new ArrayList<>();
		EffectivePolicy policy = candidate.resolve(annotated, ofPolicy);
		boolean durable = policy != null && isDurable(annotated, policy);
		// whether a policy with problems is durable is not known
		boolean unknown = policy == null && DurableAdapter.isHandle(annotated.method().getReturnType());
		ReturnTypeAdapter adapter = durable
				? DurableAdapter.of(annotated, this.gate, this.beanFactory.getBeanClassLoader(), problems)
				: unknown ? null : this.adapters.find(annotated, problems);
		problems.addAll(ofPolicy);
		if (policy != null) {
			checkClassifier(policy, problems);
		}
		String key = annotated.attribute(Backoff::key);
		if (!key.isEmpty() && annotated.attribute(Backoff::durable).isEmpty() && policy != null && !durable) {
			problems.add(Problem.ofPlace(annotated.place(Backoff::key) + ": invalid key (" + key + ")",
					"is of a durable method, and this one is not", "Set durable to true, or remove it."));
		}
		if (adapter == null) {
			return null;
		}
		if (policy != null) {
			checkRules(new PolicyView(policy, annotated.signature(), adapter.holdsThread()), problems);
		}
		ResultExpression retryWhen = expression(annotated, adapter, "retryWhen", Backoff::retryWhen, problems);
		ResultExpression until = expression(annotated, adapter, "until", Backoff::until, problems);
		KeyExpression per = KeyExpression.of(annotated, problems);
		RecoverMethods recovery = recovery(annotated, adapter, problems);
		if (policy == null || problems.size() > before) {
			return null;
		}
		return new MethodPlan(annotated, this.policies.current().label(annotated), adapter, policy, retryWhen, until,
				per, recovery);
	}

	private static @Nullable ResultExpression expression(AnnotatedMethod annotated, ReturnTypeAdapter adapter,
			String name, Function<Backoff, String> attribute, List<Problem> problems) {
		String text = annotated.attribute(attribute);
		if (text.isEmpty()) {
			return null;
		}
		String place = annotated.place(attribute) + ": invalid " + name;
		boolean several = adapter.hasSeveralResults();
		if (several || adapter.hasNoResult(annotated)) {
			problems.add(Problem.ofPlace(place + " (" + text + ")",
					several ? "judges the one result of a call, and " + annotated.signature() + " may give several"
							: "judges a result, and " + annotated.signature() + " returns none",
					several ? "Remove it, or let the method collect them and return the collection as one."
							: "Remove it, or let the method return something."));
			return null;
		}
		return ResultExpression.parse(place, text, adapter.result(annotated), problems);
	}

	/* An annotation on a type also reaches the method that recovers the others. */
	private static @Nullable RecoverMethods recovery(AnnotatedMethod annotated, ReturnTypeAdapter adapter,
			List<Problem> problems) {
		String recover = annotated.attribute(Backoff::recover);
		boolean itself = recover.equals(AnnotatedMethod.name(annotated.method()))
				&& !annotated.isOnMethod(Backoff::recover);
		return (recover.isEmpty() || itself) ? null : RecoverMethods.find(annotated, adapter, recover, problems);
	}

	/* The nearest place counts. Within one place, nothing says which of several does. */
	private static void checkSingle(AnnotatedElement element, String name, List<Problem> problems) {
		Object nearest = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(Backoff.class).getSource();
		List<String> found = MergedAnnotations.from((nearest instanceof AnnotatedElement place) ? place : element)
			.stream(Backoff.class)
			.map((annotation) -> "@" + annotation.getRoot().getType().getSimpleName())
			.toList();
		if (found.size() > 1) {
			problems.add(Problem.ofPlace("@Backoff on " + name, "is there more than once: " + String.join(", ", found),
					"Keep one of them."));
		}
	}

	private static void checkProxyable(AnnotatedMethod annotated, List<Problem> problems) {
		int modifiers = annotated.method().getModifiers();
		String hindrance = Modifier.isPrivate(modifiers) ? "private"
				: Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
		if (hindrance != null && annotated.onMethod() != null) {
			problems
				.add(Problem.ofPlace(annotated.place(), "is on a " + hindrance + " method, which no proxy can advise",
						"Make the method non-" + hindrance + ", or move the annotation to a method that calls it."));
		}
	}

	/** Report a policy's own classifier if there is no such bean. */
	void checkClassifier(EffectivePolicy policy, List<Problem> problems) {
		ConfigValue named = policy.ownClassifier();
		if (named != null && !(this.beanFactory.containsBean(named.text())
				&& this.beanFactory.isTypeMatch(named.text(), FailureClassifier.class))) {
			String nearest = Nearest.of(named.text(),
					List.of(this.beanFactory.getBeanNamesForType(FailureClassifier.class, true, false)));
			problems.add(named.problem("names no bean of type FailureClassifier",
					(nearest != null) ? "Write " + nearest + "."
							: "Write the name of such a bean, or define one called " + named.text() + "."));
		}
	}

	/** Ask the rules of the application about a policy. */
	void checkRules(PolicyView policy, List<Problem> problems) {
		Objections objections = new Objections(policy, problems::add, (problem) -> {
			if (this.warned.add(problem)) {
				logger.warn("{}", problem);
			}
		});
		this.rules.get().forEach((bean, rule) -> {
			try {
				rule.check(policy, objections);
			}
			catch (RuntimeException | LinkageError ex) {
				logger.error("The rule {} threw", bean, ex);
				problems.add(Problem.ofPlace("Rule " + bean + " for policy " + policy.name(), "threw " + ex,
						"Mend the rule; the log shows where it threw."));
			}
		});
	}

}
