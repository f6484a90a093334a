package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Shape;
import dev.backoff.failure.Idempotency;
import dev.backoff.policy.DegradedSettings;
import dev.backoff.policy.RetryPolicy;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.policy.BackoffProperties.Nested;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;
import dev.backoff.spring.policy.BackoffProperties.WhenEmpty;
import dev.backoff.spring.policy.PolicyLevels.Ranked;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Make one policy of the strongest values, or say which of them do not fit together. A
 * number of attempts from a weaker level yields to a ladder.
 */
final class PolicyAssembler {

	private static final Map<PolicyKey, Function<String, ?>> PARSERS = parsers();

	private final String name;

	private final PolicyLevels levels;

	private final References references;

	private final FailureTypes failureTypes;

	private final PolicyValues values;

	/*
	 * What is right or wrong by itself is a problem, what depends on others a conflict.
	 */
	private final List<Problem> problems;

	private final List<Problem> conflicts;

	/** Make an assembler. */
	PolicyAssembler(String name, PolicyLevels levels, References references, @Nullable ClassLoader classLoader,
			List<Problem> problems, List<Problem> conflicts) {
		this.name = name;
		this.levels = levels;
		this.references = references;
		this.failureTypes = new FailureTypes(classLoader, problems);
		this.values = new PolicyValues(levels);
		this.problems = problems;
		this.conflicts = conflicts;
	}

	/** Return the policy, or null if there are problems, which are then reported. */
	@Nullable EffectivePolicy assemble() {
		int before = this.problems.size();
		this.levels.written().forEach((written) -> check(written.getKey(), written.getValue()));
		List<Class<? extends Throwable>> retryOn = types(PolicyKey.RETRY_ON, strongestRetryOn());
		List<Class<? extends Throwable>> abortOn = types(PolicyKey.ABORT_ON, this.levels.abortOn());
		if (this.problems.size() > before) {
			return null;
		}
		Delays delays = new DelayAssembler(this.values).assemble();
		DegradedSettings degraded = (delays != null) ? new DegradedAssembler(this.values, delays).assemble() : null;
		if (haveConflicts() || delays == null) {
			return null;
		}
		RetryPolicyBuilder builder = RetryPolicy.builder(this.name)
			.shape(delays.shape())
			.cap(delays.cap())
			.jitter(delays.jitter())
			.throttledBase(delays.throttledBase())
			.degraded(degraded)
			.retryOn(retryOn)
			.abortOn(abortOn);
		setLimits(builder, delays);
		setSwitches(builder);
		RetryPolicy numbers = builder.build();
		checkRoom(numbers);
		EffectivePolicy.States states = new EffectivePolicy.States(this.references.breaker(this.values),
				this.references.budget(this.values));
		AwaitedBudget awaited = AwaitedBudget.of(numbers, this.references.budgetEntry(states.budget()));
		if (haveConflicts()) {
			return null;
		}
		this.values.note(PolicyKey.INHERITS);
		this.values.note(PolicyKey.PRESET);
		boolean replayed = this.values.read(PolicyKey.REPLAY, TextValues::flag, false, "false");
		ConfigValue classifier = classifier();
		Lock completing = new ReentrantLock();
		return new EffectivePolicy((classifiers, retryWhen, until) -> {
			completing.lock();
			try {
				return builder.classifiers(classifiers).retryWhen(retryWhen).until(until).build();
			}
			finally {
				completing.unlock();
			}
		}, classifier, replayed, states, this.values.effective(), advice(numbers, delays, states, awaited));
	}

	private void setLimits(RetryPolicyBuilder builder, Delays delays) {
		Duration deadline = limit(PolicyKey.DEADLINE);
		builder.deadline(deadline)
			.attemptTimeout(limit(PolicyKey.ATTEMPT_TIMEOUT))
			.maxAttempts(attempts(delays, deadline))
			.shortestAttempt(this.values.read(PolicyKey.SHORTEST_ATTEMPT, TextValues::duration,
					RetryPolicy.DEFAULT_SHORTEST_ATTEMPT, DurationText.exact(RetryPolicy.DEFAULT_SHORTEST_ATTEMPT)))
			.retryAfterEnabled(flag(PolicyKey.RETRY_AFTER_ENABLED))
			.retryAfterMax(longestHint(delays));
	}

	private void setSwitches(RetryPolicyBuilder builder) {
		builder.enabled(flag(PolicyKey.ENABLED))
			.matchCauses(flag(PolicyKey.MATCH_CAUSES))
			.nestedMultiply(this.values.read(PolicyKey.NESTED, (text) -> TextValues.word(Nested.class, text),
					Nested.STOP, "stop") == Nested.MULTIPLY)
			.idempotency(
					this.values.read(PolicyKey.IDEMPOTENT, OverloadValues::idempotency, Idempotency.ASSUMED, "true"))
			.postponedWhenEmpty(this.values.read(PolicyKey.WHEN_EMPTY, (text) -> TextValues.word(WhenEmpty.class, text),
					WhenEmpty.STOP, "stop") == WhenEmpty.WAIT);
	}

	private boolean flag(PolicyKey key) {
		return this.values.read(key, TextValues::flag, true, "true");
	}

	private List<String> advice(RetryPolicy numbers, Delays delays, EffectivePolicy.States states,
			@Nullable AwaitedBudget awaited) {
		List<String> advice = PolicyAdvice.of(numbers, delays.name(), this.values.isWrittenForIt(PolicyKey.CAP),
				this.values.isWrittenForIt(PolicyKey.WHEN_DEGRADED_CAP)
						|| this.values.isWrittenForIt(PolicyKey.WHEN_DEGRADED_BASE));
		if (states.budget() == null && numbers.isPostponedWhenEmpty()
				&& this.values.isWrittenForIt(PolicyKey.WHEN_EMPTY)) {
			advice.add("when-empty has no effect without a budget");
		}
		if (awaited != null) {
			awaited.advise(advice);
		}
		return advice;
	}

	private static Map<PolicyKey, Function<String, ?>> parsers() {
		Map<PolicyKey, Function<String, ?>> parsers = new EnumMap<>(PolicyKey.class);
		parsers.put(PolicyKey.ENABLED, TextValues::flag);
		parsers.put(PolicyKey.IDEMPOTENT, OverloadValues::idempotency);
		parsers.put(PolicyKey.WHEN_EMPTY, (text) -> TextValues.word(WhenEmpty.class, text));
		parsers.put(PolicyKey.WHEN_DEGRADED_CAP, TextValues::positiveDuration);
		parsers.put(PolicyKey.WHEN_DEGRADED_BASE, TextValues::duration);
		parsers.put(PolicyKey.WHEN_DEGRADED_FAILURE_RATE, OverloadValues::share);
		parsers.put(PolicyKey.WHEN_DEGRADED_WINDOW, OverloadValues::time);
		parsers.put(PolicyKey.WHEN_DEGRADED_MINIMUM_CALLS, OverloadValues::wholeNumber);
		parsers.put(PolicyKey.SHAPE, (text) -> TextValues.word(ShapeName.class, text));
		parsers.put(PolicyKey.BASE, TextValues::duration);
		parsers.put(PolicyKey.CAP, TextValues::positiveDuration);
		parsers.put(PolicyKey.MULTIPLIER, TextValues::multiplier);
		parsers.put(PolicyKey.STEP, TextValues::duration);
		parsers.put(PolicyKey.JITTER, TextValues::jitter);
		parsers.put(PolicyKey.MAX_ATTEMPTS, TextValues::attempts);
		parsers.put(PolicyKey.DEADLINE, TextValues::durationOrNone);
		parsers.put(PolicyKey.ATTEMPT_TIMEOUT, TextValues::durationOrNone);
		parsers.put(PolicyKey.SHORTEST_ATTEMPT, TextValues::duration);
		parsers.put(PolicyKey.THROTTLED_BASE, TextValues::duration);
		parsers.put(PolicyKey.MATCH_CAUSES, TextValues::flag);
		parsers.put(PolicyKey.NESTED, (text) -> TextValues.word(Nested.class, text));
		parsers.put(PolicyKey.REPLAY, TextValues::flag);
		parsers.put(PolicyKey.RETRY_AFTER_ENABLED, TextValues::flag);
		parsers.put(PolicyKey.RETRY_AFTER_MAX, TextValues::positiveDuration);
		return parsers;
	}

	/**
	 * Read a value only to see whether it can be read, shadowed by a stronger one or not.
	 */
	private void check(PolicyKey key, ConfigValue value) {
		if (key == PolicyKey.BREAKER || key == PolicyKey.BUDGET) {
			this.references.check(key, value, this.levels.lineage(), this.problems);
			return;
		}
		try {
			if (key == PolicyKey.LADDER) {
				TextValues.ladder(value.texts());
			}
			Function<String, ?> parser = PARSERS.get(key);
			if (parser != null) {
				Object unused = parser.apply(value.text());
			}
		}
		catch (InvalidTextException ex) {
			this.problems.add(value.problem(ex));
		}
	}

	private boolean haveConflicts() {
		this.conflicts.addAll(this.values.conflicts());
		return !this.values.conflicts().isEmpty();
	}

	private @Nullable Duration limit(PolicyKey key) {
		Duration limit = this.values.read(key, TextValues::durationOrNone, Duration.ZERO, "none");
		return limit.isZero() ? null : limit;
	}

	private int attempts(Delays delays, @Nullable Duration deadline) {
		Ranked written = this.values.written(PolicyKey.MAX_ATTEMPTS);
		Ranked ladder = this.values.written(PolicyKey.LADDER);
		if (delays.name() == ShapeName.LADDER && ladder != null
				&& (written == null || written.strength() < ladder.strength())) {
			int attempts = (deadline != null) ? RetryPolicy.UNLIMITED_ATTEMPTS : delays.shape().rungs() + 1;
			this.values.put(PolicyKey.MAX_ATTEMPTS, (deadline != null) ? "unlimited" : Integer.toString(attempts),
					((deadline != null) ? "until the deadline, " : "one retry a rung, ") + ladder.value().origin());
			return attempts;
		}
		return this.values.read(PolicyKey.MAX_ATTEMPTS, TextValues::attempts, RetryPolicy.DEFAULT_MAX_ATTEMPTS,
				Integer.toString(RetryPolicy.DEFAULT_MAX_ATTEMPTS));
	}

	private Duration longestHint(Delays delays) {
		Duration longest = (Nanos.of(delays.cap()) == Nanos.UNLIMITED) ? longestRung(delays.shape()) : delays.cap();
		Duration otherwise = (longest.compareTo(RetryPolicy.DEFAULT_RETRY_AFTER_MAX) > 0) ? longest
				: RetryPolicy.DEFAULT_RETRY_AFTER_MAX;
		return this.values.read(PolicyKey.RETRY_AFTER_MAX, TextValues::positiveDuration, otherwise,
				DurationText.exact(otherwise));
	}

	private static Duration longestRung(Shape ladder) {
		return Duration.ofNanos(IntStream.rangeClosed(1, ladder.rungs()).mapToLong(ladder::nanos).max().orElse(0));
	}

	private @Nullable ConfigValue classifier() {
		Ranked written = this.values.written(PolicyKey.CLASSIFIER);
		this.values.note(PolicyKey.CLASSIFIER);
		return (written != null) ? written.value() : null;
	}

	private List<ConfigValue> strongestRetryOn() {
		Ranked written = this.values.written(PolicyKey.RETRY_ON);
		return (written != null) ? List.of(written.value()) : List.of();
	}

	private List<Class<? extends Throwable>> types(PolicyKey key, List<ConfigValue> lists) {
		List<Class<? extends Throwable>> types = this.failureTypes.of(key, lists);
		if (!lists.isEmpty()) {
			this.values.put(key,
					types.isEmpty() ? "[]" : String.join(", ", types.stream().map(Class::getName).toList()),
					String.join(", ", lists.stream().map(ConfigValue::origin).distinct().toList()));
		}
		return types;
	}

	/** Report a deadline that leaves no room for a single retry. */
	private void checkRoom(RetryPolicy policy) {
		Ranked deadline = this.values.written(PolicyKey.DEADLINE);
		if (deadline == null || policy.deadlineNanos() == Nanos.UNLIMITED || policy.maxAttempts() == 1) {
			return;
		}
		BackoffRule rule = policy.rule();
		long least = rule.delay(1, rule.baseNanos(), () -> 0);
		if (Nanos.plus(least, policy.shortestAttemptNanos()) >= policy.deadlineNanos()) {
			this.values.conflict(deadline.value(),
					"leaves no room for a retry, which waits " + DurationText.exact(least) + " at least and needs "
							+ DurationText.exact(policy.shortestAttemptNanos()) + " (shortest-attempt)",
					"Raise the deadline, or " + lowerTheWait(rule, least));
		}
	}

	private String lowerTheWait(BackoffRule rule, long least) {
		if (least == 0) {
			return "lower shortest-attempt (" + this.values.origin(PolicyKey.SHORTEST_ATTEMPT) + ").";
		}
		return (rule.shape().rungs() > 0)
				? "shorten the ladder's first rung (" + this.values.origin(PolicyKey.LADDER) + ")."
				: "lower the base (" + this.values.origin(PolicyKey.BASE) + ").";
	}

}
