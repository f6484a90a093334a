package dev.backoff.breaker;

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A breaker from outside, guarded where it enters: it permits every attempt when it
 * fails.
 */
record SafePermits(CallPermits permits, Consumer<Throwable> report) implements CallPermits {

	@Override
	public String name() {
		return get(this.permits::name, "of the policy");
	}

	@Override
	public @Nullable Permit tryAcquire(long now) {
		Permit permit = get(() -> this.permits.tryAcquire(now), Permit.UNCOUNTED);
		return (permit == null || permit == Permit.UNCOUNTED) ? permit : new SafePermit(permit, this);
	}

	@Override
	public boolean isPermitting(long now) {
		return get(() -> this.permits.isPermitting(now), true);
	}

	@Override
	public long nanosToPermit(long now) {
		return get(() -> Math.max(0, this.permits.nanosToPermit(now)), 0L);
	}

	@Override
	public boolean isAwaited() {
		return get(this.permits::isAwaited, false);
	}

	@Override
	public CircuitOpenException rejection(long now) {
		try {
			return this.permits.rejection(now);
		}
		catch (Throwable ex) {
			this.report.accept(ex);
			return new CircuitOpenException(name(), "open", null, null);
		}
	}

	private <T extends @Nullable Object> T get(Supplier<? extends T> supplier, T otherwise) {
		try {
			return supplier.get();
		}
		catch (Throwable ex) {
			this.report.accept(ex);
			return otherwise;
		}
	}

	private void run(Runnable action) {
		Object unused = get(() -> {
			action.run();
			return this;
		}, this);
	}

	private record SafePermit(Permit permit, SafePermits breaker) implements Permit {

		@Override
		public void succeeded(long nanos, long now) {
			this.breaker.run(() -> this.permit.succeeded(nanos, now));
		}

		@Override
		public void failed(long nanos, long now, @Nullable Throwable failure) {
			this.breaker.run(() -> this.permit.failed(nanos, now, failure));
		}

		@Override
		public void released() {
			this.breaker.run(this.permit::released);
		}

		@Override
		public boolean covers(CallPermits breaker) {
			CallPermits own = (breaker instanceof SafePermits safe) ? safe.permits() : breaker;
			return this.breaker.get(() -> this.permit.covers(own), false);
		}

	}

}
