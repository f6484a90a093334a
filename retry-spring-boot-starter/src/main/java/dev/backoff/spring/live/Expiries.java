package dev.backoff.spring.live;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.PolicyKey;
import dev.backoff.time.Cancellable;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;

/**
 * When overrides end by themselves. Setting a key again forgets when it was to end.
 * Thread-safe.
 *
 * @since 0.1
 */
public final class Expiries {

	/** Stands for all policies. */
	static final String ALL = "";

	private final ReentrantLock lock = new ReentrantLock();

	private final List<Expiry> pending = new ArrayList<>();

	private boolean closed;

	private final Supplier<RetryTime> time;

	private final Executor executor;

	private final Clock clock;

	/**
	 * Forget nothing yet.
	 * @param time schedules
	 * @param executor runs what ends overrides, which takes longer than a timer may
	 * @param clock says when that is going to be
	 */
	public Expiries(Supplier<RetryTime> time, Executor executor, Clock clock) {
		this.time = time;
		this.executor = executor;
		this.clock = clock;
	}

	/**
	 * Make what is to end keys after a time. Until it is {@linkplain #set set}, nothing
	 * ends by it.
	 */
	Expiry schedule(String policy, Set<PolicyKey> keys, Duration limit, Consumer<Expiry> end) {
		long nanos = Nanos.of(limit);
		Expiry expiry = new Expiry(policy, EnumSet.copyOf(keys), this.clock.instant().plusNanos(nanos));
		expiry.timer = this.time.get().schedule(() -> this.executor.execute(() -> end.accept(expiry)), nanos);
		return expiry;
	}

	/** Let keys end by that, or not at all. */
	void set(String policy, Set<PolicyKey> keys, @Nullable Expiry expiry) {
		this.lock.lock();
		try {
			forget(policy, keys);
			if (expiry != null && !this.closed) {
				this.pending.add(expiry);
			}
			else if (expiry != null) {
				expiry.cancel();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return the keys that end now: those that nobody has set again. */
	Set<PolicyKey> take(Expiry expiry) {
		this.lock.lock();
		try {
			return this.pending.remove(expiry) ? EnumSet.copyOf(expiry.keys) : Set.of();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Let nothing of a policy end by itself. */
	void forget(String policy) {
		this.lock.lock();
		try {
			forget(policy, EnumSet.allOf(PolicyKey.class));
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Let nothing end by itself. */
	void forgetAll() {
		this.lock.lock();
		try {
			this.pending.forEach(Expiry::cancel);
			this.pending.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Let nothing end by itself any more, whatever is set later. */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			forgetAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return whether nothing ends by itself any more. */
	boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void forget(String policy, Set<PolicyKey> keys) {
		for (Expiry expiry : List.copyOf(this.pending)) {
			if (expiry.isOf(policy)) {
				expiry.keys.removeAll(keys);
				if (expiry.keys.isEmpty()) {
					expiry.cancel();
					this.pending.remove(expiry);
				}
			}
		}
	}

	/** Return when a key ends by itself, if it does. */
	Optional<Instant> until(String policy, PolicyKey key) {
		this.lock.lock();
		try {
			return this.pending.stream()
				.filter((expiry) -> expiry.isOf(policy) && expiry.keys.contains(key))
				.map((expiry) -> expiry.until)
				.findFirst();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Some keys of one policy that end at the same time. */
	static final class Expiry {

		private final String policy;

		private final Set<PolicyKey> keys;

		private final Instant until;

		private @Nullable Cancellable timer;

		Expiry(String policy, Set<PolicyKey> keys, Instant until) {
			this.policy = policy;
			this.keys = keys;
			this.until = until;
		}

		String policy() {
			return this.policy;
		}

		private boolean isOf(String policy) {
			return this.policy.equals(ALL) == policy.equals(ALL)
					&& BackoffPolicies.canonicalName(this.policy).equals(BackoffPolicies.canonicalName(policy));
		}

		/** Let nothing end by it. */
		void cancel() {
			if (this.timer != null) {
				this.timer.cancel();
			}
		}

	}

}
