package dev.backoff.spring.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.spring.configuration.BackoffProperties.OnOpen;
import dev.backoff.window.OutcomeWindow.WindowLength;

/**
 * The keys of a circuit breaker, which {@link BackoffProperties.Breaker} describes, with
 * their parsers, defaults and setters.
 */
final class BreakerKey {

	static final List<Key<?>> KEYS = new ArrayList<>();

	static final Key<Double> FAILURE_RATE = Key.of(KEYS, "failure-rate", OverloadValues::share, "50%",
			BreakerSettings.Builder::failureRate);

	static final Key<Duration> SLOW_CALL = Key.of(KEYS, "slow-call", TextValues::durationOrNone, "none",
			(BreakerSettings.Builder builder, Duration time) -> builder.slowCall(time.isZero() ? null : time));

	static final Key<Double> SLOW_CALL_RATE = Key.of(KEYS, "slow-call-rate", OverloadValues::share, "80%",
			BreakerSettings.Builder::slowCallRate);

	static final Key<WindowLength> WINDOW = Key.of(KEYS, "window", OverloadValues::window, "30s",
			BreakerSettings.Builder::window);

	static final Key<Integer> MINIMUM_CALLS = Key.of(KEYS, "minimum-calls", OverloadValues::wholeNumber, "20",
			BreakerSettings.Builder::minimumCalls);

	static final Key<Duration> OPEN_FOR = Key.of(KEYS, "open-for", TextValues::positiveDuration, "30s",
			BreakerSettings.Builder::openFor);

	static final Key<Double> OPEN_FOR_MULTIPLIER = Key.of(KEYS, "open-for-multiplier",
			(text) -> OverloadValues.growth(text, "time"), "1", BreakerSettings.Builder::openForMultiplier);

	static final Key<Integer> PROBES = Key.of(KEYS, "probes", OverloadValues::wholeNumber, "3",
			BreakerSettings.Builder::probes);

	static final Key<Duration> HALF_OPEN_TIMEOUT = Key.of(KEYS, "half-open-timeout", TextValues::positiveDuration, null,
			BreakerSettings.Builder::halfOpenTimeout);

	static final Key<OnOpen> ON_OPEN = Key.of(KEYS, "on-open", OverloadValues.oneOf(OnOpen.class), "fail",
			(BreakerSettings.Builder builder, OnOpen onOpen) -> builder.awaited(onOpen == OnOpen.WAIT));

	private BreakerKey() {
	}

}
