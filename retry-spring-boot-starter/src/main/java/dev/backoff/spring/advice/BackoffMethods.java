package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.Problem;

/**
 * The annotated methods of the application, each with its retry, and retries for calls
 * that no annotation can reach: a bean's calls to itself, private methods, lambdas. <pre>
 * this.methods.retry("payment-callback").call(() -&gt; client.send(receipt));
 * </pre> Thread-safe.
 *
 * @since 0.1
 */
public final class BackoffMethods implements SmartInitializingSingleton {

	private final BackoffPolicies policies;

	private final MethodPlanner planner;

	private final RetryFactory factory;

	private final WeavingAdvice weavingAdvice;

	private final boolean enabled;

	private final boolean woven;

	/* By the class of the target. */
	private final Map<Class<?>, CalledMethods> called = new ConcurrentHashMap<>();

	/* By canonical name. */
	private final Map<String, Retry> named = new ConcurrentHashMap<>();

	private final Map<Key, MethodPlan> plans = new ConcurrentHashMap<>();

	private final Map<Key, MethodRetry> retries = new ConcurrentHashMap<>();

	private final Set<Key> recoveries = ConcurrentHashMap.newKeySet();

	/**
	 * Make the registry of an application context.
	 * @param policies resolves policies
	 * @param beanFactory has the beans that retries need
	 */
	public BackoffMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		this.policies = policies;
		this.planner = new MethodPlanner(policies, beanFactory);
		this.factory = new RetryFactory(beanFactory, policies);
		this.enabled = policies.configuration().isEnabled();
		this.woven = policies.configuration().isWoven();
		this.weavingAdvice = new WeavingAdvice(beanFactory, this.woven);
	}

	/**
	 * Return the retry of a policy, for programmatic calls.
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
		Retry made = this.factory.create(this.policies.resolve(policy));
		Retry before = this.named.putIfAbsent(name, made);
		return (before != null) ? before : made;
	}

	/**
	 * Return the annotated methods known so far. Overloads share their label, so those
	 * are told apart by their parameters.
	 * @return the methods with their policies, ordered by name
	 */
	public List<PolicyUse> uses() {
		List<MethodPlan> known = List.copyOf(this.plans.values());
		Map<String, Long> labels = known.stream()
			.collect(Collectors.groupingBy(MethodPlan::label, Collectors.counting()));
		return known.stream().map((plan) -> {
			boolean overloaded = labels.getOrDefault(plan.label(), 1L) > 1;
			return new PolicyUse(overloaded ? plan.label() + plan.method().parameters() : plan.label(), plan.policy(),
					advice(plan));
		}).sorted(Comparator.comparing(PolicyUse::method)).toList();
	}

	/** Plan a method found at start-up. */
	@Nullable MethodPlan plan(AnnotatedMethod method, List<Problem> problems) {
		MethodPlan plan = this.planner.plan(method, problems);
		if (plan != null) {
			this.plans.put(Key.of(method), plan);
			this.factory.reserve(plan.policy());
		}
		return plan;
	}

	/** Return what a method's plan does that is probably not meant. */
	List<String> advice(MethodPlan plan) {
		List<String> advice = new ArrayList<>(PlanAdvice.of(plan));
		advice.addAll(this.weavingAdvice.of(plan.method()));
		return List.copyOf(advice);
	}

	/** Return whether that is worth a warning. */
	boolean isWarned(MethodPlan plan) {
		return PlanAdvice.otherRetry(plan) != null || !this.weavingAdvice.of(plan.method()).isEmpty();
	}

	/** Make the retries of all methods found at start-up, so that their meters exist. */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.enabled) {
			List.copyOf(this.plans.values()).forEach((plan) -> retry(plan.method()));
		}
	}

	/**
	 * Return the retry of a method, or null if it is not annotated.
	 * @throws InvalidBackoffException if its class was not known at start-up and it has
	 * problems
	 */
	@Nullable MethodRetry find(Method method, Class<?> targetClass, @Nullable Object target) {
		if (!this.enabled) {
			return null;
		}
		CalledMethods methods = this.called.get(targetClass);
		CalledMethod known = (methods != null) ? methods.find(method) : null;
		return (known != null) ? known.retry() : findNew(method, targetClass, target);
	}

	/*
	 * A listener or a classifier that calls the method while it is made itself cannot
	 * have its calls retried yet. They are made nevertheless, and the next one asks
	 * again.
	 */
	private @Nullable MethodRetry findNew(Method method, Class<?> targetClass, @Nullable Object target) {
		try {
			return add(method, targetClass, target).retry();
		}
		catch (BeanCreationException ex) {
			if (ex.contains(BeanCurrentlyInCreationException.class)) {
				return null;
			}
			throw ex;
		}
	}

	private CalledMethod add(Method method, Class<?> targetClass, @Nullable Object target) {
		AnnotatedMethod annotated = isAdvised(target) ? null : AnnotatedMethod.of(method, targetClass);
		if (this.woven && annotated != null && WeavingCheck.isCalledByOverriding(method, annotated)) {
			annotated = null;
		}
		CalledMethod called = new CalledMethod(method, (annotated != null) ? retry(annotated) : null);
		this.called.computeIfAbsent(targetClass, (type) -> new CalledMethods()).add(called);
		return called;
	}

	/*
	 * Of two proxies, one around the other, the inner one retries: both would multiply.
	 */
	private static boolean isAdvised(@Nullable Object target) {
		return target instanceof Advised proxy
				&& Arrays.stream(proxy.getAdvisors()).anyMatch(BackoffAdvisor.class::isInstance);
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
		MethodPlan plan = planned(key, annotated);
		if (plan.recover() != null) {
			plan.recover().all().forEach((method) -> noteRecovery(new Key(key.type(), method)));
		}
		MethodRetry made = new MethodRetry(this.factory.create(plan), plan, this.factory.laterAttempts(),
				this.factory.observations());
		MethodRetry before = this.retries.putIfAbsent(key, made);
		MethodRetry retry = (before != null) ? before : made;
		if (this.recoveries.contains(key)) {
			retry.recoversOthers();
		}
		return retry;
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
