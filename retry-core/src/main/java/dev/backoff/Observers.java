package dev.backoff;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;

/**
 * Several observers as one. They are told in their order, and the scopes of each are open
 * inside those of the one before. Immutable.
 */
record Observers(List<CallObserver> observers) implements CallObserver {

	/** Return one observer for all of them, or null if there is none. */
	static @Nullable CallObserver of(List<CallObserver> observers) {
		return oneOf(observers, Observers::new);
	}

	@Override
	public @Nullable ObservedCall callBegins(String policy, String method) {
		return together((observer) -> observer.callBegins(policy, method));
	}

	@Override
	public @Nullable ObservedCall callKept(String policy, String method, String key, int attempt) {
		return together((observer) -> observer.callKept(policy, method, key, attempt));
	}

	private @Nullable ObservedCall together(Function<CallObserver, @Nullable ObservedCall> watch) {
		return oneOf(this.observers.stream().map(watch).filter(Objects::nonNull).toList(), Calls::new);
	}

	private static <T> @Nullable T oneOf(List<T> several, Function<List<T>, T> together) {
		return switch (several.size()) {
			case 0 -> null;
			case 1 -> several.get(0);
			default -> together.apply(List.copyOf(several));
		};
	}

	/** Tell a call of one around it, as each observer of that one knows it. */
	static void isInside(ObservedCall told, ObservedCall around) {
		if (around instanceof Calls several) {
			several.calls.forEach(told::isInside);
		}
		else {
			told.isInside(around);
		}
	}

	private static Scope open(List<? extends Observed> several) {
		Deque<Scope> scopes = new ArrayDeque<>();
		several.forEach((observed) -> scopes.push(observed.open()));
		return () -> scopes.forEach(Scope::close);
	}

	private record Calls(List<ObservedCall> calls) implements ObservedCall {

		@Override
		public Scope open() {
			return Observers.open(this.calls);
		}

		@Override
		public void isInside(ObservedCall around) {
			this.calls.forEach((call) -> call.isInside(around));
		}

		@Override
		public void isAsynchronous() {
			this.calls.forEach(ObservedCall::isAsynchronous);
		}

		@Override
		public ObservedAttempt attemptBegins(int number) {
			return new Attempts(this.calls.stream().map((call) -> call.attemptBegins(number)).toList());
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			this.calls.forEach((call) -> call.waitBegins(source, nanos));
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
			this.calls.forEach((call) -> call.ends(reason, attempts, recovery, thrown));
		}

	}

	private record Attempts(List<ObservedAttempt> attempts) implements ObservedAttempt {

		@Override
		public Scope open() {
			return Observers.open(this.attempts);
		}

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.attempts.forEach((attempt) -> attempt.ends(outcome, failure));
		}

	}

}
