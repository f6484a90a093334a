package dev.backoff.spring.advice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.Retry;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyResolver;

/** Plans and their retries by key. Both follow the configuration. Thread-safe. */
final class PlannedRetries<K, P extends RetryFactory.Plan> {

	/*
	 * A thread reads the version before it makes anything and again after it has added
	 * that, and plans anew if a change has raised it. A change raises it before it looks
	 * for keys that it has not prepared. So each key follows each change, and no lock is
	 * held while beans are looked up (decision 0027).
	 */

	/* By the name of the public type, for the levels that applications set. */
	private static final Logger logger = LoggerFactory.getLogger("dev.backoff.spring.advice.BackoffMethods");

	private final AtomicInteger version = new AtomicInteger();

	private final Planner<K, P> planner;

	private final RetryFactory factory;

	private final BackoffPolicies policies;

	private final Map<K, Planned<P>> planned = new ConcurrentHashMap<>();

	PlannedRetries(Planner<K, P> planner, RetryFactory factory, BackoffPolicies policies) {
		this.planner = planner;
		this.factory = factory;
		this.policies = policies;
	}

	Set<K> keys() {
		return Set.copyOf(this.planned.keySet());
	}

	List<P> plans() {
		return this.planned.values().stream().map(Planned::plan).toList();
	}

	/** Return the plan of a key, made now if there is none. */
	Planned<P> planned(K key) {
		Planned<P> known = this.planned.get(key);
		if (known != null) {
			return known;
		}
		List<Problem> problems = new ArrayList<>();
		Planned<P> planned = plan(key, problems);
		if (planned == null) {
			throw new InvalidBackoffException(problems);
		}
		return planned;
	}

	/** Make the plan of a key, or return null if there are problems. */
	@Nullable Planned<P> plan(K key, List<Problem> problems) {
		int before = this.version.get();
		P plan = planNow(key, problems);
		if (plan == null) {
			return null;
		}
		Planned<P> planned = put(key, plan);
		follow(key, planned, before);
		return planned;
	}

	private @Nullable P planNow(K key, List<Problem> problems) {
		P plan = this.planner.plan(key, this.policies.current(), problems);
		if (plan != null) {
			this.factory.reserve(plan.policy());
		}
		return plan;
	}

	private Planned<P> put(K key, P plan) {
		Planned<P> planned = this.planned.computeIfAbsent(key, (added) -> new Planned<>(plan));
		planned.plan = plan;
		return planned;
	}

	/** Return the retry of a key if it has been made, or null. */
	@Nullable Retry find(K key) {
		Planned<P> known = this.planned.get(key);
		return (known != null) ? known.retry.get() : null;
	}

	/** Return the retry of a key, made now if there is none. */
	Retry retry(K key) {
		Retry known = find(key);
		if (known != null) {
			return known;
		}
		int before = this.version.get();
		Planned<P> planned = planned(key);
		Retry made = this.factory.create(planned.plan, this.policies.configuration());
		if (planned.retry.compareAndSet(null, made)) {
			follow(key, planned, before);
		}
		return Objects.requireNonNull(planned.retry.get());
	}

	/** Plan a key anew until no change has come in since. */
	private void follow(K key, Planned<P> planned, int since) {
		int followed = since;
		while (followed != this.version.get()) {
			followed = this.version.get();
			planAnew(key, planned);
		}
	}

	/** Let a key follow the configuration in effect, or keep its values. */
	private void planAnew(K key, Planned<P> planned) {
		String label = planned.plan.label();
		List<Problem> problems = new ArrayList<>();
		try {
			P plan = planNow(key, problems);
			if (plan == null) {
				logger.warn("{} does not fit the refreshed configuration and keeps its values: {}", label, problems);
				return;
			}
			Retry retry = planned.retry.get();
			if (retry != null) {
				retry.switchTo(this.factory.create(plan, this.policies.configuration()));
			}
			planned.plan = plan;
		}
		catch (RuntimeException ex) {
			// a bean of the application failed: the call that is being made must not
			logger.warn("{} could not follow the changed configuration and keeps its values", label, ex);
		}
	}

	/** Return the plans of keys by another configuration, without those with problems. */
	Map<K, P> plans(Set<K> keys, PolicyResolver candidate, List<Problem> problems) {
		Map<K, P> plans = new LinkedHashMap<>();
		for (K key : keys) {
			P plan = this.planner.plan(key, candidate, problems);
			if (plan != null) {
				plans.put(key, plan);
			}
		}
		return plans;
	}

	/** Make the retries of other plans; the action puts both into effect. */
	Runnable change(Map<K, P> plans, BackoffConfiguration configuration) {
		Map<K, Retry> made = new LinkedHashMap<>();
		plans.forEach((key, plan) -> {
			if (find(key) != null) {
				made.put(key, this.factory.create(plan, configuration));
			}
		});
		return () -> {
			this.version.incrementAndGet();
			plans.forEach(this::put);
			this.planned.forEach((key, planned) -> {
				Retry retry = planned.retry.get();
				Retry replacement = made.get(key);
				if (retry != null && replacement != null) {
					retry.switchTo(replacement);
				}
				else if (retry != null || !plans.containsKey(key)) {
					planAnew(key, planned);
				}
			});
		};
	}

	/** A plan with the retry made from it. Thread-safe. */
	static final class Planned<P> {

		private volatile P plan;

		private final AtomicReference<@Nullable Retry> retry = new AtomicReference<>();

		Planned(P plan) {
			this.plan = plan;
		}

		P plan() {
			return this.plan;
		}

	}

	@FunctionalInterface
	interface Planner<K, P> {

		/** Make a plan by a configuration, or return null if there are problems. */
		@Nullable P plan(K key, PolicyResolver candidate, List<Problem> problems);

	}

}
