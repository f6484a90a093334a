package dev.backoff.spring.live;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;

import dev.backoff.spring.live.ConfigurationListener.Outcome;
import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyKey;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.Problem;
import dev.backoff.time.DurationText;

/**
 * Change the configuration while the application runs: read it anew, or override some of
 * it for this process. A change is checked whole, as at start-up, and then put into
 * effect at once; one that cannot work changes nothing. Calls that have begun end under
 * the policy they began with, but for switches, which hold at once. Balances of budgets
 * and states of breakers survive. Thread-safe.
 *
 * @since 0.1
 */
public final class LiveConfiguration implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(LiveConfiguration.class);

	/* The keys at the top that are looked at again; all others hold from the start. */
	private static final Set<String> LIVE = Set.of("enabled", "retries-enabled", "unknown-keys");

	/* Nothing runs under it that waits for another thread. */
	private final ReentrantLock lock = new ReentrantLock();

	/* After an override could not be ended for a reason that may pass. */
	private static final Duration AGAIN = Duration.ofMinutes(1);

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final Supplier<BackoffConfiguration> reader;

	private final Switchover switchover;

	private final Supplier<? extends List<ConfigurationListener>> listeners;

	private final Expiries expiries;

	/* Under the lock: whether what was read last is not in effect. */
	private boolean refused;

	/**
	 * Make the configuration of a running application.
	 * @param policies what is in effect
	 * @param uses the methods it is in effect for
	 * @param reader reads the configuration
	 * @param users those who go by it; asked late
	 * @param listeners told of changes; asked late
	 * @param expiries ends overrides that hold for a time
	 */
	public LiveConfiguration(BackoffPolicies policies, PolicyUses uses, Supplier<BackoffConfiguration> reader,
			Supplier<? extends List<ConfigurationUser>> users,
			Supplier<? extends List<ConfigurationListener>> listeners, Expiries expiries) {
		this.policies = policies;
		this.uses = uses;
		this.reader = reader;
		this.switchover = new Switchover(policies, uses, users);
		this.listeners = listeners;
		this.expiries = expiries;
	}

	/**
	 * Read the configuration anew, and put it into effect if it can work. A report of one
	 * that cannot is logged, and what was in effect stays so.
	 * @param cause why, for the log
	 * @return true unless it was refused
	 */
	public boolean refresh(String cause) {
		this.lock.lock();
		try {
			BackoffConfiguration before = this.policies.configuration();
			BackoffConfiguration read = this.reader.get();
			if (!before.overrides().isEmpty() && read.isEnabled()) {
				// what an override hides must be able to take its place
				this.switchover.check(read);
			}
			List<ValueChange> changes = this.switchover.put(read.with(before.overrides()));
			this.refused = false;
			log("Refreshed by " + cause, changes);
			if (!before.overrides().isEmpty()) {
				this.switchover.hidden(before, read)
					.forEach((change) -> logger.warn("Refreshed, but hidden by a live override until that is reset: {}",
							change));
			}
			if (!changes.isEmpty()) {
				tell(Outcome.APPLIED);
			}
			return true;
		}
		catch (InvalidBackoffException ex) {
			this.refused = true;
			logger.error("Refused the configuration refreshed by {}; what was in effect stays so{}:{}{}", cause,
					this.policies.configuration().overrides().isEmpty() ? ""
							: ", live overrides included; it is read again when they end",
					System.lineSeparator(), ex.getMessage());
			tell(Outcome.REFUSED);
			return false;
		}
		catch (RuntimeException | LinkageError | StackOverflowError ex) {
			logger.error("Could not refresh by {}; what was in effect stays so", cause, ex);
			tell(Outcome.REFUSED);
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Override values of a policy, for this process.
	 * @param policy its name, in any spelling
	 * @param values texts by key: {@code base}, {@code cap}, {@code multiplier},
	 * {@code jitter}, {@code max-attempts}, {@code deadline}, {@code attempt-timeout},
	 * {@code enabled}
	 * @param limit how long they hold, or null until they are reset
	 * @return what has changed
	 * @throws InvalidBackoffException if the name, a key or a value is wrong; then
	 * nothing has changed
	 */
	public List<ValueChange> override(String policy, Map<String, String> values, @Nullable Duration limit) {
		this.lock.lock();
		try {
			String name = known(policy);
			Map<PolicyKey, String> read = read(name, values);
			Overrides overrides = this.policies.configuration().overrides().with(name, read);
			BackoffConfiguration configuration = this.policies.configuration().with(overrides);
			Switchover.refuse(this.switchover.wrongAnew(this.policies.candidate(configuration)));
			List<ValueChange> changes = put(configuration, name, read.keySet(), limit);
			log(overridden(limit), changes);
			tell(Outcome.OVERRIDDEN);
			return changes;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Override whether retries are made at all, for this process. While they are not,
	 * waiting calls end as {@code DISABLED} at once.
	 * @param enabled whether retries are made
	 * @param limit how long that holds, or null until it is reset
	 * @return what has changed
	 */
	public List<ValueChange> overrideRetriesEnabled(boolean enabled, @Nullable Duration limit) {
		this.lock.lock();
		try {
			BackoffConfiguration before = this.policies.configuration();
			List<ValueChange> changes = put(before.with(before.overrides().withRetriesEnabled(enabled)), Expiries.ALL,
					Set.of(PolicyKey.ENABLED), limit);
			log(overridden(limit), changes);
			tell(Outcome.OVERRIDDEN);
			return changes;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Let the configuration alone say what holds for a policy.
	 * @param policy its name, in any spelling
	 * @return what has changed
	 * @throws InvalidBackoffException if nothing has that name, or the other overrides do
	 * not fit the configuration alone; then nothing has changed
	 */
	public List<ValueChange> reset(String policy) {
		this.lock.lock();
		try {
			String name = known(policy);
			List<ValueChange> changes = reset(this.policies.configuration().overrides().without(name, Overrides.KEYS));
			this.expiries.forget(name);
			return changes;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Let the configuration alone say what holds.
	 * @return what has changed
	 */
	public List<ValueChange> reset() {
		this.lock.lock();
		try {
			List<ValueChange> changes = reset(Overrides.NONE);
			this.expiries.forgetAll();
			return changes;
		}
		finally {
			this.lock.unlock();
		}
	}

	private List<ValueChange> reset(Overrides left) {
		BackoffConfiguration before = this.policies.configuration();
		if (before.overrides().equals(left)) {
			return List.of();
		}
		Changes then = Changes.now(this.policies, this.uses);
		log("Reset", this.switchover.put(before.with(left)));
		tell(Outcome.RESET);
		refreshIfRefused();
		return then.until(Changes.now(this.policies, this.uses));
	}

	/* It may have been an override that it did not fit. */
	private void refreshIfRefused() {
		if (this.refused) {
			refresh("the end of an override");
		}
	}

	private void expire(Expiries.Expiry expiry) {
		this.lock.lock();
		try {
			Set<PolicyKey> keys = this.expiries.take(expiry);
			if (!keys.isEmpty()) {
				expire(expiry.policy(), keys);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void expire(String policy, Set<PolicyKey> keys) {
		try {
			end(policy, keys);
		}
		catch (Throwable ex) {
			if (!this.expiries.isClosed()) {
				logger.error("Could not end the overrides of {}; trying again in {}",
						policy.equals(Expiries.ALL) ? "all policies" : policy, DurationText.exact(AGAIN), ex);
				Switchover.harmlessly("timer", () -> this.expiries.set(policy, keys,
						this.expiries.schedule(policy, keys, AGAIN, this::expire)));
			}
		}
	}

	private void end(String policy, Set<PolicyKey> keys) {
		BackoffConfiguration before = this.policies.configuration();
		Overrides left = policy.equals(Expiries.ALL) ? before.overrides().withRetriesEnabled(null)
				: before.overrides().without(policy, keys);
		try {
			log("Overridden no more", this.switchover.put(before.with(left)));
		}
		catch (InvalidBackoffException ex) {
			logger.warn("The other overrides do not fit without those that have ended, so all are reset:{}{}",
					System.lineSeparator(), ex.getMessage());
			log("Overridden no more", this.switchover.put(before.with(Overrides.NONE)));
			this.expiries.forgetAll();
		}
		tell(Outcome.EXPIRED);
		refreshIfRefused();
	}

	/**
	 * Return what would be in effect with other values of a policy, and change nothing.
	 * @param policy its name, in any spelling
	 * @param values texts by key, on top of those that are overridden
	 * @return resolves policies as they would be
	 * @throws InvalidBackoffException if the name, a key or a value is wrong
	 */
	public BackoffPolicies.Candidate preview(String policy, Map<String, String> values) {
		String name = known(policy);
		BackoffConfiguration now = this.policies.configuration();
		return this.switchover.tryOut(now.with(now.overrides().with(name, read(name, values))));
	}

	/**
	 * Look at what is in effect while nothing changes; after a second, whether or not
	 * something changes.
	 * @param <T> the type of the answer
	 * @param question looks at it
	 * @return its answer
	 */
	public <T extends @Nullable Object> T look(Supplier<T> question) {
		boolean locked = false;
		try {
			locked = this.lock.tryLock(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		try {
			return question.get();
		}
		finally {
			if (locked) {
				this.lock.unlock();
			}
		}
	}

	/**
	 * Tell that an operator has done something else: to a breaker, a budget, to calls
	 * that wait.
	 * @param what a sentence without a full stop, for the log
	 */
	public void operated(String what) {
		logger.info("By an operator, in this process only: {}", what);
		this.lock.lock();
		try {
			tell(Outcome.OPERATED);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return when an override ends by itself.
	 * @param policy the policy's name
	 * @param key the key
	 * @return when, or empty if it is not overridden, or until it is reset
	 */
	public Optional<Instant> until(String policy, PolicyKey key) {
		return this.expiries.until(policy, key);
	}

	/**
	 * {@return when the switch of all retries ends by itself to be overridden; when, or
	 * empty if it is not overridden, or until it is reset}
	 */
	public Optional<Instant> retriesEnabledUntil() {
		return this.expiries.until(Expiries.ALL, PolicyKey.ENABLED);
	}

	private String known(String policy) {
		return this.policies.find(policy)
			.orElseThrow(() -> new InvalidBackoffException(List.of(Problem.ofPlace("Policy " + policy, "is not known",
					"Write one of " + String.join(", ", this.policies.names()) + "."))));
	}

	private static Map<PolicyKey, String> read(String policy, Map<String, String> values) {
		List<Problem> problems = new ArrayList<>();
		Map<PolicyKey, String> read = Overrides.read(policy, values, problems);
		if (read.isEmpty() && problems.isEmpty()) {
			problems.add(Problem.ofPlace("Policy " + policy, "needs a value to override",
					"Write one, for instance cap, or reset the policy."));
		}
		Switchover.refuse(problems);
		return read;
	}

	/**
	 * Put a configuration into effect whose overrides of some keys end after a time, or
	 * throw and change nothing.
	 */
	private List<ValueChange> put(BackoffConfiguration configuration, String policy, Set<PolicyKey> keys,
			@Nullable Duration limit) {
		Expiries.Expiry expiry = (limit != null) ? this.expiries.schedule(policy, keys, limit, this::expire) : null;
		List<ValueChange> changes;
		try {
			changes = this.switchover.put(configuration);
		}
		catch (RuntimeException | Error ex) {
			if (expiry != null) {
				expiry.cancel();
			}
			throw ex;
		}
		this.expiries.set(policy, keys, expiry);
		return changes;
	}

	private static String overridden(@Nullable Duration limit) {
		return "Overridden" + ((limit != null) ? " for " + DurationText.exact(limit) : "") + " in this process only";
	}

	private static void log(String how, List<ValueChange> changes) {
		for (ValueChange change : changes) {
			if (change.subject().equals("backoff") && !LIVE.contains(change.key())) {
				logger.warn("{}, in effect from the next start on: {}", how, change);
			}
			else {
				logger.info("{}: {}", how, change);
			}
		}
	}

	private void tell(Outcome outcome) {
		Switchover.harmlessly("listener of changes of the configuration", () -> {
			for (ConfigurationListener listener : this.listeners.get()) {
				// asked each time: the one before may have changed something
				Switchover.harmlessly("listener of changes of the configuration",
						() -> listener.changed(outcome, this.policies.configuration().overrides()));
			}
		});
	}

	/** Forget what was going to end: the application ends first. */
	@Override
	public void destroy() {
		this.expiries.close();
	}

}
