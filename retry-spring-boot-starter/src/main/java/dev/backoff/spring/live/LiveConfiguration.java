package dev.backoff.spring.live;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.live.ConfigurationListener.Outcome;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;
import dev.backoff.time.RetryTime;
import dev.backoff.time.RetryTime.Cancellable;

/**
 * Change the configuration while the application runs: read it again, or override some
 * values for this process. A change is checked as a whole, as at start-up, and then takes
 * effect at once. A change that cannot work has no effect. Calls that have begun keep
 * their policy, but switches apply to them at once. Balances of budgets and states of
 * breakers survive. Thread-safe.
 *
 * @since 0.1
 */
public final class LiveConfiguration implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(LiveConfiguration.class);

	private static final Cancellable NO_TIMER = () -> {
	};

	/* After an override could not be ended for a reason that may pass. */
	private static final Duration AGAIN = Duration.ofMinutes(1);

	/* Code that waits for another thread never runs under it. */
	private final ReentrantLock lock = new ReentrantLock();

	private final BackoffPolicies policies;

	private final Supplier<BackoffConfiguration> reader;

	private final Switchover switchover;

	private final Supplier<? extends List<ConfigurationListener>> listeners;

	private final Supplier<RetryTime> time;

	private final Executor executor;

	private final Clock clock;

	/* Runs until the first of the overrides ends. Replaced under the lock. */
	private volatile Cancellable timer = NO_TIMER;

	private volatile boolean closed;

	/* Under the lock: whether the last reading is not in effect. */
	private boolean refused;

	/** Create the configuration of a running application. Suppliers are called late. */
	public LiveConfiguration(BackoffPolicies policies, PolicyUses uses, Supplier<BackoffConfiguration> reader,
			Supplier<? extends List<ConfigurationUser>> users,
			Supplier<? extends List<ConfigurationListener>> listeners, Supplier<RetryTime> time, Executor executor,
			Clock clock) {
		this.policies = policies;
		this.reader = reader;
		this.switchover = new Switchover(policies, uses, users);
		this.listeners = listeners;
		this.time = time;
		this.executor = executor;
		this.clock = clock;
	}

	/**
	 * Read the configuration again, and put it into effect if it can work; otherwise log
	 * the report. After the application context has closed, nothing happens. Return
	 * whether the new configuration is in effect.
	 * @param cause the reason, for the log
	 */
	public boolean refresh(String cause) {
		return locked(() -> {
			if (this.closed) {
				return false;
			}
			Overrides overrides = overrides();
			try {
				BackoffConfiguration before = this.policies.configuration();
				BackoffConfiguration read = this.reader.get();
				if (!overrides.isEmpty() && read.isEnabled()) {
					// the values that overrides hide must be able to take their place
					List<ConfigurationUser.Change> unused = this.switchover.check(this.policies.candidate(read));
				}
				boolean changed = !change("Refreshed by " + cause, read.with(overrides)).isEmpty();
				this.refused = false;
				this.switchover.warnOfHidden(before, read);
				if (changed) {
					tell(Outcome.APPLIED);
				}
				return true;
			}
			catch (InvalidBackoffException ex) {
				this.refused = true;
				logger.error("Refused the configuration refreshed by {}; what was in effect stays so{}:{}{}", cause,
						overrides.isEmpty() ? "" : ", live overrides included; it is read again when they end",
						System.lineSeparator(), ex.getMessage());
			}
			catch (RuntimeException | LinkageError ex) {
				if (this.closed) {
					return false;
				}
				logger.error("Could not refresh by {}; what was in effect stays so", cause, ex);
			}
			tell(Outcome.REFUSED);
			return false;
		});
	}

	/**
	 * Override values of a policy, for this process, and return the changes.
	 * @param policy its name, in any spelling
	 * @param values texts by key: {@code base}, {@code cap}, {@code multiplier},
	 * {@code jitter}, {@code max-attempts}, {@code deadline}, {@code attempt-timeout},
	 * {@code enabled}, {@code concurrency}, {@code max-waiting}
	 * @param limit how long the values hold; zero until they are reset; null for the time
	 * left of the overrides that they replace, or else until they are reset
	 * @throws InvalidBackoffException if something is wrong; then nothing has changed
	 */
	public List<ValueChange> override(String policy, Map<String, String> values, @Nullable Duration limit) {
		return locked(() -> {
			String name = this.policies.known(policy);
			return put(name, Overrides.read(name, values), limit);
		});
	}

	/**
	 * Override whether retries are made at all, for this process. If they are not,
	 * waiting calls end at once as {@code DISABLED}. The limit is that of
	 * {@link #override}.
	 */
	public List<ValueChange> overrideRetriesEnabled(boolean enabled, @Nullable Duration limit) {
		return locked(() -> put(Overrides.ALL, Map.of(PolicyKey.ENABLED, Boolean.toString(enabled)), limit));
	}

	private List<ValueChange> put(String policy, Map<Key<?>, String> values, @Nullable Duration limit) {
		Duration time = (limit != null && !limit.isZero()) ? limit : null;
		BackoffConfiguration now = this.policies.configuration();
		Overrides left = now.overrides();
		for (Key<?> key : (limit != null) ? values.keySet() : Set.<Key<?>>of()) {
			left = left.without(policy, key.key());
		}
		BackoffConfiguration then = now.with(left.with(policy, values, (time != null) ? ending(time) : null));
		PolicyResolver unused = this.switchover.refuseNewProblems(then);
		List<ValueChange> changes = change(
				"Overridden" + ((time != null) ? " for " + DurationText.exact(time) : "") + " in this process only",
				then);
		tell(Outcome.OVERRIDDEN);
		return changes;
	}

	private Overrides.Ending ending(Duration limit) {
		// half of all time, so that two ends can be compared
		long nanos = Math.min(Nanos.of(limit), Long.MAX_VALUE / 2);
		return new Overrides.Ending(this.clock.instant().plusNanos(nanos), this.time.get().nanoTime() + nanos);
	}

	/**
	 * Reset the overrides of a policy, or only those of the given keys, and return the
	 * changes. All names may have any spelling.
	 * @throws InvalidBackoffException if no policy has that name in any spelling, or the
	 * remaining overrides do not fit the configuration; then nothing has changed
	 */
	public List<ValueChange> reset(String policy, String... keys) {
		return locked(() -> {
			Overrides left = (keys.length == 0) ? overrides().without(this.policies.known(policy)) : overrides();
			for (String key : keys) {
				left = left.without(this.policies.known(policy), key);
			}
			return end(Outcome.RESET, left);
		});
	}

	/** Reset the override of whether retries are made at all. */
	public List<ValueChange> resetRetriesEnabled() {
		return locked(() -> end(Outcome.RESET, overrides().without(Overrides.ALL)));
	}

	/** Reset all overrides, and return the changes. */
	public List<ValueChange> reset() {
		return locked(() -> end(Outcome.RESET, Overrides.NONE));
	}

	/** End all overrides but some. */
	private List<ValueChange> end(Outcome outcome, Overrides left) {
		BackoffConfiguration before = this.policies.configuration();
		if (before.overrides().equals(left)) {
			return List.of();
		}
		Changes then = this.switchover.now();
		List<ValueChange> unused = change((outcome == Outcome.RESET) ? "Reset" : "Overridden no more",
				before.with(left));
		tell(outcome);
		if (this.refused) {
			// perhaps because of the override
			refresh("the end of an override");
		}
		return then.until(this.switchover.now());
	}

	private List<ValueChange> expire() {
		try {
			return end(Outcome.EXPIRED, overrides().without(this.time.get().nanoTime()));
		}
		catch (InvalidBackoffException ex) {
			logger.warn("The other overrides do not fit without those that have ended, so all are reset:{}{}",
					System.lineSeparator(), ex.getMessage());
			return end(Outcome.EXPIRED, Overrides.NONE);
		}
	}

	/** End overrides whose time is over, or try again later. */
	private boolean expireOrTryAgain() {
		Duration atLeast = Duration.ZERO;
		try {
			List<ValueChange> unused = expire();
		}
		catch (Throwable ex) {
			if (!this.closed) {
				logger.error("Could not end overrides whose time is over; trying again in {}",
						DurationText.exact(AGAIN), ex);
			}
			atLeast = AGAIN;
		}
		set(timer(overrides(), atLeast)).cancel();
		return true;
	}

	/** Return a timer of the first end of an override; the executor makes the change. */
	private Cancellable timer(Overrides overrides, Duration atLeast) {
		return overrides.firstEnd().map((end) -> {
			RetryTime time = this.time.get();
			return time.schedule(() -> expire(time), Math.max(end.left(time.nanoTime()), Nanos.of(atLeast)));
		}).orElse(NO_TIMER);
	}

	private void expire(RetryTime time) {
		time.workBegins();
		this.executor.execute(() -> {
			boolean unused = locked(this::expireOrTryAgain);
			time.workEnds();
		});
	}

	/** Set the timer in effect, and return the one before. */
	private Cancellable set(Cancellable next) {
		Cancellable before = this.timer;
		this.timer = next;
		if (this.closed) {
			next.cancel();
		}
		return before;
	}

	/** Put a configuration into effect, or throw and change nothing. */
	private List<ValueChange> change(String how, BackoffConfiguration configuration) {
		Cancellable over = timer(configuration.overrides(), Duration.ZERO);
		try {
			List<ValueChange> changes = this.switchover.put(configuration);
			over = set(over);
			changes.forEach((change) -> change.log(logger, how));
			return changes;
		}
		finally {
			over.cancel();
		}
	}

	private <T> T locked(Supplier<T> change) {
		this.lock.lock();
		try {
			return change.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return the policies as they would be with further overrides of one policy. */
	public PolicyResolver preview(String policy, Map<String, String> values) {
		String name = this.policies.known(policy);
		BackoffConfiguration now = this.policies.configuration();
		return this.switchover.preview(now.with(now.overrides().with(name, Overrides.read(name, values), null)));
	}

	/** Log an operator's action that overrides nothing, and tell the listeners. */
	public void operated(String what) {
		logger.info("By an operator, in this process only: {}", what);
		boolean unused = locked(() -> {
			tell(Outcome.OPERATED);
			return true;
		});
	}

	/** Return when an override ends, or empty if it does not by itself. */
	public Optional<Instant> until(String policy, Key<?> key) {
		return overrides().ending(policy, key).map(Overrides.Ending::until);
	}

	/** Return the value and the time left of an override as JSON, or an empty text. */
	public String overridden(String policy, Key<?> key) {
		ConfigValue value = overrides().of(policy).get(key);
		Overrides.Ending end = overrides().ending(policy, key).orElse(null);
		String left = (end != null) ? end.left(this.time.get().nanoTime()) / 1_000_000_000 + "s" : "none";
		return (value != null) ? "\"" + value.text() + "\", \"for\": \"" + left + "\"" : "";
	}

	private Overrides overrides() {
		return this.policies.configuration().overrides();
	}

	private void tell(Outcome outcome) {
		Switchover.harmlessly("listener of changes of the configuration", () -> {
			for (ConfigurationListener listener : this.listeners.get()) {
				// read each time: a listener may have made a change
				Switchover.harmlessly("listener of changes of the configuration",
						() -> listener.changed(outcome, overrides()));
			}
		});
	}

	/** End no more overrides when the application ends. */
	@Override
	public void destroy() {
		this.closed = true;
		this.timer.cancel();
	}

}
