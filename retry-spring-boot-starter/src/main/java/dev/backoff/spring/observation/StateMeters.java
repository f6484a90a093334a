package dev.backoff.spring.observation;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;
import dev.backoff.pace.QuotaReading;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.live.ConfigurationListener;
import dev.backoff.spring.safety.OverloadSafety;
import dev.backoff.spring.safety.Paces;

/**
 * Publish the meters of budgets, breakers, concurrency limits and the configuration. They
 * read existing numbers, so they cost a call nothing. What is made after {@link #bind} is
 * published when it is made. What happens before is counted.
 * <p>
 * Contexts that share a registry share the meters: balances and counts are summed, a
 * state is the greatest that any context has, and a gauge goes with the last of them.
 * Thread-safe.
 */
final class StateMeters
		implements CircuitBreaker.Listener, OverloadSafety.Observer, ConfigurationListener, AutoCloseable {

	/** The tag value for the switch of all retries, which belongs to no policy. */
	static final String ALL = "*";

	/* Of one pace: their names come from outside. */
	private static final int MOST_QUOTAS = 8;

	/* Those that need no operator are published at zero. */
	private static final Map<BreakerState, List<BreakerState>> USUAL = Map.of(BreakerState.CLOSED,
			List.of(BreakerState.OPEN), BreakerState.OPEN, List.of(BreakerState.HALF_OPEN), BreakerState.HALF_OPEN,
			List.of(BreakerState.OPEN, BreakerState.CLOSED));

	private final GuardedRegistry registry;

	private final Supplier<OverloadSafety> safety;

	private final BooleanSupplier enabled;

	private final Map<Transition, LongAdder> transitions = new ConcurrentHashMap<>();

	/* Micrometer warns of a meter that is registered again. */
	private final Set<Object> published = ConcurrentHashMap.newKeySet();

	private final Map<Outcome, LongAdder> changes = new EnumMap<>(Outcome.class);

	private volatile Overrides overrides = Overrides.NONE;

	private volatile boolean bound;

	StateMeters(Supplier<? extends @Nullable MeterRegistry> registry, Supplier<OverloadSafety> safety,
			BooleanSupplier enabled) {
		this.registry = new GuardedRegistry(registry);
		this.safety = safety;
		this.enabled = enabled;
		for (Outcome outcome : Outcome.values()) {
			this.changes.put(outcome, new LongAdder());
		}
	}

	/** Publish what there is once, when the registry is complete, if enabled. */
	void bind() {
		if (!this.bound && this.enabled.getAsBoolean()) {
			this.registry.reopen();
			this.bound = true;
			this.changes.forEach((outcome, count) -> this.registry.counter(BackoffMeters.REFRESH, count, LongAdder::sum,
					outcome.tag()));
			this.safety.get().observe(this);
		}
	}

	@Override
	public void budgetMade(RetryBudget budget) {
		this.registry.gauge(BackoffMeters.BUDGET_TOKENS, budget, StateMeters::tokens, budget.name());
		this.registry.counter(BackoffMeters.BUDGET_REFUSED, budget, RetryBudget::refused, budget.name());
		this.registry.gauge(BackoffMeters.BUDGET_STRIKES, budget, RetryBudget::strikes, budget.name());
		this.registry.counter(BackoffMeters.BUDGET_BARRED, budget, RetryBudget::barred, budget.name());
	}

	/* Asking whether the budget is dry notifies its listener if time has filled it. */
	private static double tokens(RetryBudget budget) {
		budget.isDry();
		return budget.balance();
	}

	@Override
	public void limitMade(String policy, ConcurrencyLimit limit) {
		this.registry.gauge(BackoffMeters.CONCURRENCY_ACTIVE, limit, ConcurrencyLimit::active, policy);
		this.registry.gauge(BackoffMeters.CONCURRENCY_WAITING, limit, ConcurrencyLimit::waiting, policy);
	}

	@Override
	public void breakerMade(CircuitBreaker breaker) {
		String name = breaker.name();
		for (BreakerState state : BreakerState.values()) {
			this.registry.greatest(BackoffMeters.BREAKER_STATE, breaker,
					(seen) -> seen.keysIn(state) + ((seen.state() == state) ? 1 : 0), name, state.tag());
		}
		this.registry.counter(BackoffMeters.BREAKER_REJECTED, breaker, CircuitBreaker::rejected, name);
		this.registry.gauge(BackoffMeters.BREAKER_REOPENED, breaker, CircuitBreaker::reopened, name);
		USUAL.forEach((from, all) -> all.forEach((to) -> count(new Transition(name, from, to))));
		this.transitions.keySet().stream().filter((counted) -> counted.breaker().equals(name)).forEach(this::publish);
	}

	@Override
	public void paceMade(Pace pace, LongAdder holds) {
		if (this.published.add(pace)) {
			this.registry.gauge(BackoffMeters.PACE_WAITING, pace, this::waiting, pace.name());
			this.registry.counter(BackoffMeters.PACE_HOLDS, holds, LongAdder::sum, pace.name());
			if (pace.keys() != null) {
				keysMade("pace", pace.name(), pace.keys());
			}
		}
	}

	/* Nothing tells that a response told of another quota, so each reading looks. */
	private double waiting(Pace pace) {
		List<Pace.Status> statuses = Paces.statuses(pace);
		statuses.stream()
			.flatMap((status) -> status.quotas().stream().map(QuotaReading::name))
			.distinct()
			.limit(MOST_QUOTAS)
			.filter((quota) -> this.published.add(List.of(pace.name(), quota)))
			.forEach((quota) -> this.registry.greatest(BackoffMeters.PACE_REMAINING, pace,
					(seen) -> remaining(seen, quota), pace.name(), quota));
		return statuses.stream().mapToInt(Pace.Status::waiting).sum();
	}

	private static double remaining(Pace pace, String quota) {
		return Paces.statuses(pace)
			.stream()
			.flatMap((status) -> status.quotas().stream())
			.filter((told) -> told.name().equals(quota))
			.mapToDouble((told) -> (double) told.remaining() / told.limit())
			.min()
			.orElse(Double.NaN);
	}

	@Override
	public void keysMade(String kind, String name, KeyTable<?> keys) {
		if (this.published.add(keys)) {
			this.registry.gauge(BackoffMeters.KEYS, keys, KeyTable::size, kind, name);
			this.registry.counter(BackoffMeters.KEYS_EVICTED, keys, KeyTable::evicted, kind, name, "capacity");
			this.registry.counter(BackoffMeters.KEYS_EVICTED, keys, KeyTable::idle, kind, name, "idle");
			this.registry.counter(BackoffMeters.KEYS_OVERFLOW, keys, KeyTable::overflowed, kind, name);
		}
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		Transition transition = new Transition(breaker.name(), from, to);
		count(transition).increment();
		if (this.bound) {
			publish(transition);
		}
	}

	private LongAdder count(Transition transition) {
		return this.transitions.computeIfAbsent(transition, (added) -> new LongAdder());
	}

	private void publish(Transition transition) {
		if (this.published.add(transition)) {
			this.registry.counter(BackoffMeters.BREAKER_TRANSITIONS, count(transition), LongAdder::sum,
					transition.breaker(), transition.from().tag(), transition.to().tag());
		}
	}

	/* Retries may be switched on when the application runs. */
	@Override
	public void changed(Outcome outcome, Overrides overrides) {
		Objects.requireNonNull(this.changes.get(outcome)).increment();
		this.overrides = overrides;
		bind();
		overrides.policies().forEach((policy) -> publish(policy, (meters) -> meters.overrides.of(policy).size()));
		if (overrides.retriesEnabled() != null) {
			publish(ALL, (meters) -> (meters.overrides.retriesEnabled() != null) ? 1 : 0);
		}
	}

	private void publish(String policy, ToDoubleFunction<StateMeters> overridden) {
		if (this.published.add(policy)) {
			this.registry.gauge(BackoffMeters.OVERRIDES, this, overridden, policy);
		}
	}

	@Override
	public void close() {
		this.registry.close();
	}

	private record Transition(String breaker, BreakerState from, BreakerState to) {
	}

}
