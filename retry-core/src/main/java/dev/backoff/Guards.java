package dev.backoff;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.breaker.CallPermits;
import dev.backoff.breaker.CircuitBreaker;
import dev.backoff.breaker.CircuitOpenException;
import dev.backoff.delay.RandomSource;
import dev.backoff.event.AttemptOutcome;
import dev.backoff.event.CallObserver;
import dev.backoff.event.DelaySource;
import dev.backoff.event.RetryEvent;
import dev.backoff.event.StopReason;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.time.Cancellable;
import dev.backoff.time.RetryTime;
import dev.backoff.time.TimerEntry;
import dev.backoff.time.WakeSignal;

/**
 * Guard the objects that a {@link Retry} is built with. What such an object throws is
 * reported, and the call goes on with a harmless answer. The library's own objects are
 * returned as they are, so that they are called directly. Listeners and the recorder are
 * guarded by the {@link ListenerChain}, which the reports go to. All guards are in this
 * file, so that an object is guarded once, where it enters.
 */
final class Guards {

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
	Guards(BiConsumer<String, Throwable> report) {
		this.report = report;
	}

	/**
	 * Return a time whose ticker stands still when it fails. A sleep or a schedule that
	 * fails is reported and still throws, since the wait has failed with it.
	 */
	RetryTime time(RetryTime time) {
		return (time == RetryTime.system()) ? time : new GuardedTime(time, new Hook("time", this.report));
	}

	/** Return a source that draws from the default one when it fails. */
	RandomSource random(RandomSource random) {
		Hook hook = new Hook("random source", this.report);
		return (random == RandomSource.threadLocal()) ? random : () -> {
			double u = hook.<Double>get(() -> inRange(random.next()), Double.NaN);
			return Double.isNaN(u) ? RandomSource.threadLocal().next() : u;
		};
	}

	private static double inRange(double u) {
		if (u >= 0 && u < 1) {
			return u;
		}
		throw new IllegalStateException("draw " + u + " is outside [0, 1)");
	}

	/** Return a breaker that permits every attempt when it fails. */
	@Nullable CallPermits permits(@Nullable CallPermits permits) {
		return (permits == null || permits instanceof CircuitBreaker) ? permits
				: new GuardedPermits(permits, new Hook("breaker", this.report));
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

	/** Return an observer that leaves a call alone when it fails. */
	CallObserver observer(CallObserver observer) {
		return new GuardedObserver(observer, new Hook("observer", this.report));
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

		<T extends @Nullable Object> T get(Supplier<? extends T> supplier, T otherwise) {
			try {
				return supplier.get();
			}
			catch (Throwable ex) {
				failed(ex);
				return otherwise;
			}
		}

	}

	private static final class GuardedTime implements RetryTime {

		private final RetryTime time;

		private final Hook hook;

		private volatile long last = RetryTime.system().nanoTime();

		GuardedTime(RetryTime time, Hook hook) {
			this.time = time;
			this.hook = hook;
		}

		@Override
		public long nanoTime() {
			long reading = this.hook.get(this.time::nanoTime, this.last);
			this.last = reading;
			return reading;
		}

		@Override
		public void sleep(long nanos) throws InterruptedException {
			this.<Long, InterruptedException>reported(() -> {
				this.time.sleep(nanos);
				return nanos;
			});
		}

		@Override
		public void sleep(long nanos, WakeSignal signal) throws InterruptedException {
			this.<Long, InterruptedException>reported(() -> {
				this.time.sleep(nanos, signal);
				return nanos;
			});
		}

		@Override
		public Cancellable schedule(Runnable task, long nanos) {
			Cancellable scheduled = this.<Cancellable, RuntimeException>reported(() -> this.time.schedule(task, nanos));
			// not a method reference, which would throw here for null
			return (scheduled instanceof TimerEntry) ? scheduled : () -> this.hook.run(() -> scheduled.cancel());
		}

		private <T, X extends Throwable> T reported(Operation<T, X> work) throws X {
			try {
				return work.run();
			}
			catch (Throwable ex) {
				if (!(ex instanceof InterruptedException)) {
					this.hook.failed(ex);
				}
				throw ex;
			}
		}

	}

	private record GuardedPermits(CallPermits permits, Hook hook) implements CallPermits {

		@Override
		public String name() {
			return this.hook.get(this.permits::name, "of the policy");
		}

		@Override
		public @Nullable Permit tryAcquire(long now) {
			Permit permit = this.hook.get(() -> this.permits.tryAcquire(now), UNCOUNTED);
			return (permit == null || permit == UNCOUNTED) ? permit : new GuardedPermit(permit, this.hook);
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

	private record GuardedPermit(CallPermits.Permit permit, Hook hook) implements CallPermits.Permit {

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
			CallPermits own = (breaker instanceof GuardedPermits guarded) ? guarded.permits() : breaker;
			return this.hook.get(() -> this.permit.covers(own), false);
		}

	}

	private record GuardedObserver(CallObserver observer, Hook hook) implements CallObserver {

		@Override
		public @Nullable ObservedCall callBegins(String policy, String method) {
			return guarded(() -> this.observer.callBegins(policy, method));
		}

		@Override
		public @Nullable ObservedCall callKept(String policy, String method, String key, int attempt) {
			return guarded(() -> this.observer.callKept(policy, method, key, attempt));
		}

		private @Nullable ObservedCall guarded(Supplier<@Nullable ObservedCall> watch) {
			try {
				ObservedCall call = watch.get();
				return (call != null) ? new GuardedCall(call, this.hook) : null;
			}
			catch (Throwable ex) {
				this.hook.failed(ex);
				return null;
			}
		}

	}

	private record GuardedCall(CallObserver.ObservedCall call, Hook hook) implements CallObserver.ObservedCall {

		@Override
		public void isInside(CallObserver.ObservedCall around) {
			CallObserver.ObservedCall own = (around instanceof GuardedCall guarded) ? guarded.call : around;
			this.hook.run(() -> this.call.isInside(own));
		}

		@Override
		public void isAsynchronous() {
			this.hook.run(this.call::isAsynchronous);
		}

		@Override
		public CallObserver.ObservedAttempt attemptBegins(int number) {
			return this.hook.get(() -> new GuardedAttempt(this.call.attemptBegins(number), this.hook), UNOBSERVED);
		}

		@Override
		public void waitBegins(DelaySource source, long nanos) {
			this.hook.run(() -> this.call.waitBegins(source, nanos));
		}

		@Override
		public void ends(StopReason reason, int attempts, RetryEvent.RecoveryOutcome recovery,
				@Nullable Throwable thrown) {
			this.hook.run(() -> this.call.ends(reason, attempts, recovery, thrown));
		}

		@Override
		public CallObserver.Scope open() {
			return opened(this.call, this.hook);
		}

	}

	private record GuardedAttempt(CallObserver.ObservedAttempt attempt,
			Hook hook) implements CallObserver.ObservedAttempt {

		@Override
		public void ends(AttemptOutcome outcome, @Nullable Throwable failure) {
			this.hook.run(() -> this.attempt.ends(outcome, failure));
		}

		@Override
		public CallObserver.Scope open() {
			return opened(this.attempt, this.hook);
		}

	}

	private static CallObserver.Scope opened(CallObserver.Observed observed, Hook hook) {
		CallObserver.Scope scope = hook.get(() -> observed.open(), NOTHING);
		return () -> hook.run(() -> scope.close());
	}

}
