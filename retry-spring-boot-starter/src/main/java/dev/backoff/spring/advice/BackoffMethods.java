package dev.backoff.spring.advice;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.Retry;
import dev.backoff.spring.policy.AnnotatedMethod;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
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

	private final boolean enabled;

	private final Map<Class<?>, Map<Method, Entry>> entries = new ConcurrentHashMap<>();

	private final Map<String, Retry> named = new ConcurrentHashMap<>();

	private final Map<Method, MethodPlan> plans = new ConcurrentHashMap<>();

	/**
	 * Make the registry of an application context.
	 * @param policies resolves policies
	 * @param beanFactory has the beans that retries need
	 */
	public BackoffMethods(BackoffPolicies policies, ConfigurableListableBeanFactory beanFactory) {
		this.policies = policies;
		this.planner = new MethodPlanner(policies, beanFactory);
		this.factory = new RetryFactory(beanFactory, policies.configuration());
		this.enabled = policies.configuration().isEnabled();
	}

	/**
	 * Return the retry of a policy, for programmatic calls.
	 * @param policy a name below {@code backoff.policies}
	 * @return the retry, the same for the same name
	 * @throws InvalidBackoffException if the name is not defined
	 */
	public Retry retry(String policy) {
		EffectivePolicy effective = this.policies.resolve(policy);
		return this.named.computeIfAbsent(effective.name(), (name) -> {
			this.factory.reserve(effective);
			return this.factory.create(effective);
		});
	}

	/**
	 * Return the annotated methods known so far.
	 * @return the methods with their policies, ordered by name
	 */
	public List<PolicyUse> uses() {
		return this.plans.values()
			.stream()
			.map((plan) -> new PolicyUse(plan.label(), plan.policy(), PlanAdvice.of(plan)))
			.sorted(Comparator.comparing(PolicyUse::method))
			.toList();
	}

	/** Plan a method found at start-up. */
	@Nullable MethodPlan plan(AnnotatedMethod method, List<Problem> problems) {
		MethodPlan plan = this.planner.plan(method, problems);
		if (plan != null) {
			this.plans.put(method.method(), plan);
			this.factory.reserve(plan.policy());
		}
		return plan;
	}

	/** Make the retries of all methods found at start-up, so that their meters exist. */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.enabled) {
			for (MethodPlan plan : new ArrayList<>(this.plans.values())) {
				entry(plan.method().method(), plan.method().type());
			}
		}
	}

	/**
	 * Return the retry of a method, or null if it is not annotated.
	 * @throws InvalidBackoffException if its class was not known at start-up and it has
	 * problems
	 */
	@Nullable MethodRetry find(Method method, Class<?> targetClass) {
		return this.enabled ? entry(method, targetClass).retry() : null;
	}

	private Entry entry(Method method, Class<?> targetClass) {
		Map<Method, Entry> methods = this.entries.get(targetClass);
		Entry entry = (methods != null) ? methods.get(method) : null;
		return (entry != null) ? entry : newEntry(method, targetClass);
	}

	private Entry newEntry(Method method, Class<?> targetClass) {
		AnnotatedMethod annotated = AnnotatedMethod.of(method, targetClass);
		Entry made = new Entry((annotated != null) ? retryOf(annotated) : null);
		Entry before = this.entries.computeIfAbsent(targetClass, (type) -> new ConcurrentHashMap<>())
			.putIfAbsent(method, made);
		return (before != null) ? before : made;
	}

	private @Nullable MethodRetry retryOf(AnnotatedMethod annotated) {
		MethodPlan plan = this.plans.get(annotated.method());
		if (plan == null || !plan.method().type().equals(annotated.type())) {
			List<Problem> problems = new ArrayList<>();
			plan = plan(annotated, problems);
			if (plan == null) {
				throw new InvalidBackoffException(problems);
			}
		}
		MethodRetry retry = new MethodRetry(this.factory.create(plan), plan);
		if (plan.recover() != null) {
			markRecovering(plan.recover().all(), annotated.type());
		}
		return retry;
	}

	private void markRecovering(Collection<Method> methods, Class<?> type) {
		for (Method method : methods) {
			MethodRetry retry = (AnnotatedMethod.of(method, type) != null) ? entry(method, type).retry() : null;
			if (retry != null) {
				retry.recoversOthers();
			}
		}
	}

	/** What is known of a method, annotated or not. */
	private record Entry(@Nullable MethodRetry retry) {
	}

}
