package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;
import dev.backoff.window.OutcomeWindow.Counts;

/**
 * Show the breakers in the application's health. An open breaker means that a dependency
 * fails and not this application, so the status is {@code UP} by default. Where breakers
 * decide, an open breaker means {@code DOWN} and one that was forced open
 * {@code OUT_OF_SERVICE}. As soon as its probe is due, a breaker is half-open and counts
 * as {@code UP}: an instance that is down gets no call to probe with. Of the keys of a
 * breaker, more than half must be open to count. Thread-safe.
 */
record BackoffBreakersHealthIndicator(CircuitBreakers breakers, boolean deciding) implements HealthIndicator {

	@Override
	public Health health() {
		Health.Builder health = Health.up();
		boolean down = false;
		boolean outOfService = false;
		for (CircuitBreaker breaker : this.breakers.all()) {
			BreakerState state = breaker.state();
			down |= state == BreakerState.OPEN || 2 * breaker.keysIn(BreakerState.OPEN) > keys(breaker);
			outOfService |= state == BreakerState.FORCED_OPEN;
			health.withDetail(breaker.name(), details(breaker, state));
		}
		if (this.deciding && (down || outOfService)) {
			health.status(down ? Status.DOWN : Status.OUT_OF_SERVICE);
		}
		return health.build();
	}

	private static int keys(CircuitBreaker breaker) {
		return (breaker.keys() != null) ? breaker.keys().size() : 0;
	}

	private static Map<String, Object> details(CircuitBreaker breaker, BreakerState state) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("state", state.tag());
		Counts counts = breaker.counts();
		if (counts.total() > 0) {
			details.put("failureRate", counts.failureRate());
			details.put("slowCallRate", counts.slowRate());
		}
		if (keys(breaker) > 0) {
			details.put("keys", keys(breaker));
			details.put("openKeys", breaker.keysIn(BreakerState.OPEN));
		}
		return details;
	}

}
