package dev.backoff.spring.safety;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;

import dev.backoff.Retry;
import dev.backoff.breaker.BreakerSettings;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.BudgetSettings;
import dev.backoff.budget.RetryBudget;
import dev.backoff.concurrency.ConcurrencyLimit;
import dev.backoff.delay.RandomSource;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.key.KeyTable;
import dev.backoff.pace.Pace;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.BackoffConfiguration.NamedSettings;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.time.RetryTime;

/**
 * The budgets, breakers, paces and concurrency limits of all policies, by name.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class OverloadSafety implements ConfigurationUser {

	private static final Logger logger = LoggerFactory.getLogger(OverloadSafety.class);

	private final ListableBeanFactory beanFactory;

	private final RetryTime time;

	private final RandomSource random;

	private final Listeners listeners;

	private final CircuitBreakers breakers;

	private final RetryBudgets budgets;

	private final Map<String, ConcurrencyLimit> concurrencyLimits = new ConcurrentHashMap<>();

	private final List<Observer> observers = new CopyOnWriteArrayList<>();

	private final Paces paces;

	private final Map<String, KeyTable<?>> divided = new ConcurrentHashMap<>();

	private volatile @Nullable Function<Throwable, CircuitBreaker.Verdict> verdicts;

	/** Create the breakers of a configuration. Budgets are created at their first use. */
	public OverloadSafety(BackoffConfiguration configuration, ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.time = beanFactory.getBeanProvider(RetryTime.class).getIfAvailable(RetryTime::system);
		this.random = beanFactory.getBeanProvider(RandomSource.class).getIfAvailable(RandomSource::threadLocal);
		this.listeners = new Listeners(beanFactory, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
		this.breakers = CircuitBreakers.of(configuration.breakers().values().stream().map(this::make).toList());
		this.paces = new Paces(this.time);
		this.budgets = new RetryBudgets((budget) -> tell((observer) -> observer.budgetMade(budget)));
	}

	private CircuitBreaker make(NamedSettings<BreakerSettings> entry) {
		return CircuitBreaker.builder(entry.name())
			.settings(entry.settings())
			.time(this.time)
			.random(this.random)
			.verdict(this::verdict)
			.listener(this.listeners)
			.build();
	}

	/*
	 * Classifiers are looked up at the first failure, so that they are not created too
	 * early. A lock would deadlock with the creation of beans, so two threads may do it.
	 */
	private CircuitBreaker.Verdict verdict(Throwable failure) {
		Function<Throwable, CircuitBreaker.Verdict> known = this.verdicts;
		if (known == null) {
			known = Retry.verdicts(this.beanFactory.getBeanProvider(FailureClassifier.class).orderedStream().toList());
			this.verdicts = known;
		}
		return known.apply(failure);
	}

	/** Return the budget of a policy, or null if its retries are free. */
	public @Nullable RetryBudget budget(EffectivePolicy policy, BackoffConfiguration configuration) {
		String name = policy.budget();
		return (name != null) ? this.budgets.getOrMake(name, () -> {
			NamedSettings<BudgetSettings> entry = configuration.budget(name);
			return RetryBudget.of(entry.name(), entry.settings(), this.time, this.listeners);
		}) : null;
	}

	/** Return the breaker of a policy, or null. */
	public @Nullable CircuitBreaker permits(EffectivePolicy policy, BackoffConfiguration configuration) {
		String name = policy.breaker();
		return (name != null) ? this.breakers.find(name).orElseGet(() -> add(make(configuration.breaker(name)))) : null;
	}

	/** Return the pace of a policy, or null if its attempts wait for no turn. */
	public @Nullable Pace pace(EffectivePolicy policy, BackoffConfiguration configuration) {
		Pace pace = this.paces.of(policy, configuration);
		if (pace != null) {
			tell((observer) -> observer.paceMade(pace, this.paces.holds(pace)));
		}
		return pace;
	}

	/** Return the paces in use. */
	public Paces paces() {
		return this.paces;
	}

	/**
	 * Note that calls of a policy have a breaker of their key; return what warns, once,
	 * that there is no room for more.
	 */
	public Runnable divide(EffectivePolicy policy) {
		CircuitBreaker breaker = (policy.breaker() != null) ? this.breakers.find(policy.breaker()).orElse(null) : null;
		KeyTable<?> keys = (breaker != null) ? breaker.keys() : null;
		if (breaker != null && keys != null) {
			this.divided.put(breaker.name(), keys);
			tell((observer) -> observer.keysMade("breaker", breaker.name(), keys));
		}
		AtomicBoolean warned = new AtomicBoolean();
		return () -> {
			if (warned.compareAndSet(false, true)) {
				logger.warn(
						"Policy {} has {} keys that are not closed, count failures or wait, and no room for more: "
								+ "further keys share one state, as backoff.keys.overflow counts",
						policy.name(), KeyTable.MOST);
			}
		};
	}

	/** Return the last five changes of a breaker's state, the latest first. */
	public List<BreakerChange> changes(String breaker) {
		return this.listeners.changes().getOrDefault(breaker, List.of());
	}

	/**
	 * Return when a breaker closed or, while it is not closed, when it left this state;
	 * null if it has never changed.
	 */
	public @Nullable String since(String breaker) {
		return this.listeners.since().get(breaker);
	}

	@Override
	public Change prepare(PolicyResolver candidate, List<Problem> problems) {
		BackoffConfiguration configuration = candidate.configuration();
		return () -> {
			List<CircuitBreaker> added = configuration.breakers()
				.values()
				.stream()
				.filter((entry) -> this.breakers.find(entry.name()).isEmpty())
				.map(this::make)
				.toList();
			return () -> {
				added.forEach(this::add);
				this.breakers.all()
					.forEach((breaker) -> breaker.change(configuration.breaker(breaker.name()).settings()));
				this.budgets.all().forEach((budget) -> budget.change(configuration.budget(budget.name()).settings()));
				this.paces.change(configuration);
			};
		};
	}

	private CircuitBreaker add(CircuitBreaker made) {
		CircuitBreaker breaker = this.breakers.getOrAdd(made);
		if (breaker == made) {
			tell((observer) -> observer.breakerMade(made));
		}
		return breaker;
	}

	/** Return the concurrency limit of a policy, or null if it has none or is durable. */
	public @Nullable ConcurrencyLimit limit(EffectivePolicy policy) {
		RetryPolicy numbers = policy.numbers();
		if (policy.isDurable() || numbers.concurrency() == ConcurrencyLimit.UNLIMITED) {
			return null;
		}
		ConcurrencyLimit limit = this.concurrencyLimits.computeIfAbsent(policy.name(),
				(name) -> new ConcurrencyLimit(name, numbers.concurrency(), numbers.maxWaiting()));
		tell((observer) -> observer.limitMade(policy.name(), limit));
		return limit;
	}

	/** Return the limit of a policy, or null if its attempts have never been limited. */
	public @Nullable ConcurrencyLimit limit(String policy) {
		return this.concurrencyLimits.get(policy);
	}

	/**
	 * Apply the limits that the policies have now. Calls that began under a limit keep
	 * it. The limit permits any number if their policy has no limit any more.
	 */
	public void changeLimits(Collection<EffectivePolicy> policies) {
		Map<String, RetryPolicy> limits = new HashMap<>();
		// a programmatic call knows no annotation, and with it no limit
		policies.forEach((policy) -> limits.merge(policy.name(), policy.numbers(),
				(one, other) -> (other.concurrency() < one.concurrency()) ? other : one));
		limits.forEach((policy, numbers) -> this.concurrencyLimits.computeIfPresent(policy, (name, limit) -> {
			limit.change(numbers.concurrency(), numbers.maxWaiting());
			return limit;
		}));
	}

	/** Return the breakers of the configuration and of policies. */
	public CircuitBreakers breakers() {
		return this.breakers;
	}

	/** Return the budgets in use. */
	public RetryBudgets budgets() {
		return this.budgets;
	}

	/** Close all breakers, fill all budgets and let all paces forget, as at the start. */
	public void reset() {
		this.paces.forEach(Pace::reset);
		this.breakers.all().forEach(CircuitBreaker::reset);
		this.budgets.all().forEach(RetryBudget::reset);
	}

	/** Report all, also those that exist already; one may be reported several times. */
	public void observe(Observer observer) {
		this.observers.add(observer);
		this.breakers.all().forEach(observer::breakerMade);
		this.budgets.all().forEach(observer::budgetMade);
		this.concurrencyLimits.forEach(observer::limitMade);
		this.paces.forEach((pace) -> observer.paceMade(pace, this.paces.holds(pace)));
		this.divided.forEach((breaker, keys) -> observer.keysMade("breaker", breaker, keys));
	}

	private void tell(Consumer<Observer> moment) {
		this.observers.forEach(moment);
	}

	/** Receives new budgets, breakers, limits and paces, to give them meters. */
	public interface Observer {

		/** A budget was created. */
		void budgetMade(RetryBudget budget);

		/** A breaker was created. */
		void breakerMade(CircuitBreaker breaker);

		/** A limit of attempts was created. */
		void limitMade(String policy, ConcurrencyLimit limit);

		/** A pace was created, which counts its holds. */
		void paceMade(Pace pace, LongAdder holds);

		/** A breaker or another kind of state was divided by keys. */
		void keysMade(String kind, String name, KeyTable<?> keys);

	}

	/** A change of a breaker from one state, in lower case, to another. */
	public record BreakerChange(String at, String from, String to) {
	}

}
