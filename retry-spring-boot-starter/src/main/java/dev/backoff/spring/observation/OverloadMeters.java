package dev.backoff.spring.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.policy.DegradedMode;
import dev.backoff.spring.safety.OverloadSafety;

/**
 * Publish the meters of budgets, breakers and raised delays. They read existing numbers,
 * so they cost a call nothing.
 * <p>
 * They are published at {@link #bind} or, for later budgets and breakers, when made.
 * Transitions before that are counted. After {@value #MAX_NAMES} names of one kind,
 * further ones have no meters, with one WARN. A meter that a registry refuses is dropped
 * with one WARN per name.
 * <p>
 * Breakers of another library have meters of their own there. Keep the instance as long
 * as its meters are read. Thread-safe.
 *
 * @since 0.1
 */
public final class OverloadMeters implements CircuitBreaker.Listener {

	/** The greatest number of budgets, of breakers and of policies with meters. */
	static final int MAX_NAMES = 1_000;

	private static final Logger logger = LoggerFactory.getLogger(OverloadMeters.class);

	private final GuardedRegistry registry;

	private final Publisher publisher = new Publisher();

	/* Registries refer to the state they read weakly, so it is kept here. */
	private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

	private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>();

	private final Map<String, BreakerTransitions> transitions = new ConcurrentHashMap<>();

	private final Map<String, OverloadSafety> policies = new ConcurrentHashMap<>();

	private final AtomicBoolean full = new AtomicBoolean();

	private volatile @Nullable OverloadSafety safety;

	/**
	 * Make meters that are not published yet.
	 * @param registry supplies the registry, or null if there is none; asked late
	 */
	public OverloadMeters(Supplier<? extends @Nullable MeterRegistry> registry) {
		this.registry = new GuardedRegistry(registry);
	}

	/**
	 * Publish all budgets, breakers and degraded modes, and later ones when they are
	 * made. Call this when the registry is complete. A second call has no effect.
	 * @param safety the budgets, breakers and degraded modes
	 */
	public void bind(OverloadSafety safety) {
		if (this.safety == null) {
			this.registry.reopen();
			this.safety = safety;
			safety.observe(this.publisher);
		}
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		BreakerTransitions counted = transitions(breaker.name());
		if (counted != null) {
			counted.add(from, to);
			if (this.breakers.containsKey(breaker.name())) {
				counted.publish(from, to);
			}
		}
	}

	private @Nullable BreakerTransitions transitions(String breaker) {
		return isNew(this.transitions, breaker)
				? this.transitions.computeIfAbsent(breaker, (name) -> new BreakerTransitions(this.registry, name))
				: this.transitions.get(breaker);
	}

	/** Return whether a name is new and there is room for it. */
	private boolean isNew(Map<String, ?> names, String name) {
		if (names.containsKey(name)) {
			return false;
		}
		if (names.size() < MAX_NAMES) {
			return true;
		}
		if (this.full.compareAndSet(false, true)) {
			logger.warn("Gave meters to {} budgets, breakers or policies; {} and further ones have none", MAX_NAMES,
					name);
		}
		return false;
	}

	/* Asking whether the budget is dry notifies its listener if time has filled it. */
	private static double tokens(RetryBudget budget) {
		budget.isDry();
		return budget.balance();
	}

	private static double isDegraded(OverloadSafety safety, String policy) {
		return Boolean.TRUE.equals(safety.isDegraded(policy)) ? 1 : 0;
	}

	/** Publishes each thing once. */
	private final class Publisher implements OverloadSafety.Observer {

		@Override
		public void budgetMade(RetryBudget budget) {
			String name = budget.name();
			if (!isNew(OverloadMeters.this.budgets, name)
					|| OverloadMeters.this.budgets.putIfAbsent(name, budget) != null) {
				return;
			}
			GuardedRegistry registry = OverloadMeters.this.registry;
			registry.gauge(BackoffMeters.BUDGET_TOKENS, budget, OverloadMeters::tokens, name);
			registry.counter(BackoffMeters.BUDGET_REFUSED, budget, RetryBudget::refused, name);
		}

		@Override
		public void breakerMade(CircuitBreaker breaker) {
			String name = breaker.name();
			BreakerTransitions counted = transitions(name);
			if (counted == null || OverloadMeters.this.breakers.putIfAbsent(name, breaker) != null) {
				return;
			}
			GuardedRegistry registry = OverloadMeters.this.registry;
			for (BreakerState state : BreakerState.values()) {
				registry.gauge(BackoffMeters.BREAKER_STATE, breaker, (seen) -> (seen.state() == state) ? 1 : 0, name,
						state.tag());
			}
			registry.counter(BackoffMeters.BREAKER_REJECTED, breaker, CircuitBreaker::rejected, name);
			counted.publish();
		}

		@Override
		public void degradedMade(String policy, DegradedMode mode) {
			OverloadSafety safety = OverloadMeters.this.safety;
			if (safety != null && isNew(OverloadMeters.this.policies, policy)
					&& OverloadMeters.this.policies.putIfAbsent(policy, safety) == null) {
				OverloadMeters.this.registry.gauge(BackoffMeters.DEGRADED, safety,
						(seen) -> OverloadMeters.isDegraded(seen, policy), policy);
			}
		}

	}

}
