package dev.backoff.spring.safety;

import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Tell all listeners among the beans, whatever one of them throws. They are looked up
 * when there is something to tell. Thread-safe.
 */
final class Listeners implements RetryBudget.Listener, CircuitBreaker.Listener {

	private static final Logger logger = LoggerFactory.getLogger(OverloadSafety.class);

	private final LateBeans<List<RetryBudget.Listener>> ofBudgets;

	private final LateBeans<List<CircuitBreaker.Listener>> ofBreakers;

	private final LateBeans<List<DegradedListener>> ofPolicies;

	Listeners(ListableBeanFactory beanFactory) {
		this.ofBudgets = new LateBeans<>(
				() -> beanFactory.getBeanProvider(RetryBudget.Listener.class).orderedStream().toList());
		this.ofBreakers = new LateBeans<>(
				() -> beanFactory.getBeanProvider(CircuitBreaker.Listener.class).orderedStream().toList());
		this.ofPolicies = new LateBeans<>(
				() -> beanFactory.getBeanProvider(DegradedListener.class).orderedStream().toList());
	}

	@Override
	public void ranDry(RetryBudget budget) {
		tell(this.ofBudgets, (listener) -> listener.ranDry(budget));
	}

	@Override
	public void recovered(RetryBudget budget) {
		tell(this.ofBudgets, (listener) -> listener.recovered(budget));
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		tell(this.ofBreakers, (listener) -> listener.transition(breaker, from, to));
	}

	@Override
	public void thresholdExceeded(CircuitBreaker breaker) {
		tell(this.ofBreakers, (listener) -> listener.thresholdExceeded(breaker));
	}

	void degraded(String policy, boolean degraded, Counts counts) {
		tell(this.ofPolicies, (listener) -> listener.changed(policy, degraded, counts));
	}

	private static <L> void tell(LateBeans<List<L>> listeners, Consumer<L> moment) {
		for (L listener : listeners.get()) {
			try {
				moment.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Listener {} failed; no call did", listener.getClass().getName(), ex);
			}
		}
	}

}
