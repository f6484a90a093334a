package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
import dev.backoff.spring.configuration.Level;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.time.DurationText;
import dev.backoff.time.Nanos;

/**
 * Make the delays of one policy, and report values that do not fit together.
 * <p>
 * A cap from a weaker level yields to a stronger ladder, and is raised to a stronger base
 * that is above it. A number of a shape that is not in effect is left out if it comes
 * from a weaker level than the shape; otherwise it is an error, because it was written
 * for an effect that it does not have.
 */
final class DelayAssembler {

	private static final String NO_EFFECT = "has no effect, because";

	private final PolicyDraft values;

	DelayAssembler(PolicyDraft values) {
		this.values = values;
	}

	/** Return the delays, or null if there are none, which is then a conflict. */
	@Nullable Delays assemble() {
		ShapeName name = shapeName();
		Jitter jitter = jitter(name, shapeLevel(name));
		Shape shape = switch (name) {
			case LADDER -> ladder();
			case FIXED -> Shape.fixed(this.values.read(PolicyKey.BASE));
			case LINEAR -> {
				Duration base = this.values.read(PolicyKey.BASE);
				yield Shape.linear(base, this.values.read(PolicyKey.STEP, base, DurationText.exact(base)));
			}
			case EXPONENTIAL -> Shape.exponential(this.values.read(PolicyKey.BASE),
					jitter.replacesShape() ? 1.0 : this.values.read(PolicyKey.MULTIPLIER));
		};
		if (shape == null) {
			return null;
		}
		Duration set = cap(name, shape, jitter);
		Duration cap = (set != null) ? set : Duration.ofNanos(BackoffRule.builtInCap(shape));
		return new Delays(name, shape, jitter, set, throttledBase(cap));
	}

	private @Nullable Shape ladder() {
		return (this.values.written(PolicyKey.LADDER) == null) ? null
				: Shape.ladder(this.values.read(PolicyKey.LADDER, List.of(), ""));
	}

	private ShapeName shapeName() {
		ConfigValue shape = this.values.written(PolicyKey.SHAPE);
		ConfigValue ladder = this.values.written(PolicyKey.LADDER);
		ShapeName written = this.values.get(PolicyKey.SHAPE);
		boolean ladderWins = ladder != null && (shape == null || ladder.level().isAtLeast(shape.level()));
		if (ladder != null && shape != null && ladder.level().equals(shape.level()) && written != ShapeName.LADDER) {
			this.values.conflict(ladder, "contradicts the shape " + shape.text() + " beside it",
					"Remove one of the two.");
		}
		if (shape != null && written == ShapeName.LADDER && ladder == null) {
			this.values.conflict(shape, "needs a ladder", "Add the delays as ladder.");
		}
		ShapeName name = ladderWins ? ShapeName.LADDER : written;
		ConfigValue decisive = ladderWins ? ladder : shape;
		this.values.put(PolicyKey.SHAPE, name.name().toLowerCase(Locale.ROOT), decisive);
		rejectNumbersOfOtherShapes(name, decisive);
		return name;
	}

	/** Return the level of what decides on the shape. */
	private Level shapeLevel(ShapeName name) {
		Level shape = this.values.level(PolicyKey.SHAPE);
		Level ladder = this.values.level(PolicyKey.LADDER);
		return (name == ShapeName.LADDER && ladder.isAtLeast(shape)) ? ladder : shape;
	}

	private void rejectNumbersOfOtherShapes(ShapeName shape, @Nullable ConfigValue decisive) {
		reject(PolicyKey.BASE, shape != ShapeName.LADDER, decisive, "fixed, linear or exponential");
		reject(PolicyKey.MULTIPLIER, shape == ShapeName.EXPONENTIAL, decisive, "exponential");
		reject(PolicyKey.STEP, shape == ShapeName.LINEAR, decisive, "linear");
		reject(PolicyKey.LADDER, shape == ShapeName.LADDER, decisive, "ladder");
	}

	private void reject(Key<?> key, boolean used, @Nullable ConfigValue decisive, String owner) {
		ConfigValue written = this.values.written(key);
		if (!used && written != null && (decisive == null || written.level().isAtLeast(decisive.level()))) {
			EffectiveValue shape = this.values.inEffect(PolicyKey.SHAPE);
			this.values.conflict(written, NO_EFFECT + " the shape is " + shape.value() + " (" + shape.origin() + ")",
					"Remove it, or set the shape to " + owner + ".");
		}
	}

	private Jitter jitter(ShapeName shape, Level level) {
		Jitter otherwise = (shape == ShapeName.LADDER) ? Jitter.proportional(0.2) : Jitter.full();
		Jitter jitter = this.values.read(PolicyKey.JITTER, otherwise, otherwise.toString());
		ConfigValue written = this.values.written(PolicyKey.JITTER);
		if (written == null || !jitter.replacesShape()) {
			return jitter;
		}
		if (shape != ShapeName.EXPONENTIAL && !written.level().isAtLeast(level)) {
			this.values.putBuiltIn(PolicyKey.JITTER, otherwise.toString(),
					", because decorrelated (" + written.origin() + ") needs an exponential");
			return otherwise;
		}
		if (shape != ShapeName.EXPONENTIAL) {
			this.values.conflict(written,
					"grows from a base by itself, and the shape is " + shape.name().toLowerCase(Locale.ROOT),
					"Remove the shape, or choose another jitter.");
		}
		ConfigValue multiplier = this.values.written(PolicyKey.MULTIPLIER);
		if (multiplier != null && multiplier.level().isAtLeast(written.level())) {
			this.values.conflict(multiplier, NO_EFFECT + " decorrelated jitter grows by itself", "Remove it.");
		}
		return jitter;
	}

	/** Return the cap that is set and holds, or null for the built-in one. */
	private @Nullable Duration cap(ShapeName name, Shape shape, Jitter jitter) {
		ConfigValue cap = this.values.written(PolicyKey.CAP);
		boolean ladder = name == ShapeName.LADDER;
		Key<?> anchor = ladder ? PolicyKey.LADDER : PolicyKey.BASE;
		boolean yields = cap != null && !cap.level().isAtLeast(this.values.level(anchor));
		if (cap == null || (ladder && yields)) {
			putBuiltInCap(shape);
			return null;
		}
		Duration limit = PolicyKey.CAP.of(cap);
		boolean doubled = jitter.replacesShape();
		long base = shape.baseNanos();
		long least = doubled ? Nanos.times(base, 2) : base;
		if (ladder || Nanos.of(limit) >= least) {
			return this.values.read(PolicyKey.CAP);
		}
		if (yields) {
			this.values.put(PolicyKey.CAP, DurationText.exact(least), cap.level().adjusted(),
					"raised to " + (doubled ? "twice " : "") + "the base (" + this.values.origin(anchor) + ") from "
							+ cap.text() + " (" + cap.origin() + ")");
			return Duration.ofNanos(least);
		}
		this.values.conflict(cap,
				(doubled ? "must be at least twice the base (" : "must not be below the base (")
						+ DurationText.exact(base) + ")"
						+ (doubled ? " for decorrelated jitter (" + this.values.origin(PolicyKey.JITTER) + ")" : ""),
				"Raise the cap or lower the base (" + this.values.origin(anchor) + ").");
		return limit;
	}

	private void putBuiltInCap(Shape shape) {
		if (shape.levels() == 0) {
			Duration cap = Duration.ofNanos(BackoffRule.builtInCap(shape));
			boolean grown = !cap.equals(PolicyKey.CAP.builtIn());
			this.values.putBuiltIn(PolicyKey.CAP, DurationText.exact(cap), grown ? ", 100 times the base" : "");
		}
	}

	private Duration throttledBase(Duration cap) {
		ConfigValue written = this.values.written(PolicyKey.THROTTLED_BASE);
		ConfigValue capWritten = this.values.written(PolicyKey.CAP);
		Duration least = this.values.read(PolicyKey.THROTTLED_BASE);
		if (written == null || least.compareTo(cap) <= 0) {
			return least;
		}
		if (capWritten == null || written.level().isAtLeast(capWritten.level())) {
			this.values.conflict(written, "must not be above the cap (" + DurationText.exact(cap) + ")",
					"Lower it, or raise the cap.");
		}
		this.values.put(PolicyKey.THROTTLED_BASE, DurationText.exact(cap), written.level().adjusted(),
				"lowered to the cap");
		return cap;
	}

	/**
	 * The delays of one policy, with the cap that is set or null for the built-in one.
	 */
	record Delays(ShapeName name, Shape shape, Jitter jitter, @Nullable Duration cap, Duration throttledBase) {
	}

}
