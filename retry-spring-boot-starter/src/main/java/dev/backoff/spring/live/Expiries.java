package dev.backoff.spring.live;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.configuration.Overrides;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/** The timers of overrides that end by themselves. Thread-safe. */
final class Expiries {

	private final Set<Expiry> running = ConcurrentHashMap.newKeySet();

	private final Supplier<RetryTime> time;

	private final Executor executor;

	private final Clock clock;

	private volatile boolean closed;

	/** Make timers; the executor runs the change, which takes longer than a timer may. */
	Expiries(Supplier<RetryTime> time, Executor executor, Clock clock) {
		this.time = time;
		this.executor = executor;
		this.clock = clock;
	}

	/** Start the timer of overrides that are about to be set for a policy. */
	Expiry start(String policy, Duration limit, Consumer<Expiry> end) {
		Expiry expiry = new Expiry(policy);
		start(expiry, limit, end);
		return expiry;
	}

	/** Start a timer again. */
	void start(Expiry expiry, Duration limit, Consumer<Expiry> end) {
		long nanos = Nanos.of(limit);
		expiry.until = this.clock.instant().plusNanos(nanos);
		expiry.timer = this.time.get().schedule(() -> end(expiry, end), nanos);
		this.running.add(expiry);
		if (this.closed) {
			close();
		}
	}

	private void end(Expiry expiry, Consumer<Expiry> end) {
		RetryTime time = this.time.get();
		time.workBegins();
		this.executor.execute(() -> {
			try {
				end.accept(expiry);
			}
			finally {
				time.workEnds();
			}
		});
	}

	/** Cancel the timers of overrides that are not in effect. */
	void retain(Overrides overrides) {
		Set<Overrides.Ending> endings = overrides.endings();
		this.running.removeIf((expiry) -> {
			boolean over = !endings.contains(expiry);
			if (over) {
				expiry.cancel();
			}
			return over;
		});
	}

	/** Cancel all timers, and those that are started later. */
	void close() {
		this.closed = true;
		retain(Overrides.NONE);
	}

	/** Return whether no timer runs any more. */
	boolean isClosed() {
		return this.closed;
	}

	/** The end of some overrides of one policy, or of all policies. */
	static final class Expiry implements Overrides.Ending {

		private final String policy;

		private volatile Instant until = Instant.EPOCH;

		private volatile @Nullable Cancellable timer;

		Expiry(String policy) {
			this.policy = policy;
		}

		String policy() {
			return this.policy;
		}

		@Override
		public Instant until() {
			return this.until;
		}

		private void cancel() {
			Cancellable timer = this.timer;
			if (timer != null) {
				timer.cancel();
			}
		}

	}

}
