package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.PolicyKey;
import dev.backoff.spring.policy.PolicyLevels.Ranked;
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

	private final PolicyValues values;

	DelayAssembler(PolicyValues values) {
		this.values = values;
	}

	/** Return the delays, or null if there are none, which is then a conflict. */
	@Nullable Delays assemble() {
		ShapeName name = shapeName();
		Jitter jitter = jitter(name, shapeStrength(name));
		Shape shape = switch (name) {
			case LADDER -> ladder();
			case FIXED -> Shape.fixed(this.values.read(PolicyKey.BASE));
			case LINEAR -> {
				Duration base = this.values.read(PolicyKey.BASE);
				yield Shape.linear(base, this.values.read(PolicyKey.STEP, base, DurationText.exact(base)));
			}
			case EXPONENTIAL -> Shape.exponential(this.values.read(PolicyKey.BASE),
					jitter.replacesShape() ? 1.0 : this.values.<Double>read(PolicyKey.MULTIPLIER));
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
				: Shape.ladder(this.values.<List<Duration>>read(PolicyKey.LADDER, List.of(), ""));
	}

	private ShapeName shapeName() {
		Ranked shape = this.values.written(PolicyKey.SHAPE);
		Ranked ladder = this.values.written(PolicyKey.LADDER);
		ShapeName written = (shape != null) ? shape.value().value() : ShapeName.EXPONENTIAL;
		boolean ladderWins = ladder != null && (shape == null || ladder.strength() >= shape.strength());
		if (ladder != null && shape != null && ladder.strength() == shape.strength() && written != ShapeName.LADDER) {
			this.values.conflict(ladder.value(), "contradicts the shape " + shape.value().text() + " beside it",
					"Remove one of the two.");
		}
		if (shape != null && written == ShapeName.LADDER && ladder == null) {
			this.values.conflict(shape.value(), "needs a ladder", "Add the delays as ladder.");
		}
		ShapeName name = ladderWins ? ShapeName.LADDER : written;
		Ranked decisive = ladderWins ? ladder : shape;
		this.values.put(PolicyKey.SHAPE, name.name().toLowerCase(Locale.ROOT),
				(decisive != null) ? decisive.value().origin() : PolicyValues.BUILT_IN);
		rejectNumbersOfOtherShapes(name, decisive);
		return name;
	}

	/** Return the strength of what decides on the shape, 0 if nothing does. */
	private int shapeStrength(ShapeName name) {
		return Math.max(this.values.strength(PolicyKey.SHAPE),
				(name == ShapeName.LADDER) ? this.values.strength(PolicyKey.LADDER) : 0);
	}

	private void rejectNumbersOfOtherShapes(ShapeName shape, @Nullable Ranked decisive) {
		reject(PolicyKey.BASE, shape != ShapeName.LADDER, decisive, "fixed, linear or exponential");
		reject(PolicyKey.MULTIPLIER, shape == ShapeName.EXPONENTIAL, decisive, "exponential");
		reject(PolicyKey.STEP, shape == ShapeName.LINEAR, decisive, "linear");
		reject(PolicyKey.LADDER, shape == ShapeName.LADDER, decisive, "ladder");
	}

	private void reject(PolicyKey key, boolean used, @Nullable Ranked decisive, String owner) {
		Ranked ranked = this.values.written(key);
		if (!used && ranked != null && (decisive == null || ranked.strength() >= decisive.strength())) {
			EffectiveValue shape = this.values.inEffect(PolicyKey.SHAPE);
			this.values.conflict(ranked.value(),
					NO_EFFECT + " the shape is " + shape.value() + " (" + shape.origin() + ")",
					"Remove it, or set the shape to " + owner + ".");
		}
	}

	private Jitter jitter(ShapeName shape, int strength) {
		Jitter otherwise = (shape == ShapeName.LADDER) ? Jitter.proportional(0.2) : Jitter.full();
		Jitter jitter = this.values.read(PolicyKey.JITTER, otherwise, otherwise.toString());
		Ranked written = this.values.written(PolicyKey.JITTER);
		if (written == null || !jitter.replacesShape()) {
			return jitter;
		}
		if (shape != ShapeName.EXPONENTIAL && written.strength() < strength) {
			this.values.put(PolicyKey.JITTER, otherwise.toString(), PolicyValues.BUILT_IN + ", because decorrelated ("
					+ written.value().origin() + ") needs an exponential");
			return otherwise;
		}
		if (shape != ShapeName.EXPONENTIAL) {
			this.values.conflict(written.value(),
					"grows from a base by itself, and the shape is " + shape.name().toLowerCase(Locale.ROOT),
					"Remove the shape, or choose another jitter.");
		}
		Ranked multiplier = this.values.written(PolicyKey.MULTIPLIER);
		if (multiplier != null && multiplier.strength() >= written.strength()) {
			this.values.conflict(multiplier.value(), NO_EFFECT + " decorrelated jitter grows by itself", "Remove it.");
		}
		return jitter;
	}

	/** Return the cap that is set and holds, or null for the built-in one. */
	private @Nullable Duration cap(ShapeName name, Shape shape, Jitter jitter) {
		Ranked cap = this.values.written(PolicyKey.CAP);
		boolean ladder = name == ShapeName.LADDER;
		PolicyKey anchor = ladder ? PolicyKey.LADDER : PolicyKey.BASE;
		boolean yields = cap != null && cap.strength() < this.values.strength(anchor);
		if (cap == null || (ladder && yields)) {
			putBuiltInCap(shape);
			return null;
		}
		Duration limit = cap.value().value();
		boolean doubled = jitter.replacesShape();
		long base = shape.baseNanos();
		long least = doubled ? Nanos.times(base, 2) : base;
		if (ladder || Nanos.of(limit) >= least) {
			return this.values.read(PolicyKey.CAP);
		}
		if (yields) {
			this.values.put(PolicyKey.CAP, DurationText.exact(least),
					"raised to " + (doubled ? "twice " : "") + "the base (" + this.values.origin(anchor) + ") from "
							+ cap.value().text() + " (" + cap.value().origin() + ")");
			return Duration.ofNanos(least);
		}
		this.values.conflict(cap.value(),
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
			this.values.put(PolicyKey.CAP, DurationText.exact(cap),
					PolicyValues.BUILT_IN + (grown ? ", 100 times the base" : ""));
		}
	}

	private Duration throttledBase(Duration cap) {
		Ranked written = this.values.written(PolicyKey.THROTTLED_BASE);
		Ranked capWritten = this.values.written(PolicyKey.CAP);
		Duration least = this.values.read(PolicyKey.THROTTLED_BASE);
		if (written == null || least.compareTo(cap) <= 0) {
			return least;
		}
		if (capWritten == null || written.strength() >= capWritten.strength()) {
			this.values.conflict(written.value(), "must not be above the cap (" + DurationText.exact(cap) + ")",
					"Lower it, or raise the cap.");
		}
		this.values.put(PolicyKey.THROTTLED_BASE, DurationText.exact(cap), "lowered to the cap");
		return cap;
	}

	/**
	 * The delays of one policy, with the cap that is set or null for the built-in one.
	 */
	record Delays(ShapeName name, Shape shape, Jitter jitter, @Nullable Duration cap, Duration throttledBase) {
	}

}
