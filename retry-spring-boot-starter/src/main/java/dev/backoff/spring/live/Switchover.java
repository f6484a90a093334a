package dev.backoff.spring.live;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.spring.configuration.BackoffConfiguration;
import dev.backoff.spring.configuration.InvalidBackoffException;
import dev.backoff.spring.configuration.Overrides;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.PolicyResolver;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.PolicyUses.PolicyUse;

/**
 * Put another configuration into effect in two steps. All users of the configuration
 * check it and make their new parts first; then all of them switch. Not thread-safe.
 */
record Switchover(BackoffPolicies policies, PolicyUses uses, Supplier<? extends List<ConfigurationUser>> users) {

	private static final Logger logger = LoggerFactory.getLogger(LiveConfiguration.class);

	private static final String POLICY = "policy ";

	/** Put a configuration into effect, or throw and change nothing. */
	List<ValueChange> put(BackoffConfiguration configuration) {
		Changes before = now();
		PolicyResolver candidate = this.policies.candidate(configuration);
		List<Runnable> commits = check(candidate).stream().map(ConfigurationUser.Change::make).toList();
		this.policies.adopt(candidate);
		commits.forEach((commit) -> harmlessly("user of the configuration", commit));
		return before.until(now());
	}

	/** Return the values in effect. */
	Changes now() {
		return Changes.of(this.policies.current(), this.uses.uses());
	}

	/** Check a configuration as if it were put into effect. */
	List<ConfigurationUser.Change> check(PolicyResolver candidate) {
		List<Problem> problems = new ArrayList<>();
		List<ConfigurationUser.Change> changes = this.users.get()
			.stream()
			.map((user) -> user.prepare(candidate, problems))
			.toList();
		candidate.check(problems);
		if (candidate.configuration().isEnabled()) {
			InvalidBackoffException.throwIfAny(problems);
		}
		else {
			// perhaps it was switched off because of these problems
			problems.stream()
				.distinct()
				.forEach((problem) -> logger.warn("Without effect while backoff.enabled is false: {}", problem));
		}
		return changes;
	}

	/** Return the policies by a configuration, or throw what is wrong with it. */
	PolicyResolver preview(BackoffConfiguration configuration) {
		PolicyResolver candidate = refuseNewProblems(configuration);
		if (configuration.isEnabled()) {
			List<ConfigurationUser.Change> unused = check(candidate);
		}
		return candidate;
	}

	/** Refuse to add problems while all is off, which could not be switched on then. */
	PolicyResolver refuseNewProblems(BackoffConfiguration configuration) {
		PolicyResolver candidate = this.policies.candidate(configuration);
		if (!configuration.isEnabled()) {
			List<Problem> problems = problems(candidate);
			problems.removeAll(problems(this.policies.candidate(this.policies.configuration())));
			InvalidBackoffException.throwIfAny(problems);
		}
		return candidate;
	}

	private List<Problem> problems(PolicyResolver candidate) {
		List<Problem> problems = new ArrayList<>();
		List<PolicyUse> unused = this.uses.uses(candidate, problems);
		candidate.check(problems);
		return problems;
	}

	/** Log the changes of a new reading that live overrides hide. */
	void warnOfHidden(BackoffConfiguration before, BackoffConfiguration read) {
		Overrides overrides = before.overrides();
		if (!overrides.isEmpty()) {
			withoutOverrides(before).until(withoutOverrides(read))
				.stream()
				.filter((change) -> isHidden(change, overrides))
				.forEach((change) -> logger.warn("Refreshed, but hidden by a live override until that is reset: {}",
						change));
		}
	}

	private static boolean isHidden(ValueChange change, Overrides overrides) {
		if (!change.subject().startsWith(POLICY)) {
			return change.key().equals("retries-enabled") && overrides.retriesEnabled() != null;
		}
		return overrides.of(change.subject().substring(POLICY.length()))
			.keySet()
			.stream()
			.anyMatch((key) -> key.key().equals(change.key()));
	}

	private Changes withoutOverrides(BackoffConfiguration configuration) {
		PolicyResolver candidate = this.policies.candidate(configuration.with(Overrides.NONE));
		return Changes.of(candidate, this.uses.uses(candidate, new ArrayList<>()));
	}

	/** Run something that belongs to others. */
	static void harmlessly(String what, Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			// the others are still to be told, and the change holds
			logger.warn("A {} failed", what, ex);
		}
	}

}
