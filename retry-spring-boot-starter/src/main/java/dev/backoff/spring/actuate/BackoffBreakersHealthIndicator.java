package dev.backoff.spring.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreaker.State;
import dev.backoff.breaker.CircuitBreakers;

/**
 * Show the breakers in the application's health.
 * <p>
 * An open breaker says that somebody else is ill, so the status is {@code UP} unless
 * asked otherwise; then an open breaker means {@code DOWN} and one that was forced open
 * {@code OUT_OF_SERVICE}. Keep it out of the liveness group: a restart mends no
 * dependency. Thread-safe.
 *
 * @since 0.1
 */
public class BackoffBreakersHealthIndicator implements HealthIndicator {

	private final CircuitBreakers breakers;

	private final boolean deciding;

	/**
	 * Make an indicator.
	 * @param breakers what to show
	 * @param deciding whether open breakers decide on the status
	 */
	public BackoffBreakersHealthIndicator(CircuitBreakers breakers, boolean deciding) {
		this.breakers = breakers;
		this.deciding = deciding;
	}

	@Override
	public Health health() {
		Health.Builder health = Health.up();
		boolean down = false;
		boolean outOfService = false;
		for (CircuitBreaker breaker : this.breakers.all()) {
			State state = breaker.state();
			down |= state == State.OPEN;
			outOfService |= state == State.FORCED_OPEN;
			health.withDetail(breaker.name(), details(breaker, state));
		}
		if (this.deciding && (down || outOfService)) {
			health.status(down ? Status.DOWN : Status.OUT_OF_SERVICE);
		}
		return health.build();
	}

	private static Map<String, Object> details(CircuitBreaker breaker, State state) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("state", state.tag());
		breaker.failureRate().ifPresent((rate) -> details.put("failureRate", rate));
		breaker.slowCallRate().ifPresent((rate) -> details.put("slowCallRate", rate));
		return details;
	}

}
