package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.backoff.CallRegistry;
import dev.backoff.Retry;
import dev.backoff.RetryBuilder;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.CallObserver;
import dev.backoff.event.CallRecorder;
import dev.backoff.event.RetryListener;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.RetryCondition;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffProperties.RandomKind;
import dev.backoff.spring.configuration.Section;
import dev.backoff.spring.configuration.SettingKey;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.reactive.ObservationCarrier;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * Make retries with the beans of the application context: classifiers, listeners, a
 * recorder, the time. It looks beans up when the first retry is made, so that none of
 * them is created too early.
 */
final class RetryFactory {

	private final ConfigurableListableBeanFactory beanFactory;

	private final BackoffPolicies policies;

	private final RandomSource random;

	private final LaterAttempts laterAttempts;

	private final Set<String> ownClassifiers = ConcurrentHashMap.newKeySet();

	private volatile Set<String> switchedOff = Set.of();

	RetryFactory(ConfigurableListableBeanFactory beanFactory, BackoffPolicies policies) {
		this.beanFactory = beanFactory;
		this.policies = policies;
		this.laterAttempts = new LaterAttempts(beanFactory);
		this.random = (policies.configuration().get(SettingKey.RANDOM) == RandomKind.SECURE) ? RandomSource.secure()
				: RandomSource.threadLocal();
		// of all policies, before the first retry is made
		policies.configuration()
			.names(Section.POLICIES)
			.forEach((name) -> policies.current().peek(name).ifPresent(this::reserve));
	}

	/** Note a policy's own classifier, which other policies do not ask. */
	void reserve(EffectivePolicy policy) {
		if (policy.classifier() != null) {
			this.ownClassifiers.add(policy.classifier());
		}
	}

	/** Return the carrier of observations in Reactor contexts, or null. */
	@Nullable ObservationCarrier observations() {
		return this.beanFactory.getBeanProvider(ObservationCarrier.class).getIfAvailable();
	}

	/** Set the policies that retry nothing, not even calls that have begun. */
	void switchOff(Set<String> policies) {
		this.switchedOff = Set.copyOf(policies);
	}

	private boolean isSwitchedOn(String policy) {
		BackoffConfiguration configuration = this.policies.configuration();
		return configuration.isEnabled() && configuration.isRetriesEnabled() && !this.switchedOff.contains(policy);
	}

	/** Make a retry, with the budgets and breakers of a configuration. */
	Retry create(Plan plan, BackoffConfiguration configuration) {
		EffectivePolicy effective = plan.policy();
		RetryPolicy policy = effective.complete(classifiers(effective), plan.retryWhen(), plan.until());
		OverloadSafety safety = this.beanFactory.getBean(OverloadSafety.class);
		RetryBuilder builder = Retry.builder(policy)
			.method(plan.label())
			.time(this.beanFactory.getBeanProvider(RetryTime.class).getIfAvailable(RetryTime::system))
			.random(this.beanFactory.getBeanProvider(RandomSource.class).getIfAvailable(() -> this.random))
			.executorOfEachCall(this.laterAttempts)
			.enabledWhen(() -> isSwitchedOn(policy.name()))
			.budget(safety.budget(effective, configuration))
			.breaker(safety.permits(effective, configuration))
			.concurrencyLimit(safety.limit(effective))
			.pace(safety.pace(effective, configuration))
			.calls(this.beanFactory.getBean(CallRegistry.class));
		if (plan.per() != null) {
			builder.per(plan.per(), safety.divide(effective));
		}
		boolean listed = policy.deadlineNanos() != Nanos.UNLIMITED || policy.attemptTimeoutNanos() != Nanos.UNLIMITED;
		builder.counted(listed || !this.policies.configuration().get(SettingKey.SHUTDOWN_WAIT).isZero());
		this.beanFactory.getBeanProvider(CallObserver.class).orderedStream().forEach(builder::observer);
		this.beanFactory.getBeanProvider(RetryListener.class).orderedStream().forEach(builder::listener);
		this.beanFactory.getBeanProvider(CallRecorder.Factory.class)
			.ifAvailable((recorders) -> builder.recorder(recorders.recorder(policy.name(), plan.label())));
		return builder.build();
	}

	private List<FailureClassifier> classifiers(EffectivePolicy policy) {
		List<FailureClassifier> classifiers = new ArrayList<>();
		if (policy.classifier() != null) {
			classifiers.add(this.beanFactory.getBean(policy.classifier(), FailureClassifier.class));
		}
		List<FailureClassifier> owned = this.ownClassifiers.stream()
			.filter(this.beanFactory::containsBean)
			.map((name) -> this.beanFactory.getBean(name, FailureClassifier.class))
			.toList();
		this.beanFactory.getBeanProvider(FailureClassifier.class)
			.orderedStream()
			.filter((classifier) -> owned.stream().noneMatch((other) -> other == classifier))
			.forEach(classifiers::add);
		return classifiers;
	}

	/** The values that a retry is made from. Immutable. */
	interface Plan {

		/** Return the name of the calls in meters and logs. */
		String label();

		EffectivePolicy policy();

		/** Return the condition for results that count as failures, or null. */
		default @Nullable RetryCondition retryWhen() {
			return null;
		}

		/** Return the condition for results that are final, or null. */
		default @Nullable RetryCondition until() {
			return null;
		}

		/** Return what gives the key of a call, or null. */
		default @Nullable KeyExpression per() {
			return null;
		}

	}

}
