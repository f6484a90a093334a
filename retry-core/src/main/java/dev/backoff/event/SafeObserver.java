package dev.backoff.event;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Several observers as one, guarded where they enter: one that fails leaves a call alone.
 * They are called in their order, and the scopes of each are open inside those of the one
 * before.
 */
record SafeObserver(List<CallObserver> observers, Consumer<Throwable> report) implements CallObserver {

	@Override
	public @Nullable ObservedCall callBegins(String policy, String method) {
		return together((observer) -> observer.callBegins(policy, method));
	}

	@Override
	public @Nullable ObservedCall callStored(String policy, String method, String key, int attempt) {
		return together((observer) -> observer.callStored(policy, method, key, attempt));
	}

	private @Nullable ObservedCall together(Function<CallObserver, @Nullable ObservedCall> watch) {
		List<ObservedCall> calls = new ArrayList<>(this.observers.size());
		each(this.observers, (observer) -> {
			ObservedCall call = watch.apply(observer);
			if (call != null) {
				calls.add(call);
			}
		});
		return calls.isEmpty() ? null : new SafeCall(calls, this);
	}

	private void run(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			this.report.accept(ex);
		}
	}

	private <T> void each(List<T> objects, Consumer<T> action) {
		objects.forEach((object) -> run(() -> action.accept(object)));
	}

	private Scope open(List<? extends Observed> observed) {
		Deque<Scope> scopes = new ArrayDeque<>();
		each(observed, (one) -> scopes.push(one.open()));
		return () -> scopes.forEach((scope) -> run(scope::close));
	}

	record SafeCall(List<ObservedCall> calls, SafeObserver observer) implements ObservedCall {

		@Override
		public void isInside(ObservedCall around) {
			this.observer.each(this.calls, (call) -> call.isInside(around));
		}

		@Override
		public void isAsynchronous() {
			this.observer.each(this.calls, ObservedCall::isAsynchronous);
		}

		@Override
		public ObservedAttempt attemptBegins(int number) {
			List<ObservedAttempt> attempts = new ArrayList<>(this.calls.size());
			this.observer.each(this.calls, (call) -> attempts.add(call.attemptBegins(number)));
			return new SafeAttempt(attempts, this.observer);
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			this.observer.each(this.calls, (call) -> call.waitBegins(source, nanos));
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
			this.observer.each(this.calls, (call) -> call.ends(reason, attempts, recovery, thrown));
		}

		@Override
		public Scope open() {
			return this.observer.open(this.calls);
		}

	}

	private record SafeAttempt(List<ObservedAttempt> attempts, SafeObserver observer) implements ObservedAttempt {

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.observer.each(this.attempts, (attempt) -> attempt.ends(outcome, failure));
		}

		@Override
		public Scope open() {
			return this.observer.open(this.attempts);
		}

	}

}
