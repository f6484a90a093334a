package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

import dev.backoff.RetryPolicy;
import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.spring.policy.BackoffProperties.Nested;
import dev.backoff.spring.policy.BackoffProperties.ShapeName;
import dev.backoff.spring.policy.PolicyLevels.Ranked;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Make one policy of the strongest values, or say which of them do not fit together.
 * <p>
 * Two rules keep levels from hurting each other. A cap or a number of attempts from a
 * weaker level yields to a stronger base or ladder. Numbers of a shape that is not in
 * effect are left out if they come from a weaker level than the shape, and an error
 * otherwise: somebody wrote them and would wait for their effect.
 */
final class PolicyAssembler {

	private static final String NO_EFFECT = "has no effect, because";

	/* Where the exceptions live that people name without their package. */
	private static final List<String> COMMON_PACKAGES = List.of("java.lang.", "java.io.", "java.net.", "java.sql.",
			"java.util.concurrent.", "org.springframework.dao.", "org.springframework.web.client.");

	private static final String BUILT_IN = "built in";

	private static final Map<PolicyKey, Function<String, ?>> PARSERS = parsers();

	private final String name;

	private final PolicyLevels levels;

	private final @Nullable ClassLoader classLoader;

	private final List<Problem> problems;

	/*
	 * What is right or wrong by itself is a problem, what depends on others a conflict.
	 */
	private final List<Problem> conflicts = new ArrayList<>();

	private final List<Problem> conflictsFound;

	private final Map<PolicyKey, EffectivePolicy.Value> effective = new EnumMap<>(PolicyKey.class);

	/**
	 * Make an assembler.
	 * @param problems gets the values that are wrong by themselves
	 * @param conflicts gets the values that are wrong beside others, if none is wrong by
	 * itself; may be the same list
	 */
	PolicyAssembler(String name, PolicyLevels levels, @Nullable ClassLoader classLoader, List<Problem> problems,
			List<Problem> conflicts) {
		this.name = name;
		this.levels = levels;
		this.classLoader = classLoader;
		this.problems = problems;
		this.conflictsFound = conflicts;
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
		note(PolicyKey.INHERITS);
		note(PolicyKey.PRESET);
		boolean enabled = value(PolicyKey.ENABLED, TextValues::flag, true, "true");
		ShapeName shapeName = shapeName();
		Jitter jitter = jitter(shapeName, shapeStrength(shapeName));
		Shape shape = shape(shapeName, jitter);
		Duration cap = cap(shapeName, shape, jitter);
		Duration deadline = deadline();
		int attempts = attempts(shapeName, shape, deadline);
		Duration shortest = value(PolicyKey.SHORTEST_ATTEMPT, TextValues::duration,
				RetryPolicy.DEFAULT_SHORTEST_ATTEMPT, DurationText.exact(RetryPolicy.DEFAULT_SHORTEST_ATTEMPT));
		Duration throttled = throttledBase(cap);
		boolean causes = value(PolicyKey.MATCH_CAUSES, TextValues::flag, true, "true");
		ConfigValue classifier = classifier();
		Nested nested = value(PolicyKey.NESTED, (text) -> TextValues.word(Nested.class, text), Nested.STOP, "stop");
		boolean hints = value(PolicyKey.RETRY_AFTER_ENABLED, TextValues::flag, true, "true");
		Duration longestHint = longestHint(cap, shape);
		if (haveConflicts() || shape == null) {
			return null;
		}
		RetryPolicy.Builder builder = RetryPolicy.builder(this.name)
			.enabled(enabled)
			.shape(shape)
			.cap(cap)
			.jitter(jitter)
			.deadline(deadline)
			.maxAttempts(attempts)
			.shortestAttempt(shortest)
			.throttledBase(throttled)
			.retryOn(retryOn)
			.abortOn(abortOn)
			.matchCauses(causes)
			.nestedMultiply(nested == Nested.MULTIPLY)
			.retryAfterEnabled(hints)
			.retryAfterMax(longestHint);
		RetryPolicy numbers = builder.build();
		checkRoom(numbers);
		if (haveConflicts()) {
			return null;
		}
		return new EffectivePolicy((classifiers, retryWhen, until) -> {
			synchronized (builder) {
				return builder.classifiers(classifiers).retryWhen(retryWhen).until(until).build();
			}
		}, classifier, this.effective, PolicyAdvice.of(numbers, shapeName, isWrittenForIt(PolicyKey.CAP)));
	}

	private static Map<PolicyKey, Function<String, ?>> parsers() {
		Map<PolicyKey, Function<String, ?>> parsers = new EnumMap<>(PolicyKey.class);
		parsers.put(PolicyKey.ENABLED, TextValues::flag);
		parsers.put(PolicyKey.SHAPE, (text) -> TextValues.word(ShapeName.class, text));
		parsers.put(PolicyKey.BASE, TextValues::duration);
		parsers.put(PolicyKey.CAP, TextValues::positiveDuration);
		parsers.put(PolicyKey.MULTIPLIER, TextValues::multiplier);
		parsers.put(PolicyKey.STEP, TextValues::duration);
		parsers.put(PolicyKey.JITTER, TextValues::jitter);
		parsers.put(PolicyKey.MAX_ATTEMPTS, TextValues::attempts);
		parsers.put(PolicyKey.DEADLINE, TextValues::deadline);
		parsers.put(PolicyKey.SHORTEST_ATTEMPT, TextValues::duration);
		parsers.put(PolicyKey.THROTTLED_BASE, TextValues::duration);
		parsers.put(PolicyKey.MATCH_CAUSES, TextValues::flag);
		parsers.put(PolicyKey.NESTED, (text) -> TextValues.word(Nested.class, text));
		parsers.put(PolicyKey.RETRY_AFTER_ENABLED, TextValues::flag);
		parsers.put(PolicyKey.RETRY_AFTER_MAX, TextValues::positiveDuration);
		return parsers;
	}

	/**
	 * Read a value only to see whether it can be read, shadowed by a stronger one or not.
	 */
	private void check(PolicyKey key, ConfigValue value) {
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
		this.conflictsFound.addAll(this.conflicts);
		return !this.conflicts.isEmpty();
	}

	private ShapeName shapeName() {
		Ranked shape = this.levels.get(PolicyKey.SHAPE);
		Ranked ladder = this.levels.get(PolicyKey.LADDER);
		ShapeName written = ShapeName.EXPONENTIAL;
		if (shape != null) {
			written = TextValues.word(ShapeName.class, shape.value().text());
		}
		boolean ladderWins = ladder != null && (shape == null || ladder.strength() >= shape.strength());
		if (ladder != null && shape != null && ladder.strength() == shape.strength() && written != ShapeName.LADDER) {
			this.conflicts.add(ladder.value()
				.problem("contradicts the shape " + shape.value().text() + " beside it", "Remove one of the two."));
		}
		if (shape != null && written == ShapeName.LADDER && ladder == null) {
			this.conflicts.add(shape.value().problem("needs a ladder", "Add the delays as ladder."));
		}
		ShapeName name = ladderWins ? ShapeName.LADDER : written;
		Ranked decisive = ladderWins ? ladder : shape;
		put(PolicyKey.SHAPE, name.name().toLowerCase(Locale.ROOT),
				(decisive != null) ? decisive.value().origin() : BUILT_IN);
		rejectNumbersOfOtherShapes(name, decisive);
		return name;
	}

	/** Return the strength of what decides on the shape, 0 if nothing does. */
	private int shapeStrength(ShapeName name) {
		Ranked shape = this.levels.get(PolicyKey.SHAPE);
		Ranked ladder = (name == ShapeName.LADDER) ? this.levels.get(PolicyKey.LADDER) : null;
		return Math.max((shape != null) ? shape.strength() : 0, (ladder != null) ? ladder.strength() : 0);
	}

	private void rejectNumbersOfOtherShapes(ShapeName shape, @Nullable Ranked decisive) {
		reject(PolicyKey.BASE, shape != ShapeName.LADDER, decisive, "fixed, linear or exponential");
		reject(PolicyKey.MULTIPLIER, shape == ShapeName.EXPONENTIAL, decisive, "exponential");
		reject(PolicyKey.STEP, shape == ShapeName.LINEAR, decisive, "linear");
		reject(PolicyKey.LADDER, shape == ShapeName.LADDER, decisive, "ladder");
	}

	private void reject(PolicyKey key, boolean used, @Nullable Ranked decisive, String owner) {
		Ranked ranked = this.levels.get(key);
		if (!used && ranked != null && (decisive == null || ranked.strength() >= decisive.strength())) {
			EffectivePolicy.Value shape = this.effective.getOrDefault(PolicyKey.SHAPE,
					new EffectivePolicy.Value("", BUILT_IN));
			this.conflicts.add(ranked.value()
				.problem(NO_EFFECT + " the shape is " + shape.text() + " (" + shape.origin() + ")",
						"Remove it, or set the shape to " + owner + "."));
		}
	}

	private Jitter jitter(ShapeName shape, int strength) {
		Jitter otherwise = (shape == ShapeName.LADDER) ? Jitter.proportional(0.2) : Jitter.full();
		Jitter jitter = value(PolicyKey.JITTER, TextValues::jitter, otherwise, otherwise.toString());
		Ranked written = this.levels.get(PolicyKey.JITTER);
		if (written != null && jitter.replacesShape() && shape != ShapeName.EXPONENTIAL
				&& written.strength() < strength) {
			put(PolicyKey.JITTER, otherwise.toString(),
					BUILT_IN + ", because decorrelated (" + written.value().origin() + ") needs an exponential");
			return otherwise;
		}
		if (written != null && jitter.replacesShape() && shape != ShapeName.EXPONENTIAL) {
			this.conflicts.add(written.value()
				.problem("grows from a base by itself, and the shape is " + shape.name().toLowerCase(Locale.ROOT),
						"Remove the shape, or choose another jitter."));
		}
		Ranked multiplier = this.levels.get(PolicyKey.MULTIPLIER);
		if (written != null && jitter.replacesShape() && multiplier != null
				&& multiplier.strength() >= written.strength()) {
			this.conflicts
				.add(multiplier.value().problem(NO_EFFECT + " decorrelated jitter grows by itself", "Remove it."));
		}
		return jitter;
	}

	private @Nullable Shape shape(ShapeName name, Jitter jitter) {
		if (name == ShapeName.LADDER) {
			Ranked ladder = this.levels.get(PolicyKey.LADDER);
			if (ladder == null) {
				return null;
			}
			put(PolicyKey.LADDER, ladder.value().text(), ladder.value().origin());
			return Shape.ladder(TextValues.ladder(ladder.value().texts()));
		}
		Duration base = value(PolicyKey.BASE, TextValues::duration, RetryPolicy.DEFAULT_BASE,
				DurationText.exact(RetryPolicy.DEFAULT_BASE));
		return switch (name) {
			case FIXED -> Shape.fixed(base);
			case LINEAR ->
				Shape.linear(base, value(PolicyKey.STEP, TextValues::duration, base, DurationText.exact(base)));
			default -> Shape.exponential(base, jitter.replacesShape() ? 1
					: value(PolicyKey.MULTIPLIER, TextValues::multiplier, RetryPolicy.DEFAULT_MULTIPLIER, "2"));
		};
	}

	private Duration cap(ShapeName name, @Nullable Shape shape, Jitter jitter) {
		Ranked cap = this.levels.get(PolicyKey.CAP);
		Ranked anchor = this.levels.get((name == ShapeName.LADDER) ? PolicyKey.LADDER : PolicyKey.BASE);
		boolean yields = (anchor != null) && (cap == null || cap.strength() < anchor.strength());
		if (name == ShapeName.LADDER && (cap == null || yields)) {
			return Duration.ofNanos(Nanos.UNLIMITED);
		}
		Duration limit = value(PolicyKey.CAP, TextValues::positiveDuration, RetryPolicy.DEFAULT_CAP,
				DurationText.exact(RetryPolicy.DEFAULT_CAP));
		long base = (shape != null) ? shape.baseNanos() : 0;
		long least = jitter.replacesShape() ? Nanos.times(base, 2) : base;
		if (name == ShapeName.LADDER || Nanos.of(limit) >= least) {
			return limit;
		}
		if (yields || cap == null) {
			put(PolicyKey.CAP, DurationText.exact(least),
					"raised to " + (jitter.replacesShape() ? "twice the base, " : "the base, ") + anchorOrigin(anchor));
		}
		else {
			this.conflicts.add(cap.value()
				.problem(
						(jitter.replacesShape() ? "must be at least twice the base (" : "must not be below the base (")
								+ DurationText.exact(base) + ")"
								+ (jitter.replacesShape() ? " for decorrelated jitter (" + jitterOrigin() + ")" : ""),
						"Raise the cap or lower the base (" + anchorOrigin(anchor) + ")."));
		}
		return Duration.ofNanos(least);
	}

	private static String anchorOrigin(@Nullable Ranked anchor) {
		return (anchor != null) ? anchor.value().origin() : BUILT_IN;
	}

	private String jitterOrigin() {
		return anchorOrigin(this.levels.get(PolicyKey.JITTER));
	}

	private @Nullable Duration deadline() {
		Duration deadline = value(PolicyKey.DEADLINE, TextValues::deadline, Duration.ZERO, "none");
		return deadline.isZero() ? null : deadline;
	}

	private int attempts(ShapeName name, @Nullable Shape shape, @Nullable Duration deadline) {
		Ranked written = this.levels.get(PolicyKey.MAX_ATTEMPTS);
		Ranked ladder = this.levels.get(PolicyKey.LADDER);
		if (name == ShapeName.LADDER && shape != null && ladder != null
				&& (written == null || written.strength() < ladder.strength())) {
			int attempts = (deadline != null) ? RetryPolicy.UNLIMITED_ATTEMPTS : shape.rungs() + 1;
			put(PolicyKey.MAX_ATTEMPTS, (deadline != null) ? "unlimited" : Integer.toString(attempts),
					((deadline != null) ? "until the deadline, " : "one retry a rung, ") + ladder.value().origin());
			return attempts;
		}
		return value(PolicyKey.MAX_ATTEMPTS, TextValues::attempts, RetryPolicy.DEFAULT_MAX_ATTEMPTS,
				Integer.toString(RetryPolicy.DEFAULT_MAX_ATTEMPTS));
	}

	private Duration throttledBase(Duration cap) {
		Ranked written = this.levels.get(PolicyKey.THROTTLED_BASE);
		Ranked capWritten = this.levels.get(PolicyKey.CAP);
		Duration least = value(PolicyKey.THROTTLED_BASE, TextValues::duration, RetryPolicy.DEFAULT_THROTTLED_BASE,
				DurationText.exact(RetryPolicy.DEFAULT_THROTTLED_BASE));
		if (least.compareTo(cap) <= 0) {
			return least;
		}
		if (written != null && (capWritten == null || written.strength() >= capWritten.strength())) {
			this.conflicts.add(written.value()
				.problem("must not be above the cap (" + DurationText.exact(cap) + ")", "Lower it, or raise the cap."));
		}
		put(PolicyKey.THROTTLED_BASE, DurationText.exact(cap), "lowered to the cap");
		return cap;
	}

	private Duration longestHint(Duration cap, @Nullable Shape shape) {
		Duration longest = (Nanos.of(cap) == Nanos.UNLIMITED && shape != null) ? longestRung(shape) : cap;
		Duration otherwise = (longest.compareTo(RetryPolicy.DEFAULT_RETRY_AFTER_MAX) > 0) ? longest
				: RetryPolicy.DEFAULT_RETRY_AFTER_MAX;
		return value(PolicyKey.RETRY_AFTER_MAX, TextValues::positiveDuration, otherwise, DurationText.exact(otherwise));
	}

	private static Duration longestRung(Shape ladder) {
		return Duration.ofNanos(IntStream.rangeClosed(1, ladder.rungs()).mapToLong(ladder::nanos).max().orElse(0));
	}

	private @Nullable ConfigValue classifier() {
		Ranked written = this.levels.get(PolicyKey.CLASSIFIER);
		note(PolicyKey.CLASSIFIER);
		return (written != null) ? written.value() : null;
	}

	private List<ConfigValue> strongestRetryOn() {
		Ranked written = this.levels.get(PolicyKey.RETRY_ON);
		return (written != null) ? List.of(written.value()) : List.of();
	}

	private List<Class<? extends Throwable>> types(PolicyKey key, List<ConfigValue> lists) {
		List<Class<? extends Throwable>> types = new ArrayList<>();
		for (ConfigValue list : lists) {
			for (String text : list.texts()) {
				Class<? extends Throwable> type = type(key, list.withTexts(List.of(text)));
				if (type != null && !types.contains(type)) {
					types.add(type);
				}
			}
		}
		if (!lists.isEmpty()) {
			put(key, types.isEmpty() ? "[]" : String.join(", ", types.stream().map(Class::getName).toList()),
					String.join(", ", lists.stream().map(ConfigValue::origin).distinct().toList()));
		}
		return types;
	}

	private @Nullable Class<? extends Throwable> type(PolicyKey key, ConfigValue name) {
		Class<?> type;
		try {
			type = ClassUtils.forName(name.text(), this.classLoader);
		}
		catch (ClassNotFoundException | LinkageError ex) {
			this.problems.add(name.problem("names a class that is not on the class path", fullName(name.text())));
			return null;
		}
		if (!Throwable.class.isAssignableFrom(type)) {
			this.problems.add(name.problem("names a class that is no exception", "Write an exception type."));
			return null;
		}
		if (key == PolicyKey.RETRY_ON
				&& (VirtualMachineError.class.isAssignableFrom(type) || LinkageError.class.isAssignableFrom(type)
						|| ThreadDeath.class.isAssignableFrom(type) || InterruptedException.class.isAssignableFrom(type)
						|| CancellationException.class.isAssignableFrom(type))) {
			this.problems.add(name.problem("names a failure that is never retried", "Remove it."));
		}
		return type.asSubclass(Throwable.class);
	}

	private String fullName(String text) {
		for (String common : COMMON_PACKAGES) {
			if (text.indexOf('.') < 0 && ClassUtils.isPresent(common + text, this.classLoader)) {
				return "Write " + common + text + ".";
			}
		}
		return "Write the full name of an exception, as in java.io.IOException.";
	}

	/** Report a deadline that leaves no room for a single retry. */
	private void checkRoom(RetryPolicy policy) {
		Ranked deadline = this.levels.get(PolicyKey.DEADLINE);
		if (deadline == null || policy.deadlineNanos() == Nanos.UNLIMITED || policy.maxAttempts() == 1) {
			return;
		}
		BackoffRule rule = policy.rule();
		long least = rule.delay(1, rule.baseNanos(), () -> 0);
		if (Nanos.plus(least, policy.shortestAttemptNanos()) >= policy.deadlineNanos()) {
			this.conflicts.add(deadline.value()
				.problem(
						"leaves no room for a retry, which waits " + DurationText.exact(least) + " at least and needs "
								+ DurationText.exact(policy.shortestAttemptNanos()) + " (shortest-attempt)",
						"Raise the deadline, or " + lowerTheWait(rule, least)));
		}
	}

	private String lowerTheWait(BackoffRule rule, long least) {
		if (least == 0) {
			return "lower shortest-attempt (" + anchorOrigin(this.levels.get(PolicyKey.SHORTEST_ATTEMPT)) + ").";
		}
		return (rule.shape().rungs() > 0)
				? "shorten the ladder's first rung (" + anchorOrigin(this.levels.get(PolicyKey.LADDER)) + ")."
				: "lower the base (" + anchorOrigin(this.levels.get(PolicyKey.BASE)) + ").";
	}

	/* Neither a preset nor the defaults mean a single policy. */
	private boolean isWrittenForIt(PolicyKey key) {
		Ranked written = this.levels.get(key);
		return written != null && !written.value().origin().startsWith("preset ")
				&& !written.value().place().contains("backoff.defaults.");
	}

	private void note(PolicyKey key) {
		Ranked written = this.levels.get(key);
		if (written != null) {
			put(key, written.value().text(), written.value().origin());
		}
	}

	private <T> T value(PolicyKey key, Function<String, T> parser, T otherwise, String otherwiseText) {
		Ranked written = this.levels.get(key);
		if (written == null) {
			put(key, otherwiseText, BUILT_IN);
			return otherwise;
		}
		put(key, written.value().text(), written.value().origin());
		return parser.apply(written.value().text());
	}

	private void put(PolicyKey key, String text, String origin) {
		this.effective.put(key, new EffectivePolicy.Value(text, origin));
	}

}
