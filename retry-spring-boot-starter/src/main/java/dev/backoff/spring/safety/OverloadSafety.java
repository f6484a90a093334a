package dev.backoff.spring.safety;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

import dev.backoff.FailureVerdicts;
import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.budget.RetryBudget;
import dev.backoff.delay.RandomSource;
import dev.backoff.failure.FailureClassifier;
import dev.backoff.policy.DegradedMode;
import dev.backoff.policy.DegradedSettings;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.BackoffProperties.BreakerProvider;
import dev.backoff.spring.policy.BreakerEntry;
import dev.backoff.spring.policy.BreakerKey;
import dev.backoff.spring.policy.BudgetEntry;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.EffectivePolicy;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Problem;
import dev.backoff.time.RetryTime;

/**
 * Give each policy its budget, its breaker and its raised delays, one of each by name.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class OverloadSafety implements ConfigurationUser {

	private final ListableBeanFactory beanFactory;

	private final RetryTime time;

	private final RandomSource random;

	private final Listeners listeners;

	private final CircuitBreakers breakers;

	private final RetryBudgets budgets;

	private final Map<Degradable, DegradedMode> degraded = new ConcurrentHashMap<>();

	private final List<Observer> observers = new CopyOnWriteArrayList<>();

	/**
	 * Make the breakers of a configuration; budgets follow when they are asked for.
	 * @param configuration what it says of breakers and budgets
	 * @param beanFactory has the time, the source of chance, classifiers and listeners
	 */
	public OverloadSafety(BackoffConfiguration configuration, ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.time = beanFactory.getBeanProvider(RetryTime.class).getIfAvailable(RetryTime::system);
		this.random = beanFactory.getBeanProvider(RandomSource.class).getIfAvailable(RandomSource::threadLocal);
		this.listeners = new Listeners(beanFactory);
		this.breakers = CircuitBreakers.of(configuration.breakers()
			.values()
			.stream()
			.filter((entry) -> entry.provider() == BreakerProvider.OWN)
			.map(this::make)
			.toList());
		this.budgets = new RetryBudgets((budget) -> tell((observer) -> observer.budgetMade(budget)));
	}

	private CircuitBreaker make(BreakerEntry entry) {
		return CircuitBreaker.builder(entry.name())
			.settings(entry.settings())
			.time(this.time)
			.random(this.random)
			.verdict(verdicts())
			.listener(this.listeners)
			.build();
	}

	/* Classifiers are asked for late, so that none of them is created too early. */
	private Function<Throwable, CircuitBreaker.Verdict> verdicts() {
		ObjectProvider<FailureClassifier> classifiers = this.beanFactory.getBeanProvider(FailureClassifier.class);
		LateBeans<FailureVerdicts> verdicts = new LateBeans<>(
				() -> FailureVerdicts.of(classifiers.orderedStream().toList()));
		return (failure) -> verdicts.get().apply(failure);
	}

	private RetryBudget make(BudgetEntry entry) {
		return RetryBudget.of(entry.name(), entry.settings(), this.time, this.listeners);
	}

	/**
	 * Return the budget of a policy.
	 * @param policy the policy
	 * @param configuration what it says of a budget that nobody has asked for before
	 * @return the budget, or null if its retries are free
	 */
	public @Nullable RetryBudget budget(EffectivePolicy policy, BackoffConfiguration configuration) {
		String name = policy.budget();
		return (name != null) ? this.budgets.getOrMake(name, () -> make(configuration.budget(name))) : null;
	}

	/**
	 * Return the breaker of a policy, or another library's in its place.
	 * @param policy the policy
	 * @param configuration what it says of the breaker
	 * @return its permits, or null if there is none
	 * @throws InvalidBackoffException if it is another library's, which is not there or
	 * has none of that name
	 */
	public @Nullable CallPermits permits(EffectivePolicy policy, BackoffConfiguration configuration) {
		String name = policy.breaker();
		if (name == null) {
			return null;
		}
		BreakerEntry entry = configuration.breaker(name);
		if (entry.provider() != BreakerProvider.OWN) {
			return permitsOfOther(entry);
		}
		CircuitBreaker known = this.breakers.find(name).orElse(null);
		if (known != null) {
			return known;
		}
		return add(make(entry));
	}

	private CallPermits permitsOfOther(BreakerEntry entry) {
		OtherBreakers others = others();
		if (others == null) {
			throw problem(entry, "needs Resilience4j, which is not there",
					"Add the dependency io.github.resilience4j:resilience4j-spring-boot4, or remove the provider.");
		}
		try {
			return others.permits(entry.name(), entry.settings().awaited());
		}
		catch (IllegalArgumentException ex) {
			throw problem(entry, String.valueOf(ex.getMessage()),
					"Define a breaker of that name there, or remove the provider.");
		}
	}

	private @Nullable OtherBreakers others() {
		return this.beanFactory.getBeanProvider(OtherBreakers.class).getIfAvailable();
	}

	private static InvalidBackoffException problem(BreakerEntry entry, String rule, String fix) {
		EffectivePolicy.Value provider = entry.values().get(BreakerKey.PROVIDER);
		String written = (provider != null) ? " (" + provider.text() + ") at " + provider.origin() : "";
		return new InvalidBackoffException(List.of(Problem.ofPlace(
				"Invalid backoff.breakers." + entry.name() + "." + BreakerKey.PROVIDER.key() + written, rule, fix)));
	}

	/**
	 * Return the state of a breaker, for those who look.
	 * @param entry a breaker of the configuration
	 * @return its state in lower case, or null if it is another library's that does not
	 * tell
	 */
	public @Nullable String state(BreakerEntry entry) {
		if (entry.provider() == BreakerProvider.OWN) {
			return this.breakers.find(entry.name()).map((breaker) -> breaker.state().tag()).orElse(null);
		}
		OtherBreakers others = others();
		return (others != null) ? others.state(entry.name()) : null;
	}

	@Override
	public Change prepare(BackoffPolicies.Candidate candidate, List<Problem> problems) {
		BackoffConfiguration configuration = candidate.configuration();
		return () -> {
			List<CircuitBreaker> added = configuration.breakers()
				.values()
				.stream()
				.filter((entry) -> entry.provider() == BreakerProvider.OWN)
				.filter((entry) -> this.breakers.find(entry.name()).isEmpty())
				.map(this::make)
				.toList();
			return () -> {
				added.forEach(this::add);
				this.breakers.all()
					.forEach((breaker) -> breaker.change(configuration.breaker(breaker.name()).settings()));
				this.budgets.all().forEach((budget) -> budget.change(configuration.budget(budget.name()).settings()));
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

	/**
	 * Forget raised delays whose settings are in effect for no policy any more.
	 * @param policies those in effect
	 */
	public void keepDegraded(Collection<EffectivePolicy> policies) {
		Set<Degradable> kept = new HashSet<>();
		for (EffectivePolicy policy : policies) {
			DegradedSettings settings = policy.numbers().degraded();
			if (settings != null) {
				kept.add(new Degradable(policy.name(), settings));
			}
		}
		this.degraded.keySet().retainAll(kept);
	}

	/**
	 * Return who tells whether a policy's delays are raised.
	 * @param policy the policy
	 * @return the mode, or null if they never are
	 */
	public @Nullable DegradedMode degraded(EffectivePolicy policy) {
		DegradedSettings settings = policy.numbers().degraded();
		if (settings == null) {
			return null;
		}
		Degradable key = new Degradable(policy.name(), settings);
		DegradedMode known = this.degraded.get(key);
		if (known != null) {
			return known;
		}
		DegradedMode made = new DegradedMode(settings,
				(mode, degraded, counts) -> this.listeners.degraded(policy.name(), degraded, counts));
		DegradedMode before = this.degraded.putIfAbsent(key, made);
		if (before == null) {
			tell((observer) -> observer.degradedMade(policy.name(), made));
		}
		return (before != null) ? before : made;
	}

	/**
	 * {@return the breakers; those of the configuration, and those that policies named
	 * after themselves}
	 */
	public CircuitBreakers breakers() {
		return this.breakers;
	}

	/**
	 * {@return the budgets; those in use}
	 */
	public RetryBudgets budgets() {
		return this.budgets;
	}

	/**
	 * Return whether a policy's delays are raised now.
	 * @param policy the policy's name
	 * @return true or false, or null if they never are
	 */
	public @Nullable Boolean isDegraded(String policy) {
		long now = this.time.nanoTime();
		return this.degraded.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().policy().equals(policy))
			.map((entry) -> entry.getValue().isDegraded(now))
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	/**
	 * {@return the time that all of them live in}
	 */
	public RetryTime time() {
		return this.time;
	}

	/**
	 * Tell an observer of all that is made, what was made before included.
	 * @param observer told of each once, or now and then twice if it is made meanwhile
	 */
	public void observe(Observer observer) {
		this.observers.add(observer);
		this.breakers.all().forEach(observer::breakerMade);
		this.budgets.all().forEach(observer::budgetMade);
		this.degraded.forEach((key, mode) -> observer.degradedMade(key.policy(), mode));
	}

	private void tell(Consumer<Observer> moment) {
		this.observers.forEach(moment);
	}

	/** Told what is made, so that it gets meters. */
	public interface Observer {

		/**
		 * A budget was made.
		 * @param budget the budget
		 */
		void budgetMade(RetryBudget budget);

		/**
		 * A breaker was made.
		 * @param breaker the breaker
		 */
		void breakerMade(CircuitBreaker breaker);

		/**
		 * Delays of a policy may be raised from now on.
		 * @param policy the policy's name
		 * @param mode tells whether they are
		 */
		void degradedMade(String policy, DegradedMode mode);

	}

	/** The settings belong to a policy, and a method may have a policy of its own. */
	private record Degradable(String policy, DegradedSettings settings) {
	}

}
