package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Name;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;
import dev.backoff.spring.policy.PolicyView;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * The annotated methods of the application, each with its retry, and retries for calls
 * that no annotation can reach: a bean's calls to itself, private methods, lambdas. <pre>
 * this.methods.retry("payment-callback").call(() -&gt; client.send(receipt));
 * </pre> Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffMethods implements SmartInitializingSingleton, ConfigurationUser, PolicyUses {

	private final BackoffPolicies policies;

	private final ConfigurableListableBeanFactory beanFactory;

	private final RetryFactory factory;

	private final MethodFinder finder;

	private final MethodPlanner planner;

	private final StartupAdvice advice;

	private final PlannedRetries<AnnotatedMethod, MethodPlan> ofMethods;

	private final PlannedRetries<Name, NamedPlan> ofPolicies;

	private final Set<String> adapted = ConcurrentHashMap.newKeySet();

	/* Methods with problems that were found while everything was switched off. */
	private final Set<AnnotatedMethod> unplanned = ConcurrentHashMap.newKeySet();

	private volatile boolean enabled;

	/** Make the methods of an application context. */
	public BackoffMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		BackoffConfiguration configuration = policies.configuration();
		this.policies = policies;
		this.beanFactory = beanFactory;
		this.factory = new RetryFactory(beanFactory, policies);
		Weaving weaving = configuration.isWoven() ? Weaving.find(beanFactory.getBeanClassLoader()) : null;
		this.finder = new MethodFinder(this::makeRetry, weaving, new ConcurrentHashMap<>());
		this.advice = new StartupAdvice(policies, beanFactory, weaving, new SelfCalls());
		this.planner = new MethodPlanner(policies, beanFactory);
		this.ofMethods = new PlannedRetries<>(this.planner, this.factory, policies);
		this.ofPolicies = new PlannedRetries<>(this::plan, this.factory, policies);
		this.enabled = configuration.isEnabled();
	}

	private @Nullable NamedPlan plan(Name name, PolicyResolver candidate, List<Problem> problems) {
		int before = problems.size();
		try {
			EffectivePolicy policy = candidate.resolve(name.letters());
			checkNamed(policy, problems);
			return (problems.size() > before) ? null : new NamedPlan(policy);
		}
		catch (InvalidBackoffException ex) {
			problems.addAll(ex.problems());
			return null;
		}
	}

	private void checkNamed(EffectivePolicy policy, List<Problem> problems) {
		this.planner.checkRules(new PolicyView(policy, null, !policy.isDurable()), problems);
	}

	private MethodRetry makeRetry(AnnotatedMethod method) {
		return new MethodRetry(this.ofMethods.retry(method), this.ofMethods.planned(method), this.factory);
	}

	/** Return the retry of a method, or null if it is not annotated. */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		return (this.enabled || isStored(method, targetClass)) ? this.finder.find(method, targetClass, target) : null;
	}

	/* Calls of durable methods are stored whatever is switched off. */
	private boolean isStored(Method method, Class<?> targetClass) {
		Map<AnnotatedMethod, EffectivePolicy> durable = durable();
		AnnotatedMethod annotated = durable.isEmpty() ? null : AnnotatedMethod.of(method, targetClass);
		return annotated != null && durable.containsKey(annotated);
	}

	/**
	 * Return the retry of a policy, for programmatic calls. It follows each change of the
	 * configuration, so it may be kept.
	 * @param policy a name below {@code backoff.policies}, in any spelling
	 * @return the retry, the same for the same name
	 * @throws InvalidBackoffException if the name is not defined
	 */
	public Retry retry(String policy) {
		Name name = Name.of(policy);
		Retry known = this.ofPolicies.find(name);
		if (known != null) {
			return known;
		}
		// resolved by this spelling first, because reports, logs and meters show it
		EffectivePolicy unused = this.policies.resolve(Problem.oneLine(policy, Integer.MAX_VALUE));
		return this.ofPolicies.retry(name);
	}

	/** Return {@link #retry(String)} of a policy whose attempts another library makes. */
	public Retry adapted(String policy) {
		Retry retry = retry(policy);
		this.adapted.add(retry.policy().name());
		return retry;
	}

	@Override
	public boolean isAdapted(String policy) {
		return this.adapted.contains(policy);
	}

	/** Plan a method found at start-up, or return null if there are problems. */
	@Nullable MethodPlan plan(AnnotatedMethod method, List<Problem> problems) {
		PlannedRetries.Planned<MethodPlan> planned = this.ofMethods.plan(method, problems);
		if (planned == null && !this.enabled) {
			this.unplanned.add(method);
		}
		return (planned != null) ? planned.plan() : null;
	}

	/** Check the policies without a method too, after all methods are planned. */
	void checkPolicies(PolicyResolver candidate, List<Problem> problems) {
		candidate.names().stream().flatMap((name) -> candidate.peek(name).stream()).forEach((policy) -> {
			this.planner.checkClassifier(policy, problems);
			if (!candidate.isCompleted(policy.name())) {
				checkNamed(policy, problems);
			}
		});
	}

	/** Make the retries of all methods found at start-up, so that their meters exist. */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.enabled) {
			this.ofMethods.keys().forEach((method) -> {
				Retry unused = this.ofMethods.retry(method);
			});
		}
	}

	/** Return the annotated methods known so far, with parameters for overloads. */
	@Override
	public List<PolicyUse> uses() {
		return uses(this.ofMethods.plans());
	}

	@Override
	public List<PolicyUse> uses(PolicyResolver candidate, List<Problem> problems) {
		return uses(this.ofMethods.plans(this.ofMethods.keys(), candidate, problems).values());
	}

	private List<PolicyUse> uses(Collection<MethodPlan> plans) {
		Map<String, Long> labels = plans.stream()
			.collect(Collectors.groupingBy(MethodPlan::label, Collectors.counting()));
		return plans.stream().map((plan) -> {
			boolean overloaded = labels.getOrDefault(plan.label(), 1L) > 1;
			return new PolicyUse(overloaded ? plan.label() + plan.method().parameters() : plan.label(), plan.method(),
					plan.policy(), this.advice.of(plan));
		}).sorted(Comparator.comparing(PolicyUse::method)).toList();
	}

	/** Return the durable methods known so far, each with the policy in effect for it. */
	public Map<AnnotatedMethod, EffectivePolicy> durable() {
		return this.ofMethods.plans()
			.stream()
			.filter((plan) -> plan.policy().isDurable())
			.collect(Collectors.toMap(MethodPlan::method, MethodPlan::policy));
	}

	/** Return the policy in effect for an annotated method. */
	public EffectivePolicy policy(AnnotatedMethod method) {
		return this.ofMethods.planned(method).plan().policy();
	}

	StartupAdvice advice() {
		return this.advice;
	}

	@Override
	public Change prepare(PolicyResolver candidate, List<Problem> problems) {
		BackoffConfiguration configuration = candidate.configuration();
		if (!configuration.isEnabled()) {
			// problems do not count: they may be why everything is switched off
			return () -> () -> {
				this.enabled = false;
				this.beanFactory.getBean(CallRegistry.class).retriesAreOff(null);
			};
		}
		Set<AnnotatedMethod> methods = new LinkedHashSet<>(this.ofMethods.keys());
		methods.addAll(this.unplanned);
		Map<AnnotatedMethod, MethodPlan> planned = this.ofMethods.plans(methods, candidate, problems);
		Map<Name, NamedPlan> named = this.ofPolicies.plans(this.ofPolicies.keys(), candidate, problems);
		checkPolicies(candidate, problems);
		return () -> {
			Stream.concat(planned.values().stream(), named.values().stream())
				.forEach((plan) -> this.factory.reserve(plan.policy()));
			Runnable changeOfMethods = this.ofMethods.change(planned, configuration);
			Runnable changeOfPolicies = this.ofPolicies.change(named, configuration);
			OverloadSafety safety = this.beanFactory.getBean(OverloadSafety.class);
			CallRegistry waiting = this.beanFactory.getBean(CallRegistry.class);
			return () -> {
				changeOfMethods.run();
				changeOfPolicies.run();
				List<EffectivePolicy> inEffect = Stream
					.concat(this.ofMethods.plans().stream(), this.ofPolicies.plans().stream())
					.map(RetryFactory.Plan::policy)
					.toList();
				safety.changeLimits(inEffect);
				this.enabled = true;
				Set<String> switchedOff = inEffect.stream()
					.filter((policy) -> !policy.numbers().isEnabled())
					.map(EffectivePolicy::name)
					.collect(Collectors.toSet());
				this.factory.switchOff(switchedOff);
				if (configuration.isRetriesEnabled()) {
					switchedOff.forEach(waiting::retriesAreOff);
				}
				else {
					waiting.retriesAreOff(null);
				}
			};
		};
	}

	/** The plan of programmatic calls. */
	private record NamedPlan(EffectivePolicy policy) implements RetryFactory.Plan {

		@Override
		public String label() {
			return this.policy.name();
		}

	}

}
