package dev.backoff.spring.safety;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.spring.configuration.Name;

/**
 * Find the breakers of Resilience4j by name. A breaker that is not configured there is
 * not created, because its settings would be arbitrary.
 * <p>
 * Each attempt is one call of the breaker. An answer counts as a success, as for our own
 * breakers. The breaker's own rules record or ignore a failure. For them, a result that
 * was not good enough is a {@link ResultNotGoodEnough}. Thread-safe.
 *
 * @param registry gives null unless there is one registry
 * @since 0.1
 */
public record Resilience4jBreakers(
		Supplier<? extends @Nullable CircuitBreakerRegistry> registry) implements OverloadSafety.OtherBreakers {

	private static final Logger logger = LoggerFactory.getLogger(Resilience4jBreakers.class);

	@Override
	public CallPermits permits(String name, boolean awaited) {
		CircuitBreakerRegistry breakers = this.registry.get();
		if (breakers == null) {
			throw new IllegalArgumentException("needs exactly one bean of the type CircuitBreakerRegistry");
		}
		return find(breakers, name).map((breaker) -> new Permits(breaker, awaited, new AtomicBoolean()))
			.orElseThrow(() -> new IllegalArgumentException(unknown(breakers)));
	}

	@Override
	public @Nullable String state(String name) {
		CircuitBreakerRegistry breakers = this.registry.get();
		return (breakers != null)
				? find(breakers, name).map((breaker) -> breaker.getState().name().toLowerCase(Locale.ROOT)).orElse(null)
				: null;
	}

	/* An environment variable has only the letters and digits of a name. */
	private static Optional<CircuitBreaker> find(CircuitBreakerRegistry breakers, String name) {
		Name wanted = Name.of(name);
		return breakers.find(name)
			.or(() -> breakers.getAllCircuitBreakers()
				.stream()
				.filter((breaker) -> wanted.is(breaker.getName()))
				.findFirst());
	}

	private static String unknown(CircuitBreakerRegistry breakers) {
		List<String> names = breakers.getAllCircuitBreakers().stream().map(CircuitBreaker::getName).sorted().toList();
		return "names no breaker of Resilience4j, which has "
				+ (names.isEmpty() ? "none" : "these: " + String.join(", ", names));
	}

	/** Stands for a result that was not good enough. It has no stack trace. */
	public static final class ResultNotGoodEnough extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private ResultNotGoodEnough() {
			super("The result was not good enough.", null, false, false);
		}

	}

	/**
	 * A breaker and its permits, which have no state of their own. The breaker's rules
	 * are code of the application: if they throw, attempts are made and end all the same.
	 */
	private record Permits(CircuitBreaker breaker, boolean awaited,
			AtomicBoolean failed) implements CallPermits, CallPermits.Permit {

		@Override
		public String name() {
			return this.breaker.getName();
		}

		@Override
		public @Nullable Permit tryAcquire(long now) {
			try {
				return this.breaker.tryAcquirePermission() ? this : null;
			}
			catch (Throwable ex) {
				log(ex);
				return UNCOUNTED;
			}
		}

		/* A breaker leaves its open state only when a permit is acquired. */
		@Override
		public boolean isPermitting(long now) {
			return switch (this.breaker.getState()) {
				case OPEN, FORCED_OPEN -> false;
				case CLOSED, HALF_OPEN, DISABLED, METRICS_ONLY -> true;
			};
		}

		/* Unknown. */
		@Override
		public long nanosToPermit(long now) {
			return 0;
		}

		@Override
		public boolean isAwaited() {
			return this.awaited;
		}

		@Override
		public CircuitOpenException rejection(long now) {
			String state = this.breaker.getState().name().toLowerCase(Locale.ROOT).replace('_', '-');
			return new CircuitOpenException(name(), state, null, null);
		}

		@Override
		public void succeeded(long nanos, long now) {
			try {
				this.breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
			}
			catch (Throwable ex) {
				log(ex);
			}
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
			try {
				this.breaker.onError(nanos, TimeUnit.NANOSECONDS,
						(failure != null) ? failure : new ResultNotGoodEnough());
			}
			catch (Throwable ex) {
				log(ex);
			}
		}

		@Override
		public void released() {
			try {
				this.breaker.releasePermission();
			}
			catch (Throwable ex) {
				log(ex);
			}
		}

		private void log(Throwable failure) {
			logger.atLevel(this.failed.getAndSet(true) ? Level.DEBUG : Level.ERROR)
				.setCause(failure)
				.log("The breaker " + name() + " threw " + failure.getClass().getName() + ", which was worked around");
		}

		/* The state in which a permit was acquired is unknown. */
		@Override
		public boolean covers(CallPermits other) {
			return other instanceof Permits permits && permits.breaker == this.breaker
					&& this.breaker.getState() == CircuitBreaker.State.HALF_OPEN;
		}

		@Override
		public String toString() {
			return "Resilience4j's breaker " + name();
		}

	}

}
