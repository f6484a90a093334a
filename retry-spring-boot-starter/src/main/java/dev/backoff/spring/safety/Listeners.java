package dev.backoff.spring.safety;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.budget.RetryBudget;
import dev.backoff.spring.safety.OverloadSafety.BreakerChange;

/**
 * Notify all listeners among the beans, even if one of them throws. They are looked up at
 * each event, since events are rare and listeners may be created late. Keep the last five
 * changes of each breaker, the latest first, and when it last closed or left closed.
 * Thread-safe.
 */
record Listeners(ListableBeanFactory beanFactory, Map<String, List<BreakerChange>> changes,
		Map<String, String> since) implements RetryBudget.Listener, CircuitBreaker.Listener {

	private static final Logger logger = LoggerFactory.getLogger(OverloadSafety.class);

	@Override
	public void ranDry(RetryBudget budget) {
		tell(RetryBudget.Listener.class, (listener) -> listener.ranDry(budget));
	}

	@Override
	public void recovered(RetryBudget budget) {
		tell(RetryBudget.Listener.class, (listener) -> listener.recovered(budget));
	}

	@Override
	public void barring(RetryBudget budget, boolean barring) {
		tell(RetryBudget.Listener.class, (listener) -> listener.barring(budget, barring));
	}

	@Override
	public void transition(CircuitBreaker breaker, BreakerState from, BreakerState to) {
		Clock clock = this.beanFactory.getBeanProvider(Clock.class).getIfUnique(Clock::systemUTC);
		BreakerChange change = new BreakerChange(clock.instant().toString(), from.tag(), to.tag());
		this.changes.merge(breaker.name(), List.of(change),
				(before, added) -> Stream.concat(added.stream(), before.stream().limit(4)).toList());
		if (from == BreakerState.CLOSED || to == BreakerState.CLOSED) {
			this.since.put(breaker.name(), change.at());
		}
		tell(CircuitBreaker.Listener.class, (listener) -> listener.transition(breaker, from, to));
	}

	private <L> void tell(Class<L> type, Consumer<L> event) {
		this.beanFactory.getBeanProvider(type).orderedStream().forEach((listener) -> {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Listener {} failed; calls are not affected", listener.getClass().getName(), ex);
			}
		});
	}

}
