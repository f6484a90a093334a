package dev.backoff.spring.observation;

import java.time.Duration;

import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent.RecoveryOutcome;
import dev.backoff.event.StopReason;
import dev.backoff.spring.reactive.ObservationCarrier;
import dev.backoff.time.DurationText;

/**
 * Observe each call and each of its attempts with Micrometer, as
 * {@link BackoffObservations} describes. An attempt is a child of its call. A call is a
 * child of the observation that is current where the call begins, for instance of an
 * enclosing attempt.
 * <p>
 * Without handlers in the registry, nothing is observed. A predicate of the registry may
 * exclude calls but not attempts, or attempts but not calls.
 * <p>
 * A failure is handed to Micrometer unchanged. Meters of observations have the failure's
 * class as a tag. Tracers record its message and its stack trace. Thread-safe.
 *
 * @param registry where calls are observed
 * @param calls the convention of calls, or null for that of the registry
 * @param attempts the convention of attempts, or null for that of the registry
 * @since 0.1
 */
public record MicrometerObserver(ObservationRegistry registry, @Nullable BackoffCallConvention calls,
		@Nullable BackoffAttemptConvention attempts) implements CallObserver, ObservationCarrier {

	private static final BackoffCallConvention CALL = new BackoffCallConvention() {
	};

	private static final BackoffAttemptConvention ATTEMPT = new BackoffAttemptConvention() {
	};

	private static final Scope NOTHING = () -> {
	};

	/** Observe with the registry's conventions, or with the default conventions. */
	public MicrometerObserver(ObservationRegistry registry) {
		this(registry, null, null);
	}

	@Override
	public @Nullable ObservedCall callBegins(String policy, String method) {
		if (this.registry.isNoop()) {
			return null;
		}
		Observation around = this.registry.getCurrentObservation();
		BackoffCallContext context = new BackoffCallContext(policy, method);
		Observation call = BackoffObservations.CALL.observation(this.calls, CALL, () -> context, this.registry);
		call.start();
		return new Call(this, call, context, call.isNoop() ? around : call);
	}

	@Override
	public Object key() {
		return ObservationThreadLocalAccessor.KEY;
	}

	@Override
	public @Nullable Object current() {
		return this.registry.getCurrentObservation();
	}

	@Override
	public Scope open(@Nullable Object carried) {
		try {
			if (carried == this.registry.getCurrentObservation()) {
				return NOTHING;
			}
			Scope scope = openScope(
					(carried instanceof Observation observation) ? observation : new NullObservation(this.registry));
			return () -> {
				try {
					scope.close();
				}
				catch (Throwable ex) {
					// the observed call itself reports such a handler
				}
			};
		}
		catch (Throwable ex) {
			return NOTHING;
		}
	}

	/* If a handler throws, Micrometer leaves the scope open on this thread. */
	private Scope openScope(@Nullable Observation observation) {
		if (observation == null || observation.isNoop()) {
			return NOTHING;
		}
		Observation.Scope around = this.registry.getCurrentObservationScope();
		try {
			Observation.Scope scope = observation.openScope();
			return () -> close(scope, around);
		}
		catch (Throwable ex) {
			restore(around);
			throw ex;
		}
	}

	private void close(Observation.Scope scope, Observation.@Nullable Scope around) {
		try {
			scope.close();
		}
		catch (Throwable ex) {
			restore(around);
			throw ex;
		}
	}

	/* Only the deprecated method undoes the work of single handlers. */
	@SuppressWarnings("deprecation")
	private void restore(Observation.@Nullable Scope around) {
		try {
			Observation.Scope left = this.registry.getCurrentObservationScope();
			if (left != null && left != around) {
				left.reset();
			}
			if (around != null) {
				around.makeCurrent();
			}
		}
		catch (Throwable ex) {
			// the handler throws here too
		}
		finally {
			this.registry.setCurrentObservationScope(around);
		}
	}

	/** One call, and the parent of its attempts. */
	private record Call(MicrometerObserver observer, Observation observation, BackoffCallContext context,
			@Nullable Observation parent) implements ObservedCall {

		@Override
		public Scope open() {
			return this.observer.openScope(this.parent);
		}

		/*
		 * Tracers prefer the current span to the given parent, so the parent is opened.
		 */
		@Override
		public ObservedAttempt attemptBegins(int number) {
			long delay = this.context.attemptBegins(number);
			BackoffAttemptContext attempt = new BackoffAttemptContext(this.context.policy(), this.context.method(),
					number, Duration.ofNanos(delay));
			Scope scope = open();
			try {
				Observation observation = BackoffObservations.ATTEMPT.observation(this.observer.attempts, ATTEMPT,
						() -> attempt, this.observer.registry);
				observation.start();
				return new Attempt(this.observer, observation, attempt,
						observation.isNoop() ? this.parent : observation);
			}
			finally {
				scope.close();
			}
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			this.context.waitBegins(nanos);
			this.observation.event(BackoffObservations.WAIT.format(DurationText.rounded(nanos), source.tag()));
		}

		@Override
		public void ends(StopReason reason, int attempts, RecoveryOutcome recovery, @Nullable Throwable thrown) {
			this.context.ends(reason, attempts, recovery);
			end(this.observation, thrown);
		}

	}

	/** One attempt, and the observation that is open while it runs. */
	private record Attempt(MicrometerObserver observer, Observation observation, BackoffAttemptContext context,
			@Nullable Observation nesting) implements ObservedAttempt {

		@Override
		public Scope open() {
			return this.observer.openScope(this.nesting);
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.context.ends(outcome);
			end(this.observation, failure);
		}

	}

	private static void end(Observation observation, @Nullable Throwable failure) {
		try {
			if (failure != null) {
				observation.error(failure);
			}
		}
		finally {
			observation.stop();
		}
	}

}
