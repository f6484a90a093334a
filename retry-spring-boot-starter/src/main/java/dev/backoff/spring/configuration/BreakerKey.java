package dev.backoff.spring.configuration;

import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.BreakerSettings;
import dev.backoff.spring.configuration.BackoffProperties.BreakerProvider;
import dev.backoff.spring.configuration.BackoffProperties.OnOpen;

/** The keys of a circuit breaker, with their parsers, defaults and setters. @since 0.1 */
public enum BreakerKey implements ConfigurationKey {

	/** Library that has the circuit breaker. */
	PROVIDER(ValueType.of((text) -> TextValues.word(BreakerProvider.class, text), "own")),

	/** Share of failed calls that opens it. */
	FAILURE_RATE(OverloadValues::share, "50%", BreakerSettings.Builder::failureRate),

	/** Time that a call must exceed to count as slow. */
	SLOW_CALL(TextValues::durationOrNone, "none", (builder, time) -> builder.slowCall(time.isZero() ? null : time)),

	/** Share of slow calls that opens it. */
	SLOW_CALL_RATE(OverloadValues::share, "80%", BreakerSettings.Builder::slowCallRate),

	/** How far back it counts. */
	WINDOW(OverloadValues::window, "30s", BreakerSettings.Builder::window),

	/** Calls the window must hold before it opens. */
	MINIMUM_CALLS(OverloadValues::wholeNumber, "20", BreakerSettings.Builder::minimumCalls),

	/** Longest time that it stays open. */
	OPEN_FOR(TextValues::positiveDuration, "30s", BreakerSettings.Builder::openFor),

	/** Growth of that time while probes fail. */
	OPEN_FOR_MULTIPLIER((text) -> OverloadValues.growth(text, "time"), "1", BreakerSettings.Builder::openForMultiplier),

	/** Calls it lets through half-open. */
	PROBES(OverloadValues::wholeNumber, "3", BreakerSettings.Builder::probes),

	/** Time its probes may take; {@link #OPEN_FOR} unless set. */
	HALF_OPEN_TIMEOUT(TextValues::positiveDuration, null, BreakerSettings.Builder::halfOpenTimeout),

	/** What a refused call does. */
	ON_OPEN((text) -> TextValues.word(OnOpen.class, text), "fail",
			(builder, onOpen) -> builder.awaited(onOpen == OnOpen.WAIT));

	@SuppressWarnings("ImmutableEnumChecker") // parsers and setters have no state
	private final ValueType type;

	@SuppressWarnings("ImmutableEnumChecker")
	private final @Nullable BiConsumer<BreakerSettings.Builder, Object> setter;

	BreakerKey(ValueType type) {
		this(type, null);
	}

	@SuppressWarnings("unchecked") // the setter gets what the parser returns
	<T> BreakerKey(Function<String, T> parser, @Nullable String builtIn,
			BiConsumer<BreakerSettings.Builder, T> setter) {
		this(ValueType.of(parser, builtIn), (BiConsumer<BreakerSettings.Builder, Object>) setter);
	}

	BreakerKey(ValueType type, @Nullable BiConsumer<BreakerSettings.Builder, Object> setter) {
		this.type = type;
		this.setter = setter;
	}

	@Override
	public ValueType type() {
		return this.type;
	}

	/** Set a value that was written and can be read; others stay as built in. */
	void set(BreakerSettings.Builder builder, @Nullable ConfigValue value) {
		if (this.setter != null && value != null && value.parsed() != null) {
			this.setter.accept(builder, value.parsed());
		}
	}

}
