package dev.backoff.spring.live;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.backoff.spring.policy.BackoffConfiguration;
import dev.backoff.spring.policy.BackoffPolicies;
import dev.backoff.spring.policy.ConfigurationUser;
import dev.backoff.spring.policy.InvalidBackoffException;
import dev.backoff.spring.policy.Overrides;
import dev.backoff.spring.policy.PolicyUse;
import dev.backoff.spring.policy.PolicyUses;
import dev.backoff.spring.policy.Problem;

/**
 * Put another configuration into effect in two steps: everybody who goes by it checks it
 * and makes what is new, and only then does anybody follow. Not thread-safe.
 */
final class Switchover {

	private static final Logger logger = LoggerFactory.getLogger(LiveConfiguration.class);

	private static final String POLICY = "policy ";

	private final BackoffPolicies policies;

	private final PolicyUses uses;

	private final Supplier<? extends List<ConfigurationUser>> users;

	Switchover(BackoffPolicies policies, PolicyUses uses, Supplier<? extends List<ConfigurationUser>> users) {
		this.policies = policies;
		this.uses = uses;
		this.users = users;
	}

	/** Return what a configuration would lead to, or throw what is wrong with it. */
	BackoffPolicies.Candidate tryOut(BackoffConfiguration configuration) {
		BackoffPolicies.Candidate candidate = this.policies.candidate(configuration);
		List<Problem> problems = new ArrayList<>();
		this.users.get().forEach((user) -> user.prepare(candidate, problems));
		candidate.check(problems);
		refuse(configuration.isEnabled() ? problems : wrongAnew(candidate));
		return candidate;
	}

	/*
	 * While all is switched off, perhaps because of what is wrong, an operator must still
	 * not add to it: it could not be switched on again.
	 */
	List<Problem> wrongAnew(BackoffPolicies.Candidate candidate) {
		if (candidate.configuration().isEnabled()) {
			return List.of();
		}
		List<Problem> problems = wrong(candidate);
		problems.removeAll(wrong(this.policies.candidate(this.policies.configuration())));
		return problems;
	}

	private List<Problem> wrong(BackoffPolicies.Candidate candidate) {
		List<Problem> problems = new ArrayList<>();
		List<PolicyUse> unused = this.uses.uses(candidate, problems);
		candidate.check(problems);
		return problems;
	}

	static void refuse(List<Problem> problems) {
		if (!problems.isEmpty()) {
			throw new InvalidBackoffException(distinct(problems));
		}
	}

	/** Put a configuration into effect, or throw and change nothing. */
	List<ValueChange> put(BackoffConfiguration configuration) {
		Changes before = Changes.now(this.policies, this.uses);
		BackoffPolicies.Candidate candidate = this.policies.candidate(configuration);
		List<ConfigurationUser.Change> changes = prepare(candidate);
		List<Runnable> commits = changes.stream().map(ConfigurationUser.Change::make).toList();
		this.policies.adopt(candidate);
		commits.forEach((commit) -> harmlessly("user of the configuration", commit));
		return before.until(Changes.now(this.policies, this.uses));
	}

	private List<ConfigurationUser.Change> prepare(BackoffPolicies.Candidate candidate) {
		List<Problem> problems = new ArrayList<>();
		List<ConfigurationUser.Change> changes = this.users.get()
			.stream()
			.map((user) -> user.prepare(candidate, problems))
			.toList();
		candidate.check(problems);
		if (candidate.configuration().isEnabled()) {
			refuse(problems);
		}
		else {
			// switched off, perhaps because of just these
			distinct(problems)
				.forEach((problem) -> logger.warn("Without effect while backoff.enabled is false: {}", problem));
		}
		return changes;
	}

	/** Check a configuration as if it were put into effect. */
	void check(BackoffConfiguration configuration) {
		prepare(this.policies.candidate(configuration));
	}

	private static List<Problem> distinct(List<Problem> problems) {
		return problems.stream().distinct().toList();
	}

	/**
	 * Return what another configuration changes and overrides hide: compared without any
	 * of them, as if nobody had overridden it.
	 */
	List<ValueChange> hidden(BackoffConfiguration before, BackoffConfiguration read) {
		Overrides overrides = before.overrides();
		return without(before.with(Overrides.NONE)).until(without(read))
			.stream()
			.filter((change) -> isHidden(change, overrides))
			.toList();
	}

	private static boolean isHidden(ValueChange change, Overrides overrides) {
		if (!change.subject().startsWith(POLICY)) {
			return change.key().equals("retries-enabled") && overrides.retriesEnabled() != null;
		}
		return overrides.values(change.subject().substring(POLICY.length()))
			.keySet()
			.stream()
			.anyMatch((key) -> key.key().equals(change.key()));
	}

	private Changes without(BackoffConfiguration configuration) {
		BackoffPolicies.Candidate candidate = this.policies.candidate(configuration);
		return Changes.of(configuration, candidate.names(), candidate::peek,
				this.uses.uses(candidate, new ArrayList<>()));
	}

	/** Run something that belongs to others. */
	static void harmlessly(String what, Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			// the others are still to be told, and what is in effect stays so
			logger.warn("A {} failed", what, ex);
		}
	}

}
