package dev.backoff.spring.policy;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level.Rank;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.configuration.Problem;
import dev.backoff.spring.configuration.Section;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Make one policy of the strongest values, and report those that do not fit together. A
 * number of attempts from a weaker level yields to a ladder.
 */
record PolicyAssembler(String name, PolicyDraft values, References references, FailureTypes failureTypes,
		List<Problem> problems) {

	/** Return the policy, or null if there are problems, which are then reported. */
	@Nullable EffectivePolicy assemble() {
		int before = this.problems.size();
		this.values.all().forEach((written) -> check(written.getKey(), written.getValue()));
		ConfigValue strongest = this.values.written(PolicyKey.RETRY_ON);
		List<Class<? extends Throwable>> retryOn = types(PolicyKey.RETRY_ON,
				(strongest != null) ? List.of(strongest) : List.of());
		List<ConfigValue> aborts = this.values.all(PolicyKey.ABORT_ON);
		List<Class<? extends Throwable>> abortOn = types(PolicyKey.ABORT_ON, aborts);
		if (this.problems.size() > before) {
			return null;
		}
		ConfigValue stored = this.values.written(PolicyKey.DURABLE);
		boolean durable = stored != null && PolicyKey.DURABLE.of(stored);
		if (durable) {
			this.values.addDurableDefaults(this.name);
		}
		Integer concurrency = concurrency(durable);
		RetryPolicyBuilder builder = RetryPolicy.builder(this.name).retryOn(retryOn).abortOn(abortOn);
		// a list that is written nowhere would be written where the policy is
		builder.namedAsKeys((strongest != null) ? isKey(strongest) : !this.values.lineage().isEmpty(),
				this.failureTypes.of(PolicyKey.ABORT_ON, aborts.stream().filter(PolicyAssembler::isKey).toList()));
		Shape shape = new DelayAssembler(this.values).assemble(builder);
		if (this.values.hasConflicts() || shape == null) {
			return null;
		}
		Section.POLICIES.keys().forEach((key) -> set(key, builder));
		ConfigValue classifier = this.values.written(PolicyKey.CLASSIFIER);
		builder.judgedByLists(classifier != null && classifier.text().equalsIgnoreCase("none"));
		RetryPolicy numbers = builder.maxAttempts(attempts(shape)).maxWaiting(mostWaiting()).build();
		if (this.values.written(PolicyKey.RETRY_AFTER_MAX) == null) {
			// it follows a cap that is set, or the longest level
			this.values.putBuiltIn(PolicyKey.RETRY_AFTER_MAX, DurationText.exact(numbers.retryAfterMaxNanos()), "");
		}
		checkRoom(numbers);
		String breaker = this.references.putIntoEffect(PolicyKey.BREAKER, this.values);
		String budget = this.references.putIntoEffect(PolicyKey.BUDGET, this.values);
		String pace = this.references.putIntoEffect(PolicyKey.PACE, this.values);
		if (this.values.hasConflicts()) {
			return null;
		}
		List.of(PolicyKey.INHERITS, PolicyKey.PRESET, PolicyKey.CLASSIFIER, PolicyKey.DURABLE)
			.forEach(this.values::note);
		return new EffectivePolicy(numbers, (classifier != null && !numbers.isJudgedByLists()) ? classifier : null,
				this.values.read(PolicyKey.REPLAY), concurrency, breaker, budget, pace, this.values.effective());
	}

	private static boolean isKey(ConfigValue written) {
		return !written.level().isOfAnnotation();
	}

	/** Put a value that depends on no other one into effect. */
	private void set(Key<?> key, RetryPolicyBuilder builder) {
		ConfigValue written = this.values.written(key);
		if (key.isIndependent()) {
			this.values.read(key);
		}
		if (written != null) {
			key.set(builder, written);
		}
	}

	/** Return how many attempts run at once, or null for a policy that is not durable. */
	private @Nullable Integer concurrency(boolean durable) {
		for (Key<?> key : List.of(PolicyKey.SCHEDULE, PolicyKey.SCHEDULE_ZONE)) {
			refuse(key, !durable, "is of a durable policy, and this one is not", "Set durable to true, or remove it.");
			this.values.note(key);
		}
		refuse(PolicyKey.MAX_WAITING, durable && this.values.level(PolicyKey.MAX_WAITING).isOfOne(),
				"has no effect on a durable policy, whose calls wait in their store", "Remove it.");
		Integer permits = this.values.get(PolicyKey.CONCURRENCY);
		refuse(PolicyKey.CONCURRENCY, durable && permits == RetryPolicy.UNLIMITED_CONCURRENCY,
				"must be a number for a durable policy, whose attempts have threads of their own", "Write a number.");
		refuse(PolicyKey.CONCURRENCY, durable && this.values.level(PolicyKey.CONCURRENCY).rank() == Rank.OVERRIDE,
				"cannot be changed while the application runs for a durable policy, whose threads are made at its start",
				"Restart with another configuration, or set enabled to false to pause the policy.");
		return durable ? permits : null;
	}

	private void refuse(Key<?> key, boolean refused, String rule, String fix) {
		ConfigValue written = this.values.written(key);
		if (refused && written != null) {
			this.values.conflict(written, rule, fix);
		}
	}

	/** Report what is wrong with a value by itself, shadowed by a stronger one or not. */
	private void check(Key<?> key, ConfigValue value) {
		this.problems.addAll(value.problems());
		if (key == PolicyKey.BREAKER || key == PolicyKey.BUDGET || key == PolicyKey.PACE) {
			this.references.check(key, value, this.values.lineage(), this.problems);
		}
	}

	private int attempts(Shape shape) {
		ConfigValue ladder = this.values.written(PolicyKey.LADDER);
		if (shape.levels() == 0 || ladder == null
				|| this.values.level(PolicyKey.MAX_ATTEMPTS).isAtLeast(ladder.level())) {
			return this.values.read(PolicyKey.MAX_ATTEMPTS);
		}
		boolean limited = !this.values.read(PolicyKey.DEADLINE).isZero();
		int attempts = limited ? RetryPolicy.UNLIMITED_ATTEMPTS : shape.levels() + 1;
		this.values.put(PolicyKey.MAX_ATTEMPTS, limited ? "unlimited" : Integer.toString(attempts), ladder.level(),
				(limited ? "until the deadline, " : "one retry a level, ") + ladder.origin());
		return attempts;
	}

	/* A number from a weaker level than the concurrency's has no effect. */
	private int mostWaiting() {
		int permits = this.values.get(PolicyKey.CONCURRENCY);
		ConfigValue written = this.values.written(PolicyKey.MAX_WAITING);
		if (permits != RetryPolicy.UNLIMITED_CONCURRENCY) {
			int otherwise = RetryPolicy.WAITING_PER_SLOT * permits;
			return this.values.read(PolicyKey.MAX_WAITING, otherwise, Integer.toString(otherwise));
		}
		if (written != null && written.level().isOfOne()
				&& written.level().isAtLeast(this.values.level(PolicyKey.CONCURRENCY))) {
			this.values.conflict(written, "has no effect without a concurrency", "Add concurrency, or remove it.");
		}
		return RetryPolicy.UNLIMITED_CONCURRENCY;
	}

	private List<Class<? extends Throwable>> types(Key<?> key, List<ConfigValue> lists) {
		List<Class<? extends Throwable>> types = this.failureTypes.of(key, lists);
		if (!lists.isEmpty()) {
			this.values.put(key,
					types.isEmpty() ? "[]" : String.join(", ", types.stream().map(Class::getName).toList()),
					lists.get(lists.size() - 1).level(),
					String.join(", ", lists.stream().map(ConfigValue::origin).distinct().toList()));
		}
		return types;
	}

	/** Report a deadline that leaves no room for a single retry. */
	private void checkRoom(RetryPolicy policy) {
		ConfigValue deadline = this.values.written(PolicyKey.DEADLINE);
		if (deadline == null || policy.deadlineNanos() == Nanos.UNLIMITED || policy.maxAttempts() == 1) {
			return;
		}
		BackoffRule rule = policy.rule();
		long least = rule.delay(1, rule.baseNanos(), () -> 0);
		if (Nanos.plus(least, policy.shortestAttemptNanos()) >= policy.deadlineNanos()) {
			this.values.conflict(deadline,
					"leaves no room for a retry, which waits " + DurationText.exact(least) + " at least and needs "
							+ DurationText.exact(policy.shortestAttemptNanos()) + " (shortest-attempt)",
					"Raise the deadline, or " + lowerTheWait(rule, least));
		}
	}

	private String lowerTheWait(BackoffRule rule, long least) {
		if (least == 0) {
			return "lower shortest-attempt (" + this.values.origin(PolicyKey.SHORTEST_ATTEMPT) + ").";
		}
		return (rule.shape().levels() > 0)
				? "shorten the ladder's first level (" + this.values.origin(PolicyKey.LADDER) + ")."
				: "lower the base (" + this.values.origin(PolicyKey.BASE) + ").";
	}

}
