package dev.backoff;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;

/**
 * Guard the objects that a {@link Retry} is built with. What such an object throws is
 * reported, and the call goes on with a harmless answer. The library's own objects are
 * returned as they are, so that they are called directly. Time and the random source are
 * guarded by their own types, listeners and the recorder by {@link CallEvents}. All other
 * guards are in this file, so that an object is guarded once, where it enters.
 */
final class SafeCallbacks {

	/** The permit of an attempt that no breaker counts. */
	static final CallPermits.Permit UNCOUNTED = new CallPermits.Permit() {

		@Override
		public void succeeded(long nanos, long now) {
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
		}

		@Override
		public void released() {
		}

	};

	private static final CallObserver.Scope NOTHING = () -> {
	};

	private static final CallObserver.ObservedAttempt UNOBSERVED = new CallObserver.ObservedAttempt() {

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
		}

		@Override
		public CallObserver.Scope open() {
			return NOTHING;
		}

	};

	private final BiConsumer<String, Throwable> report;

	/** Guard objects; report the kind of the one that fails and what it threw. */
	SafeCallbacks(BiConsumer<String, Throwable> report) {
		this.report = report;
	}

	/** Return a breaker that permits every attempt when it fails. */
	@Nullable CallPermits permits(@Nullable CallPermits permits) {
		return (permits == null || permits instanceof CircuitBreaker) ? permits
				: new SafePermits(permits, new Hook("breaker", this.report));
	}

	/** Return a switch that is off when it fails. */
	CallSettings.Switch switchOf(RetryPolicy policy, BooleanSupplier enabled) {
		return () -> {
			try {
				return (policy.isEnabled() && enabled.getAsBoolean()) ? null : Decision.DISABLED;
			}
			catch (Throwable ex) {
				this.report.accept("switch", ex);
				return Decision.switchFailed(ex);
			}
		};
	}

	/** Return a supplier that returns another executor when it fails. */
	Supplier<Executor> executors(Supplier<? extends Executor> executors, Executor otherwise) {
		Hook hook = new Hook("executor", this.report);
		return () -> hook.get(executors, otherwise);
	}

	/**
	 * Return one observer for all of them, or null if there is none. One that fails
	 * leaves a call alone. They are told in their order, and the scopes of each are open
	 * inside those of the one before.
	 */
	@Nullable CallObserver observer(List<CallObserver> observers) {
		return observers.isEmpty() ? null : new SafeObserver(List.copyOf(observers), new Hook("observer", this.report));
	}

	/** One kind of object, of which failures are reported. */
	private record Hook(String name, BiConsumer<String, Throwable> report) {

		void failed(Throwable failure) {
			this.report.accept(this.name, failure);
		}

		void run(Runnable action) {
			try {
				action.run();
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}

		<T> void each(List<T> objects, Consumer<T> action) {
			objects.forEach((object) -> run(() -> action.accept(object)));
		}

		<T extends @Nullable Object> T get(Supplier<? extends T> supplier, T otherwise) {
			try {
				return supplier.get();
			}
			catch (Throwable ex) {
				failed(ex);
				return otherwise;
			}
		}

		CallObserver.Scope open(List<? extends CallObserver.Observed> observed) {
			Deque<CallObserver.Scope> scopes = new ArrayDeque<>();
			each(observed, (one) -> scopes.push(one.open()));
			return () -> scopes.forEach((scope) -> run(scope::close));
		}

	}

	private record SafePermits(CallPermits permits, Hook hook) implements CallPermits {

		@Override
		public String name() {
			return this.hook.get(this.permits::name, "of the policy");
		}

		@Override
		public @Nullable Permit tryAcquire(long now) {
			Permit permit = this.hook.get(() -> this.permits.tryAcquire(now), UNCOUNTED);
			return (permit == null || permit == UNCOUNTED) ? permit : new SafePermit(permit, this.hook);
		}

		@Override
		public boolean isPermitting(long now) {
			return this.hook.get(() -> this.permits.isPermitting(now), true);
		}

		@Override
		public long nanosToPermit(long now) {
			return this.hook.get(() -> Math.max(0, this.permits.nanosToPermit(now)), 0L);
		}

		@Override
		public boolean isAwaited() {
			return this.hook.get(this.permits::isAwaited, false);
		}

		@Override
		public CircuitOpenException rejection(long now) {
			try {
				return this.permits.rejection(now);
			}
			catch (Throwable ex) {
				this.hook.failed(ex);
				return new CircuitOpenException(name(), "open", null, null);
			}
		}

	}

	private record SafePermit(CallPermits.Permit permit, Hook hook) implements CallPermits.Permit {

		@Override
		public void succeeded(long nanos, long now) {
			this.hook.run(() -> this.permit.succeeded(nanos, now));
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
			this.hook.run(() -> this.permit.failed(nanos, now, failure));
		}

		@Override
		public void released() {
			this.hook.run(this.permit::released);
		}

		@Override
		public boolean covers(CallPermits breaker) {
			CallPermits own = (breaker instanceof SafePermits safe) ? safe.permits() : breaker;
			return this.hook.get(() -> this.permit.covers(own), false);
		}

	}

	private record SafeObserver(List<CallObserver> observers, Hook hook) implements CallObserver {

		@Override
		public @Nullable ObservedCall callBegins(String policy, String method) {
			return together((observer) -> observer.callBegins(policy, method));
		}

		@Override
		public @Nullable ObservedCall callKept(String policy, String method, String key, int attempt) {
			return together((observer) -> observer.callKept(policy, method, key, attempt));
		}

		private @Nullable ObservedCall together(Function<CallObserver, @Nullable ObservedCall> watch) {
			List<ObservedCall> calls = new ArrayList<>(this.observers.size());
			this.hook.each(this.observers, (observer) -> {
				ObservedCall call = watch.apply(observer);
				if (call != null) {
					calls.add(call);
				}
			});
			return calls.isEmpty() ? null : new SafeCall(calls, this.hook);
		}

	}

	private record SafeCall(List<CallObserver.ObservedCall> calls, Hook hook) implements CallObserver.ObservedCall {

		@Override
		public void isInside(CallObserver.ObservedCall around) {
			List<CallObserver.ObservedCall> outer = (around instanceof SafeCall safe) ? safe.calls : List.of(around);
			outer.forEach((one) -> this.hook.each(this.calls, (call) -> call.isInside(one)));
		}

		@Override
		public void isAsynchronous() {
			this.hook.each(this.calls, CallObserver.ObservedCall::isAsynchronous);
		}

		@Override
		public CallObserver.ObservedAttempt attemptBegins(int number) {
			List<CallObserver.ObservedAttempt> attempts = new ArrayList<>(this.calls.size());
			this.hook.each(this.calls, (call) -> attempts.add(call.attemptBegins(number)));
			return attempts.isEmpty() ? UNOBSERVED : new SafeAttempt(attempts, this.hook);
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			this.hook.each(this.calls, (call) -> call.waitBegins(source, nanos));
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
			this.hook.each(this.calls, (call) -> call.ends(reason, attempts, recovery, thrown));
		}

		@Override
		public CallObserver.Scope open() {
			return this.hook.open(this.calls);
		}

	}

	private record SafeAttempt(List<CallObserver.ObservedAttempt> attempts,
			Hook hook) implements CallObserver.ObservedAttempt {

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.hook.each(this.attempts, (attempt) -> attempt.ends(outcome, failure));
		}

		@Override
		public CallObserver.Scope open() {
			return this.hook.open(this.attempts);
		}

	}

}
