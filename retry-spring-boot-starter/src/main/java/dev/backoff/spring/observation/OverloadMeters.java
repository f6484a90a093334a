package dev.backoff.spring.observation;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.concurrency.ConcurrencyLimit;

/**
 * Publish the meters of budgets and breakers. They read existing numbers, so they cost a
 * call nothing.
 * <p>
 * They are published at {@link #bind} or, for later budgets and breakers, when made.
 * Transitions before that are counted. A meter that a registry refuses is dropped with
 * one WARN per name.
 * <p>
 * Contexts that share a registry share the meters: balances and counts are summed, a
 * state is 1 if any context has it, and a gauge goes with the last of them. Breakers of
 * another library have meters of their own there. Keep the instance as long as its meters
 * are read, and close it then. Thread-safe.
 */
final class OverloadMeters implements CircuitBreaker.Listener, AutoCloseable {

	private static final BreakerState[] STATES = BreakerState.values();

	private final GuardedRegistry registry;

	private final Publisher publisher = new Publisher();

	/* Registries refer to the state they read weakly, so it is kept here. */
	private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

	private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>();

	private final Map<String, ConcurrencyLimit> limits = new ConcurrentHashMap<>();

	private final Map<String, Transitions> transitions = new ConcurrentHashMap<>();

	private volatile boolean bound;

	OverloadMeters(Supplier<? extends @Nullable MeterRegistry> registry) {
		this.registry = new GuardedRegistry(registry);
	}

	/**
	 * Publish all budgets and breakers, and later ones when they are made. Call this when
	 * the registry is complete. A second call has no effect.
	 */
	void bind(OverloadSafety safety) {
		if (!this.bound) {
			this.registry.reopen();
			this.bound = true;
			safety.observe(this.publisher);
		}
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		Transitions counted = transitions(breaker.name());
		counted.add(from, to);
		if (this.breakers.containsKey(breaker.name())) {
			counted.publish(from, to);
		}
	}

	@Override
	public void close() {
		this.registry.close();
	}

	private Transitions transitions(String breaker) {
		return this.transitions.computeIfAbsent(breaker, (name) -> new Transitions(this.registry, name));
	}

	/* Asking whether the budget is dry notifies its listener if time has filled it. */
	private static double tokens(RetryBudget budget) {
		budget.isDry();
		return budget.balance();
	}

	/** Publishes each thing once. */
	private final class Publisher implements OverloadSafety.Observer {

		@Override
		public void budgetMade(RetryBudget budget) {
			String name = budget.name();
			if (OverloadMeters.this.budgets.putIfAbsent(name, budget) == null) {
				GuardedRegistry registry = OverloadMeters.this.registry;
				registry.gauge(BackoffMeters.BUDGET_TOKENS, budget, OverloadMeters::tokens, name);
				registry.counter(BackoffMeters.BUDGET_REFUSED, budget, RetryBudget::refused, name);
			}
		}

		@Override
		public void breakerMade(CircuitBreaker breaker) {
			String name = breaker.name();
			if (OverloadMeters.this.breakers.putIfAbsent(name, breaker) != null) {
				return;
			}
			GuardedRegistry registry = OverloadMeters.this.registry;
			for (BreakerState state : STATES) {
				registry.flag(BackoffMeters.BREAKER_STATE, breaker, (seen) -> seen.state() == state, name, state.tag());
			}
			registry.counter(BackoffMeters.BREAKER_REJECTED, breaker, CircuitBreaker::rejected, name);
			transitions(name).publish();
		}

		@Override
		public void limitMade(String policy, ConcurrencyLimit limit) {
			if (OverloadMeters.this.limits.putIfAbsent(policy, limit) == null) {
				GuardedRegistry registry = OverloadMeters.this.registry;
				registry.gauge(BackoffMeters.CONCURRENCY_ACTIVE, limit, ConcurrencyLimit::active, policy);
				registry.gauge(BackoffMeters.CONCURRENCY_WAITING, limit, ConcurrencyLimit::waiting, policy);
			}
		}

	}

	/** The transitions of one breaker, counted before there is a registry too. */
	private static final class Transitions {

		private final LongAdder[] counts = new LongAdder[STATES.length * STATES.length];

		private final MeterCells<FunctionCounter> meters;

		Transitions(GuardedRegistry registry, String breaker) {
			Arrays.setAll(this.counts, (index) -> new LongAdder());
			this.meters = new MeterCells<>(registry, this.counts.length,
					(index) -> registry.counter(BackoffMeters.BREAKER_TRANSITIONS, this.counts[index], LongAdder::sum,
							breaker, STATES[index / STATES.length].tag(), STATES[index % STATES.length].tag()));
		}

		void add(BreakerState from, BreakerState to) {
			this.counts[index(from, to)].increment();
		}

		/**
		 * Publish the transitions that need no operator, and those that have happened.
		 */
		void publish() {
			for (BreakerState from : STATES) {
				for (BreakerState to : STATES) {
					if (needsNoOperator(from, to) || this.counts[index(from, to)].sum() > 0) {
						publish(from, to);
					}
				}
			}
		}

		void publish(BreakerState from, BreakerState to) {
			this.meters.at(index(from, to));
		}

		private static boolean needsNoOperator(BreakerState from, BreakerState to) {
			return switch (from) {
				case CLOSED -> to == BreakerState.OPEN;
				case OPEN -> to == BreakerState.HALF_OPEN;
				case HALF_OPEN -> to == BreakerState.OPEN || to == BreakerState.CLOSED;
				case FORCED_OPEN, DISABLED, METRICS_ONLY -> false;
			};
		}

		@SuppressWarnings("EnumOrdinal") // an index within this process, never stored
		private static int index(BreakerState from, BreakerState to) {
			return from.ordinal() * STATES.length + to.ordinal();
		}

	}

}
