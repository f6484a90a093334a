package dev.backoff.spring.policy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import dev.backoff.delay.BackoffRule;
import dev.backoff.delay.Jitter;
import dev.backoff.delay.Shape;
import dev.backoff.policy.RetryPolicyBuilder;
import dev.backoff.spring.configuration.BackoffProperties.ShapeName;
import dev.backoff.spring.configuration.ConfigValue;
import dev.backoff.spring.configuration.EffectiveValue;
import dev.backoff.spring.configuration.Key;
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
record DelayAssembler(PolicyDraft values) {

	private static final String NO_EFFECT = "has no effect, because";

	/** Put the delays into a policy; return their shape, or null for a conflict. */
	@Nullable Shape assemble(RetryPolicyBuilder builder) {
		ShapeName name = shapeName();
		Jitter jitter = jitter(name);
		Shape shape = switch (name) {
			case LADDER -> (this.values.written(PolicyKey.LADDER) == null) ? null
					: Shape.ladder(this.values.read(PolicyKey.LADDER, List.of(), ""));
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
		Duration cap = cap(name, shape, jitter);
		if (cap != null) {
			builder.cap(cap);
		}
		builder.shape(shape).jitter(jitter);
		builder.throttledBase(throttledBase((cap != null) ? cap : Duration.ofNanos(BackoffRule.builtInCap(shape))));
		return shape;
	}

	private ShapeName shapeName() {
		ConfigValue shape = this.values.written(PolicyKey.SHAPE);
		ConfigValue ladder = this.values.written(PolicyKey.LADDER);
		ShapeName written = this.values.get(PolicyKey.SHAPE);
		if (ladder != null && shape != null && ladder.level().equals(shape.level()) && written != ShapeName.LADDER) {
			this.values.conflict(ladder, "contradicts the shape " + shape.text() + " beside it",
					"Remove one of the two.");
		}
		if (shape != null && written == ShapeName.LADDER && ladder == null) {
			this.values.conflict(shape, "needs a ladder", "Add the delays as ladder.");
		}
		ConfigValue decisive = decisive();
		ShapeName name = (ladder != null && ladder.equals(decisive)) ? ShapeName.LADDER : written;
		this.values.put(PolicyKey.SHAPE, name.name().toLowerCase(Locale.ROOT), decisive);
		reject(PolicyKey.BASE, name != ShapeName.LADDER, "fixed, linear or exponential");
		reject(PolicyKey.MULTIPLIER, name == ShapeName.EXPONENTIAL, "exponential");
		reject(PolicyKey.STEP, name == ShapeName.LINEAR, "linear");
		reject(PolicyKey.LADDER, name == ShapeName.LADDER, "ladder");
		return name;
	}

	private void reject(Key<?> key, boolean used, String owner) {
		ConfigValue written = this.values.written(key);
		if (!used && written != null && isAtLeastTheShape(written)) {
			EffectiveValue shape = this.values.inEffect(PolicyKey.SHAPE);
			this.values.conflict(written, NO_EFFECT + " the shape is " + shape.value() + " (" + shape.origin() + ")",
					"Remove it, or set the shape to " + owner + ".");
		}
	}

	/* What decides on the shape, or null for the built-in one. */
	private @Nullable ConfigValue decisive() {
		ConfigValue shape = this.values.written(PolicyKey.SHAPE);
		ConfigValue ladder = this.values.written(PolicyKey.LADDER);
		return (ladder != null && (shape == null || ladder.level().isAtLeast(shape.level()))) ? ladder : shape;
	}

	private boolean isAtLeastTheShape(ConfigValue value) {
		ConfigValue decisive = decisive();
		return decisive == null || value.level().isAtLeast(decisive.level());
	}

	private Jitter jitter(ShapeName shape) {
		Jitter otherwise = (shape == ShapeName.LADDER) ? Jitter.proportional(0.2) : Jitter.full();
		Jitter jitter = this.values.read(PolicyKey.JITTER, otherwise, otherwise.toString());
		ConfigValue written = this.values.written(PolicyKey.JITTER);
		if (written == null || !jitter.replacesShape()) {
			return jitter;
		}
		if (shape != ShapeName.EXPONENTIAL && !isAtLeastTheShape(written)) {
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
			if (!ladder) {
				Duration builtIn = Duration.ofNanos(BackoffRule.builtInCap(shape));
				boolean grown = !builtIn.equals(PolicyKey.CAP.builtIn());
				this.values.putBuiltIn(PolicyKey.CAP, DurationText.exact(builtIn), grown ? ", 100 times the base" : "");
			}
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

}
