package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.Retry;
import dev.backoff.WaitingCalls;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.Problem;
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

	private static final Logger logger = LoggerFactory.getLogger(BackoffMethods.class);

	private final BackoffPolicies policies;

	private final MethodPlanner planner;

	private final RetryFactory factory;

	private final ConfigurableListableBeanFactory beanFactory;

	private final @Nullable Weaving weaving;

	private volatile boolean enabled;

	private final CalledMethods called = new CalledMethods();

	/* On proxies that do not retry themselves. */
	private final CalledMethods calledOnProxies = new CalledMethods();

	/* By canonical name. */
	private final Map<String, Retry> named = new ConcurrentHashMap<>();

	private final Map<Key, MethodPlan> plans = new ConcurrentHashMap<>();

	/* Found while retries were switched off, perhaps because of just these. */
	private final Map<Key, AnnotatedMethod> unplanned = new ConcurrentHashMap<>();

	private final Map<Key, MethodRetry> retries = new ConcurrentHashMap<>();

	private final Set<Key> recoveries = ConcurrentHashMap.newKeySet();

	/**
	 * Make the registry of an application context.
	 * @param policies resolves policies
	 * @param beanFactory has the beans that retries need
	 */
	public BackoffMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		this.policies = policies;
		this.beanFactory = beanFactory;
		this.planner = new MethodPlanner(policies, beanFactory);
		this.factory = new RetryFactory(beanFactory, policies);
		this.enabled = policies.configuration().isEnabled();
		this.weaving = policies.configuration().isWoven() ? Weaving.find(beanFactory.getBeanClassLoader()) : null;
	}

	/**
	 * Return the retry of a policy, for programmatic calls. It follows each change of the
	 * configuration, so it may be kept.
	 * @param policy a name below {@code backoff.policies}, in any spelling
	 * @return the retry, the same for the same name
	 * @throws InvalidBackoffException if the name is not defined
	 */
	public Retry retry(String policy) {
		String name = BackoffPolicies.canonicalName(policy);
		Retry known = this.named.get(name);
		if (known != null) {
			return known;
		}
		BackoffConfiguration configuration = this.policies.configuration();
		Retry made = this.factory.create(this.policies.resolve(policy), configuration);
		Retry before = this.named.putIfAbsent(name, made);
		if (before != null) {
			return before;
		}
		while (configuration != this.policies.configuration()) {
			// a change that was on its way may not have seen it
			configuration = this.policies.configuration();
			catchUp(name, made);
		}
		return made;
	}

	/** Let a retry that a change has not seen go by the configuration in effect. */
	private void catchUp(String name, Retry retry) {
		try {
			retry.switchTo(this.factory.create(this.policies.resolve(name), this.policies.configuration()));
		}
		catch (InvalidBackoffException ex) {
			logger.warn("Policy {} does not fit the refreshed configuration and keeps its values: {}", name,
					ex.getMessage());
		}
		catch (RuntimeException ex) {
			logger.warn("Policy {} could not follow the changed configuration and keeps its values", name, ex);
		}
	}

	/**
	 * Return the annotated methods known so far. Overloads share their label, so those
	 * are told apart by their parameters.
	 */
	@Override
	public List<PolicyUse> uses() {
		return uses(List.copyOf(this.plans.values()));
	}

	@Override
	public List<PolicyUse> uses(BackoffPolicies.Candidate candidate, List<Problem> problems) {
		List<MethodPlan> planned = new ArrayList<>();
		for (MethodPlan plan : this.plans.values()) {
			MethodPlan again = this.planner.planAgain(plan, candidate::resolve, problems);
			if (again != null) {
				planned.add(again);
			}
		}
		return uses(planned);
	}

	private List<PolicyUse> uses(List<MethodPlan> plans) {
		Map<String, Long> labels = plans.stream()
			.collect(Collectors.groupingBy(MethodPlan::label, Collectors.counting()));
		return plans.stream().map((plan) -> {
			boolean overloaded = labels.getOrDefault(plan.label(), 1L) > 1;
			return new PolicyUse(overloaded ? plan.label() + plan.method().parameters() : plan.label(), plan.policy(),
					advice(plan));
		}).sorted(Comparator.comparing(PolicyUse::method)).toList();
	}

	/** Plan a method found at start-up. */
	@Nullable MethodPlan plan(AnnotatedMethod method, List<Problem> problems) {
		BackoffConfiguration configuration = this.policies.configuration();
		MethodPlan plan = this.planner.plan(method, problems);
		if (plan != null) {
			this.plans.put(Key.of(method), plan);
			this.factory.reserve(plan.policy());
			while (configuration != this.policies.configuration()) {
				// a change that was on its way may not have seen it
				configuration = this.policies.configuration();
				plan = planAgain(plan);
			}
		}
		else if (!this.enabled) {
			this.unplanned.put(Key.of(method), method);
		}
		return plan;
	}

	private MethodPlan planAgain(MethodPlan plan) {
		MethodPlan again = this.planner.planAgain(plan, this.policies::resolve, new ArrayList<>());
		if (again == null) {
			return plan;
		}
		this.factory.reserve(again.policy());
		this.plans.put(Key.of(plan.method()), again);
		return again;
	}

	/* What becomes known meanwhile catches up. */
	@Override
	public Change prepare(BackoffPolicies.Candidate candidate, List<Problem> problems) {
		if (!candidate.configuration().isEnabled()) {
			// switched off, perhaps because of what is wrong
			return () -> () -> {
				this.enabled = false;
				this.beanFactory.getBean(WaitingCalls.class).switchedOff(null);
			};
		}
		Map<Key, MethodPlan> planned = new LinkedHashMap<>();
		List<Problem> found = new ArrayList<>();
		this.plans.forEach((key, plan) -> note(planned, key, this.planner.planAgain(plan, candidate::resolve, found)));
		this.unplanned.forEach((key, method) -> {
			if (!this.plans.containsKey(key)) {
				note(planned, key, this.planner.plan(method, candidate::resolve, found));
			}
		});
		Map<String, EffectivePolicy> named = new LinkedHashMap<>();
		for (String name : this.named.keySet()) {
			try {
				named.put(name, candidate.resolve(name));
			}
			catch (InvalidBackoffException ex) {
				found.addAll(ex.problems());
			}
		}
		problems.addAll(found);
		return () -> make(planned, named, candidate.configuration());
	}

	private static void note(Map<Key, MethodPlan> planned, Key key, @Nullable MethodPlan plan) {
		if (plan != null) {
			planned.put(key, plan);
		}
	}

	private Runnable make(Map<Key, MethodPlan> planned, Map<String, EffectivePolicy> named,
			BackoffConfiguration configuration) {
		planned.values().forEach((plan) -> this.factory.reserve(plan.policy()));
		Map<Key, Retry> ofMethods = new LinkedHashMap<>();
		planned.forEach((key, plan) -> {
			if (this.retries.containsKey(key)) {
				ofMethods.put(key, this.factory.create(plan, configuration));
			}
		});
		Map<String, Retry> ofNames = new LinkedHashMap<>();
		named.forEach((name, policy) -> ofNames.put(name, this.factory.create(policy, configuration)));
		List<EffectivePolicy> policies = Stream
			.concat(planned.values().stream().map(MethodPlan::policy), named.values().stream())
			.toList();
		OverloadSafety safety = this.beanFactory.getBean(OverloadSafety.class);
		WaitingCalls waiting = this.beanFactory.getBean(WaitingCalls.class);
		return () -> {
			this.plans.putAll(planned);
			ofMethods.forEach((key, retry) -> {
				MethodRetry known = this.retries.get(key);
				MethodPlan plan = planned.get(key);
				if (known != null && plan != null) {
					known.switchTo(plan, retry);
				}
			});
			ofNames.forEach((name, retry) -> {
				Retry known = this.named.get(name);
				if (known != null) {
					known.switchTo(retry);
				}
			});
			safety.keepDegraded(policies);
			catchUp(ofMethods.keySet(), ofNames.keySet());
			this.enabled = true;
			Set<String> switchedOff = policies.stream()
				.filter((policy) -> !policy.numbers().isEnabled())
				.map(EffectivePolicy::name)
				.collect(Collectors.toSet());
			this.factory.switchOff(switchedOff);
			if (configuration.isRetriesEnabled()) {
				switchedOff.forEach(waiting::switchedOff);
			}
			else {
				waiting.switchedOff(null);
			}
		};
	}

	/* Of what was made while the change was prepared; mostly there is none. */
	private void catchUp(Set<Key> switchedMethods, Set<String> switchedNames) {
		this.retries.forEach((key, retry) -> {
			if (!switchedMethods.contains(key)) {
				MethodPlan unused = catchUp(key, retry);
			}
		});
		this.named.forEach((name, retry) -> {
			if (!switchedNames.contains(name)) {
				catchUp(name, retry);
			}
		});
	}

	/** Let a method that a change has not seen go by the configuration in effect. */
	private @Nullable MethodPlan catchUp(Key key, MethodRetry retry) {
		MethodPlan known = this.plans.get(key);
		if (known == null) {
			return null;
		}
		List<Problem> problems = new ArrayList<>();
		MethodPlan plan = this.planner.planAgain(known, this.policies::resolve, problems);
		if (plan == null) {
			logger.warn("{} does not fit the refreshed configuration and keeps its values: {}", known.label(),
					problems);
			return known;
		}
		try {
			this.factory.reserve(plan.policy());
			Retry made = this.factory.create(plan, this.policies.configuration());
			this.plans.put(key, plan);
			retry.switchTo(plan, made);
			return plan;
		}
		catch (RuntimeException ex) {
			// somebody's bean: not for the call that comes along
			logger.warn("{} could not follow the changed configuration and keeps its values", known.label(), ex);
			return known;
		}
	}

	/** Return what a method's plan does that is probably not meant. */
	List<String> advice(MethodPlan plan) {
		List<String> advice = new ArrayList<>(PlanAdvice.of(plan));
		advice.addAll(weavingAdvice(plan));
		return List.copyOf(advice);
	}

	/** Return whether that is worth a warning. */
	boolean isWarned(MethodPlan plan) {
		return PlanAdvice.otherRetry(plan) != null || !weavingAdvice(plan).isEmpty();
	}

	private List<String> weavingAdvice(MethodPlan plan) {
		return (this.weaving != null) ? this.weaving.advice(plan.method(), this.beanFactory) : List.of();
	}

	/** Make the retries of all methods found at start-up, so that their meters exist. */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.enabled) {
			List.copyOf(this.plans.values()).forEach((plan) -> retry(plan.method()));
		}
	}

	/** Return the retry of a method, or null if it is not annotated. */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		if (!this.enabled) {
			return null;
		}
		CalledMethod known = this.called.find(method, targetClass);
		if (known == null) {
			return findNew(method, targetClass, target);
		}
		MethodRetry retry = known.retry();
		return (retry == null && target instanceof Advised proxy) ? findOfProxy(method, targetClass, proxy) : retry;
	}

	private @Nullable MethodRetry findNew(Method method, Class<?> targetClass, @Nullable Object target) {
		if (target instanceof Advised proxy) {
			this.called.add(new CalledMethod(method, targetClass, null));
			return findOfProxy(method, targetClass, proxy);
		}
		return added(this.called, method, targetClass);
	}

	/*
	 * Of two proxies, one around the other, the inner one retries: both would multiply.
	 * Proxies share their class with others that have other advice, so each is asked.
	 */
	private @Nullable MethodRetry findOfProxy(Method method, Class<?> targetClass, Advised proxy) {
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor instanceof BackoffAdvisor) {
				return null;
			}
		}
		CalledMethod known = this.calledOnProxies.find(method, targetClass);
		return (known != null) ? known.retry() : added(this.calledOnProxies, method, targetClass);
	}

	/*
	 * A listener or a classifier that calls the method while it is made itself cannot
	 * have its calls retried yet. They are made nevertheless, and the next one asks
	 * again.
	 */
	private @Nullable MethodRetry added(CalledMethods known, Method method, Class<?> targetClass) {
		try {
			return add(known, method, targetClass).retry();
		}
		catch (BeanCreationException ex) {
			if (ex.contains(BeanCurrentlyInCreationException.class)) {
				return null;
			}
			throw ex;
		}
	}

	private CalledMethod add(CalledMethods known, Method method, Class<?> targetClass) {
		AnnotatedMethod annotated = AnnotatedMethod.of(method, targetClass);
		if (this.weaving != null && annotated != null && this.weaving.isCalledByOverriding(method, annotated)) {
			annotated = null;
		}
		CalledMethod called = new CalledMethod(method, targetClass, (annotated != null) ? retry(annotated) : null);
		known.add(called);
		return called;
	}

	/*
	 * One retry, however the method is called: on the class, on an interface, through a
	 * bridge. No map is locked while beans are looked up, which may call such methods.
	 */
	private MethodRetry retry(AnnotatedMethod annotated) {
		Key key = Key.of(annotated);
		MethodRetry known = this.retries.get(key);
		if (known != null) {
			return known;
		}
		BackoffConfiguration configuration = this.policies.configuration();
		MethodPlan plan = planned(key, annotated);
		if (plan.recover() != null) {
			plan.recover().all().forEach((method) -> noteRecovery(new Key(key.type(), method)));
		}
		MethodRetry made = new MethodRetry(this.factory.create(plan, configuration), plan, this.factory.laterAttempts(),
				this.factory.observations());
		MethodRetry before = this.retries.putIfAbsent(key, made);
		if (before == null) {
			followChanges(key, made, plan, configuration);
		}
		MethodRetry retry = (before != null) ? before : made;
		if (this.recoveries.contains(key)) {
			retry.recoversOthers();
		}
		return retry;
	}

	/*
	 * A change that was on its way may not have seen the retry, and may have replaced the
	 * plan since.
	 */
	@SuppressWarnings("ReferenceEquality") // not whether they are alike
	private void followChanges(Key key, MethodRetry retry, MethodPlan first, BackoffConfiguration before) {
		MethodPlan plan = first;
		BackoffConfiguration configuration = before;
		while (configuration != this.policies.configuration() || plan != this.plans.get(key)) {
			configuration = this.policies.configuration();
			plan = catchUp(key, retry);
		}
	}

	private MethodPlan planned(Key key, AnnotatedMethod annotated) {
		MethodPlan plan = this.plans.get(key);
		if (plan == null) {
			List<Problem> problems = new ArrayList<>();
			plan = plan(annotated, problems);
			if (plan == null) {
				throw new InvalidBackoffException(problems);
			}
		}
		return plan;
	}

	private void noteRecovery(Key key) {
		this.recoveries.add(key);
		MethodRetry retry = this.retries.get(key);
		if (retry != null) {
			retry.recoversOthers();
		}
	}

	/**
	 * A method of a bean. Two classes may inherit one method and annotate it differently.
	 *
	 * @param type the bean's class, or the interface of a proxy without one
	 * @param method the most specific method
	 */
	private record Key(Class<?> type, Method method) {

		static Key of(AnnotatedMethod annotated) {
			return new Key(annotated.type(), annotated.method());
		}

	}

}
