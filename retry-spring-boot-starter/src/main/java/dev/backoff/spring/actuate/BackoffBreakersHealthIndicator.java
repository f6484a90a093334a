package dev.backoff.spring.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import dev.backoff.breaker.BreakerState;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitBreakers;

/**
 * Show the breakers in the application's health.
 * <p>
 * An open breaker says that somebody else is ill, so the status is {@code UP} unless
 * asked otherwise; then an open breaker means {@code DOWN} and one that was forced open
 * {@code OUT_OF_SERVICE}. Once the time of an open breaker is over, the status is
 * {@code UP} again: only a call moves it on, and an instance that is down gets none. Keep
 * it out of the liveness group, since a restart mends no dependency, and out of the
 * readiness group unless the instance can do nothing without it. Thread-safe.
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
			BreakerState state = breaker.state();
			boolean probeDue = isProbeDue(breaker);
			down |= state == BreakerState.OPEN && !probeDue;
			outOfService |= state == BreakerState.FORCED_OPEN;
			health.withDetail(breaker.name(), details(breaker, state, probeDue));
		}
		if (this.deciding && (down || outOfService)) {
			health.status(down ? Status.DOWN : Status.OUT_OF_SERVICE);
		}
		return health.build();
	}

	/* Only a call moves it on, and nobody sends one to an instance that is down. */
	private static boolean isProbeDue(CircuitBreaker breaker) {
		Duration timeToProbe = breaker.timeToProbe();
		return timeToProbe != null && timeToProbe.isZero();
	}

	private static Map<String, Object> details(CircuitBreaker breaker, BreakerState state, boolean probeDue) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("state", state.tag());
		if (state == BreakerState.OPEN && probeDue) {
			details.put("probeDue", true);
		}
		breaker.failureRate().ifPresent((rate) -> details.put("failureRate", rate));
		breaker.slowCallRate().ifPresent((rate) -> details.put("slowCallRate", rate));
		return details;
	}

}
