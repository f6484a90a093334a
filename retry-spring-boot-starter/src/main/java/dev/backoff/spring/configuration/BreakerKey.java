package dev.backoff.spring.configuration;

import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.spring.configuration.BackoffProperties.BreakerProvider;
import dev.backoff.spring.configuration.BackoffProperties.OnOpen;

/**
 * The keys of a circuit breaker, which {@link BackoffProperties.Breaker} describes, with
 * their parsers, defaults and setters.
 *
 * @since 0.1
 */
public enum BreakerKey implements ConfigurationKey {

	PROVIDER((text) -> TextValues.word(BreakerProvider.class, text), "own", null),

	FAILURE_RATE(OverloadValues::share, "50%", BreakerSettings.Builder::failureRate),

	SLOW_CALL(TextValues::durationOrNone, "none", (builder, time) -> builder.slowCall(time.isZero() ? null : time)),

	SLOW_CALL_RATE(OverloadValues::share, "80%", BreakerSettings.Builder::slowCallRate),

	WINDOW(OverloadValues::window, "30s", BreakerSettings.Builder::window),

	MINIMUM_CALLS(OverloadValues::wholeNumber, "20", BreakerSettings.Builder::minimumCalls),

	OPEN_FOR(TextValues::positiveDuration, "30s", BreakerSettings.Builder::openFor),

	OPEN_FOR_MULTIPLIER((text) -> OverloadValues.growth(text, "time"), "1", BreakerSettings.Builder::openForMultiplier),

	PROBES(OverloadValues::wholeNumber, "3", BreakerSettings.Builder::probes),

	HALF_OPEN_TIMEOUT(TextValues::positiveDuration, null, BreakerSettings.Builder::halfOpenTimeout),

	ON_OPEN((text) -> TextValues.word(OnOpen.class, text), "fail",
			(builder, onOpen) -> builder.awaited(onOpen == OnOpen.WAIT));

	@SuppressWarnings("ImmutableEnumChecker") // parsers and setters have no state
	private final ValueType type;

	@SuppressWarnings("ImmutableEnumChecker")
	private final @Nullable BiConsumer<BreakerSettings.Builder, Object> setter;

	@SuppressWarnings("unchecked") // the setter gets what the parser returns
	<T> BreakerKey(Function<String, T> parser, @Nullable String builtIn,
			@Nullable BiConsumer<BreakerSettings.Builder, T> setter) {
		this.type = ValueType.of(parser, builtIn);
		this.setter = (BiConsumer<BreakerSettings.Builder, Object>) setter;
	}

	@Override
	public ValueType type() {
		return this.type;
	}

	/** Set a value, unless it cannot be read. */
	void set(BreakerSettings.Builder builder, @Nullable Object value) {
		if (this.setter != null && value != null) {
			this.setter.accept(builder, value);
		}
	}

}
